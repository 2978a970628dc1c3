import { isAttachment, withMediaType } from '../../codec/binary.ts';
import { CodecError, compileText, compileTextWriter, initialValue } from '../../codec/index.ts';
import type { CallPart, CallText, CallValue, RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import type { Field } from '../../model/field.ts';
import { MASK } from '../../model/redactor.ts';
import { holdsNull, primitiveOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { decodedContent } from './content.ts';

/** The values of calls of one operation. */
export interface CallValues {
  /** Returns the values of one call; each is computed when it is first used. */
  open(input: DocumentValue, resolve: ResolveReference): HeldOf;
  /** The texts that fill those of these fields that the caller omits, and the texts these consist of. */
  filling(fields: Iterable<Field>, input: DocumentValue): readonly CallText[];
  /** The fields that texts which may fill these fields refer to, at any depth. */
  behind(fields: Iterable<Field>): Iterable<Field>;
  /** Whether a field has a value, as far as that is known without configuration. */
  isGiven(field: Field, input: DocumentValue): boolean;
  /** The error for a field that is needed and not there. */
  missing(field: Field): CodecError;
}

/** What fills a field. */
interface Fill {
  readonly text: CallText;
  readonly write: TextWriter;
  /** Converts the text to the field's value. */
  readonly read: (text: string) => Value;
}

/**
 * Compiles the values of an operation's fields: the caller's value, else the text that fills the field, else the
 * field's own default.
 */
export function compileValues(operation: RestConsumer): CallValues {
  const { fields } = operation.input;
  const fills = new Map<string, Fill>();
  const initials = new Map<string, Value>();
  const describe = compileContentDescription(operation);
  for (const field of fields) {
    const text = operation.filled.get(field.name);
    if (text === undefined) initials.set(field.name, initialValue(field));
    else fills.set(field.name, { text, write: compileCallText(text), read: compileFilled(field, text) });
  }
  return {
    open(input, resolve) {
      const known = new Map<string, Held | undefined>();
      const heldOf: HeldOf = (field) => {
        const { name } = field;
        if (known.has(name)) return known.get(name);
        // A text that refers to itself finds no value here.
        known.set(name, undefined);
        const fill = fills.get(name);
        const given = givenIn(input, field);
        const held =
          given !== undefined
            ? holding(field, describe(field, given, input))
            : fill === undefined
              ? holding(field, initials.get(name))
              : filling(field, fill, heldOf, resolve);
        known.set(name, held);
        return held;
      };
      return heldOf;
    },
    filling: (wanted, input) => [
      ...behind(fills, wanted, (field) => givenIn(input, field) === undefined).texts.values(),
    ],
    behind: (wanted) => behind(fills, wanted, () => true).fields,
    isGiven: (field, input) =>
      givenIn(input, field) !== undefined || fills.has(field.name) || initials.get(field.name) !== undefined,
    missing({ name }) {
      const fill = fills.get(name);
      const reason = fill === undefined ? 'is missing' : `is missing, and ${fill.text.source} has nothing to fill it`;
      return new CodecError(name, reason);
    },
  };
}

/**
 * Gives binary content the media type under which it is sent, and makes content of a Base64 text (specification 4.3). Its file name is
 * the value of the field whose default is `{File.name}`, if the caller gives one, else its own.
 */
function compileContentDescription({ input, filled, properties }: RestConsumer) {
  const naming = new Map(
    input.fields.flatMap((field) => {
      const [part, ...others] = filled.get(field.name)?.parts ?? [];
      const isName = part?.kind === 'value' && part.of === 'name' && others.length === 0;
      return isName ? [[part.field.name, field] as const] : [];
    }),
  );
  const { base64ToBinary, segmentContentType: otherwise } = properties;
  return (field: Field, value: Value, input: DocumentValue): Value => {
    const isBase64 = base64ToBinary && primitiveOf(field.type) === 'binary';
    const content = isBase64 && typeof value === 'string' ? decodedContent(field.name, value) : value;
    // The writer of the body refuses content that has no type at all.
    if (!isAttachment(content) || typeof content.contentType !== 'string') return value;
    const given = naming.has(field.name) ? givenIn(input, naming.get(field.name) as Field) : undefined;
    const name = typeof given === 'string' ? given : content.name;
    return withMediaType(content, sentMediaType(content.contentType, { name, otherwise }));
  };
}

/** What fills these fields, where it does, and the fields that it is made of. */
function behind(
  fills: ReadonlyMap<string, Fill>,
  wanted: Iterable<Field>,
  isFilled: (field: Field) => boolean,
): { readonly texts: ReadonlyMap<string, CallText>; readonly fields: ReadonlySet<Field> } {
  const texts = new Map<string, CallText>();
  const fields = new Set<Field>();
  const visit = (field: Field): void => {
    const text = fills.get(field.name)?.text;
    if (text === undefined || texts.has(field.name) || !isFilled(field)) return;
    texts.set(field.name, text);
    for (const part of text.parts) {
      if (part.kind !== 'value') continue;
      fields.add(part.field);
      visit(part.field);
    }
  };
  for (const field of wanted) visit(field);
  return { texts, fields };
}

/** A member of the input. Null is absent, as in every document, unless it is a value of the field. */
function givenIn(input: DocumentValue, field: Field): Value {
  const value = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
  return value === null && !holdsNull(field) ? undefined : value;
}

/** An error about a value from configuration must not repeat it, as it may be a secret. */
function compileFilled(field: Field, { parts }: CallText): Fill['read'] {
  const discreet = parts.some(({ kind }) => kind === 'secret' || kind === 'value');
  return compileText(discreet ? { ...field, sensitive: true } : field);
}

function holding({ sensitive }: Field, value: Value): Held | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Pending) return { value: undefined, shown: `<${value.name}>`, pending: true };
  return { value, shown: sensitive ? MASK : undefined, pending: false };
}

