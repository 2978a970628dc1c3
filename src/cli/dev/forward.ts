import { type RequestListener, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { pipeline } from 'node:stream';

/** Fields that belong to one connection only (RFC 9110, 7.6.1); Node writes its own. */
const ofOneConnection = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Answers each request by what the gateway at an address answers: so that a caller whose connection was made before an edit
 * gets what holds since. A certificate of the caller's own does not go with it.
 * @param address `http://127.0.0.1:8080`
 */
export function forwardTo(address: string): RequestListener {
  const { protocol, hostname, port } = new URL(address);
  const host = connectable(hostname.replace(/^\[|\]$/g, ''));
  // It is on this machine, and its certificate is for the name that others know it by.
  const to = { host, port, agent: false, setHost: false, rejectUnauthorized: false } as const;
  const send = protocol === 'https:' ? requestOverTls : request;
  return (incoming, outgoing) => {
    const { method, url: path, rawHeaders } = incoming;
    const sent = send({
      ...to,
      method,
      path,
      headers: withoutFields(rawHeaders, new Set(['connection', 'keep-alive'])),
    });
    sent.once('response', (reply) => {
      outgoing.writeHead(
        reply.statusCode ?? 502,
        reply.statusMessage,
        withoutFields(reply.rawHeaders, ofOneConnection),
      );
      // A reply that breaks off breaks off here too: a cut one never looks whole, and nobody waits for its rest.
      pipeline(reply, outgoing, () => undefined);
    });
    sent.once('error', () => outgoing.destroy());
    outgoing.once('close', () => sent.destroy());
    incoming.pipe(sent);
  };
}

/** A host that stands for every address of the machine is reached at its loopback address. */
function connectable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Names and values in turn, as they came, without some. */
function withoutFields(rawHeaders: readonly string[], left: ReadonlySet<string>): string[] {
  return rawHeaders.filter((_, index) => !left.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
