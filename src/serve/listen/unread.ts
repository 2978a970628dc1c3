import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problemText } from '../../binding/rest/rest.ts';
import { Fault } from '../../model/fault.ts';
import { problemMediaType } from '../../wire/problem.ts';
import { requestIdOf } from '../exchange/exchange.ts';
import { refusedLine } from '../log/decision.ts';
import type { Log } from '../log/log.ts';
import { type Proxies, peerOf } from './remote.ts';

/** What Node's parser says of bytes that are no HTTP. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** Of the packet, up to where it stopped. */
  readonly bytesParsed?: number;
  readonly reason?: string;
}

/** What a refusal stands on. */
interface RefusalPorts {
  readonly audit: Log;
  /** In front of the gateway. */
  readonly proxies: Proxies | undefined;
}

/** The reply to the request that came last on a connection, and the reply that each one follows while that is unfinished. */
const latest = new WeakMap<Duplex, ServerResponse>();
const before = new WeakMap<ServerResponse, ServerResponse>();

/** Takes note of a reply that is due, in the order in which requests come. */
export function noteReply(outgoing: ServerResponse): void {
  const { socket } = outgoing.req;
  const previous = latest.get(socket);
  if (previous !== undefined && !previous.writableFinished) {
    before.set(outgoing, previous);
    // Or a connection on which requests always overlap would keep all of them.
    previous.once('close', () => before.delete(outgoing));
  }
  latest.set(socket, outgoing);
}

/** Acts once a reply has been sent, and with it all before it; at once where none is due. */
function afterReply(reply: ServerResponse | undefined, act: () => void): void {
  if (reply === undefined || reply.writableFinished) act();
  else reply.once('close', act);
}

/** Connections whose bytes were refused: the parser complains of all that follows too. */
const refused = new WeakSet<Socket>();

/**
 * Refuses bytes that Node's parser can't read. They never become a request, or break one off; they get a reply with a body
 * all the same, behind the replies that are due, then the connection ends.
 */
export function refuseUnread(error: ParserError, socket: Socket, ports: RefusalPorts): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (refused.has(socket)) return;
  refused.add(socket);
  const last = latest.get(socket);
  const broken = last === undefined || last.req.complete || last.writableFinished ? undefined : last;
  afterReply(broken === undefined ? last : before.get(broken), () => {
    if (broken?.writableEnded === true) socket.destroySoon();
    else if (broken?.headersSent === true) socket.destroy();
    if (!socket.writable) return;
    const fault = parserFault(error);
    writeFault(socket, fault, broken?.req, ports, error.code);
    // What waits for the rest of it learns from the connection that the answer has been given, and logged.
    socket.once('finish', () => socket.destroy(broken === undefined ? undefined : fault));
  });
}

/** CONNECT hands over the bare connection; a gateway is no tunnel. */
export function refuseTunnel(incoming: IncomingMessage, connection: Duplex, ports: RefusalPorts): void {
  // Node has let go of the connection, so that an error of it is nobody else's.
  connection.on('error', () => connection.destroy());
  afterReply(latest.get(connection), () => {
    if (!connection.writable) return;
    writeFault(connection, Fault.of('UNKNOWN_METHOD', { method: 'CONNECT' }), incoming, ports);
    connection.once('finish', () => connection.destroy());
  });
}

/** The reply that a connection is waiting for or taking; Node keeps no public hold on it. */
export function replyUnderway(socket: Socket): ServerResponse<IncomingMessage> | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null })._httpMessage ?? undefined;
}

/** A whole reply, straight to the connection. */
function writeFault(
  connection: Duplex,
  fault: Fault,
  incoming: IncomingMessage | undefined,
  { audit, proxies }: RefusalPorts,
  reason?: string,
): void {
  const requestId = requestIdOf(incoming?.headers['x-request-id'] as string | undefined);
  const { text, bytes, headers } = refusalOf(fault, requestId);
  const { method } = incoming ?? {};
  audit.info(refusedLine(fault, { ...endOf(connection, incoming, proxies), requestId, method, bytes, reason }));
  const { status } = fault;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  connection.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'));
}

/** Where the bytes are from. What a trusted proxy says of its caller stands in headers, which may never have come. */
function endOf(
  connection: Duplex,
  incoming: IncomingMessage | undefined,
  proxies: Proxies | undefined,
): { readonly remote?: string | undefined; readonly proxy?: string } {
  if (incoming !== undefined) return { remote: peerOf(incoming, proxies).address };
  const { remoteAddress: address } = connection as Socket;
  return address !== undefined && proxies?.trust(address) === true ? { proxy: address } : { remote: address };
}

function parserFault(error: ParserError): Fault {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return Fault.of('HEADERS_TOO_LARGE', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return Fault.of('REQUEST_TIMEOUT', {});
    case 'HPE_PAUSED_H2_UPGRADE':
      return Fault.of('VERSION_NOT_SUPPORTED', {});
    case 'HPE_INVALID_METHOD': {
      const method = /^[A-Z]{1,20}(?= )/.exec(lineOf(error))?.[0];
      if (method !== undefined) return Fault.of('UNKNOWN_METHOD', { method });
      return Fault.of('BAD_REQUEST', { reason: 'it does not start with a method' });
    }
    default: {
      // A version that is well-formed, but another one; one that is not well-formed has other reasons.
      if (error.reason === 'Invalid HTTP version') return Fault.of('VERSION_NOT_SUPPORTED', {});
      const reason = error.reason?.replace(/[^ -~]/g, '?') ?? 'it is not HTTP/1.1';
      // A word goes on with a sentence of ours; a name, such as Content-Length, stays as it is.
      return Fault.of('BAD_REQUEST', { reason: reason.replace(/^[A-Z](?=[a-z]+ )/, (first) => first.toLowerCase()) });
    }
  }
}

/** The beginning of the line at which the parser stopped; requests that were read may be in front of it. */
function lineOf({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): string {
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return rawPacket.subarray(start, start + 21).toString('latin1');
}

/** What is sent where nothing reaches the app: problem details, and the end of the connection. */
export function refusalOf(
  fault: Fault,
  requestId: string,
): { readonly text: string; readonly bytes: number; readonly headers: Readonly<Record<string, string>> } {
  const text = problemText(fault, requestId);
  const bytes = Buffer.byteLength(text);
  const headers = {
    'Content-Type': problemMediaType,
    'Content-Length': String(bytes),
    'X-Request-Id': requestId,
    ...fault.headers,
    Connection: 'close',
  };
  return { text, bytes, headers };
}
