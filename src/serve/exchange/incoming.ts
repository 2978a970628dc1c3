import type { IncomingMessage } from 'node:http';
import { Fault } from '../../model/fault.ts';
import { type BodyLimits, type ByteSource, patience, stalled } from './body.ts';

/** The body of Node's request. Stopping early leaves the socket open: the reply that says why still has to go out on it. */
export function incomingSource(incoming: IncomingMessage): ByteSource {
  return { chunks: () => incoming.iterator({ destroyOnReturn: false }), all: (limits) => readAll(incoming, limits) };
}

/** Milliseconds that a caller has to send the rest of a request that is answered already, and that it may pause in it. */
const LINGER = { whole: 30_000, pause: 1_000 };

/** Reads the rest of a request and leaves it, for a while (RFC 9112 section 9.6). */
export function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(whole);
      clearTimeout(pause);
      incoming.off('data', onData);
      resolve();
    };
    const whole = setTimeout(over, LINGER.whole);
    const pause = setTimeout(over, LINGER.pause);
    const onData = (): void => {
      pause.refresh();
    };
    incoming.once('close', over).once('end', over).once('error', over).on('data', onData);
  });
}

/** Listening costs a small body a third of what an iterator does. */
function readAll(incoming: IncomingMessage, { size, pace, onRead }: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let seen = 0;
    const since = performance.now();
    const late = (): void => stop(stalled());
    let timer = setTimeout(late, patience(pace, 0, 0));
    const take = (chunk: Uint8Array): void => {
      seen += chunk.length;
      if (seen > size) {
        stop(Fault.of('BODY_TOO_LARGE', { limit: size }));
        return;
      }
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(late, patience(pace, seen, performance.now() - since));
      onRead?.(chunk.length);
    };
    const end = (): void => {
      release();
      resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
    };
    const stop = (error: Error): void => {
      release();
      incoming.pause();
      reject(error);
    };
    const release = (): void => {
      clearTimeout(timer);
      incoming.off('data', take).off('end', end).off('error', stop);
    };
    incoming.on('data', take).on('end', end).on('error', stop);
  });
}