function filling(field: Field, { write, read }: Fill, heldOf: HeldOf, resolve: ResolveReference): Held | undefined {
  const pieces = write(heldOf, resolve);
  if (pieces === undefined) return undefined;
  const shown = field.sensitive ? MASK : isMasked(pieces) ? shownText(pieces) : undefined;
  if (pieces.some(({ pending }) => pending)) return { value: undefined, shown, pending: true };
  return { value: read(sentText(pieces)), shown, pending: false };
}

/** One part of a text, for one call. */
export interface Piece {
  readonly text: string;
  /** The text for people; the same text if `undefined`. */
  readonly shown: string | undefined;
  readonly pending: boolean;
  /** Its source, for an error: a field, or a reference as written; empty for literal text. */
  readonly from: string;
}

/** Builds a text for one call; `undefined` when a value that it needs is absent. @throws CodecError */
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

function isMasked(pieces: readonly Piece[]): boolean {
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
    const fact = factOf(held.value, of);
    return fact === undefined ? undefined : { text: String(fact), shown: undefined, pending: false, from };
  };
}

function factOf(value: Value, of: NonNullable<CallValue['of']>): string | number | undefined {
  return isAttachment(value) ? value[of] : undefined;
}

/** The error for a text that can't be used. It names the source of the text, and never quotes it. */
export function unusable(where: string, piece: Piece | undefined, reason: string): CodecError {
  if (piece === undefined || piece.from === '') return new CodecError(where, reason);
  return new CodecError(piece.from, `${reason}, and is used in ${where}`);
}

/** A value that is not known yet, since an earlier step of a flow will provide it. A request with one is never sent. */
export class Pending {
  readonly [field: string]: Value;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What a field holds in one call. */
interface Held {
  /** `undefined` when it is pending. */
  readonly value: Value;
  /** The text for people, for secrets and pending values; the value itself if `undefined`. */
  readonly shown: string | undefined;
  readonly pending: boolean;
}

/** The value of a field in one call; `undefined` when it is absent and nothing fills it. */
export type HeldOf = (field: Field) => Held | undefined;
