/** One part, as the tests read it: by searching for the boundary, with nothing of what is tested. */
export interface ReadPart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Parts of a multipart message whose lines end as RFC 2046 has it; bodies as Latin-1. */
export function readParts(contentType: string, message: Buffer): ReadPart[] {
  const boundary = /boundary="([^"]+)"/.exec(contentType)?.[1];
  if (boundary === undefined) throw new Error(`no boundary in ${contentType}`);
  const text = `\r\n${message.toString('latin1')}`;
  const [before, ...parts] = text.split(`\r\n--${boundary}`);
  const after = parts.pop();
  if (before !== '' || after !== '--\r\n') throw new Error(`something stands around the parts: ${before}, ${after}`);
  return parts.map((part) => {
    const end = part.indexOf('\r\n\r\n');
    const lines = part.slice(2, end).split('\r\n');
    const headers = lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]);
    return { headers: Object.fromEntries(headers) as Record<string, string>, body: part.slice(end + 4) };
  });
}
