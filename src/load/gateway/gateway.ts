import type { ConfigText } from '../../model/config.ts';
import type { Database, Gateway, Limits } from '../../model/gateway.ts';
import type { PermissionList } from '../../model/security.ts';
import { placeText, positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { declarationsOf, type Linking, mayHaveMeant, resolveIds } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';
import { type Callers, checkOwnPaths, usualSchemes } from '../security/requires.ts';
import { addressFault, linkUrl, writtenFault } from '../value/address.ts';
import { parseConfigText } from '../value/config-text.ts';
import { linkCallLimits } from '../value/rate.ts';
import { isTimezone } from '../value/time-zone.ts';
import { linkDuration, linkSize } from '../value/units.ts';
import { domainNames } from './domain-names.ts';
import { linkNetwork } from './network.ts';

/** Where handlers are unless the gateway says otherwise. */
export const DEFAULT_HANDLERS = 'src/handlers';

/** First path segments that the gateway answers itself. */
const OWN_PATHS = new Set(['health', 'metrics']);

/** The one gateway of a project. `delivered`: ids of the package's services that it names, resolved. */
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
  const linked: Gateway = {
    id,
    context: value.context ?? 'gateway',
    listen: text(value.listen ?? '127.0.0.1:8080'),
    database: databaseOf(value.database),
    handlers: (value.handlers ?? DEFAULT_HANDLERS).replace(/^\.\//, '').replace(/\/+$/, ''),
    namespace: value.namespace ?? `urn:signalbox:${id.toLowerCase()}`,
    timezone: value.timezone ?? 'UTC',
    requires: usualSchemes(callers),
    ...linkNetwork(linking, value),
    delivered,
    contracts: value.contracts ?? 'public',
    metrics:
      value.metrics === undefined ? [] : resolveIds(linking, 'permission-list', lists, value.metrics, 'permission'),
    cors: value.cors ?? [],
    compress: compressOf(value.compress ?? {}),
    mtom: mtomOf(value.properties ?? {}),
    domainNames: domainNames(linking, value).map(({ name }) => name),
    limits: limitsOf(linking, value.limits ?? {}),
    ...given({
      publicUrl: value.publicUrl === undefined ? undefined : text(value.publicUrl.replace(/\/+$/, '')),
      sampleData: value['sample-data'],
    }),
    at: positionOf(at),
  };
  if (mayHaveMeant(linking, value, ['handlers'])) linking.incomplete.add(linked);
  return linked;
}

function limitsOf(linking: Linking, declared: NonNullable<GatewayDeclared['limits']>): Limits {
  return {
    body: linkSize(linking, declared, 'body') ?? 10 * 1024 ** 2,
    timeout: linkDuration(linking, declared, 'limits.timeout') ?? 30_000,
    rows: declared.rows ?? 100_000,
    target: linkSize(linking, declared, 'target') ?? 64 * 1024,
    parameters: declared.parameters ?? 1000,
    attachment: linkSize(linking, declared, 'attachment') ?? 1024 ** 3,
    attachments: declared.attachments ?? 50,
    processes: declared.processes ?? 4,
    temporary: linkSize(linking, declared, 'temporary') ?? 512 * 1024 ** 2,
    slowest: linkSize(linking, declared, 'slowest') ?? 240,
    keep: linkDuration(linking, declared, 'limits.keep') ?? 7 * 86_400_000,
    ...given({ queued: declared.queued, queries: declared.queries }),
    ...linkCallLimits(linking, declared),
  };
}

function databaseOf(declared: GatewayDeclared['database']): Database {
  const { url, engine, connections } = typeof declared === 'string' ? { url: declared } : (declared ?? {});
  return {
    url: parseConfigText(url ?? '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}').text,
    engine: engine ?? 'postgresql',
    connections: connections ?? 20,
  };
}

function compressOf(declared: NonNullable<GatewayDeclared['compress']>): Gateway['compress'] {
  if (typeof declared === 'boolean') return { rest: declared, soap: false };
  return { rest: declared.rest ?? true, soap: declared.soap ?? false };
}

function mtomOf(properties: NonNullable<GatewayDeclared['properties']>): Gateway['mtom'] {
  return {
    services: properties['ig.MTOM.enablePeopleSoftServiceListeningConnector'] ?? true,
    http: properties['ig.MTOM.enableHttpListeningConnector'] ?? true,
  };
}

function checkGateway(linking: Linking, { value }: Declaration<GatewayDeclared>): void {
  const { report, places } = linking;
  const refuse = (key: string, reason: string): void =>
    report.raise('bad-address', { name: key, reason }, places.value(value, key));
  if (value.context !== undefined && OWN_PATHS.has(value.context)) {
    report.raise(
      'reserved-name',
      { name: value.context, why: 'the gateway answers that path itself' },
      places.value(value, 'context'),
    );
  }
  if (value.timezone !== undefined && !isTimezone(value.timezone))
    refuse('timezone', `${value.timezone} is not a time zone of the IANA database`);
  for (const key of ['listen', 'database', 'publicUrl'] as const) {
    const said = value[key];
    const holder = typeof said === 'object' ? said : value;
    const inside = typeof said === 'object' ? 'url' : key;
    const source = typeof said === 'object' ? said.url : said;
    const instead = 'Write ${secret:NAME} in its place, or take the whole address from ${env:NAME}.';
    const secret = { what: `A password of ${key}`, instead };
    if (source === undefined) continue;
    linkUrl(linking, source, places.value(holder, inside), secret, (text) => {
      const reason = writtenFault(text, ADDRESS_FAULTS[key]);
      if (reason !== undefined) refuse(key, reason);
    });
  }
}

/** Why an address that is written out can't be one. */
const ADDRESS_FAULTS: Readonly<Record<'listen' | 'database' | 'publicUrl', (text: string) => string | undefined>> = {
  listen: (text) => (isHostAndPort(text) ? undefined : `${text} is not host:port, as in 127.0.0.1:8080`),
  database: (text) =>
    /^(sqlite:.|postgres(ql)?:\/\/)/.test(text)
      ? undefined
      : 'is not an address that this gateway can open: sqlite: and a path, or postgres:// and what follows',
  publicUrl: addressFault,
};

function isHostAndPort(text: string): boolean {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}
