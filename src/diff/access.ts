import type { Position } from '../model/definition.ts';
import type { Gateway, Once, Rate } from '../model/gateway.ts';
import type {
  BearerScheme,
  HmacSignature,
  SecurityScheme,
  SignatureScheme,
  UsernameTokenScheme,
} from '../model/security.ts';
import { type Operation, onceOf, reachedBy } from '../model/service.ts';
import { duration } from '../wire/duration.ts';
import { inside, type Pair, type Scope, type Sides } from './changes.ts';

/** Who may use something. */
interface Grants {
  readonly public: boolean;
  readonly permissions: readonly string[];
  readonly requires: readonly SecurityScheme[];
}

/** What holds for an operation, its own rules and those of its gateway together. */
interface Access extends Grants {
  readonly strict: boolean;
  readonly once: Once | undefined;
  readonly rate: Rate | undefined;
  readonly concurrent: number | undefined;
  /** Who may use the things that answer, such as a stored query, each with its name in words. */
  readonly reached: ReadonlyMap<string, readonly string[]>;
  readonly at: Position;
}

export function accessOf(operation: Operation, gateway: Gateway): Access {
  const { limits, service, at } = operation;
  return {
    public: operation.public,
    permissions: operation.permissions.map(({ id }) => id),
    requires: operation.public ? [] : operation.requires,
    strict: !service.delivered && operation.uris.length > 0 && (operation.strict ?? gateway.strict),
    once: onceOf(operation, gateway),
    rate: limits.rate ?? gateway.limits.rate,
    concurrent: limits.concurrent ?? gateway.limits.concurrent,
    reached: reachedIn(operation),
    at,
  };
}

/** The lists that grant what an operation uses for its callers, one of each: a role of the operation takes their place. */
function reachedIn({ as, answer }: Operation): Access['reached'] {
  const used = as === undefined ? (reachedBy(answer) ?? []) : [];
  return new Map(
    used.flatMap(({ kind, thing }) =>
      thing.public ? [] : [[`${kind} ${thing.id}`, thing.permissions.map(({ id }) => id)] as const],
    ),
  );
}

type Rule = Parameters<Scope['changes']['add']>[0];

/** Compares who may call an operation, how, and how often. */
export function compareAccess({ before, after }: Pair<Access>, scope: Scope): void {
  const sides = (old: string, now: string): Sides => ({
    before: { text: old, at: before.at },
    after: { text: now, at: after.at },
  });
  const add = (rule: Rule, old = '', now = ''): void => scope.changes.add(rule, scope, sides(old, now));
  compareGrants({ before, after }, add);
  compareReached(before, after, add);
  if (before.strict !== after.strict) add(after.strict ? 'parameters-strict' : 'parameters-free');
  compareOnce(before.once, after.once, add);
  compareRates(before.rate, after.rate, add);
  const [old = Number.POSITIVE_INFINITY, now = Number.POSITIVE_INFINITY] = [before.concurrent, after.concurrent];
  const words = (limit: number): string => (Number.isFinite(limit) ? String(limit) : 'any number');
  if (old !== now) add(now < old ? 'concurrency-lowered' : 'concurrency-raised', words(old), words(now));
}

type Add = (rule: Rule, old?: string, now?: string) => void;

/**
 * Compares who may use the things that answer. A caller needs one list for the operation and one for each of them, so that a demand
 * matters only where no other one implies it.
 */
function compareReached(before: Access, after: Access, add: Add): void {
  const demands = ({ reached, permissions, public: isPublic }: Access): readonly (readonly string[])[] => [
    ...reached.values(),
    ...(isPublic ? [] : [permissions]),
  ];
  const isImplied = (lists: readonly string[], by: Access): boolean =>
    demands(by).some((each) => each.every((list) => lists.includes(list)));
  const words = ({ reached }: Access, thing: string): string => {
    const lists = reached.get(thing);
    if (lists === undefined) return `${thing}: everyone who may call the operation`;
    return `${thing}: ${lists.length === 0 ? 'no one' : lists.join(' or ')}`;
  };
  for (const [thing, lists] of after.reached)
    if (!isImplied(lists, before)) add('grant-narrowed', words(before, thing), words(after, thing));
  for (const [thing, lists] of before.reached)
    if (!isImplied(lists, after)) add('grant-widened', words(before, thing), words(after, thing));
}

/** Compares who is permitted, and by which credentials. */
export function compareGrants({ before, after }: Pair<Grants>, add: Add): void {
  if (before.public !== after.public) add(after.public ? 'public-begun' : 'public-ended');
  if (before.public || after.public) return;
  const ids = ({ requires }: Grants): readonly string[] => requires.map(({ id }) => id);
  compareLists(before.permissions, after.permissions, ['permission-added', 'permission-removed'], add);
  compareLists(ids(before), ids(after), ['scheme-added', 'scheme-removed'], add);
}

function compareLists(
  old: readonly string[],
  now: readonly string[],
  [added, removed]: readonly [Rule, Rule],
  add: Add,
): void {
  for (const each of old.filter((id) => !now.includes(id))) add(removed, each, '');
  for (const each of now.filter((id) => !old.includes(id))) add(added, '', each);
}

function compareOnce(old: Once | undefined, now: Once | undefined, add: Add): void {
  if (old === undefined || now === undefined) {
    if (old !== undefined) add('once-ended');
    if (now !== undefined) add(now.required ? 'once-required' : 'once-begun');
    return;
  }
  if (old.required !== now.required) add(now.required ? 'once-required' : 'once-optional');
  if (old.for !== now.for)
    add(now.for < old.for ? 'once-shorter' : 'once-longer', duration(old.for), duration(now.for));
}

