import { createHash } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Member } from '../kinds/kind.ts';
import { ALL_MEMBERS, slugOf, thingsOf } from '../kinds/kinds.ts';
import type { Registry } from '../model/registry.ts';

/** A hash of each operation by its id: equal hashes mean that nothing about it has changed. */
export type Fingerprints = Readonly<Record<string, string>>;

/**
 * Hashes the operations and the other definitions of a registry, and its files, by their kinds and names. It lets other work run
 * meanwhile: ten thousand operations take some seconds.
 */
export async function fingerprintAll(registry: Registry, sources: ReadonlyMap<string, string>): Promise<Fingerprints> {
  const found: Record<string, string> = {};
  let turn = 0;
  for (const member of ALL_MEMBERS.filter((each) => !UNHASHED.has(each)))
    for (const definition of thingsOf(registry, member)) {
      found[`${slugOf(member)} ${definition.id}`] = shortened(hashOf(flatText(definition)));
      turn += 1;
      if (turn % 50 === 0) await immediate();
    }
  for (const [file, text] of sources) found[`file ${file}`] = shortened(hashOf(text));
  return found;
}

/** Their operations change. */
const UNHASHED: ReadonlySet<Member> = new Set<Member>(['services', 'routings']);

const hashOf = (text: string): string => createHash('sha1').update(text).digest('base64');
/** Enough to tell two versions of one thing apart. */
const shortened = (hash: string): string => hash.slice(0, 10);

/** Hashes every operation with everything it is linked to: documents, queries, permissions, fault. */
export function fingerprint(registry: Registry): Fingerprints {
  const found: Record<string, string> = {};
  for (const operation of registry.operations.values()) {
    const { service, ...own } = operation;
    const hash = createHash('sha1').update(service.id).update(String(service.active)).update(String(service.default));
    hash.update(flatText(own));
    found[operation.id] = hash.digest('base64');
  }
  return found;
}

/**
 * A text of a value and everything it refers to. An object that occurs again is written as its number, so that cycles end.
 * Positions in files are left out, since moving a line changes nothing.
 */
function flatText(value: unknown): string {
  const numbers = new Map<object, number>();
  return JSON.stringify(value, (key, given: unknown) => {
    if (key === 'at' || key === 'grantedAt' || key === 'service') return undefined;
    if (typeof given === 'bigint') return String(given);
    if (typeof given !== 'object' || given === null) return given;
    const number = numbers.get(given);
    if (number !== undefined) return `#${number}`;
    numbers.set(given, numbers.size);
    if (given instanceof Set) return [...given];
    if (given instanceof Map) return [...given];
    return given;
  });
}

/** What an edit did to the operations: `added EMPLOYEES_GET; changed LOCATIONS_GET`; empty when nothing changed. */
export function describeChanges(before: Fingerprints, after: Fingerprints): string {
  const ids = Object.keys(after);
  const groups: [string, string[]][] = [
    ['added', ids.filter((id) => !(id in before))],
    ['changed', ids.filter((id) => id in before && before[id] !== after[id])],
    ['removed', Object.keys(before).filter((id) => !(id in after))],
  ];
  return groups
    .filter(([, names]) => names.length > 0)
    .map(([word, names]) => `${word} ${shorten(names)}`)
    .join('; ');
}

/** Up to five names, and the number of the others. */
export function shorten(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
