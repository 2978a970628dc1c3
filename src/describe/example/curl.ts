import { isMessageScheme, type SecurityScheme, type TransportScheme, type User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { restSchemes, soapSchemes } from '../requirements.ts';
import type { ExampleRequest } from './request.ts';

/**
 * A request as a command line to paste.
 * @param credentials curl arguments with the credentials; empty when none are needed
 */
export function curlCommand(
  { method, url, headers, body, parts }: ExampleRequest,
  credentials: readonly string[],
): string {
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  words.push(...credentials.map(shellWord));
  for (const [name, value] of Object.entries(headers)) {
    // curl's own `Accept: */*` already gets the default format.
    if (name !== 'Accept') words.push('-H', shellWord(`${name}: ${value}`));
  }
  for (const { name, kind, text } of parts ?? []) words.push(...partWords(name, kind, text));
  if (body !== undefined) words.push('--data-raw', shellWord(body));
  words.push(shellWord(url));
  return words.join(' ');
}

/** A part of a form. curl reads `@` and `;` in one that is not taken literally. */
function partWords(name: string, kind: 'text' | 'json' | 'file', text: string): string[] {
  if (kind === 'text') return ['--form-string', shellWord(`${name}=${text}`)];
  // In quotes, a semicolon in the JSON does not end it.
  const value = kind === 'file' ? `@${text}` : `"${text.replace(/["\\]/g, '\\$&')}";type=application/json`;
  return ['-F', shellWord(`${name}=${value}`)];
}

/** One word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9:_@%+=,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** curl arguments for the credentials that an operation requires over REST, with placeholders for the reader's own. */
export function restCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(restSchemes(operation), sample);
}

/** The same over SOAP; empty when credentials can only be inside the message. */
export function soapCredentials(operation: Operation, sample: User | undefined): readonly string[] {
  return wordsOf(soapSchemes(operation), sample);
}

/** @param sample a user for whom the command works unchanged */
function wordsOf(schemes: readonly SecurityScheme[], sample: User | undefined): readonly string[] {
  const offered = schemes.filter((scheme): scheme is TransportScheme => !isMessageScheme(scheme));
  const basic = offered.find((scheme) => scheme.kind === 'basic');
  // A sample user's password is its name.
  if (basic !== undefined && sample !== undefined) return ['-u', `${sample.id}:${sample.id}`];
  const [first] = offered;
  return first === undefined ? [] : placeholders(first);
}

function placeholders(scheme: TransportScheme): readonly string[] {
  switch (scheme.kind) {
    case 'basic':
      // curl prompts for the password.
      return ['-u', 'USER'];
    case 'api-key':
      return ['-H', `${scheme.header}: KEY`];
    case 'bearer':
      return ['-H', 'Authorization: Bearer TOKEN'];
    case 'client-certificate':
      return ['--cert', 'CERTIFICATE.pem', '--key', 'KEY.pem'];
    case 'hmac':
      return ['-H', `${scheme.header}: SIGNATURE`];
    case 'webhook':
      return ['-H', 'webhook-id: ID', '-H', 'webhook-timestamp: SECONDS', '-H', 'webhook-signature: v1,SIGNATURE'];
  }
}
