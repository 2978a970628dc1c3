import type { Redactor } from '../../model/redactor.ts';
import { type Trace, traceparentOf, tracestateOf } from '../../trace/trace.ts';
import type { Proof } from '../credential.ts';
import type { Called } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';
import { ACCEPT_ENCODING } from './body.ts';

type Headers = Readonly<Record<string, string>>;

/** What the transport adds to the headers of a request. */
interface Additions<P> {
  readonly proof: P | undefined;
  /** Adds Accept-Encoding unless the request has one. */
  readonly acceptsCodings: boolean;
  /** The span of the request; absent for one that is only shown. */
  readonly trace?: Trace | undefined;
}

/** Headers of a request as they are sent. */
export function headersOf(
  outgoing: Outgoing,
  additions: Additions<Pick<Proof, 'header' | 'value'>>,
): Record<string, string> {
  return headersWith(outgoing.headers, outgoing, additions, additions.proof?.value);
}

/** The same with secrets masked. */
export function shownHeaders(
  outgoing: Outgoing,
  additions: Additions<Pick<Proof, 'header' | 'shown'>>,
): Record<string, string> {
  return headersWith(outgoing.shown.headers, outgoing, additions, additions.proof?.shown);
}

/** Methods whose requests send `Content-Length: 0` when they have no body (RFC 9110 section 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function headersWith(
  given: Headers,
  { method, length, compress }: Outgoing,
  { proof, acceptsCodings, trace }: Additions<Pick<Proof, 'header'>>,
  value: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { ...given };
  if (acceptsCodings && findHeader(headers, 'accept-encoding') === undefined)
    headers['Accept-Encoding'] = ACCEPT_ENCODING;
  if (trace !== undefined && findHeader(headers, 'traceparent') === undefined)
    Object.assign(headers, traceHeaders(trace));
  if (proof !== undefined && value !== undefined) {
    const same = findHeader(headers, proof.header.toLowerCase());
    if (same !== undefined) delete headers[same];
    headers[proof.header] = value;
  }
  if (compress && length !== 0) headers['Content-Encoding'] = 'gzip';
  else if (length !== undefined && (length > 0 || WITH_BODY.has(method))) headers['Content-Length'] = String(length);
  return headers;
}

/** The headers of W3C Trace Context for a request that a span sends. */
export function traceHeaders(trace: Trace): Record<string, string> {
  const traceparent = traceparentOf(trace);
  const tracestate = tracestateOf(trace);
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** The spelling of a header's name in these headers; `undefined` when it is absent. */
export function findHeader(headers: Headers, lowerCase: string): string | undefined {
  for (const name in headers) if (name.length === lowerCase.length && name.toLowerCase() === lowerCase) return name;
  return undefined;
}

/** Start line and headers of a message, in the order in which they are sent. Secrets are masked. */
export interface Head {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Observes the heads of an exchange. Each function is called for each address that is tried, and for each retry. */
export interface Heads {
  onRequest?(head: Head): void;
  onReply?(head: Head): void;
}

/** @param headers without those that are secret by their name */
export function headOf(line: string, headers: Readonly<Record<string, string>>, redactor: Redactor): Head {
  return redactor.value({ line, headers: Object.entries(headers) }) as Head;
}

/** Headers of each call, unless the operation declares them. */
export function ownHeaders(
  given: Readonly<Record<string, string>>,
  { requestId, messageId }: Called,
): Record<string, string> {
  const own: Record<string, string> = {};
  if (findHeader(given, 'x-request-id') === undefined) own['X-Request-Id'] = requestId;
  if (messageId !== undefined && findHeader(given, 'idempotency-key') === undefined)
    own['Idempotency-Key'] = `"${messageId}"`;
  if (findHeader(given, 'user-agent') === undefined) own['User-Agent'] = 'signalbox';
  return own;
}
