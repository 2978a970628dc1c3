import type { ExampleRequest } from '../../describe/example/example.ts';

/**
 * A request as a command line to paste.
 * @param credentials words that show them; empty where none are needed
 */
export function curlCommand({ method, url, headers, body }: ExampleRequest, credentials: readonly string[]): string {
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  words.push(...credentials.map(quote));
  for (const [name, value] of Object.entries(headers)) {
    // The default form is what curl's own `Accept: */*` gets.
    if (name !== 'Accept') words.push('-H', quote(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', quote(body));
  words.push(quote(url));
  return words.join(' ');
}

/** One word of a POSIX shell. */
function quote(text: string): string {
  return /^[A-Za-z0-9:_@%+=,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
