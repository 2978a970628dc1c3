import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Head of a request as it came: nothing is folded, decoded or joined. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** In the order in which they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The name that TLS was asked for (SNI, RFC 6066 section 3). */
  readonly serverName: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is not as it has to be: answered with a status and words. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, words: string, headers: Readonly<Record<string, string>> = {}) {
    super(words);
    this.answer = { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: words };
  }
}

export function headOf({ method = '', url = '', rawHeaders, socket }: IncomingMessage): RequestHead {
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  const { servername } = socket as TLSSocket;
  return { method, target: url, headers, serverName: typeof servername === 'string' ? servername : undefined };
}

/** The value of a header; undefined where there is none. @throws Refusal where there are several */
export function header({ headers }: RequestHead, name: string): string | undefined {
  const found = headers.filter(([each]) => each.toLowerCase() === name.toLowerCase());
  if (found.length > 1) throw new Refusal(400, `${name} stands there ${found.length} times`);
  return found[0]?.[1];
}

/** A body of text, strictly UTF-8. @throws Refusal */
export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Refusal(400, 'the body is no UTF-8');
  }
}

export function jsonAnswer(
  value: unknown,
  { status = 200, contentType = 'application/json' }: { readonly status?: number; readonly contentType?: string } = {},
): Answer {
  return { status, headers: { 'Content-Type': contentType }, body: JSON.stringify(value) };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
