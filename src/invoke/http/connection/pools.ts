import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type * as Undici from 'undici';
import type { Called } from '../../error.ts';
import { CONNECTIONS, REPLY_HEAD } from '../../limits.ts';
import type { Endpoint, ProxyOf } from './endpoint.ts';
import { readHeads } from './reply-head.ts';

type Connector = Undici.buildConnector.connector;

/** How connections to a system are made. */
export interface ConnectionFacts {
  /** In milliseconds. */
  readonly connectTimeout: number;
  /** Trusted authorities and client certificate; `undefined` for Node's defaults. */
  readonly secureContext: SecureContext | undefined;
  /** By host name, in lower case. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly proxyOf: ProxyOf;
}

/** The dispatcher that takes the requests to an origin. */
export interface OriginDispatcher {
  readonly dispatcher: Undici.Dispatcher;
  /** The requests are sent through a proxy. */
  readonly proxied: boolean;
  /** A connection has been made, and its first request is being written. */
  readonly isFresh: () => boolean;
}

/** The connections to an origin. */
export interface PoolFigures {
  readonly origin: string;
  readonly connected: number;
  /** Requests that are under way. */
  readonly running: number;
  /** Requests that wait for a connection. */
  readonly queued: number;
}

/** All the connections of a client. */
export class Connections {
  readonly #undici: typeof Undici;
  readonly #agents: Undici.Dispatcher[] = [];
  #closed = false;

  constructor(undici: typeof Undici) {
    this.#undici = undici;
  }

  pools(facts: ConnectionFacts): Pools {
    return new Pools(this.#undici, facts, (agent) => {
      if (this.#closed) throw new Error('the client is closed');
      this.#agents.push(agent);
    });
  }

  /** Ends all connections and the exchanges on them. Nothing can be called afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
  }
}

/** Connections to one system, kept for the next call. */
export class Pools {
  readonly #undici: typeof Undici;
  readonly #facts: ConnectionFacts;
  readonly #keep: (agent: Undici.Dispatcher) => void;
  readonly #agent: Undici.Agent;
  readonly #direct: OriginDispatcher;
  readonly #proxies = new Map<string, OriginDispatcher>();
  /** Those of the origins called so far: whether one is called through a proxy takes 5 microseconds to find out. */
  readonly #known = new Map<string, OriginDispatcher>();
  #isFresh = false;

  /** @param keep takes each agent that has to be destroyed in the end, and throws once the client is closed */
  constructor(undici: typeof Undici, facts: ConnectionFacts, keep: (agent: Undici.Dispatcher) => void) {
    this.#undici = undici;
    this.#facts = facts;
    this.#keep = keep;
    const direct = undici.buildConnector({ ...tlsOf(facts), timeout: facts.connectTimeout });
    const connect = this.#marked(redirected(direct, facts.endpoints));
    this.#agent = new undici.Agent({ ...POOL, connect });
    this.#direct = this.#opened(this.#agent, false);
  }

  /** @throws Error once the client is closed; InvokeError CONFIGURATION for an invalid address of a proxy */
  of(origin: string, called: Called): OriginDispatcher {
    const known = this.#known.get(origin);
    if (known !== undefined) return known;
    const opened = this.#find(origin, called);
    // Origins without number where a URI template begins with the host.
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    this.#known.set(origin, opened);
    return opened;
  }

  /** The connections that are open without a proxy, for up to {@link MOST_SHOWN} origins. */
  figures(): readonly PoolFigures[] {
    const { stats } = this.#agent;
    return Object.entries(stats)
      .slice(0, MOST_SHOWN)
      .map(([origin, each]) => ({
        ...{ origin, connected: Number(each.connected), running: each.running },
        queued: 'queued' in each ? each.queued : 0,
      }));
  }

