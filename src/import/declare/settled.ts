import { ImportError, type Losses, type Place } from '../place.ts';
import {
  type Declared,
  type DeclaredMap,
  type DeclaredValue,
  given,
  isMapValue,
  type Judge,
  type Refused,
  withShared,
} from './declared.ts';

/** The places of definitions and operations in the source, by {@link placeKey}. */
export type Places = ReadonlyMap<string, Place>;

export function placeKey({ kind, id, operation }: Pick<Refused, 'kind' | 'id' | 'operation'>): string {
  return JSON.stringify(operation === undefined ? [kind, id] : [kind, id, operation]);
}

/**
 * Each round makes definitions simpler: a document that others derive from, then those, then operations with their messages, which
 * are left out at last.
 */
const MOST_ROUNDS = 8;

/**
 * Definitions that `check` accepts, whatever the contract has. What it refuses is declared in a simpler form, and recorded as a loss
 * with its message.
 * @param isXml whether documents are those of XML Schema
 * @throws ImportError for what has no simpler form
 */
export function settled(
  declared: readonly Declared[],
  judge: Judge,
  { places, losses, isXml, source }: { places: Places; losses: Losses; isXml: boolean; source: string },
): readonly Declared[] {
  const tries = new Map<string, number>();
  let current = declared;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { written, ...judged } = judgedForm(current, judge);
    const refused = new Map(judged.refused.map((each) => [placeKey(each), each]));
    if (refused.size === 0) return written;
    for (const [key, each] of refused) {
      const place = places.get(key) ?? places.get(placeKey({ kind: each.kind, id: each.id })) ?? NOWHERE(source);
      const tried = tries.get(key) ?? 0;
      const simpler = simplified(current, each, tried, isXml);
      tries.set(key, tried + 1);
      if (simpler === undefined) throw cannotBeWritten(each, place);
      const form = tried === 0 ? '' : ' in a simpler form either';
      const what = `${wordsOf(each)}, which is not valid${form}: ${each.message.replace(/\.$/, '')}`;
      if (each.operation === undefined) losses.add(what, simpler.instead, place);
      else losses.operation(what, simpler.instead, place);
      current = simpler.declared;
    }
  }
  const { written, refused } = judgedForm(current, judge);
  const [left] = refused;
  if (left !== undefined) throw cannotBeWritten(left, places.get(placeKey(left)) ?? NOWHERE(source));
  return written;
}

/**
 * Definitions as they are written, with what is refused in them. What operations have in common stays with them when `check` refuses
 * it at the service: which operation is meant is known there only.
 */
function judgedForm(
  declared: readonly Declared[],
  judge: Judge,
): { readonly written: readonly Declared[]; readonly refused: readonly Refused[] } {
  const written = declared.map(withShared);
  const refused = judge(written);
  if (!refused.some(({ kind, operation }) => kind === 'service' && operation === undefined))
    return { written, refused };
  return { written: declared, refused: judge(declared) };
}

const NOWHERE = (source: string): Place => ({ source, line: 0, column: 0 });

function wordsOf({ kind, id, operation }: Refused): string {
  return operation === undefined ? `the ${kind} ${id}` : `the operation ${operation} of ${id}`;
}

function cannotBeWritten(refused: Refused, place: Place): ImportError {
  const reason = `${wordsOf(refused)} can't be declared: ${refused.message}`;
  return new ImportError(reason, place, 'Import a contract without it.');
}

interface Simpler {
  readonly declared: readonly Declared[];
  readonly instead: string;
}

/** The definitions with a simpler form of one of them; `undefined` when it has none. */
function simplified(all: readonly Declared[], refused: Refused, tried: number, isXml: boolean): Simpler | undefined {
  const { kind, id, operation } = refused;
  const found = all.find((each) => each.kind === kind && each.id === id);
  if (found === undefined) return undefined;
  const withKeys = (keys: DeclaredMap, instead: string): Simpler => ({
    declared: all.map((each) => (each === found ? { ...each, keys } : each)),
    instead,
  });
  if (operation !== undefined) {
    const operations = found.keys.operations as DeclaredMap;
    const mine = operations[operation];
    if (!isMapValue(mine)) return undefined;
    if (tried > 0) {
      const { [operation]: _, ...others } = operations;
      return withKeys({ ...found.keys, operations: others }, 'left out');
    }
    const simple: DeclaredMap = { soap: true, active: false };
    const keys = { ...found.keys, operations: { ...operations, [operation]: simple } };
    return withKeys(keys, 'declared without its messages and with `active: false`');
  }
  switch (kind) {
    case 'document':
      return tried > 1
        ? undefined
        : withKeys(anyDocument(found, tried, isXml), `taken as any ${isXml ? 'XML' : 'JSON'}`);
    case 'type':
      return tried > 1 ? undefined : withKeys(simpleType(found, tried), 'declared without its restrictions');
    case 'node':
      return tried > 0 ? undefined : withKeys({ base: `\${env:${id}_URL}` }, `the setting ${id}_URL is the address`);
    case 'scheme':
      return { declared: withoutScheme(all, id), instead: 'the schemes of the gateway apply' };
    case 'service': {
      const { target, permission, operations } = found.keys;
      return tried > 0
        ? undefined
        : withKeys(given({ target, permission, operations }), 'declared with its operations alone');
    }
  }
  return undefined;
}

/** A document that takes anything, at first with its names, its family and its namespace. */
function anyDocument({ keys }: Declared, tried: number, isXml: boolean): DeclaredMap {
  const { xml, 'xml-type': xmlType, namespace } = keys;
  const names = tried === 0 ? given({ xml, 'xml-type': xmlType, namespace }) : {};
  if (!isXml) return { open: true, fields: {} };
  const content = { type: 'xml', content: true };
  return { ...names, fields: { content, anyAttribute: { type: 'map of text', attribute: true } } };
}

/** A type without restrictions, and then one of any text. */
function simpleType({ keys: { base, description } }: Declared, tried: number): DeclaredMap {
  return given({ description, base: tried === 0 ? (base as DeclaredValue) : 'text' });
}

/** Definitions without a scheme, which nothing requires then. */
function withoutScheme(all: readonly Declared[], id: string): readonly Declared[] {
  const free = (map: DeclaredMap): DeclaredMap => {
    const { requires, ...others } = map;
    const left = [requires ?? []].flat().filter((each) => each !== id);
    return left.length === 0 ? others : { ...map, requires: left.length === 1 ? (left[0] as DeclaredValue) : left };
  };
  return all.flatMap((each) => {
    if (each.kind === 'scheme' && each.id === id) return [];
    if (each.kind !== 'service') return [each];
    const operations = Object.entries(each.keys.operations as DeclaredMap).map(([name, operation]) => [
      name,
      free(operation as DeclaredMap),
    ]);
    return [{ ...each, keys: { ...free(each.keys), operations: Object.fromEntries(operations) } }];
  });
}
