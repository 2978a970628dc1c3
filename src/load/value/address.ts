import type { ConfigText } from '../../model/definition.ts';
import { isLoopbackName } from '../../wire/network-address.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { literalOf, parseConfigText } from './config-text.ts';
import { credentialsIn } from './secrets.ts';

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
