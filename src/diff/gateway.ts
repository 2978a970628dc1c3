import type { Field } from '../model/field.ts';
import type { Gateway, Limits } from '../model/gateway.ts';
import type { Process } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { Role, User } from '../model/security.ts';
import type { CsvOptions } from '../wire/csv.ts';
import { duration } from '../wire/duration.ts';
import { compareGrants } from './access.ts';
import {
  type Comparison,
  compareAll,
  inside,
  type Pair,
  type Scope,
  type Sides,
  unseen,
  whenDifferent,
  whenMoved,
  whenTurned,
} from './changes.ts';
import { compareDocuments, messageScope } from './document.ts';

/** Compares what callers of all services notice. */
export function compareGateways(pair: Pair<Gateway>, scope: Scope): void {
  compareAll(GATEWAY, pair, scope);
}

const GATEWAY: Comparison<Gateway> = {
  id: whenDifferent('gateway-renamed', ({ id }) => id),
  context: whenDifferent('context-changed', ({ context }) => context),
  publicUrl: whenDifferent('address-changed', ({ publicUrl }) => publicUrl?.source ?? 'the one that it listens on'),
  tls: (pair, scope) => {
    whenDifferent<Gateway, Scope>('tls-changed', ({ tls }) => (tls === undefined ? 'http' : 'https'))(pair, scope);
    const [old, now] = [pair.before.tls?.minimum, pair.after.tls?.minimum];
    if (old === undefined || now === undefined || old === now) return;
    scope.changes.add(now > old ? 'tls-minimum-raised' : 'tls-minimum-lowered', scope, {
      before: { text: old, at: pair.before.at },
      after: { text: now, at: pair.after.at },
    });
  },
  contracts: whenTurned('contracts-private', 'contracts-public', ({ contracts }) => contracts === 'private'),
  timezone: whenDifferent('timezone-changed', ({ timezone }) => timezone),
  limits: compareLimits,
  mtom: (pair, scope) => {
    const words = { services: 'services connector', http: 'HTTP connector' } as const;
    for (const key of ['services', 'http'] as const)
      whenTurned<Gateway, Scope>(
        'mtom-begun',
        'mtom-ended',
        ({ mtom }) => mtom[key],
      )(pair, inside(scope, `mtom.${key}`, words[key]));
  },
  compress: (pair, scope) => {
    for (const key of ['rest', 'soap'] as const)
      whenTurned<Gateway, Scope>(
        'compression-begun',
        'compression-ended',
        ({ compress }) => compress[key],
      )(pair, {
        ...inside(scope, `compress.${key}`, key.toUpperCase()),
        languages: [key === 'rest' ? 'json' : 'xml'],
      });
  },
  requestEncodings: (pair, scope) => {
    for (const coding of ['gzip', 'deflate', 'br'] as const)
      whenTurned<Gateway, Scope>('request-encoding-accepted', 'request-encoding-refused', ({ requestEncodings }) =>
        requestEncodings.includes(coding),
      )(pair, inside(scope, `request-encodings.${coding}`, coding));
  },
  // Compared with the operations and services that they apply to.
  namespace: unseen,
  requires: unseen,
  delivered: unseen,
  strict: unseen,
  once: unseen,
  cors: unseen,
  // Where and how the gateway runs, which its callers do not notice.
  listen: unseen,
  database: unseen,
  migrations: unseen,
  sampleData: unseen,
  settings: unseen,
  handlers: unseen,
  proxies: unseen,
  audit: unseen,
  metrics: unseen,
  drain: unseen,
  retention: unseen,
  console: unseen,
  acceptedBreaks: unseen,
  // Has no effect.
  domainNames: unseen,
  at: unseen,
};

/** Whether more of a limit is more for callers; `undefined` for limits of work that they do not notice. */
const LIMITS: Readonly<
  Record<keyof Limits, { readonly more: 'allowed' | 'demanded'; readonly unit: 'bytes' | 'ms' | '' } | undefined>
> = {
  body: { more: 'allowed', unit: 'bytes' },
  timeout: { more: 'allowed', unit: 'ms' },
  rows: { more: 'allowed', unit: '' },
  target: { more: 'allowed', unit: 'bytes' },
  parameters: { more: 'allowed', unit: '' },
  attachment: { more: 'allowed', unit: 'bytes' },
  attachments: { more: 'allowed', unit: '' },
  queries: { more: 'allowed', unit: '' },
  queued: { more: 'allowed', unit: '' },
  slowest: { more: 'demanded', unit: 'bytes' },
  processes: undefined,
  temporary: undefined,
  unknown: undefined,
  // Compared with the operations that they apply to.
  rate: undefined,
  concurrent: undefined,
};