function compareRates(old: Rate | undefined, now: Rate | undefined, add: Add): void {
  const words = (rate: Rate | undefined): string =>
    rate === undefined ? 'any rate' : `${rate.requests} per ${duration(rate.per)}, by ${rate.by}`;
  if (words(old) === words(now)) return;
  const perSecond = (rate: Rate | undefined): number =>
    rate === undefined ? Number.POSITIVE_INFINITY : rate.requests / rate.per;
  const isCountedOtherwise =
    old !== undefined && now !== undefined && (old.by !== now.by || perSecond(old) === perSecond(now));
  const moved = perSecond(now) < perSecond(old) ? 'rate-lowered' : 'rate-raised';
  add(isCountedOtherwise ? 'rate-counted-otherwise' : moved, words(old), words(now));
}

/** The security schemes of a registry. They have no place of their own there, so it is that of the gateway. */
interface Schemes {
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly at: Position;
}

/** Compares the schemes that both sides have. */
export function compareSchemes({ before, after }: Pair<Schemes>, scope: Scope): void {
  for (const [id, old] of before.schemes) {
    const now = after.schemes.get(id);
    if (now === undefined) continue;
    const within = inside(scope, `scheme.${id}`, id);
    const add: Add = (rule, was = '', is = '') =>
      scope.changes.add(rule, within, { before: { text: was, at: before.at }, after: { text: is, at: after.at } });
    if (old.kind !== now.kind)
      add('scheme-changed', `credentials of the kind ${old.kind}`, `credentials of the kind ${now.kind}`);
    else compareFacts(factsOf(old), factsOf(now), add);
  }
}

/** What decides whether the credentials of a scheme are accepted. */
interface Facts {
  /** Credentials in another form are not found. */
  readonly form: readonly string[];
  /** One of these is accepted. */
  readonly accepted: readonly string[];
  /** Each of these is needed. */
  readonly needed: readonly string[];
  /** For how long they are accepted, in milliseconds. */
  readonly tolerance: number;
}

const PLAIN: Facts = { form: [], accepted: [], needed: [], tolerance: 0 };

function factsOf(scheme: SecurityScheme): Facts {
  switch (scheme.kind) {
    case 'basic':
      return PLAIN;
    case 'api-key':
      return { ...PLAIN, form: [`the header ${scheme.header}`] };
    case 'bearer':
      return bearerFacts(scheme);
    case 'client-certificate':
      return {
        ...PLAIN,
        form: [scheme.header === undefined ? 'a certificate of the connection' : `the header ${scheme.header}`],
      };
    case 'username-token':
      return tokenFacts(scheme);
    case 'signature':
      return signatureFacts(scheme);
    case 'webhook':
      return { ...PLAIN, tolerance: scheme.tolerance };
    case 'hmac':
      return { ...PLAIN, form: hmacWords(scheme), tolerance: scheme.tolerance };
  }
}

/** A signature, as those who write or read it need to know it. */
export function hmacWords({ header, algorithm, form, signed, timestamp, webhookId }: HmacSignature): string[] {
  const facts = [algorithm, `the header ${header}`, `the form ${form}`, `${signed} signed`];
  const headers = [timestamp && `the time in ${timestamp}`, webhookId && `the id in ${webhookId}`];
  return [...facts, ...headers.flatMap((each) => each ?? [])];
}

function bearerFacts({
  issuer,
  audience,
  algorithms,
  scopes,
  tolerance,
  users,
  user,
  claim,
  roles,
}: BearerScheme): Facts {
  return {
    form: [`the issuer ${issuer.source}`, `the user in ${user}`, `the roles in ${claim}`],
    accepted: [
      ...audience.map(({ source }) => `the audience ${source}`),
      ...algorithms,
      ...(users === 'any' ? ['any user'] : []),
      ...[...roles].flatMap(([value, each]) => each.map(({ id }) => `the role ${id} for ${value}`)),
    ],
    needed: scopes.map((each) => `the scope ${each}`),
    tolerance,
  };
}

function tokenFacts({ passwords, maxAge }: UsernameTokenScheme): Facts {
  return { ...PLAIN, accepted: passwords.map((each) => `a password as ${each}`), tolerance: maxAge };
}

function signatureFacts({ algorithms, digests, maxAge, certificatesFile }: SignatureScheme): Facts {
  const named = certificatesFile === undefined ? [] : ['a certificate that is only named'];
  return { ...PLAIN, accepted: [...algorithms, ...digests, ...named], tolerance: maxAge };
}

function compareFacts(old: Facts, now: Facts, add: Add): void {
  const words = (list: readonly string[]): string => (list.length === 0 ? 'none' : list.join(', '));
  if (words(old.form) !== words(now.form)) add('scheme-changed', words(old.form), words(now.form));
  const lost = old.accepted.filter((each) => !now.accepted.includes(each));
  const won = now.accepted.filter((each) => !old.accepted.includes(each));
  const demanded = now.needed.filter((each) => !old.needed.includes(each));
  const waived = old.needed.filter((each) => !now.needed.includes(each));
  if (lost.length > 0) add('scheme-stricter', words(old.accepted), words(now.accepted));
  else if (won.length > 0) add('scheme-looser', words(old.accepted), words(now.accepted));
  if (demanded.length > 0) add('scheme-stricter', words(old.needed), words(now.needed));
  else if (waived.length > 0) add('scheme-looser', words(old.needed), words(now.needed));
  if (old.tolerance !== now.tolerance)
    add(
      now.tolerance < old.tolerance ? 'scheme-stricter' : 'scheme-looser',
      `a tolerance of ${duration(old.tolerance)}`,
      `a tolerance of ${duration(now.tolerance)}`,
    );
}
