import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../model/fault.ts';
import { isSecretName, MASK } from '../../model/redactor.ts';
import type { Caller, Shown, ShownBefore, ShownCertificate } from '../../security/security-port.ts';
import {
  continueTrace,
  type Deadline,
  type Trace,
  type Tracer,
  type Context as WorkContext,
} from '../../trace/trace.ts';
import { PercentError } from '../../wire/percent.ts';
import { TooManyParametersError } from '../../wire/query-string.ts';
import { isBare } from '../listen/connections.ts';
import { awaitsContinue } from '../listen/head.ts';
import {
  certificateOfConnection,
  certificateOfHeader,
  connectionOf,
  type Peer,
  type Proxies,
  peerOf,
} from '../listen/remote.ts';
import { type BodyLimits, type ByteSource, incomingSource, NO_BODY, type ReceivedBody, readBody } from './body.ts';

const LONGEST = 128;

/** The caller's X-Request-Id if it is a single token of at most 128 characters, otherwise a new id. */
export function requestIdOf(given: string | undefined): string {
  if (given === undefined || given.length === 0 || given.length > LONGEST) return randomUUID();
  for (let index = 0; index < given.length; index++) {
    const code = given.charCodeAt(index);
    const plain =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f;
    if (!plain) return randomUUID();
  }
  return given;
}

/** What a server passes with each request: ours, or `@hono/node-server` of an app that the gateway is a part of; `app.request()` passes nothing. */
export interface Arrival {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  /** The reply is written to `outgoing`; otherwise it is a `Response`, which middleware may read and change. */
  readonly isWritten?: true;
  /** The head was checked. */
  readonly isChecked?: true;
  /** The request as our server made it; middleware may pass on another. */
  readonly request?: Request;
  readonly tracer?: Tracer | undefined;
  readonly vouched?: Vouched | undefined;
}

/** What all exchanges of a gateway share. */
export interface Surroundings {
  /** The proxies in front of the gateway. */
  readonly proxies?: Proxies | undefined;
  /** Records spans; `undefined` when nothing is exported. */
  readonly tracer?: Tracer | undefined;
}

/**
 * Whom this process vouches for in a request that it makes itself: the signed-in user of its console. A request over a socket has
 * none, whatever it contains. It replaces credentials and nothing else: grants, rates and limits apply as to any caller.
 */
export interface Vouched {
  readonly caller: Caller;
  /** For the audit log. */
  readonly via: 'console';
  /** Where the user is, for what is counted by address. */
  readonly peer: Peer;
}

export interface GatewayEnv {
  readonly Bindings: Arrival;
}

/** Answers an exchange, in its context. */
export type Answer = (exchange: Exchange) => Response | Promise<Response>;

/** Where connectors are mounted: `mount('RESTListeningConnector', answer)` gets everything below `/<context>/RESTListeningConnector`. */
export interface Mounts {
  connect(connector: string, answer: Answer): void;
}

/** The headers of one reply, in their usual spelling. */
export type ReplyHeaders = Record<string, string>;

/**
 * One request and its reply: on Node's objects, or as a Request and a Response. The target is read raw from Node's request where
 * there is one, because `new Request` folds dot segments and decodes characters that must stay encoded.
 */
export class Exchange implements Shown, WorkContext {
  readonly started = performance.now();
  readonly requestId: string;
  readonly trace: Trace;
  /** Of its call's use of the database; `undefined` while there is no call. */
  deadline: Deadline | undefined;
  /** Raw path, and raw query without its question mark; `undefined` when there is none. */
  readonly path: string;
  readonly query: string | undefined;
  /** Where replies are written; `undefined` where a Response is wanted. */
  readonly outgoing: ServerResponse | undefined;
  readonly vouched: Vouched | undefined;
  /** Headers for a page of another origin, sent with every reply of this exchange. */
  cors: Readonly<Record<string, string>> | undefined;
  /** Rate limit headers, sent with every reply of this exchange. */
  limits: Readonly<Record<string, string>> | undefined;
  /** The template of its path, for the name of its span: `/gateway/RESTListeningConnector/Locations.v1/{LOCATION}`. */
  route: string | undefined;
  /** When bytes of the request's body were last read (`performance.now()`); 0 before. */
  lastRead = 0;
  /** The caller of a path that belongs to no operation, if such paths require credentials. */
  caller: Caller | undefined;
  /** Whether the caller is permitted to call the operation. */
  admitted = false;
  /** When reading the request's body began (`performance.now()`); 0 before. */
  readSince = 0;
  /** Its reply is known and about to be sent: from then on, `limits.timeout` does not apply. */
  leaving = false;
  /** Bytes of the request's body that were read. */
  bytesRead = 0;
  /** Reads the whole body, for schemes that verify its signature; `undefined` where no such scheme may be used. */
  content: (() => Promise<Uint8Array>) | undefined;
  /** The whole body, once {@link keepBody} has read it. */
  #kept: Uint8Array | undefined;
  /** All bytes that the request's body was announced to have were read. */
  #isRead = false;
  #isAsked = false;
  /** Hands the audit line of this exchange to the operating system, once there is one; called before its reply leaves. */
  settle: (() => void) | undefined;
  #whenOver: (() => void) | undefined;
  readonly #incoming: IncomingMessage | undefined;
  /** Where a Response is wanted; otherwise the request is read from `incoming`. */
  readonly #request: Request | undefined;
  /** The request is as our server made it, so that its body may be read from `incoming`. */
  readonly #isAsMade: boolean;
  /** What a server writes a Response to; `undefined` without a connection. */
  readonly underlying: ServerResponse | undefined;
  readonly #proxies: Proxies | undefined;
  #peer: Peer | undefined;
  #gone: AbortController | undefined;