function compareLimits({ before, after }: Pair<Gateway>, scope: Scope): void {
  for (const [key, facts] of Object.entries(LIMITS)) {
    if (facts === undefined) continue;
    const read = ({ limits }: Gateway): number =>
      (limits[key as keyof Limits] as number | undefined) ?? Number.POSITIVE_INFINITY;
    const [old, now] = [read(before), read(after)];
    if (old === now) continue;
    const words = (limit: number): string => {
      if (!Number.isFinite(limit)) return 'none';
      if (facts.unit === 'ms') return duration(limit);
      return facts.unit === 'bytes' ? sizeWords(limit) : String(limit);
    };
    scope.changes.add(
      now < old === (facts.more === 'allowed') ? 'limit-lowered' : 'limit-raised',
      inside(scope, `limits.${key}`, key),
      {
        before: { text: words(old), at: before.at },
        after: { text: words(now), at: after.at },
      },
    );
  }
}

function sizeWords(bytes: number): string {
  const [unit, length] = SIZES.find(([, each]) => bytes % each === 0) ?? SIZES[3];
  return `${bytes / length} ${unit}`;
}

const SIZES = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['B', 1],
] as const;

/**
 * Compares what callers know by its name in other ways than as an operation: stored queries and processes, which the delivered services
 * take by name, and roles and users, by which callers are permitted.
 */
export function compareNamed({ before, after }: Pair<Registry>, scope: Scope): void {
  // Without these services only operations use queries and processes, which are compared.
  const offers = ({ services }: Registry, name: string): boolean =>
    [...services.values()].some((service) => service.delivered && service.name === name);
  const isOffered = (name: string): boolean => offers(before, name) && offers(after, name);
  if (isOffered('QAS_QRY_SERVICE'))
    compareEach('query', { before: before.queries, after: after.queries }, scope, QUERY, [
      'query-added',
      'query-removed',
    ]);
  if (isOffered('PROCESSREQUEST'))
    compareEach('process', { before: before.processes, after: after.processes }, scope, PROCESS, [
      'process-added',
      'process-removed',
    ]);
  compareEach('role', { before: before.roles, after: after.roles }, scope, ROLE, undefined);
  compareEach('user', { before: before.users, after: after.users }, scope, USER, ['user-added', 'user-removed']);
}

type Rule = Parameters<Scope['changes']['add']>[0];
type Named = Query | Process | Role | User;

function sidesOf(pair: Partial<Pair<Named>>, old = '', now = ''): Sides {
  const { before, after } = pair;
  return { before: before && { text: old, at: before.at }, after: after && { text: now, at: after.at } };
}

function compareEach<T extends Named>(
  kind: string,
  { before, after }: Pair<ReadonlyMap<string, T>>,
  scope: Scope,
  comparison: Comparison<T>,
  rules: readonly [added: Rule, removed: Rule] | undefined,
): void {
  const within = (id: string): Scope => ({ ...scope, at: `${kind}.${id}`, what: id });
  for (const [id, old] of before) {
    const now = after.get(id);
    if (now !== undefined) compareAll(comparison, { before: old, after: now }, within(id));
    else if (rules !== undefined) scope.changes.add(rules[1], within(id), sidesOf({ before: old }, id));
  }
  for (const [id, now] of after)
    if (!before.has(id) && rules !== undefined)
      scope.changes.add(rules[0], within(id), sidesOf({ after: now }, '', id));
}

/** Compares lists of names whose order has no meaning. */
function compareNames(
  pair: Pair<Named>,
  [old, now]: readonly [readonly string[], readonly string[]],
  [added, removed]: readonly [added: Rule, removed: Rule],
  scope: Scope,
): void {
  for (const each of old) if (!now.includes(each)) scope.changes.add(removed, scope, sidesOf(pair, each, ''));
  for (const each of now) if (!old.includes(each)) scope.changes.add(added, scope, sidesOf(pair, '', each));
}

/** Compares values that callers send, or get, by their names, as the fields of a message. */
function compareNamedFields(
  role: 'request' | 'reply',
  read: (thing: Query | Process) => readonly Field[],
): (pair: Pair<Query | Process>, scope: Scope) => void {
  return ({ before, after }, scope) => {
    const whole = (thing: Query | Process) => ({
      ...{ id: '', xmlName: '', root: false, open: false, inPlace: true, at: thing.at },
      fields: read(thing),
    });
    const message = messageScope({ ...scope, role }, role, `the ${role} of ${scope.what}`);
    compareDocuments({ before: whole(before), after: whole(after) }, message);
  };
}

