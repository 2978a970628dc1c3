/**
 * Conversations of clients with a gateway, as files: raw requests, each with the reply that it must get.
 *
 *     # what the client is
 *     > POST /gateway/HttpListeningConnector
 *     > Content-Type: text/xml
 *
 *     <body/>
 *     < 200 text/xml; charset=utf-8
 *
 *     <reply>{{ID=number}}</reply>
 *
 * Line breaks and indents between tags of a reply are there for the eye. `{{NAME=kind}}` in a reply keeps what stands there
 * (see KINDS), `{{NAME}}` puts it into what follows. `<~` in place of `<` asks again until the reply is the expected one.
 */
export interface Step {
  readonly head: readonly string[];
  readonly body: string;
  readonly again: boolean;
  readonly status: number;
  readonly contentType: string;
  readonly reply: string;
}

/** What placeholders stand for. */
const KINDS: Readonly<Record<string, string>> = {
  uuid: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  number: '[0-9]+',
  time: '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?',
  text: '[^<]*',
};

export interface Conversation {
  readonly title: string;
  readonly steps: readonly Step[];
}

export function readConversation(text: string): Conversation {
  const lines = text.split('\n');
  const title = lines
    .filter((line) => line.startsWith('# '))
    .map((line) => line.slice(2))
    .join(' ');
  const steps: Step[] = [];
  let at = lines.findIndex((line) => line.startsWith('> '));
  while (at >= 0 && at < lines.length) {
    const end = lines.findIndex((line, index) => index > at && line.startsWith('<') && /^<~? \d/.test(line));
    const next = lines.findIndex((line, index) => index > end && line.startsWith('> '));
    const request = lines.slice(at, end);
    const [, tilde, status, contentType = ''] = /^<(~?) (\d+) ?(.*)$/.exec(lines[end]!)!;
    steps.push({
      head: request.filter((line) => line.startsWith('> ')).map((line) => line.slice(2)),
      body: request
        .filter((line) => !line.startsWith('> '))
        .join('\n')
        .trim(),
      again: tilde === '~',
      status: Number(status),
      contentType,
      reply: lines
        .slice(end + 1, next < 0 ? undefined : next)
        .join('\n')
        .trim()
        .replace(/>\s*\n\s*</g, '><'),
    });
    at = next;
  }
  return { title, steps };
}

/** The bytes of a request, as a client of its own would write them. */
export function requestText({ head, body }: Step, kept: ReadonlyMap<string, string>): string {
  const filled = fill(body, kept);
  const [line = '', ...headers] = head;
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(filled)}`];
  const all = [`${fill(line, kept)} HTTP/1.1`, 'Host: gateway', ...headers, ...length, 'Connection: close'];
  return `${all.join('\r\n')}\r\n\r\n${filled}`;
}

function fill(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const found = kept.get(name);
    if (found === undefined) throw new Error(`nothing was kept as ${name}`);
    return found;
  });
}

/** The text that a reply must be; its placeholders are groups. */
export function replyPattern({ reply }: Step, kept: ReadonlyMap<string, string>): RegExp {
  const parts = reply.split(/(\{\{\w+(?:=\w+)?\}\})/);
  const pattern = parts.map((part) => {
    const [, name, kind] = /^\{\{(\w+)(?:=(\w+))?\}\}$/.exec(part) ?? [];
    if (name === undefined) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return kind === undefined ? fill(part, kept) : `(?<${name}>${KINDS[kind]})`;
  });
  return new RegExp(`^${pattern.join('')}$`);
}

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Reads a reply off the wire (RFC 9112), chunked or not. @param raw one character a byte */
export function readReply(raw: string): RawReply {
  const end = raw.indexOf('\r\n\r\n');
  const [first = '', ...lines] = raw.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  let rest = raw.slice(end + 4);
  let body = rest;
  if (headers.get('transfer-encoding') === 'chunked') {
    body = '';
    for (let size = -1; size !== 0; ) {
      const line = rest.indexOf('\r\n');
      size = Number.parseInt(rest.slice(0, line), 16);
      body += rest.slice(line + 2, line + 2 + size);
      rest = rest.slice(line + 4 + size);
    }
  }
  return { status: Number(first.split(' ')[1]), headers, text: Buffer.from(body, 'latin1').toString() };
}
