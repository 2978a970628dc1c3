import {
  type HmacSignature,
  isMessageScheme,
  type SecurityScheme,
  type TransportScheme,
  type User,
} from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { WEBHOOK_HEADERS } from '../../wire/webhook.ts';
import { restSchemes, soapSchemes } from '../requirements.ts';
import type { ExampleRequest } from './request.ts';

/** A signature that the command makes, of whatever body the request has. */
export interface CurlSignature {
  readonly kind: 'signature';
  readonly signature: Omit<HmacSignature, 'secrets'>;
  /** What the text of a secret begins with, before the key. */
  readonly prefix?: string;
}

/** An argument of curl. */
export type CurlWord = string | CurlSignature;

/** A request to show; `file` has its body in place of `body`. */
type ShownRequest = ExampleRequest & { readonly file?: string };

/**
 * A request as a command line to paste. One that signs reads the secret from the variable SECRET.
 * @param credentials curl arguments with the credentials; empty when none are needed
 */
export function curlCommand(request: ShownRequest, credentials: readonly CurlWord[]): string {
  const { method, url, headers, body, parts, file } = request;
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  for (const each of credentials) {
    if (typeof each === 'string') words.push(shellWord(each));
    else words.push(...signatureWords(each, request));
  }
  for (const [name, value] of Object.entries(headers)) {
    // curl's own `Accept: */*` already gets the default format.
    if (name !== 'Accept') words.push('-H', shellWord(`${name}: ${value}`));
  }
  for (const { name, kind, text } of parts ?? []) words.push(...partWords(name, kind, text));
  if (body !== undefined) words.push('--data-raw', shellWord(body));
  if (file !== undefined) words.push('--data-binary', shellWord(`@${file}`));
  words.push(shellWord(url));
  const command = words.join(' ');
  const variables = Object.entries(VARIABLES).filter(([name]) => command.includes(`$${name}`));
  return [...variables.map(([name, value]) => `${name}=${value};`), command].join(' ');
}

/** The values that are both sent and signed. */
const VARIABLES = { TIME: '$(date +%s)', ID: '$(openssl rand -hex 16)' };

/** Headers that sign a request. What curl makes of parts and files is not known before it is sent. */
function signatureWords({ signature, prefix }: CurlSignature, { body = '', parts, file }: ShownRequest): string[] {
  const { header, form, timestamp, webhookId, signed } = signature;
  const plain = [
    ...(timestamp === undefined ? [] : ['-H', `"${timestamp}: $TIME"`]),
    ...(webhookId === undefined ? [] : ['-H', `"${webhookId}: $ID"`]),
  ];
  const content = signed.split(/(\{\w+\})/).map((text) => {
    if (text === '{body}') return shellWord(body);
    if (text === '{timestamp}') return '"$TIME"';
    return text === '{id}' ? '"$ID"' : text === '' ? '' : shellWord(text);
  });
  const isKnown = parts === undefined && file === undefined;
  const made = isKnown ? `$(printf %s ${content.join('')} | ${opensslOf(signature, prefix)})` : 'SIGNATURE';
  const value = form
    .replace(/[\\"`$]/g, '\\$&')
    .replace('{timestamp}', '$TIME')
    .replace(/\{(?:hex|base64)\}/, () => made);
  return [...plain, '-H', `"${header}: ${value}"`];
}

/** A pipe that writes the signature of its input. */
function opensslOf({ algorithm, encoding, form }: CurlSignature['signature'], prefix: string | undefined): string {
  const secret = prefix === undefined ? '$SECRET' : `\${SECRET#${prefix}}`;
  const bytes = `$(printf %s "${secret}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`;
  const key = {
    text: `-hmac "${secret}"`,
    hex: `-mac HMAC -macopt "hexkey:${secret}"`,
    base64: `-mac HMAC -macopt "hexkey:${bytes}"`,
  }[encoding];
  const digest = `openssl dgst -${algorithm} ${key}`;
  return form.includes('{hex}') ? `${digest} -r | cut -d' ' -f1` : `${digest} -binary | openssl base64 -A`;
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
export function restCredentials(operation: Operation, sample: User | undefined): readonly CurlWord[] {
  return wordsOf(restSchemes(operation), sample);
}

/** The same over SOAP; empty when credentials can only be inside the message. */
export function soapCredentials(operation: Operation, sample: User | undefined): readonly CurlWord[] {
  return wordsOf(soapSchemes(operation), sample);
}

/** @param sample a user for whom the command works unchanged */
function wordsOf(schemes: readonly SecurityScheme[], sample: User | undefined): readonly CurlWord[] {
  const offered = schemes.filter((scheme): scheme is TransportScheme => !isMessageScheme(scheme));
  const basic = offered.find((scheme) => scheme.kind === 'basic');
  // A sample user's password is its name.
  if (basic !== undefined && sample !== undefined) return ['-u', `${sample.id}:${sample.id}`];
  const [first] = offered;
  return first === undefined ? [] : placeholders(first);
}

function placeholders(scheme: TransportScheme): readonly CurlWord[] {
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
      return [{ kind: 'signature', signature: scheme }];
    case 'webhook':
      return [{ kind: 'signature', signature: STANDARD, prefix: 'whsec_' }];
  }
}

/** Standard Webhooks, as a form like others. */
const STANDARD: CurlSignature['signature'] = {
  ...{ header: WEBHOOK_HEADERS.signature, timestamp: WEBHOOK_HEADERS.timestamp, webhookId: WEBHOOK_HEADERS.id },
  ...{ algorithm: 'sha256', encoding: 'base64', form: 'v1,{base64}', signed: '{id}.{timestamp}.{body}' },
};
