import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import { errorText, StoreError } from '../error.ts';

/** Which of several servers is wanted (libpq, `target_session_attrs`). */
export type Target = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby';

/** How a connection is encrypted, and how far the server is verified (libpq, `sslmode`). */
export type SslMode = (typeof SSL_MODES)[number];

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const TARGETS: readonly Target[] = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'];

/** One server: a host name, an IP address, or the folder of a Unix socket, which begins with a slash. */
export interface ServerHost {
  readonly host: string;
  readonly port: number;
}

/** The address of a database of PostgreSQL. Contains the password. */
export interface PostgresAddress {
  /** At least one, in the order in which they are tried. */
  readonly hosts: readonly ServerHost[];
  /** `undefined` when the address does not choose. */
  readonly target: Target | undefined;
  /** Whether hosts are tried in random order (`load_balance_hosts`). */
  readonly balance: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Instead of the gateway's own name for its connections. */
  readonly application: string | undefined;
  /** Milliseconds for one host; `undefined` for the default. */
  readonly timeout: number | undefined;
  /** Settings of the session by name, from `options=-c name=value`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly tls: TlsRules;
}

/** How TLS is used. Files are read when a connection is opened, so that renewed ones need no restart. */
export interface TlsRules {
  readonly mode: SslMode;
  /** TLS begins at once, without a request in the protocol (`sslnegotiation=direct`, PostgreSQL 17). */
  readonly direct: boolean;
  /** Path, or `system`. */
  readonly root: string | undefined;
  readonly crl: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: string | undefined;
  readonly minimum: string | undefined;
}

/** The parameters that a URL may have: those of libpq that have a meaning here. */
const PARAMETERS = new Set([
  ...['host', 'port', 'user', 'password', 'dbname', 'connect_timeout', 'options', 'target_session_attrs'],
  ...['load_balance_hosts', 'sslmode', 'ssl', 'sslnegotiation', 'sslrootcert', 'sslcrl', 'sslcert', 'sslkey'],
  ...['sslpassword', 'ssl_min_protocol_version', 'application_name'],
]);

/** Parameters that change nothing here: the gateway decides, or the driver has no choice. */
const WITHOUT_EFFECT = new Set([
  ...['fallback_application_name', 'client_encoding', 'tcp_user_timeout'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count'],
  ...['gssencmode', 'sslsni', 'sslcompression', 'uselibpqcompat'],
]);

const TLS_VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

const DEFAULT_PORT = 5432;

/**
 * Reads a URL as libpq does: several hosts, their parameters, and the environment (`PGHOST`, `PGSSLMODE`, ...) for what it
 * leaves out (PostgreSQL's manual, section 34.1.1.2).
 * @param root the folder of relative paths
 * @throws StoreError, whose message repeats nothing that could be a password
 */
export function readAddress(url: string, root = '.', env: NodeJS.ProcessEnv = process.env): PostgresAddress {
  const { authority, path, query } = split(url);
  const at = authority.lastIndexOf('@');
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(at < 0 ? '' : authority.slice(0, at)) ?? [];
  const parameters = readParameters(query);
  const given = (name: string, variable: string): string | undefined =>
    parameters.get(name) || env[variable] || undefined;
  const wanted = given('target_session_attrs', 'PGTARGETSESSIONATTRS');
  return {
    hosts: readHosts(authority.slice(at + 1), parameters, env),
    target: wanted === undefined ? undefined : oneOf('target_session_attrs', wanted, TARGETS),
    balance:
      oneOf('load_balance_hosts', given('load_balance_hosts', 'PGLOADBALANCEHOSTS') ?? 'disable', [
        'disable',
        'random',
      ]) === 'random',
    user: parameters.get('user') || decode(user) || env.PGUSER || undefined,
    password: parameters.get('password') || decode(password ?? '') || env.PGPASSWORD || undefined,
    database: parameters.get('dbname') || decode(path) || env.PGDATABASE || undefined,
    application: parameters.get('application_name') || undefined,
    timeout: readTimeout(given('connect_timeout', 'PGCONNECT_TIMEOUT')),
    settings: readOptions(given('options', 'PGOPTIONS') ?? ''),
    tls: readTls(parameters, given, root),
  };
}

/** `host:port/database`, with all hosts. For people: without the user and the password. */
export function locationOf({ hosts, database }: PostgresAddress, name = database ?? ''): string {
  return `${hosts.map(hostText).join(',')}/${name}`;
}

/** `host:port`. */
export function hostText({ host, port }: ServerHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A URL as far as its syntax goes. The class URL refuses several hosts. */
function split(url: string): { readonly authority: string; readonly path: string; readonly query: string } {
  const match = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(?:#.*)?$/is.exec(url);
  if (match === null) throw refuse('is not well-formed (percent-encode special characters)');
  const [, authority = '', path = '', query = ''] = match;
  return { authority, path, query };
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decode(name);
    if (WITHOUT_EFFECT.has(key)) continue;
    if (!PARAMETERS.has(key)) {
      throw refuse(
        `has the parameter ${JSON.stringify(key)}, which is not supported; remove it, or write one of ${[...PARAMETERS].join(', ')}`,
      );
    }
    parameters.set(key, decode(value.join('=')));
  }
  return parameters;
}

/** A port for each host, or one for all; a host without a name is that of the environment, or localhost. */
function readHosts(text: string, parameters: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): ServerHost[] {
  const inUrl = text === '' ? [] : text.split(',').map(readHost);
  const names = parameters.get('host')?.split(',') ?? (inUrl.length > 0 ? inUrl.map(({ host }) => host) : undefined);
  const hosts = names ?? (env.PGHOST || 'localhost').split(',');
  const ports = (parameters.get('port') ?? (names === undefined ? env.PGPORT : undefined))?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hosts.length)
    throw refuse(`has ${hosts.length} hosts and ${ports.length} ports`);
  return hosts.map((host, index) => ({
    host: host.trim() || 'localhost',
    port: readPort(ports[ports.length > 1 ? index : 0] ?? inUrl[index]?.port ?? env.PGPORT ?? ''),
  }));
}

function readHost(text: string): { readonly host: string; readonly port: string | undefined } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::([^:]*))?$/.exec(text);
  if (match === null) throw refuse('is not well-formed: an IPv6 address is written in brackets');
  const [, six, name = '', port] = match;
  return { host: decode(six ?? name), port: port === '' ? undefined : port };
}

