import { connect } from 'node:net';

/** The load on a server. */
export interface Load {
  readonly port: number;
  /** Complete requests, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Requests that are pending on a connection at any time; more than one is pipelining, RFC 9112 section 9.3.2. */
  readonly depth: number;
  readonly seconds: number;
}

interface Asked {
  readonly bytes: Buffer;
  /** Size of its reply in bytes, headers and body; constant. */
  readonly size: number;
}

/**
 * A cheap client, so that the server is measured and not the client. It finds the end of each reply by the reply's size,
 * which it determines once. Each reply must be a success and begin where the previous one ended.
 * @returns replies a second
 */
export async function load(what: Load): Promise<number> {
  const { replies, seconds } = await loadCounted(what);
  return replies / seconds;
}

/** {@link load} with the number of replies and the time that they took. @param begin called when the load begins */
export async function loadCounted(
  { port, requests, connections, depth, seconds }: Load,
  begin: () => void = () => {},
): Promise<{ readonly replies: number; readonly seconds: number }> {
  const asked: Asked[] = [];
  for (const request of requests) {
    const { head, body } = await ask(port, request);
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`not a success: ${head.slice(0, 60)}`);
    asked.push({ bytes: Buffer.from(request, 'latin1'), size: Buffer.byteLength(head) + body.length });
  }
  begin();
  const start = performance.now();
  const end = start + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, index) => drive(port, asked, index, depth, end)),
  );
  return { replies: counts.reduce((sum, count) => sum + count, 0), seconds: (performance.now() - start) / 1000 };
}

/** Keeps one connection busy; resolves to the number of replies. */
function drive(port: number, asked: readonly Asked[], first: number, depth: number, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const at = (turn: number): Asked => asked[(first + turn) % asked.length] as Asked;
    let sent = 0;
    let answered = 0;
    /** Bytes of the current reply that have arrived. */
    let filled = 0;
    const socket = connect(port, '127.0.0.1', () => send(depth));
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const send = (count: number): void => {
      const burst: Buffer[] = [];
      for (let index = 0; index < count; index += 1) burst.push(at(sent++).bytes);
      socket.write(burst.length === 1 ? (burst[0] as Buffer) : Buffer.concat(burst));
    };
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      let position = 0;
      let fresh = 0;
      while (position < chunk.length) {
        if (!fits(chunk, position, filled))
          return fail(new Error(`reply ${answered + 1} of a connection is not a success`));
        const taken = Math.min(at(answered).size - filled, chunk.length - position);
        position += taken;
        filled += taken;
        if (filled < at(answered).size) break;
        filled = 0;
        answered += 1;
        fresh += 1;
      }
      if (performance.now() < end) {
        if (fresh > 0) send(fresh);
      } else {
        resolve(answered);
        socket.destroy();
      }
    });
  });
}

const STATUS = Buffer.from('HTTP/1.1 200');

/** Whether the part of a reply's status line in a chunk, from `position`, is as expected. */
function fits(chunk: Buffer, position: number, filled: number): boolean {
  if (filled >= STATUS.length) return true;
  const length = Math.min(STATUS.length - filled, chunk.length - position);
  return chunk.compare(STATUS, filled, filled + length, position, position + length) === 0;
}

/** One reply, read by its Content-Length. `head` ends with its blank line. */
export function ask(port: number, request: string): Promise<{ readonly head: string; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request, 'latin1'));
    let bytes = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`a connection was closed after ${bytes.length} bytes`)));
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n') + 4;
      if (end < 4) return;
      const head = bytes.toString('latin1', 0, end);
      const length = /^content-length: *(\d+)/im.exec(head)?.[1];
      if (length === undefined) {
        reject(new Error(`a reply without Content-Length: ${head.slice(0, 60)}`));
      } else if (bytes.length >= end + Number(length)) {
        resolve({ head, body: bytes.subarray(end, end + Number(length)) });
      } else {
        return;
      }
      socket.destroy();
    });
  });
}

/**
 * One reply of any length and framing, counted but not stored; the connection is closed at its end.
 * @returns the number of bytes, and the last few of them
 */
export function drain(port: number, path: string, headers: string): Promise<{ bytes: number; tail: string }> {
  return new Promise((resolve, reject) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let bytes = 0;
    let last = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (bytes === 0 && !fits(chunk, 0, 0)) {
        socket.destroy(new Error(`no success: ${chunk.toString('latin1', 0, 60)}`));
        return;
      }
      bytes += chunk.length;
      last = chunk;
    });
    socket.on('end', () => resolve({ bytes, tail: last.toString('latin1', Math.max(0, last.length - 64)) }));
  });
}

/** A POST of JSON on a kept connection. @param headers whole lines, each with its line end */
export function postJson(path: string, body: string, headers = ''): string {
  const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}${headers}\r\n${body}`;
}

/** A GET on a kept connection. @param headers whole lines, each with its line end */
export function getRequest(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
}

/** Header line with the credentials of the bench's user. */
export const DEMO = `Authorization: Basic ${Buffer.from('demo:demo').toString('base64')}\r\n`;
