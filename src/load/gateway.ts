import { isIP } from 'node:net';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { ConfigText } from '../model/definition.ts';
import {
  type Database,
  type DatabaseTimeouts,
  databaseBounds,
  type Gateway,
  type Limits,
  schemaFault,
  type Tls,
} from '../model/gateway.ts';
import { engineOf } from '../model/query.ts';
import type { PermissionList, SecurityScheme } from '../model/security.ts';
import type { Service } from '../model/service.ts';
import { linkConsole } from './console.ts';
import { type Place, placeText, positionOf } from './diagnostic/diagnostic.ts';
import { declarationsOf, type Linking, resolveIds } from './linking.ts';
import { given } from './object.ts';
import type { Declaration } from './read/declaration.ts';
import {
  compressMap,
  type DatabaseDeclared,
  databaseMap,
  drainMap,
  type GatewayDeclared,
  gateway,
  properties as mtomProperties,
} from './schema/gateway.ts';
import { defaultsOf } from './schema/json-schema.ts';
import type { SchemeDeclared } from './schema/scheme.ts';
import { tls as tlsMap } from './schema/tls.ts';
import { type Callers, checkOwnPaths, usualSchemes } from './security/requirements.ts';
import { linkSettings } from './setting.ts';
import { linkAcceptedBreaks } from './value/accepted-breaks.ts';
import { addressFault, linkFile, linkSecret, linkUrl, writtenFault } from './value/address.ts';
import { parseConfigText, usesIn } from './value/config-text.ts';
import { limits as limitsMap, linkCallLimits } from './value/limits.ts';
import { linkOnce } from './value/once.ts';
import { linkReplicas } from './value/replicas.ts';
import { linkRetention } from './value/retention.ts';
import { bytes, isTimezone, KEEPALIVE, linkDuration, linkSize, milliseconds, TIMER_OR_NONE } from './value/units.ts';

const DEFAULTS = defaultsOf(gateway);
const LIMITS = defaultsOf(limitsMap);
const DATABASE = defaultsOf(databaseMap);
const DRAIN = defaultsOf(drainMap);

/** The handlers folder of a gateway that names none. */
export const DEFAULT_HANDLERS = DEFAULTS.handlers;

/** Reserved first segments of paths. */
const OWN_PATHS = new Set(['health', 'metrics']);

