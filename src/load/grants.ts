import type { Declaration } from './declaration.ts';
import { type Linking, mayHaveMeant } from './linking.ts';

/** Holds a definition that stands by itself to one word on who may use it: a grant, or that everybody may. */
export function checkGrant(
  linking: Linking,
  { id, value, at }: Declaration<{ readonly permission?: string | readonly string[]; readonly public?: boolean }>,
  kind: string,
): void {
  const { report, places } = linking;
  if (value.public === true && value.permission !== undefined) {
    const reason = 'what is public needs no grant';
    report.raise('conflicting-options', { first: 'permission', second: 'public', reason }, places.key(value, 'public'));
  } else if (value.public !== true && value.permission === undefined) {
    if (!mayHaveMeant(linking, value, ['permission', 'public'])) report.raise('not-granted', { what: id, kind }, at);
  }
}
