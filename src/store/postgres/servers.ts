import { isIP } from 'node:net';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { errorCode, errorText, StoreError } from '../error.ts';
import {
  hostText,
  isVerified,
  locationOf,
  type PostgresAddress,
  readAddress,
  type ServerHost,
  type Target,
  tlsOptions,
} from './address.ts';

/** A server to connect to, and how. */
export interface Candidate extends ServerHost {
  readonly tls: ConnectionOptions | false;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** The role of a server, as a session reports it. */
export interface Role {
  /** It replays what a primary writes. */
  readonly standby: boolean;
  /** Transactions are read-only unless they say otherwise. */
  readonly readOnly: boolean;
}

/** The roles that are wanted of a server, by `target_session_attrs`. */
const FITS: Readonly<Record<Exclude<Target, 'prefer-standby'>, (role: Role) => boolean>> = {
  any: () => true,
  'read-write': ({ standby, readOnly }) => !standby && !readOnly,
  'read-only': ({ standby, readOnly }) => standby || readOnly,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
};

/** Milliseconds for which a host that could not be used is tried after the others. */
const AVOIDED = 10_000;

/** Milliseconds for which a pooler that was found to be usable is not checked again. */
const PROVEN = 60_000;

/** Where to read the address of a database. */
interface ServersOptions {
  /** The folder of relative paths. */
  readonly root?: string | undefined;
  /** The servers that are wanted when several are named and the address does not choose. */
  readonly target?: Target;
  /** The only role that a server may have, whatever the address says. */
  readonly only?: Target;
}

/**
 * The servers of one database, as its URL names them: in which order they are tried, how, and which of them is taken. All
 * connections to the database share it.
 */
export class Servers {
  readonly #source: () => string;
  readonly #options: ServersOptions;
  #url: string;
  #address: PostgresAddress;
  /** When hosts could not be used, as `performance.now()`. */
  readonly #avoided = new Map<string, number>();
  /** Poolers that were found to be usable, by host. */
  readonly #proven = new Map<string, { readonly at: number; readonly proof: Promise<void> }>();
  /** Hosts that accepted only the second of two ways to connect, with `prefer` and `allow`. */
  readonly #second = new Set<string>();

  /**
   * @param source returns the URL; read for each connection, as its password may change
   * @throws StoreError
   */
  constructor(source: () => string, options: ServersOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#url = source();
    this.#address = readAddress(this.#url, options.root);
  }

  /** As it is now. @throws StoreError */
  get address(): PostgresAddress {
    const url = this.#source();
    if (url !== this.#url) {
      this.#address = readAddress(url, this.#options.root);
      this.#url = url;
    }
    return this.#address;
  }

