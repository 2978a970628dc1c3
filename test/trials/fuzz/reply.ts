/** One reply on a connection. */
export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Thrown for bytes that are not HTTP/1.1 replies. */
class MalformedReply extends Error {}

/**
 * Reads replies strictly (RFC 9112), with bytes as Latin-1: an invalid line end, a header without a name, or a body with a
 * length other than the declared one is an error.
 * @param closed whether the connection has ended, so that the last reply must be complete
 * @returns the complete replies
 * @throws MalformedReply
 */
export function readReplies(text: string, closed: boolean, noBody = false): RawReply[] {
  const replies: RawReply[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return unfinished(replies, closed, rest);
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(line)?.[1];
    if (status === undefined) throw new MalformedReply(`no status line: ${JSON.stringify(line.slice(0, 200))}`);
    const headers = new Map(fields.map(fieldOf));
    const body =
      noBody || /^(1..|204|304)$/.test(status) ? { text: '', length: 0 } : bodyOf(rest.slice(end + 4), headers);
    if (body === undefined) return unfinished(replies, closed && !headers.has('connection'), rest);
    if (!status.startsWith('1')) replies.push({ status: Number(status), headers, body: body.text });
    rest = rest.slice(end + 4 + body.length);
  }
  return replies;
}

function unfinished(replies: RawReply[], closed: boolean, rest: string): RawReply[] {
  if (closed) throw new MalformedReply(`a reply ends early: ${JSON.stringify(rest.slice(0, 200))}`);
  return replies;
}

function fieldOf(field: string): [string, string] {
  const found = /^([!#$%&'*+.^_`|~\w-]+): ?([^\r\n\0]*)$/.exec(field);
  if (found === null) throw new MalformedReply(`no header: ${JSON.stringify(field.slice(0, 200))}`);
  return [(found[1] as string).toLowerCase(), found[2] as string];
}

/** The body and the number of characters that it occupies; `undefined` if it is incomplete. */
function bodyOf(rest: string, headers: ReadonlyMap<string, string>): { text: string; length: number } | undefined {
  const length = headers.get('content-length');
  if (length !== undefined) {
    if (!/^\d+$/.test(length) || headers.has('transfer-encoding')) throw new MalformedReply(`a length of ${length}`);
    return rest.length < Number(length) ? undefined : { text: rest.slice(0, Number(length)), length: Number(length) };
  }
  if (headers.get('transfer-encoding') === undefined) return { text: rest, length: rest.length };
  let text = '';
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = rest.slice(at, line);
    if (!/^[0-9a-f]+$/i.test(size)) throw new MalformedReply(`a chunk of ${JSON.stringify(size.slice(0, 40))}`);
    const bytes = Number.parseInt(size, 16);
    if (rest.length < line + 4 + bytes) return undefined;
    text += rest.slice(line + 2, line + 2 + bytes);
    at = line + 4 + bytes;
    if (bytes === 0) return { text, length: at };
  }
}