function readPort(text: string): number {
  if (text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw refuse('has a port that is not a number from 1 to 65535');
  return port;
}

/** Seconds, at least two as in libpq; zero or less means no limit there, and the default here. */
function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,6}$/.test(text.trim())) throw refuse('has a connect_timeout that is not a number of seconds');
  const seconds = Number(text);
  return seconds <= 0 ? undefined : Math.max(2, seconds) * 1000;
}

/** `-c name=value` and `--name=value`; a backslash makes a space part of a value. */
function readOptions(text: string): Record<string, string> {
  const words = (text.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replace(/\\(.)/gs, '$1'));
  const settings: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const pair = word === '-c' ? (words[++at] ?? '') : word.replace(/^(?:-c|--)/, '');
    const equals = pair.indexOf('=');
    if (pair === word || equals < 1) throw refuse('has options other than `-c name=value`');
    settings[pair.slice(0, equals).replaceAll('-', '_')] = pair.slice(equals + 1);
  }
  return settings;
}

type Given = (name: string, variable: string) => string | undefined;

function readTls(parameters: ReadonlyMap<string, string>, given: Given, root: string): TlsRules {
  const direct = oneOf('sslnegotiation', given('sslnegotiation', 'PGSSLNEGOTIATION') ?? 'postgres', [
    'postgres',
    'direct',
  ]);
  const file = (name: string, variable: string, usual: string): string | undefined => {
    const path = given(name, variable);
    if (path !== undefined) return resolve(root, path);
    const kept = join(homedir(), '.postgresql', usual);
    return existsSync(kept) ? kept : undefined;
  };
  const isSystem = given('sslrootcert', 'PGSSLROOTCERT') === 'system';
  const rules: TlsRules = {
    mode: readMode(parameters, given, isSystem),
    direct: direct === 'direct',
    root: isSystem ? 'system' : file('sslrootcert', 'PGSSLROOTCERT', 'root.crt'),
    crl: file('sslcrl', 'PGSSLCRL', 'root.crl'),
    certificate: file('sslcert', 'PGSSLCERT', 'postgresql.crt'),
    key: file('sslkey', 'PGSSLKEY', 'postgresql.key'),
    passphrase: parameters.get('sslpassword'),
    minimum: given('ssl_min_protocol_version', 'PGSSLMINPROTOCOLVERSION'),
  };
  checkTls(rules);
  return rules;
}