  /** `host:port/database`, with all hosts. For people. */
  get location(): string {
    return locationOf(this.#address, this.database);
  }

  /** As in libpq, that of the user unless it is named. */
  get database(): string {
    const { database, user } = this.#address;
    return database ?? user ?? userInfo().username;
  }

  /** Whether the role of a server matters. */
  get chooses(): boolean {
    return this.#target !== 'any';
  }

  get #target(): Target {
    const { target, hosts } = this.#address;
    if (this.#options.only !== undefined) return this.#options.only;
    return target ?? (hosts.length > 1 ? (this.#options.target ?? 'any') : 'any');
  }

  /**
   * Tries the servers until one is connected and wanted.
   * @param connect connects to a server, and returns its role
   * @param leave ends the connection to a server that is not wanted
   * @throws errors of `connect`: the only one, or one that names all hosts
   */
  async choose(connect: (candidate: Candidate) => Promise<Role>, leave: () => void): Promise<void> {
    const { user, password, tls } = this.address;
    const failures: { readonly host: ServerHost; readonly error: unknown }[] = [];
    const target = this.#target;
    for (const wanted of target === 'prefer-standby' ? (['standby', 'any'] as const) : [target]) {
      for (const host of this.#order()) {
        try {
          const role = await this.#reach(host, (ssl) => connect({ ...host, user, password, tls: ssl }));
          if (FITS[wanted](role)) {
            this.#avoided.delete(hostText(host));
            return;
          }
          leave();
          failures.push({ host, error: notWanted(wanted, role) });
        } catch (error) {
          if (isFinal(error)) throw error;
          failures.push({ host, error });
        }
        this.#avoided.set(hostText(host), performance.now());
      }
    }
    throw failureOf(failures, tls.mode);
  }

  /**
   * Makes sure once that a pooler can be used, for all connections that are opened at the same time, and again after a while:
   * a pooler can be configured anew.
   * @throws what `prove` throws
   */
  provePooler(host: ServerHost, prove: () => Promise<void>): Promise<void> {
    const name = hostText(host);
    const known = this.#proven.get(name);
    if (known !== undefined && performance.now() - known.at < PROVEN) return known.proof;
    const proof = prove();
    this.#proven.set(name, { at: performance.now(), proof });
    proof.catch(() => this.#proven.delete(name));
    return proof;
  }

  /** A connection to a host was lost, or the host turned out not to be wanted any more. */
  avoid(host: ServerHost): void {
    this.#avoided.set(hostText(host), performance.now());
  }

  /** As named, or in random order; hosts that could not be used a moment ago come last. */
  #order(): readonly ServerHost[] {
    const { hosts, balance } = this.#address;
    const now = performance.now();
    const place = (host: ServerHost): number => {
      const avoided = this.#avoided.get(hostText(host));
      return avoided === undefined || now - avoided > AVOIDED ? 0 : 1;
    };
    const shuffled = balance
      ? hosts.map((host) => ({ host, at: Math.random() }))
      : hosts.map((host) => ({ host, at: 0 }));
    return shuffled.sort((a, b) => place(a.host) - place(b.host) || a.at - b.at).map(({ host }) => host);
  }

  /** Connects with TLS or without, as `sslmode` says. A Unix socket has no TLS (libpq, section 34.19). */
  async #reach(host: ServerHost, connect: (tls: ConnectionOptions | false) => Promise<Role>): Promise<Role> {
    const { tls } = this.#address;
    const { mode } = tls;
    if (mode === 'disable' || host.host.startsWith('/')) return connect(false);
    if (mode !== 'prefer' && mode !== 'allow') return connect(tlsOptions(tls));
    const name = hostText(host);
    const ways = mode === 'prefer' ? [tlsOptions(tls), false as const] : [false as const, tlsOptions(tls)];
    if (this.#second.has(name)) ways.reverse();
    try {
      return await connect(ways[0] as ConnectionOptions | false);
    } catch (error) {
      if (!isOfEncryption(error)) throw error;
      const role = await connect(ways[1] as ConnectionOptions | false);
      if (!this.#second.delete(name)) this.#second.add(name);
      return role;
    }
  }
}

/**
 * The server of a replica: one, which is a standby.
 * @throws StoreError for an address of several
 */
export function replicaServers(source: () => string, root: string | undefined): Servers {
  const servers = new Servers(source, { root, only: 'standby' });
  if (servers.address.hosts.length === 1) return servers;
  const { location } = servers;
  throw new StoreError(location, `${location} names several servers; give each replica a URL of its own`);
}

/** Warns when others could be in the place of a server, because its certificate is not verified. */
export function unverified({ address, location }: Servers): string | undefined {
  const { hosts, tls } = address;
  if (isVerified(tls) || hosts.every(({ host }) => isLocal(host))) return undefined;
  return `Nothing verifies that ${location} is the database (sslmode=${tls.mode}): anyone on the way can read and change what is sent. Write sslmode=verify-full, with sslrootcert=FILE for an authority of your own.`;
}

function isLocal(host: string): boolean {
  if (host.startsWith('/') || host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}

function notWanted(wanted: Target, { standby, readOnly }: Role): Error {
  const state = standby ? 'a standby' : readOnly ? 'read-only' : 'a primary that can be written to';
  return lost(`it is ${state}, and ${wanted} is wanted`);
}

/** The error of a connection that can't be made (SQLSTATE 08001). */
function lost(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: '08001' });
}

/** Whether other hosts would answer the same: credentials and the name of the database (class 28, 3D) are those of all. */
function isFinal(error: unknown): boolean {
  return error instanceof StoreError || /^(?:28|3D)/.test(errorCode(error));
}

/** Whether an error may be due to the use of TLS, or the lack of it. */
function isOfEncryption(error: unknown): boolean {
  const code = errorCode(error);
  // 28000: pg_hba.conf has no entry with, or without, encryption.
  return (
    code === '28000' || code === 'EPROTO' || code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)/.test(code) || ofTls(error)
  );
}

/** The driver has no code for the answer of a server without TLS. */
function ofTls(error: unknown): boolean {
  return /SSL connection|secure TLS connection/i.test(errorText(error));
}

/** The only failure, or all of them in one error. */
function failureOf(
  failures: readonly { readonly host: ServerHost; readonly error: unknown }[],
  mode: PostgresAddress['tls']['mode'],
): unknown {
  const [first] = failures;
  if (failures.length === 1 && first !== undefined) return explained(first.error, mode);
  const reasons = failures.map(
    ({ host, error }) => `${hostText(host)}: ${errorText(explained(error, mode)) || errorCode(error)}`,
  );
  return lost([...new Set(reasons)].join('; '), first?.error);
}

/** Adds the parameter that decides to an error of TLS. */
function explained(error: unknown, mode: PostgresAddress['tls']['mode']): unknown {
  const code = errorCode(error);
  const isOfCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT_ALTNAME/.test(code);
  if (!isOfCertificate && !ofTls(error)) return error;
  const reason = isOfCertificate ? 'the certificate of the server is not valid for it' : 'the server has no TLS';
  const message = `${reason} (${errorText(error)}), and sslmode=${mode} requires it`;
  return Object.assign(new Error(message, { cause: error }), { code: '08004' });
}