/** The gateway of a project. `delivered`: resolved ids of the package's services that it enables. */
export function linkGateway(
  linking: Linking,
  delivered: readonly string[],
  lists: ReadonlyMap<string, PermissionList>,
  callers: Callers,
): Gateway | undefined {
  const { report } = linking;
  const [gateway, ...others] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  if (gateway === undefined) return undefined;
  const { id, value, at } = gateway;
  for (const other of others) report.raise('two-gateways', { first: placeText(at) }, other.at);
  checkGateway(linking, gateway);
  checkOwnPaths(linking, value, callers);
  const text = (source: string): ConfigText => parseConfigText(source).text;
  const limits = limitsOf(linking, value.limits ?? {});
  const once = linkOnce(linking, value);
  const linked: Gateway = {
    id,
    context: value.context ?? DEFAULTS.context,
    listen: text(value.listen ?? DEFAULTS.listen),
    database: databaseOf(linking, gateway, limits.timeout),
    handlers: (value.handlers ?? DEFAULT_HANDLERS).replace(/^\.\//, '').replace(/\/+$/, ''),
    namespace: value.namespace ?? `urn:signalbox:${id.toLowerCase()}`,
    timezone: value.timezone ?? DEFAULTS.timezone,
    requires: usualSchemes(callers),
    ...linkNetwork(linking, value),
    delivered,
    settings: linkSettings(linking, value),
    contracts: value.contracts ?? DEFAULTS.contracts,
    metrics:
      value.metrics === undefined ? [] : resolveIds(linking, 'permission-list', lists, value.metrics, 'permission'),
    cors: value.cors ?? [],
    strict: value.strict ?? false,
    compress: compressOf(value.compress ?? DEFAULTS.compress),
    requestEncodings: value['request-encodings'] ?? [],
    drain: drainOf(linking, value),
    mtom: mtomOf(value.properties ?? {}),
    domainNames: domainNames(linking, value).map(({ name }) => name),
    retention: linkRetention(linking, value.retention),
    limits,
    ...given({
      acceptedBreaks: linkAcceptedBreaks(linking, value),
      console: linkConsole(linking, value, callers.schemes),
      once: once === false ? undefined : once,
      publicUrl: value.publicUrl === undefined ? undefined : text(value.publicUrl.replace(/\/+$/, '')),
      sampleData: value['sample-data'],
    }),
    at: positionOf(at),
  };
  if (linking.doubt.about(value, 'handlers')) linking.doubt.mark(linked);
  return linked;
}

function limitsOf(linking: Linking, declared: NonNullable<GatewayDeclared['limits']>): Limits {
  return {
    body: linkSize(linking, declared, 'body') ?? bytes(LIMITS.body),
    timeout: linkDuration(linking, declared, 'limits.timeout') ?? milliseconds(LIMITS.timeout),
    rows: declared.rows ?? LIMITS.rows,
    target: linkSize(linking, declared, 'target') ?? bytes(LIMITS.target),
    parameters: declared.parameters ?? LIMITS.parameters,
    attachment: linkSize(linking, declared, 'attachment') ?? bytes(LIMITS.attachment),
    attachments: declared.attachments ?? LIMITS.attachments,
    processes: declared.processes ?? LIMITS.processes,
    unknown: linkDuration(linking, declared, 'limits.unknown') ?? milliseconds(LIMITS.unknown),
    temporary: linkSize(linking, declared, 'temporary') ?? bytes(LIMITS.temporary),
    slowest: linkSize(linking, declared, 'slowest') ?? bytes(LIMITS.slowest),
    ...given({ queued: declared.queued, queries: declared.queries }),
    ...linkCallLimits(linking, declared),
  };
}

/** @param timeout `limits.timeout` */
function databaseOf(linking: Linking, { id, value, at }: Declaration<GatewayDeclared>, timeout: number): Database {
  const { database = {} } = value;
  const map: DatabaseDeclared = typeof database === 'string' ? { url: database } : database;
  const { url, engine, connections, schema, migrate, timeouts = {}, keepalive = {} } = map;
  const limit = (key: keyof DatabaseTimeouts) => linkDuration(linking, timeouts, `database.timeouts.${key}`);
  const probe = (key: 'idle' | 'interval') => linkDuration(linking, keepalive, `database.keepalive.${key}`, KEEPALIVE);
  const address = parseConfigText(url ?? DATABASE.url).text;
  const use = { kind: 'gateway', id, by: 'database of the gateway, by default', at } as const;
  if (url === undefined) linking.uses.push(...usesIn(address, use));
  return {
    url: address,
    engine: engine ?? DATABASE.engine,
    connections: connections ?? DATABASE.connections,
    migrate: migrate ?? DATABASE.migrate,
    ...given({
      schema: schema === undefined ? undefined : parseConfigText(schema).text,
      replicas: linkReplicas(linking, map, {
        ...{ of: 'the database', within: 'database.', instead: SECRET_ELSEWHERE },
        // What a reference has by default is not what a fleet has.
        url: url === undefined || url.includes('${') ? undefined : url,
      }),
    }),
    bounds: databaseBounds(timeout, {
      timeouts: given({
        connect: limit('connect'),
        statement: limit('statement'),
        lock: limit('lock'),
        transaction: limit('transaction'),
      }),
      keepalive: given({ idle: probe('idle'), interval: probe('interval'), count: keepalive.count }),
    }),
  };
}

const COMPRESS = defaultsOf(compressMap);

function compressOf(declared: NonNullable<GatewayDeclared['compress']>): Gateway['compress'] {
  return { ...COMPRESS, ...(typeof declared === 'boolean' ? { rest: declared } : declared) };
}

function drainOf(linking: Linking, value: GatewayDeclared): Gateway['drain'] {
  const { drain } = value;
  const [holder, ready] =
    typeof drain === 'string' ? ([value, 'drain'] as const) : ([drain ?? {}, 'drain.ready'] as const);
  return {
    ready: linkDuration(linking, holder, ready, TIMER_OR_NONE) ?? milliseconds(DRAIN.ready),
    work:
      (typeof drain === 'object' ? linkDuration(linking, drain, 'drain.work') : undefined) ?? milliseconds(DRAIN.work),
  };
}

const MTOM = defaultsOf(mtomProperties);

function mtomOf(properties: NonNullable<GatewayDeclared['properties']>): Gateway['mtom'] {
  const set = { ...MTOM, ...properties };
  return {
    services: set['ig.MTOM.enablePeopleSoftServiceListeningConnector'],
    http: set['ig.MTOM.enableHttpListeningConnector'],
  };
}

const SECRET_ELSEWHERE = 'Write ${secret:NAME} instead, or take the whole address from ${env:NAME}.';

function checkGateway(linking: Linking, { value }: Declaration<GatewayDeclared>): void {
  const { report, places } = linking;
  const refuse = (key: string, reason: string): void =>
    report.raise('bad-address', { name: key, reason }, places.value(value, key));
  if (value.context !== undefined && OWN_PATHS.has(value.context)) {
    report.raise(
      'reserved-name',
      { name: value.context, why: 'the gateway itself answers that path' },
      places.value(value, 'context'),
    );
  }
  if (value.timezone !== undefined && !isTimezone(value.timezone))
    refuse('timezone', `${value.timezone} is not a time zone of the IANA database`);
  checkDatabaseSchema(linking, value);
  checkConsoleAddress(linking, value);
  for (const key of ['listen', 'database', 'publicUrl'] as const) {
    const said = value[key];
    const holder = typeof said === 'object' ? said : value;
    const inside = typeof said === 'object' ? 'url' : key;
    const source = typeof said === 'object' ? said.url : said;
    const secret = { what: `A password of ${key}`, instead: SECRET_ELSEWHERE };
    if (source === undefined) continue;
    linkUrl(linking, source, places.value(holder, inside), secret, (text) => {
      const reason = writtenFault(text, ADDRESS_FAULTS[key]);
      if (reason !== undefined) refuse(key, reason);
    });
  }
}

/** The console shares the address of the gateway, or has one of its own. */
function checkConsoleAddress({ report, places }: Linking, { console: said, listen }: GatewayDeclared): void {
  if (typeof said !== 'object' || said.listen === undefined) return;
  const same =
    said.listen === listen ? `${listen} is the address of the gateway, which has the console by default` : undefined;
  const reason = writtenFault(parseConfigText(said.listen).text, ADDRESS_FAULTS.listen) ?? same;
  if (reason !== undefined)
    report.raise('bad-address', { name: 'console.listen', reason }, places.value(said, 'listen'));
}

function checkDatabaseSchema({ report, places }: Linking, { database }: GatewayDeclared): void {
  if (typeof database !== 'object' || database.schema === undefined) return;
  const reason = writtenFault(parseConfigText(database.schema).text, schemaFault);
  if (reason !== undefined)
    report.raise(
      'bad-address',
      { name: 'database.schema', reason: `can't be used: ${reason}` },
      places.value(database, 'schema'),
    );
}

/** Checks of literal addresses. */
const ADDRESS_FAULTS: Readonly<Record<'listen' | 'database' | 'publicUrl', (text: string) => string | undefined>> = {
  listen: (text) => (isHostAndPort(text) ? undefined : `${text} is not host:port, as in 127.0.0.1:8080`),
  database: databaseFault,
  publicUrl: addressFault,
};

function databaseFault(text: string): string | undefined {
  if (/^(sqlite:.|postgres(ql)?:\/\/)/.test(text)) return undefined;
  return engineOf(text) === 'mysql'
    ? "can't be on MariaDB or MySQL, which are for datasources: the gateway's own tables are on SQLite or PostgreSQL"
    : 'is not a database address: use sqlite: and a path, or postgres:// and so on';
}

function isHostAndPort(text: string): boolean {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

/** The gateway's own TLS and its trusted proxies. */
function linkNetwork(linking: Linking, value: GatewayDeclared): Pick<Gateway, 'tls' | 'proxies' | 'audit'> {
  return {
    proxies: linkProxies(linking, value.proxies ?? []),
    ...given({
      tls: value.tls && linkTls(linking, value.tls),
      audit: linkFile(linking, value, 'audit'),
    }),
  };
}

function linkTls(linking: Linking, tls: NonNullable<GatewayDeclared['tls']>): Tls {
  return {
    certificate: linkFile(linking, tls, 'certificate'),
    key: linkFile(linking, tls, 'key'),
    minimum: tls.minimum ?? defaultsOf(tlsMap).minimum,
    ...given({
      passphrase: linkSecret(linking, tls, 'passphrase', 'A passphrase'),
      clientCa: linkFile(linking, tls, 'client-ca'),
    }),
  };
}

function linkProxies({ report, places }: Linking, proxies: readonly string[]): readonly string[] {
  for (const [index, proxy] of proxies.entries()) {
    const reason = proxyFault(proxy);
    if (reason !== undefined) report.raise('bad-address', { name: 'proxies', reason }, places.value(proxies, index));
  }
  return proxies;
}

/** Why a text is not a network of proxies; `undefined` when it is one. */
function proxyFault(text: string): string | undefined {
  const [, address = '', , prefix] = /^([^/]+)(\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  // A zone is only valid on one machine.
  const bits = version === 0 || address.includes('%') ? 0 : version === 4 ? 32 : 128;
  if (bits === 0 || Number(prefix ?? bits) > bits)
    return `${text} is not an IP address or network, such as 192.0.2.7 or 10.0.0.0/8`;
  return Number(prefix ?? bits) === 0
    ? `${text} contains every address, so anyone could forge the address of a caller`
    : undefined;
}

/** Warns of client certificates that callers can't use. */
export function checkCertificateSchemes(
  linking: Linking,
  gateway: Gateway | undefined,
  schemes: Iterable<SecurityScheme>,
): void {
  const [declared] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  if (gateway === undefined || declared === undefined || linking.doubt.about(declared.value, 'tls', 'proxies')) return;
  const places = new Map(declarationsOf<SchemeDeclared>(linking, 'scheme').map(({ id, at }) => [id, at]));
  for (const scheme of schemes) {
    const at = places.get(scheme.id);
    if (scheme.kind !== 'client-certificate' || at === undefined) continue;
    const { id, header } = scheme;
    if (header === undefined ? gateway.tls?.clientCa !== undefined : gateway.proxies.length > 0) continue;
    linking.report.raise('certificate-out-of-reach', { scheme: id, ...given({ header }) }, at);
  }
}

const PROPERTY = 'ig.UseDomainName.ExternalOperationNames';

/** The external name of an operation, with its place. */
interface PlacedName {
  readonly name: string;
  readonly at: Place;
}

/** The names in `ig.UseDomainName.ExternalOperationNames`, a list or a text with commas, each once. */
function domainNames({ places }: Linking, { properties }: GatewayDeclared): readonly PlacedName[] {
  const said = properties?.[PROPERTY];
  if (properties === undefined || said === undefined) return [];
  if (typeof said !== 'string') return said.map((name, index) => ({ name, at: places.value(said, index) }));
  const names = new Map<string, PlacedName>();
  for (const { 0: name, index } of said.matchAll(/[^ ,]+/g)) {
    if (!names.has(name)) names.set(name, { name, at: places.inText(properties, PROPERTY, index, name.length) });
  }
  return [...names.values()];
}

/**
 * Reports names that are not REST calls. The external name of an operation is its name, with or without the suffix of its
 * method, and the version of its service (specification 4.3).
 */
export function checkDomainNames(linking: Linking, consumers: ReadonlyMap<string, ConsumerOperation>): void {
  const { report, declared } = linking;
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  // A name may mean an operation that was rejected.
  if (gateway === undefined || declared.rejected('operation').size > 0 || declared.rejected('service').size > 0) return;
  const names = new Set<string>();
  const proposed: string[] = [];
  for (const consumer of consumers.values()) {
    if (consumer.kind !== 'rest') continue;
    const { name, method, service } = consumer;
    const short = name.endsWith(`_${method}`) ? name.slice(0, -method.length - 1) : name;
    proposed.push(`${short}.${service.version}`);
    names.add(`${short}.${service.version}`).add(`${name}.${service.version}`);
  }
  for (const { name, at } of domainNames(linking, gateway.value)) {
    if (names.has(name)) continue;
    report.raise('unknown-reference', { what: 'call over REST', id: name, known: proposed }, at);
  }
}

/** Warns of enabled services of the package that no list grants. */
export function checkDeliveredGrants(
  linking: Linking,
  gateway: Gateway | undefined,
  services: Iterable<Service>,
): void {
  const { report, places } = linking;
  const [declared] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  if (gateway === undefined || declared === undefined) return;
  for (const { id, delivered, operations } of services) {
    if (!delivered || operations.some((operation) => operation.public || operation.permissions.length > 0)) continue;
    report.raise('delivered-not-granted', { service: id }, places.key(declared.value, 'delivered'));
  }
}
