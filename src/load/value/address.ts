import type { ConfigText } from '../../model/definition.ts';
import { isLoopbackName } from '../../wire/network-address.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { literalOf, parseConfigText } from './config-text.ts';

/** How an address with a literal password is reported. */
interface WrittenSecret {
  readonly what: string;
  readonly instead: string;
}

/** An address that may refer to configuration. `check` gets those with valid references and no secret; others are reported. */
export function linkUrl(
  { report }: Linking,
  source: string,
  at: Place,
  secret: WrittenSecret,
  check: (text: ConfigText) => void,
): ConfigText {
  const { text, bad } = parseConfigText(source);
  // An invalid reference has been reported, and its value is unknown.
  if (bad.length > 0) return text;
  if (credentialsIn(text)) report.raise('secret-in-clear', secret, at);
  else check(text);
  return text;
}

/** Why a literal text is not valid; `undefined` when it is, or when it refers to configuration. */
export function writtenFault(text: ConfigText, fault: (literal: string) => string | undefined): string | undefined {
  const literal = literalOf(text);
  return literal === undefined ? undefined : fault(literal);
}

/** The name of an address in messages, and the check of a literal one. */
interface AddressRule {
  readonly name: 'base' | 'PRIMARYURL' | 'token-url';
  readonly fault: (text: string) => string | undefined;
}

/** An address to call. A literal one is checked. */
export function linkAddress(linking: Linking, source: string, at: Place, { name, fault }: AddressRule): ConfigText {
  const { report } = linking;
  const secret = { what: 'A password of the address', instead: 'Write ${secret:NAME} instead.' };
  return linkUrl(linking, source, at, secret, (text) => {
    const literals = text.parts.map((part) => (part.kind === 'literal' ? part.text : '')).join('');
    const variable = /\{[^{}]*\}/.exec(literals)?.[0];
    if (variable !== undefined && name === 'base') report.raise('variable-in-base', { variable }, at);
    else {
      const held = variable && `can't contain a variable of the call: ${variable}`;
      const reason = held ?? writtenFault(text, fault);
      if (reason !== undefined) report.raise('bad-address', { name, reason }, at);
    }
  });
}

export const SCHEME_ONLY = /^https?:\/\/$/;

/** Why a text is not a valid base of a node, which may have a query of its own; `undefined` when it is. */
export function baseFault(text: string): string | undefined {
  return SCHEME_ONLY.test(text) ? undefined : endpointFault(text);
}

/** Why a text is not a valid address to call; `undefined` when it is. */
export function endpointFault(text: string): string | undefined {
  if (!/^https?:\/\//.test(text)) return 'must begin with http:// or https://';
  if (!URL.canParse(text)) return 'has an invalid host or port';
  return text.includes('#') ? 'contains a fragment, which is never sent' : undefined;
}

/** Why an address can't precede others as they are; `undefined` when it can. */
export function addressFault(text: string): string | undefined {
  if (/^https?:\/\/[^?#]*[?#]/.test(text)) return 'contains a query or a fragment';
  return endpointFault(text);
}

/** Why a text is not a valid address to call over TLS, or on this machine. `risk`: the consequence of http://. */
export function secureEndpointFault(text: string, risk: string): string | undefined {
  const fault = endpointFault(text);
  if (fault !== undefined || text.startsWith('https:') || isLoopbackName(new URL(text).hostname)) return fault;
  return `begins with http://, and ${risk}`;
}

/** Stands for the value of a reference without a default. */
const REFERENCE = '\u0000';

/** Whether an address contains a literal password or token, counting the defaults of references. */
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

/** Whether the query of an address contains a literal password or key. */
export function secretInQuery(address: string): boolean {
  for (const [, name = '', value = ''] of address.matchAll(/[?&;]([^=&;#]+)=([^&;#]*)/g)) {
    if (isSecretName(name) && isWritten(value)) return true;
  }
  return false;
}

/** Whether a secret text is literal, or has a literal part or default. */
export function isWrittenOut({ parts }: ConfigText): boolean {
  const written = parts.map((part) => (part.kind === 'literal' ? part.text : part.kind === 'env' ? part.default : ''));
  return written.some((text) => text !== undefined && text !== '');
}

/** The text under a key; `undefined` when the key is optional and not set. */
type TextOf<C, K extends keyof C> = undefined extends C[K] ? ConfigText | undefined : ConfigText;

/**
 * A text that is a secret as a whole. It must be a reference.
 * @param what its name in messages
 * @param before what may precede the reference
 */
export function linkSecret<C extends object, K extends keyof C & (string | number)>(
  { report, places }: Linking,
  container: C,
  key: K,
  what: string,
  before?: RegExp,
): TextOf<C, K> {
  const source = container[key] as string | undefined;
  if (source === undefined) return undefined as TextOf<C, K>;
  const secret = before === undefined ? source : source.replace(before, '');
  if (isWrittenOut(parseConfigText(secret).text)) {
    const instead = 'Write "${secret:NAME}" instead.';
    report.raise('secret-in-clear', { what, instead }, places.value(container, key));
  }
  return parseConfigText(source).text as TextOf<C, K>;
}

/** One such text, or a list of them. */
export function linkSecrets<C extends object, K extends keyof C & string>(
  linking: Linking,
  container: C,
  key: K,
  what: string,
): readonly ConfigText[] {
  const said = container[key] as string | readonly string[];
  if (typeof said === 'string') return [linkSecret(linking, container, key, what) as ConfigText];
  return said.map((_, index) => linkSecret(linking, said as readonly string[], index, what));
}

function isWritten(text: string): boolean {
  return text.replaceAll(REFERENCE, '') !== '';
}

/** Whether something of this name contains a secret. A request for a CSRF token is a known word. */
export function isSecretName(name: string): boolean {
  return /(?:api[-_]?key|token|secret|password|passwd|pwd|assertion)$/i.test(name) && !/[cx]srf[-_]?token$/i.test(name);
}

/** The path of a file. A private key in its place is reported as a secret in clear text. */
export function linkFile<C extends object, K extends keyof C & string>(
  { report, places }: Linking,
  container: C,
  key: K,
): TextOf<C, K> {
  const source = container[key] as string | undefined;
  if (source === undefined) return undefined as TextOf<C, K>;
  const { text } = parseConfigText(source);
  if (text.parts.some((part) => part.kind === 'literal' && part.text.includes('PRIVATE KEY-----'))) {
    const instead = 'Keep it in a file, and write the path of the file here.';
    report.raise('secret-in-clear', { what: 'A private key', instead }, places.value(container, key));
  }
  return text as TextOf<C, K>;
}
