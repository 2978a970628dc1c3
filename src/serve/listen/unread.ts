import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../model/fault.ts';
import { refusedLine } from '../log/decision.ts';
import type { Log } from '../log/log.ts';
import { refusalOf } from './refusal.ts';
import { type Proxies, peerOf } from './remote.ts';
import { requestIdOf } from './request-id.ts';

/** What Node's parser says of bytes that are no HTTP. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly reason?: string;
}

/** What a refusal stands on. */
export interface RefusalPorts {
  readonly audit: Log;
  /** In front of the gateway. */
  readonly proxies: Proxies | undefined;
}

/** What Node's parser refuses never becomes a request, or breaks one off; it gets a body all the same, then the connection ends. */
export function refuseUnread(error: ParserError, socket: Socket, { audit, proxies }: RefusalPorts): void {
  const reply = replyUnderway(socket);
  if (!socket.writable || error.code === 'ECONNRESET' || reply?.headersSent === true) {
    socket.destroy();
    return;
  }
  const fault = parserFault(error);
  const broken = reply?.req.complete === false ? reply.req : undefined;
  writeFault(socket, fault, broken, { audit, proxies }, error.code);
  // What waits for the rest of it learns from the connection that the answer has been given, and logged.
  socket.once('finish', () => socket.destroy(broken === undefined ? undefined : fault));
}

/** CONNECT hands over the bare connection; a gateway is no tunnel. */
export function refuseTunnel(incoming: IncomingMessage, connection: Duplex, ports: RefusalPorts): void {
  // Node has let go of the connection, so that an error of it is nobody else's.
  connection.on('error', () => connection.destroy());
  writeFault(connection, Fault.of('UNKNOWN_METHOD', { method: 'CONNECT' }), incoming, ports);
  connection.once('finish', () => connection.destroy());
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
    case 'HPE_INVALID_METHOD': {
      const method = /^[A-Z]{1,20}(?= )/.exec(error.rawPacket?.subarray(0, 21).toString('latin1') ?? '')?.[0];
      if (method !== undefined) return Fault.of('UNKNOWN_METHOD', { method });
      return Fault.of('BAD_REQUEST', { reason: 'it does not start with a method' });
    }
    default: {
      const reason = error.reason?.replace(/[^ -~]/g, '?') ?? 'it is not HTTP/1.1';
      // A word goes on with a sentence of ours; a name, such as Content-Length, stays as it is.
      return Fault.of('BAD_REQUEST', { reason: reason.replace(/^[A-Z](?=[a-z]+ )/, (first) => first.toLowerCase()) });
    }
  }
}
