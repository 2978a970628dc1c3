import type { ConfigText } from '../model/config.ts';
import type { Gateway, Limits } from '../model/gateway.ts';
import { literalOf, parseConfigText } from './config-text.ts';
import type { Declaration } from './declaration.ts';
import type { GatewayDeclared } from './declared.ts';
import { placeText } from './diagnostic.ts';
import { given } from './given.ts';
import { declarationsOf, type Linking, positionOf } from './linking.ts';
import { credentialsIn } from './secrets.ts';
import { parseDuration, parseSize } from './units.ts';

/** First path segments that the gateway answers itself. */
const OWN_PATHS = new Set(['health', 'metrics']);

/** The one gateway of a project. `delivered`: ids of the package's services that it names, resolved. */
export function linkGateway(linking: Linking, delivered: readonly string[]): Gateway | undefined {
  const { report, declared } = linking;
  const [gateway, ...others] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  for (const other of others) report.raise('two-gateways', { first: placeText(gateway?.at ?? other.at) }, other.at);
  if (gateway === undefined || !declared.of('gateway').has(gateway.id)) return undefined;
  checkGateway(linking, gateway);
  const { id, value, at } = gateway;
  const text = (source: string): ConfigText => parseConfigText(source).text;
  return {
    id,
    context: value.context ?? 'gateway',
    listen: text(value.listen ?? '127.0.0.1:8080'),
    database: text(value.database ?? '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}'),
    handlers: (value.handlers ?? 'src/handlers').replace(/^\.\//, '').replace(/\/+$/, ''),
    namespace: value.namespace ?? `urn:signalbox:${id.toLowerCase()}`,
    timezone: value.timezone ?? 'UTC',
    requires: value.requires ?? 'basic',
    delivered,
    contracts: value.contracts ?? 'public',
    cors: value.cors ?? [],
    limits: limitsOf(value.limits ?? {}),
    ...given({
      publicUrl: value.publicUrl === undefined ? undefined : text(value.publicUrl.replace(/\/+$/, '')),
      sampleData: value['sample-data'],
    }),
    at: positionOf(at),
  };
}

function limitsOf(declared: NonNullable<GatewayDeclared['limits']>): Limits {
  return {
    body: parseSize(declared.body ?? '10 MiB'),
    timeout: parseDuration(declared.timeout ?? '30 s'),
    rows: declared.rows ?? 100_000,
    target: parseSize(declared.target ?? '64 KiB'),
    parameters: declared.parameters ?? 1000,
  };
}

function checkGateway({ report, places }: Linking, { value }: Declaration<GatewayDeclared>): void {
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
  const listen = literal(value.listen);
  if (listen !== undefined && !isHostAndPort(listen))
    refuse('listen', `${listen} is not host:port, as in 127.0.0.1:8080`);
  for (const key of ['database', 'publicUrl'] as const) {
    const source = value[key];
    if (source === undefined) continue;
    const { text } = parseConfigText(source);
    if (credentialsIn(text)) {
      const instead = 'Write ${secret:NAME} in its place, or take the whole address from ${env:NAME}.';
      report.raise('secret-in-clear', { what: `A password of ${key}`, instead }, places.value(value, key));
    } else if (key === 'publicUrl' && !isHttpUrl(literalOf(text)))
      refuse(key, 'is not an address that begins with http:// or https://');
    else if (key === 'database' && !isDatabase(literalOf(text)))
      refuse(key, 'is not an address that this gateway can open: sqlite: and a path');
  }
}

function literal(source: string | undefined): string | undefined {
  return source === undefined ? undefined : literalOf(parseConfigText(source).text);
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function isHostAndPort(text: string): boolean {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

function isHttpUrl(text: string | undefined): boolean {
  return text === undefined || (/^https?:\/\//.test(text) && URL.canParse(text));
}

function isDatabase(text: string | undefined): boolean {
  return text === undefined || /^sqlite:./.test(text);
}
