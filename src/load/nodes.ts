import type { Node } from '../model/routing.ts';
import { literalOf, parseConfigText } from './config-text.ts';
import type { NodeDeclared } from './declared.ts';
import type { Place } from './diagnostic.ts';
import { given } from './given.ts';
import { declarationsOf, type Linking, positionOf } from './linking.ts';
import { credentialsIn } from './secrets.ts';

/** Links every node. */
export function linkNodes(linking: Linking): Node[] {
  return declarationsOf<NodeDeclared>(linking, 'node').map(({ id, value, at }) => {
    const { places } = linking;
    const bases = typeof value.base === 'string' ? [value.base] : value.base;
    const base = bases.map((source, index) => {
      const place = typeof value.base === 'string' ? places.value(value, 'base') : places.value(value.base, index);
      return linkBase(linking, source, place);
    });
    return { id, base, ...given({ description: value.description }), at: positionOf(at) };
  });
}

function linkBase({ report }: Linking, source: string, at: Place) {
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
  } else if (variable !== undefined) {
    report.raise('variable-in-base', { variable }, at);
  } else {
    const literal = literalOf(text);
    const reason = literal === undefined || /^https?:\/\/$/.test(literal) ? undefined : addressFault(literal);
    if (reason !== undefined) report.raise('bad-address', { name: 'base', reason }, at);
  }
  return text;
}

/** Why an address can't stand in front of URI templates; undefined where it can. */
export function addressFault(text: string): string | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    return 'is not an address that begins with http:// or https://';
  return /[?#]/.test(text) ? 'holds a query or a fragment, which belong to the URI template' : undefined;
}
