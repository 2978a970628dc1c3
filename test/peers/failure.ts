import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, headOf, send } from './message.ts';

/** What a peer does in place of what it is there for. */
export type Failure =
  /** Answers otherwise once the request is whole; `atOnce`: while its body is unread, and then reads no more of it. */
  | { readonly kind: 'answer'; readonly answer: Answer; readonly atOnce?: boolean }
  /** A page of HTML that repeats what was sent, head and body; a header repeats the head. */
  | { readonly kind: 'echo'; readonly status: number }
  /** Ends the connection: once some of the request's body came, or all of it. */
  | { readonly kind: 'cut'; readonly when: 'in the request' | 'before the reply' }
  /** Reads the request and says nothing. */
  | { readonly kind: 'silent' }
  /** Begins a reply of JSON that has so many bytes. */
  | { readonly kind: 'endless'; readonly bytes: number }
  /** Does as it should, but of the reply comes one half. */
  | { readonly kind: 'half'; readonly after: 'cut' | 'silent' }
  /** Does as it should; the reply comes byte by byte. */
  | { readonly kind: 'dribble' };

/** Whether the request is answered as usual, and only the reply spoilt. */
export const spoilsReply = (failure: Failure): failure is Extract<Failure, { kind: 'half' | 'dribble' }> =>
  failure.kind === 'half' || failure.kind === 'dribble';

/** @param written is told of the bytes of a reply without an end */
export async function failRequest(
  failure: Exclude<Failure, { kind: 'half' | 'dribble' }>,
  request: IncomingMessage,
  response: ServerResponse,
  written: (bytes: number) => void,
): Promise<void> {
  if (failure.kind === 'answer' && failure.atOnce === true) {
    // Node reads a request that nobody looked at to its end, once it is answered.
    request.on('readable', () => undefined);
    send(response, failure.answer);
    return;
  }
  const body = await read(request, failure.kind === 'cut' && failure.when === 'in the request');
  if (failure.kind === 'answer') send(response, failure.answer);
  else if (failure.kind === 'echo') send(response, echoed(failure.status, request, body));
  else if (failure.kind === 'cut') request.socket.destroy();
  else if (failure.kind === 'endless') await writeEndless(response, failure.bytes, written);
}

export async function spoilReply(
  failure: Extract<Failure, { kind: 'half' | 'dribble' }>,
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  if (failure.kind === 'dribble') {
    for (const byte of bytes) {
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
    }
    response.end();
    return;
  }
  await new Promise((resolve) => response.write(bytes.subarray(0, bytes.length / 2), resolve));
  if (failure.after === 'cut') response.destroy();
}

/** The beginning of a body, read to its end; or until its first bytes. */
async function read(request: IncomingMessage, first: boolean): Promise<Buffer> {
  const kept: Buffer[] = [];
  if (first) return ((await once(request, 'data')) as [Buffer])[0];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (kept.length < 16) kept.push(chunk);
  }
  return Buffer.concat(kept);
}

function echoed(status: number, request: IncomingMessage, body: Buffer): Answer {
  const { target, headers } = headOf(request);
  const head = [target, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const page = `<html><body><pre>${head.join('\n')}\n\n${body.toString('latin1')}</pre></body></html>`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', 'X-Echo': head.join(' ') }, body: page };
}

async function writeEndless(response: ServerResponse, bytes: number, written: (bytes: number) => void): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes });
  const piece = Buffer.alloc(65_536, 'x');
  response.write('{"Name":"');
  for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
    written(piece.length);
    if (!response.write(piece)) await drainedOrClosed(response);
  }
}

/** Leaves no listener behind: a reply without an end waits often. */
function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}