  constructor(arrival: Arrival, { proxies, tracer }: Surroundings = {}, request?: Request) {
    const { incoming, outgoing, isWritten, request: made, vouched } = arrival;
    // A request over a socket is its sender's, whatever else it arrives with.
    this.vouched = incoming === undefined ? vouched : undefined;
    this.#incoming = incoming;
    this.#request = isWritten ? undefined : request;
    this.#isAsMade = made !== undefined && made === request;
    this.underlying = outgoing;
    this.#proxies = proxies;
    this.outgoing = isWritten ? outgoing : undefined;
    const target = targetOf(incoming, this.#request);
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? undefined : target.slice(mark + 1);
    this.requestId = requestIdOf(this.header('x-request-id'));
    const sent = {
      requestId: this.requestId,
      traceparent: this.header('traceparent'),
      tracestate: this.header('tracestate'),
    };
    const by = tracer ?? arrival.tracer;
    this.trace = continueTrace(sent, by, by && { name: this.method, kind: 'server' });
  }

  /** The request's method as it was sent. */
  get method(): string {
    return this.#request?.method ?? (this.#incoming as IncomingMessage).method ?? '';
  }

  /** A header by its lower-case name; repeated fields are joined (RFC 9110, section 5.3). */
  header(name: string): string | undefined {
    if (this.#request !== undefined) return this.#request.headers.get(name) ?? undefined;
    const value = (this.#incoming as IncomingMessage).headers[name];
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  }

  /** All headers by lower-case name, with the values of secret ones masked. */
  headers(isSecret: (name: string) => boolean): Record<string, string> {
    return Object.fromEntries(this.#headers().map(([name, value]) => [name, isSecret(name) ? MASK : value]));
  }

  #headers(): [name: string, value: string][] {
    const all = this.#request ? Object.fromEntries(this.#request.headers) : (this.#incoming as IncomingMessage).headers;
    return Object.entries(all).map(([name, value]) => [name, String(value)]);
  }

  /**
   * The caller's credentials, in each form in which code may repeat them.
   * @param declared lower-case names of further headers that hold credentials
   */
  *credentials(declared: ReadonlySet<string>): Generator<string> {
    for (const [name, value] of this.#headers()) {
      if (name.endsWith('authorization')) yield* credentialsIn(value);
      else if (name === 'cookie')
        for (const cookie of value.split(';')) yield cookie.slice(cookie.indexOf('=') + 1).trim();
      else if (declared.has(name) || isSecretName(name)) yield value;
    }
    if (this.query !== undefined)
      for (const [name, value] of new URLSearchParams(this.query)) if (isSecretName(name)) yield value;
  }

  /** The caller's address: the connection's, or the one that a trusted proxy reports; `undefined` inside this process. */
  get remote(): string | undefined {
    return this.peer.address;
  }

  /** The caller runs on this machine. */
  get local(): boolean {
    return this.peer.local;
  }

  get secure(): boolean {
    return this.peer.secure;
  }

  get shownBefore(): ShownBefore | undefined {
    return this.#incoming && connectionOf(this.#incoming.socket).shownBefore;
  }

  certificate(header: string | undefined): ShownCertificate | undefined {
    if (this.#incoming === undefined) return undefined;
    // The connection's certificate would be the proxy's own.
    if (!this.peer.proxied) return certificateOfConnection(this.#incoming.socket);
    const field = header === undefined ? undefined : this.header(header.toLowerCase());
    return field === undefined ? undefined : certificateOfHeader(field);
  }

  get peer(): Peer {
    this.#peer ??= this.vouched?.peer ?? peerOf(this.#incoming, this.#proxies);
    return this.#peer;
  }

  /** Whether the parser rejected the message midway; the reply was sent and logged then. */
  get refused(): boolean {
    return this.#incoming?.socket.errored instanceof Fault;
  }

  /** Aborts when the caller goes away before the reply is complete. */
  get gone(): AbortSignal {
    const { outgoing } = this;
    if (outgoing === undefined) return (this.#request as Request).signal;
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#gone = gone;
      const look = (): void => {
        if (!outgoing.writableFinished) gone.abort(new Error('The caller went away.'));
      };
      if (outgoing.closed) look();
      else outgoing.once('close', look);
    }
    return this.#gone.signal;
  }

  /** The request, while the caller is still sending it. */
  get unsent(): IncomingMessage | undefined {
    const incoming = this.#incoming;
    if (incoming === undefined || incoming.complete) return undefined;
    // The parser tells of the end of a request later than of its last bytes.
    if (this.#isRead || isBare(incoming)) return undefined;
    return incoming;
  }

  /** Calls back once the reply was sent or abandoned. */
  whenOver(done: () => void): void {
    if (this.outgoing === undefined) this.#whenOver = done;
    else if (this.outgoing.closed) done();
    else this.outgoing.once('close', done);
  }

  /** Must be called after a reply was returned as a Response. */
  over(): void {
    this.#whenOver?.();
  }

  /**
   * Reads the whole body as it was sent, which {@link body} then returns: a signature is of these bytes, with their content
   * coding.
   */
  async keepBody(limits: BodyLimits): Promise<Uint8Array> {
    this.#kept ??= await this.#body(limits, undefined).bytes();
    return this.#kept;
  }

  body(limits: BodyLimits): ReceivedBody {
    return this.#body(limits, this.header('content-encoding'));
  }

  #body(limits: BodyLimits, contentEncoding: string | undefined): ReceivedBody {
    if (this.#incoming !== undefined && isBare(this.#incoming)) {
      limits.digest?.end();
      return NO_BODY;
    }
    const head = {
      contentType: this.header('content-type'),
      contentLength: this.header('content-length'),
      contentEncoding,
      transferEncoding: this.header('transfer-encoding') ?? this.#undeclared(),
    };
    const kept = this.#kept;
    if (kept !== undefined) return readBody(head, keptSource(kept), limits);
    this.readSince = performance.now();
    const onRead = (bytes: number): void => {
      this.bytesRead += bytes;
      this.#isRead = this.bytesRead === Number(head.contentLength);
      this.lastRead = performance.now();
    };
    return readBody(head, this.#source(), { ...limits, onRead });
  }

  #source(): ByteSource | undefined {
    const request = this.#request;
    const isUnread = this.#isAsMade && this.#incoming?.readableDidRead === false;
    if (request === undefined || isUnread)
      return incomingSource(this.#incoming as IncomingMessage, () => this.#askForBody());
    if (this.#incoming === undefined && request.body === null) return undefined;
    // The server asks the caller for the body when this is read.
    return { chunks: () => (request.body ?? new Blob([]).stream()) as AsyncIterable<Uint8Array> };
  }

  /**
   * A caller that waits to be asked for its body is asked when something reads it: until then credentials, permission, rate, type
   * and announced length were accepted.
   */
  #askForBody(): void {
    const { underlying } = this;
    if (this.#isAsked || underlying === undefined || underlying.headersSent) return;
    this.#isAsked = true;
    const incoming = this.#incoming as IncomingMessage;
    // No other reader needs to.
    if (this.#isAsMade) incoming.removeAllListeners('newListener');
    if (awaitsContinue(incoming)) underlying.writeContinue();
  }

  /** A Request created in a test has a body but no header that declares it. */
  #undeclared(): string | undefined {
    const bare = this.#incoming === undefined && this.header('content-length') === undefined;
    return bare && this.#request?.body != null ? 'chunked' : undefined;
  }
}

function keptSource(kept: Uint8Array): ByteSource {
  return {
    async *chunks() {
      yield kept;
    },
    all: async () => kept,
  };
}

/** The target in origin form. Where a server of others removed a prefix from the path of a Request, its own path counts. */
function targetOf(incoming: IncomingMessage | undefined, request: Request | undefined): string {
  if (request === undefined) return incoming?.url ?? '';
  const { url } = request;
  const path = url.indexOf('/', url.indexOf('://') + 3);
  const hash = url.indexOf('#');
  const target = path < 0 ? '/' : url.slice(path, hash < 0 ? undefined : hash);
  const raw = incoming?.url;
  if (raw === undefined || raw === target) return target;
  // Not resolved as a reference, for which a host stands behind two slashes (RFC 3986, section 4.2).
  const whole = URL.parse(raw.startsWith('/') ? `http://localhost${raw}` : raw);
  return whole !== null && `${whole.pathname}${whole.search}` === target ? raw : target;
}

/**
 * The value after the scheme of an Authorization header, and for Basic also the password, unless it equals the user name
 * (RFC 7617).
 */
function* credentialsIn(value: string): Generator<string> {
  const [, scheme = '', given = ''] = /^(\S+)\s+(.*)$/s.exec(value) ?? ['', '', value];
  yield given;
  if (scheme.toLowerCase() !== 'basic') return;
  const pair = Buffer.from(given, 'base64').toString();
  const [user, password] = [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)];
  if (password !== user) yield password;
}

/**
 * Runs a function that reads a query string.
 * @param limit maximum number of parameters
 * @throws Fault TOO_MANY_PARAMETERS, BAD_ENCODING for errors of the query string as a whole
 */
export function readingQuery<T>(limit: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooManyParametersError)
      throw Fault.of('TOO_MANY_PARAMETERS', { what: 'The query string', limit });
    if (error instanceof PercentError) {
      throw Fault.of('BAD_ENCODING', { name: 'The query string', reason: error.message });
    }
    throw error;
  }
}