/** `ssl=true` is `sslmode=require`, as in libpq. */
function readMode(parameters: ReadonlyMap<string, string>, given: Given, isSystem: boolean): SslMode {
  const written = given('sslmode', 'PGSSLMODE');
  if (written !== undefined) return oneOf('sslmode', written, SSL_MODES);
  const ssl = parameters.get('ssl');
  if (ssl !== undefined) return oneOf('ssl', ssl, ['true']) && 'require';
  return isSystem ? 'verify-full' : 'prefer';
}

/** @throws StoreError for rules that libpq refuses too, and for files that can't be read */
function checkTls(rules: TlsRules): void {
  const { mode, direct, root, certificate, key } = rules;
  if (direct && !(mode === 'require' || mode.startsWith('verify')))
    throw refuse(`has sslnegotiation=direct, which needs sslmode=require or stronger, with sslmode=${mode}`);
  if (root === 'system' && mode !== 'verify-full')
    throw refuse(
      `has sslrootcert=system with sslmode=${mode}; everyone can get a certificate of a public authority, so only verify-full is safe`,
    );
  if (mode === 'verify-ca' && root === undefined)
    throw refuse('has sslmode=verify-ca without sslrootcert, the file with the certificate of the authority');
  if ((certificate === undefined) !== (key === undefined)) throw refuse('has only one of sslcert and sslkey');
  if (mode === 'disable') return;
  if (root !== undefined && root !== 'system') read('sslrootcert', root);
  tlsOptions(rules);
}

/**
 * What TLS is given for a connection. A root certificate makes `require` verify the authority, as in libpq. Without one,
 * `verify-full` trusts the authorities that Node trusts.
 * @throws StoreError for files that can't be read
 */
export function tlsOptions(rules: TlsRules): ConnectionOptions {
  const { mode, root, crl, certificate, key, passphrase, minimum } = rules;
  const verifies = isVerified(rules);
  const ca = root === 'system' ? [...getCACertificates('system'), ...getCACertificates('extra')] : undefined;
  return {
    rejectUnauthorized: verifies,
    ...(ca !== undefined && { ca }),
    ...(verifies && root !== undefined && root !== 'system' && { ca: read('sslrootcert', root) }),
    ...(verifies && crl !== undefined && { crl: read('sslcrl', crl) }),
    ...(verifies && mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(certificate !== undefined && { cert: read('sslcert', certificate) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
    ...(passphrase !== undefined && { passphrase }),
    minVersion: minimum === undefined ? 'TLSv1.2' : oneOf('ssl_min_protocol_version', minimum, TLS_VERSIONS),
  };
}

/** Whether the certificate of the server has to be of an authority that is trusted. */
export function isVerified({ mode, root }: TlsRules): boolean {
  return mode.startsWith('verify') || (mode === 'require' && root !== undefined);
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreError('', `${name} of the database URL can't be read: ${errorText(error)}`, { cause: error });
  }
}

function oneOf<T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((each) => each === value);
  if (found === undefined) throw refuse(`has ${name}=${value}; it may be ${values.join(', ')}`);
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('is not well-formed (percent-encode special characters)');
  }
}

function refuse(reason: string): StoreError {
  return new StoreError(
    '',
    `the database URL ${reason}; write postgres://<user>:<password>@<host>/<database>, or several hosts with commas between them`,
  );
}
