import { SCALAR_KINDS, type ScalarKind, type ScalarType } from '../../model/field.ts';
import { MAX_DIGITS } from '../../wire/decimal.ts';

/** What one word for a type says. A name that is no scalar type is a document's. */
export type TypeWord =
  | { readonly kind: 'scalar'; readonly list: boolean; readonly type: ScalarType }
  | { readonly kind: 'document'; readonly list: boolean; readonly id: string }
  | { readonly kind: 'bad'; readonly reason: string };

const SCALARS: ReadonlySet<string> = new Set(SCALAR_KINDS);
const MOST_CHARACTERS = 1_000_000_000;

/** Parses `string(10)`, `decimal(10.2)`, `list of LOC_DTL_VW` (rule 7 of the definition reference). */
export function parseTypeWord(text: string): TypeWord {
  const list = /^list\s+of\s+(.*)$/.exec(text.trim());
  const word = (list?.[1] ?? text).trim();
  const isList = list !== null;
  if (isList && /^list\s/.test(word)) return bad("a list can't hold lists; put the inner one into a document");
  if (text.trim() === 'list') return bad('say what it holds: `list of string`, `list of` a document');
  const found = /^([A-Za-z]+)\s*\(([^()]*)\)$/.exec(word);
  if (found !== null) return sized(found[1] as string, (found[2] as string).trim(), isList);
  if (SCALARS.has(word)) return { kind: 'scalar', list: isList, type: { kind: word as ScalarKind } };
  return { kind: 'document', list: isList, id: word };
}

function bad(reason: string): TypeWord {
  return { kind: 'bad', reason };
}

function sized(word: string, size: string, list: boolean): TypeWord {
  if (word === 'string') {
    const length = /^\d+$/.test(size) ? Number(size) : 0;
    if (length < 1 || length > MOST_CHARACTERS)
      return bad('the length is a whole number of at least 1, as in string(10)');
    return { kind: 'scalar', list, type: { kind: 'string', length } };
  }
  if (word !== 'decimal') return bad(`only string and decimal have a size in parentheses`);
  const [, digits, scale] = /^(\d+)(?:[.,](\d+))?$/.exec(size) ?? [];
  if (digits === undefined) return bad('write digits in all and after the point, as in decimal(10.2)');
  const type = { kind: 'decimal', length: Number(digits), scale: Number(scale ?? 0) } as const;
  if (type.length < 1 || type.length > MAX_DIGITS) return bad(`a decimal has from 1 to ${MAX_DIGITS} digits`);
  if (type.scale > type.length) return bad("there can't be more digits after the point than in all");
  return { kind: 'scalar', list, type };
}

/** A type in words. */
export function typeText(type: ScalarType): string {
  if (type.length === undefined) return type.kind;
  return type.kind === 'decimal' ? `decimal(${type.length}.${type.scale ?? 0})` : `${type.kind}(${type.length})`;
}