  #find(origin: string, called: Called): OriginDispatcher {
    const { endpoints, proxyOf } = this.#facts;
    // `resolve:` of a node says where its connections go: a proxy would look the name up itself.
    const proxy = endpoints.has(hostOf(origin)) ? undefined : proxyOf(origin, called);
    return proxy === undefined ? this.#direct : (this.#proxies.get(proxy) ?? this.#openProxy(proxy));
  }

  #openProxy(uri: string): OriginDispatcher {
    const { Pool, ProxyAgent } = this.#undici;
    const { connectTimeout } = this.#facts;
    const agent = new ProxyAgent({
      ...POOL,
      uri,
      connectTimeout,
      requestTls: { ...tlsOf(this.#facts), timeout: connectTimeout },
      proxyTls: { rejectUnauthorized: true },
      // A proxy that does not open a tunnel in time counts as a failed connection.
      clientFactory: (url, options) => new Pool(url, { ...options, headersTimeout: connectTimeout }),
      factory: (origin, options) => {
        const { connect } = options as { readonly connect: Connector };
        return new Pool(origin, { ...POOL, ...options, connect: this.#marked(connect) });
      },
    });
    const opened = this.#opened(agent, true);
    this.#proxies.set(uri, opened);
    return opened;
  }

  #opened(dispatcher: Undici.Dispatcher, proxied: boolean): OriginDispatcher {
    this.#keep(dispatcher);
    return { dispatcher, proxied, isFresh: () => this.#isFresh };
  }

  /** Tells which connections are new: undici writes the first request inside the callback. */
  #marked(connect: Connector): Connector {
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) {
          unconnected.add(error);
          callback(error, null);
          return;
        }
        const made = socket as NonNullable<typeof socket>;
        readingFirst(made);
        readHeads(made);
        this.#isFresh = true;
        try {
          callback(null, made);
        } finally {
          this.#isFresh = false;
        }
      });
  }
}

/** Errors of connections that could not be made. */
const unconnected = new WeakSet<object>();

/** Whether a request failed because no connection could be made: nothing of it was sent. */
export function isUnconnected(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unconnected.has(error);
}

/** Origins whose figures are shown. */
const MOST_SHOWN = 20;

/** Origins whose way is remembered. */
const MOST_KNOWN = 1000;

const POOL = { connections: CONNECTIONS, maxHeaderSize: REPLY_HEAD, allowH2: false } as const;

/** Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0. */
function tlsOf({ secureContext }: ConnectionFacts): Undici.buildConnector.BuildOptions {
  return { allowH2: false, rejectUnauthorized: true, ...(secureContext === undefined ? {} : { secureContext }) };
}

/** A connector that uses other addresses for some names, while Host and TLS keep the name. */
function redirected(connect: Connector, endpoints: ReadonlyMap<string, Endpoint>): Connector {
  if (endpoints.size === 0) return connect;
  return (options, callback) => {
    const to = endpoints.get(options.hostname.toLowerCase());
    const { port } = options;
    if (to === undefined) connect(options, callback);
    else connect({ ...options, hostname: to.host, port: to.port ?? port }, callback);
  };
}

const hostOf = (origin: string): string => new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');

type Written = (error?: Error | null) => void;

/**
 * Keeps a reply readable that a target sent before it closed the connection. It may answer in the middle of a request and
 * read no more of it (RFC 9112 section 9.5); the next write then fails, which would destroy the socket with the reply unread
 * in it. Such a write stays pending until everything was read, and then ends the connection.
 */
function readingFirst(socket: Socket): void {
  const { _write: write, _writev: writeAll } = socket;
  const kept = (written: Written): Written => {
    return (error) => {
      if (error == null || !isGone(error) || socket.readableEnded) written(error);
      // The reader sees the end of the reply first.
      else socket.once('end', () => setImmediate(written, error));
    };
  };
  socket._write = (chunk, encoding, written) => write.call(socket, chunk, encoding, kept(written));
  if (writeAll !== undefined) socket._writev = (chunks, written) => writeAll.call(socket, chunks, kept(written));
}

function isGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}
