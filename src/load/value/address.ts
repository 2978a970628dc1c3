import type { ConfigText } from '../../model/definition.ts';
import { isLoopbackName } from '../../wire/network-address.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { literalOf, parseConfigText } from './config-text.ts';

/** What is said of an address with a password that is written out. */
interface WrittenSecret {
  readonly what: string;
  readonly instead: string;
}

/**
 * An address that may refer to configuration. `check` looks at one whose references are sound, and which holds no secret;
 * others are reported here, or have been.
 */
export function linkUrl(
  { report }: Linking,
  source: string,
  at: Place,
  secret: WrittenSecret,
  check: (text: ConfigText) => void,
): ConfigText {
  const { text, bad } = parseConfigText(source);
  // What is no reference has been reported, and nobody knows what it stands for.
  if (bad.length > 0) return text;
  if (credentialsIn(text)) report.raise('secret-in-clear', secret, at);
  else check(text);
  return text;
}

/** What is wrong with a text as far as it is written out. */
export function writtenFault(text: ConfigText, fault: (literal: string) => string | undefined): string | undefined {
  const literal = literalOf(text);
  return literal === undefined ? undefined : fault(literal);
}

/** What an address to call is called, and what is wrong with one that is written out. */
interface AddressRule {
  readonly name: 'base' | 'PRIMARYURL' | 'token-url';
  readonly fault: (text: string) => string | undefined;
}

/** An address to call, checked as far as it is written out. */
export function linkAddress(linking: Linking, source: string, at: Place, { name, fault }: AddressRule): ConfigText {
  const { report } = linking;
  const secret = { what: 'A password of the address', instead: 'Write ${secret:NAME} in its place.' };
  return linkUrl(linking, source, at, secret, (text) => {
    const literals = text.parts.map((part) => (part.kind === 'literal' ? part.text : '')).join('');
    const variable = /\{[^{}]*\}/.exec(literals)?.[0];
    if (variable !== undefined && name === 'base') report.raise('variable-in-base', { variable }, at);
    else {
      const held = variable && `can't hold a variable of the call: ${variable}`;
      const reason = held ?? writtenFault(text, fault);
      if (reason !== undefined) report.raise('bad-address', { name, reason }, at);
    }
  });
}

/** A scheme alone. */
export const SCHEME_ONLY = /^https?:\/\/$/;

/** Why a text can't be the base of a node; undefined where it can. */
export function baseFault(text: string): string | undefined {
  return SCHEME_ONLY.test(text) ? undefined : addressFault(text);
}

/** Why a text can't be an address to call; undefined where it can. */
export function endpointFault(text: string): string | undefined {
  if (!/^https?:\/\//.test(text)) return 'is not an address that begins with http:// or https://';
  if (!URL.canParse(text)) return 'has a host or a port that no address can have';
  return text.includes('#') ? 'holds a fragment, which is never sent' : undefined;
}

/** Why an address can't stand in front of URI templates; undefined where it can. */
export function addressFault(text: string): string | undefined {
  if (/^https?:\/\/[^?#]*[?#]/.test(text)) return 'holds a query or a fragment, which belong to the URI template';
  return endpointFault(text);
}

/** Why a text can't be an address that is called over TLS, this machine apart. `risk`: what http:// would come to. */
export function secureEndpointFault(text: string, risk: string): string | undefined {
  const fault = endpointFault(text);
  if (fault !== undefined || text.startsWith('https:') || isLoopbackName(new URL(text).hostname)) return fault;
  return `begins with http://, and ${risk}`;
}

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
