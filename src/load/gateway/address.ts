import type { ConfigText } from '../../model/config.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { literalOf, parseConfigText } from '../read/config-text.ts';
import { credentialsIn } from '../secrets.ts';

/** What an address is called, and what is wrong with one that is written out. */
interface AddressRule {
  readonly name: 'base' | 'PRIMARYURL' | 'token-url';
  readonly fault: (text: string) => string | undefined;
}

/** An address that may refer to configuration, checked as far as it is written out. */
export function linkAddress({ report }: Linking, source: string, at: Place, rule: AddressRule): ConfigText {
  const { text, bad } = parseConfigText(source);
  const literals = text.parts.map((part) => (part.kind === 'literal' ? part.text : '')).join('');
  const variable = /\{[^{}]*\}/.exec(literals)?.[0];
  if (bad.length > 0) return text;
  if (credentialsIn(text)) {
    report.raise(
      'secret-in-clear',
      { what: 'A password of the address', instead: 'Write ${secret:NAME} in its place.' },
      at,
    );
  } else if (variable !== undefined && rule.name === 'base') {
    report.raise('variable-in-base', { variable }, at);
  } else if (variable !== undefined) {
    report.raise('bad-address', { name: rule.name, reason: `can't hold a variable of the call: ${variable}` }, at);
  } else {
    const literal = literalOf(text);
    const reason = literal === undefined ? undefined : rule.fault(literal);
    if (reason !== undefined) report.raise('bad-address', { name: rule.name, reason }, at);
  }
  return text;
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
