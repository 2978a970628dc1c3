import { isAttachment } from '../../codec/binary.ts';
import { CodecError, compileTextWriter } from '../../codec/index.ts';
import type { CallPart, CallText, CallValue } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import { MASK } from '../../model/mask.ts';
import type { Value } from '../../model/value.ts';
import { decodedContent } from './content.ts';
import type { HeldOf } from './held.ts';

/** One part of a text, made for one call. */
export interface Piece {
  readonly text: string;
  /** What stands in its place for people; the text itself where undefined. */
  readonly shown: string | undefined;
  readonly pending: boolean;
  /** What it comes from, for an error: a field, or a reference as it is written; empty for what is written out. */
  readonly from: string;
}

/** Makes a text for one call; undefined where a value that it needs is not given. @throws CodecError */
export type TextWriter = (heldOf: HeldOf, resolve: ResolveReference) => readonly Piece[] | undefined;

type PieceWriter = (heldOf: HeldOf, resolve: ResolveReference) => Piece | undefined;

/** @param separator between the entries of a list */
export function compileCallText({ parts }: CallText, separator = ','): TextWriter {
  const writers = parts.map((part) => compilePart(part, separator));
  return (heldOf, resolve) => {
    const pieces: Piece[] = [];
    for (const write of writers) {
      const piece = write(heldOf, resolve);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return pieces;
  };
}

/** The text that is sent. */
export function sentText(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** The text for people. */
export function shownText(pieces: readonly Piece[]): string {
  return pieces.map(({ text, shown }) => shown ?? text).join('');
}

export function isMasked(pieces: readonly Piece[]): boolean {
  return pieces.some(({ shown }) => shown !== undefined);
}

function compilePart(part: CallPart, separator: string): PieceWriter {
  if (part.kind === 'value') return part.of === undefined ? compileValue(part, separator) : compileFact(part, part.of);
  if (part.kind === 'literal') {
    const piece = { text: part.text, shown: undefined, pending: false, from: '' };
    return () => piece;
  }
  const from = `\${${part.kind}:${part.name}}`;
  const shown = part.kind === 'secret' ? MASK : undefined;
  return (_heldOf, resolve) => ({ text: resolve(part), shown, pending: false, from });
}

function compileValue({ field }: CallValue, separator: string): PieceWriter {
  const write = compileTextWriter(field);
  const from = field.name;
  return (heldOf) => {
    const held = heldOf(field);
    if (held === undefined) return undefined;
    const { value, shown, pending } = held;
    return { text: pending ? '' : write(value).join(separator), shown, pending, from };
  };
}

function compileFact({ field }: CallValue, of: NonNullable<CallValue['of']>): PieceWriter {
  return (heldOf) => {
    const held = heldOf(field);
    if (held === undefined) return undefined;
    const from = `${field.name}.${of}`;
    if (held.pending) return { text: '', shown: `<${from}>`, pending: true, from };
    const fact = factOf(field.name, held.value, of);
    return fact === undefined ? undefined : { text: String(fact), shown: undefined, pending: false, from };
  };
}

/** Of content in Base64 nothing is known but its length. */
function factOf(name: string, value: Value, of: NonNullable<CallValue['of']>): string | number | undefined {
  if (isAttachment(value)) return value[of];
  return typeof value === 'string' && of === 'length' ? decodedContent(name, value).length : undefined;
}

/** The error for a text that can't be used as it is. It names what the text is of, and never repeats it. */
export function unusable(where: string, piece: Piece | undefined, reason: string): CodecError {
  if (piece === undefined || piece.from === '') return new CodecError(where, reason);
  return new CodecError(piece.from, `${reason}, and stands in ${where}`);
}
