import type { ConfigText } from '../../model/definition.ts';
import type { Linking } from '../linking.ts';
import { parseConfigText } from './config-text.ts';

/** Stands for what a reference without a default resolves to. */
const REFERENCE = '\u0000';

/** Whether an address holds a password or token that is written out, defaults of references included. */
export function credentialsIn({ parts }: ConfigText): boolean {
  const text = parts
    .map((part) =>
      part.kind === 'literal' ? part.text : part.kind === 'env' ? (part.default ?? REFERENCE) : REFERENCE,
    )
    .join('');
  // The scheme may be a reference too.
  const userinfo = /^[^/?#]*:\/\/([^/?#]*)@/.exec(text)?.[1];
  const password = userinfo === undefined ? undefined : /:(.*)$/s.exec(userinfo)?.[1];
  return (password !== undefined && isWritten(password)) || secretInQuery(text);
}

/** Whether the query of an address has a password or key that is written out. */
export function secretInQuery(address: string): boolean {
  for (const [, name = '', value = ''] of address.matchAll(/[?&;]([^=&;#]+)=([^&;#]*)/g)) {
    if (isSecretName(name) && isWritten(value)) return true;
  }
  return false;
}

/** Whether a text that is a secret as a whole is written out, or has a part or default that is. */
export function isWrittenOut({ parts }: ConfigText): boolean {
  const written = parts.map((part) => (part.kind === 'literal' ? part.text : part.kind === 'env' ? part.default : ''));
  return written.some((text) => text !== undefined && text !== '');
}

/**
 * A text that is a secret as a whole: a reference, never written out.
 * @param what what it is, as messages call it
 * @param before what may be written out before the reference
 */
export function linkSecret(
  { report, places }: Linking,
  container: object,
  key: string,
  what: string,
  before?: RegExp,
): ConfigText {
  const source = (container as Readonly<Record<string, string>>)[key] ?? '';
  const secret = before === undefined ? source : source.replace(before, '');
  if (isWrittenOut(parseConfigText(secret).text)) {
    const instead = 'Write "${secret:NAME}" in its place.';
    report.raise('secret-in-clear', { what, instead }, places.value(container, key));
  }
  return parseConfigText(source).text;
}

function isWritten(text: string): boolean {
  return text.replaceAll(REFERENCE, '') !== '';
}

/** Whether something of this name holds a secret. A CSRF token is asked for by a word that anyone may know. */
export function isSecretName(name: string): boolean {
  return /(?:api[-_]?key|token|secret|password|passwd|pwd|assertion)$/i.test(name) && !/[cx]srf[-_]?token$/i.test(name);
}

/** The path of a file; the key itself in its place is a secret in clear. */
export function linkFile({ report, places }: Linking, container: object, key: string): ConfigText {
  const { text } = parseConfigText((container as Readonly<Record<string, string>>)[key] ?? '');
  if (text.parts.some((part) => part.kind === 'literal' && part.text.includes('PRIVATE KEY-----'))) {
    const instead = 'Keep it in a file, and write the path of the file in its place.';
    report.raise('secret-in-clear', { what: 'A private key', instead }, places.value(container, key));
  }
  return text;
}