function compareThingGrants({ before, after }: Pair<Query | Process>, scope: Scope): void {
  const grants = (thing: Query | Process) => ({
    public: thing.public,
    permissions: thing.permissions.map(({ id }) => id),
    requires: [],
  });
  compareGrants({ before: grants(before), after: grants(after) }, (rule, old, now) =>
    scope.changes.add(rule, scope, sidesOf({ before, after }, old, now)),
  );
}

function csvWords({ neutral, bom, file }: CsvOptions = {}): string {
  const words = [
    ...(neutral ? ['neutral texts'] : []),
    ...(bom ? ['a byte order mark'] : []),
    ...(file === undefined ? [] : [`the file name ${file}`]),
  ];
  return words.length === 0 ? 'no options' : words.join(' and ');
}

const QUERY: Comparison<Query> = {
  id: unseen,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  prompts: compareNamedFields('request', (query) => ('prompts' in query ? query.prompts : [])),
  columns: compareNamedFields('reply', (query) => ('columns' in query ? query.columns : [])),
  rows: (pair, scope) => {
    const words = ({ rows }: Query): string => (rows === undefined ? 'that of the gateway' : String(rows));
    whenMoved<Query>(
      'limit-lowered',
      'limit-raised',
      ({ rows }) => rows,
      words,
    )(pair, inside(scope, 'rows', `rows of ${scope.what}`));
  },
  csv: whenDifferent('query-csv-changed', ({ csv }) => csvWords(csv)),
  permissions: compareThingGrants,
  // Compared with the permissions.
  public: unseen,
  grantedAt: unseen,
  // How the rows are found; how long that may take is a matter of the database.
  sql: unseen,
  sqlAt: unseen,
  statement: unseen,
  timeout: unseen,
  datasource: unseen,
  // The types of columns that are compared have such values or not.
  infinity: unseen,
  // Not of declared queries.
  page: unseen,
  explains: unseen,
  owner: unseen,
  // Queries below are compared by themselves.
  children: unseen,
  at: unseen,
};

const PROCESS: Comparison<Process> = {
  id: unseen,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  type: whenDifferent('process-type-changed', ({ type }) => type),
  parameters: compareNamedFields('request', (process) => ('parameters' in process ? process.parameters : [])),
  permissions: compareThingGrants,
  // Compared with the permissions.
  public: unseen,
  grantedAt: unseen,
  // How and when it runs.
  answer: unseen,
  retry: unseen,
  timeout: unseen,
  recurs: unseen,
  runAs: unseen,
  at: unseen,
};

const idsOf = (things: Iterable<{ readonly id: string }>): string[] => Array.from(things, ({ id }) => id);

const ROLE: Comparison<Role> = {
  id: unseen,
  description: unseen,
  permissionLists: (pair, scope) =>
    compareNames(
      pair,
      [idsOf(pair.before.permissionLists), idsOf(pair.after.permissionLists)],
      ['role-widened', 'role-narrowed'],
      scope,
    ),
  grantedAt: unseen,
  at: unseen,
};

/** The credentials of a user by their kinds, without what is secret. */
function credentialsOf({ password, apiKeys, certificates, sharedSecret }: User): readonly string[] {
  const short = (hash: string): string => hash.replace(/^(sha256:.{8}).*$/, '$1...');
  return [
    ...(password === undefined ? [] : ['a password']),
    ...(sharedSecret === undefined ? [] : ['a shared secret']),
    ...apiKeys.map((each) => `the API key ${short(each)}`),
    ...certificates.map((each) => `the certificate ${short(each)}`),
  ];
}

const USER: Comparison<User> = {
  id: unseen,
  description: unseen,
  roles: (pair, scope) =>
    compareNames(pair, [idsOf(pair.before.roles), idsOf(pair.after.roles)], ['user-widened', 'user-narrowed'], scope),
  password: (pair, scope) =>
    compareNames(
      pair,
      [credentialsOf(pair.before), credentialsOf(pair.after)],
      ['credential-issued', 'credential-withdrawn'],
      scope,
    ),
  // Compared with the password.
  apiKeys: unseen,
  certificates: unseen,
  sharedSecret: unseen,
  // Follow from the roles.
  permissionLists: unseen,
  grantedAt: unseen,
  // Declared users are all of definitions.
  origin: unseen,
  sample: unseen,
  at: unseen,
};
