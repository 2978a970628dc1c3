import { CodecError, compileText, initialValue } from '../../codec/index.ts';
import type { CallText, RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import type { Field } from '../../model/field.ts';
import { MASK } from '../../model/mask.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { type Held, type HeldOf, Pending } from './held.ts';
import { compileCallText, isMasked, sentText, shownText, type TextWriter } from './text-write.ts';

/** The values of calls of one operation. */
export interface CallValues {
  /** Makes the values of one call, each as it is asked for. */
  open(input: DocumentValue, resolve: ResolveReference): HeldOf;
  /** Texts that fill those of these fields that the caller leaves out, and what such a text is made of. */
  filling(fields: Iterable<Field>, input: DocumentValue): readonly CallText[];
  /** Fields that texts which may fill these fields are made of, at any depth. */
  behind(fields: Iterable<Field>): Iterable<Field>;
  /** Whether a field holds something, as far as that can be told without configuration. */
  isGiven(field: Field, input: DocumentValue): boolean;
  /** The error for a field that is needed and not there. */
  missing(field: Field): CodecError;
}

/** What fills a field. */
interface Fill {
  readonly text: CallText;
  readonly write: TextWriter;
  /** The text as the field's value. */
  readonly read: (text: string) => Value;
}

/** Compiles what the fields of an operation hold: what the caller gives, else what fills them, else what they say themselves. */
export function compileValues({ input: { fields }, filled }: RestConsumer): CallValues {
  const fills = new Map<string, Fill>();
  const initials = new Map<string, Value>();
  for (const field of fields) {
    const text = filled.get(field.name);
    if (text === undefined) initials.set(field.name, initialValue(field));
    else fills.set(field.name, { text, write: compileCallText(text), read: compileFilled(field, text) });
  }
  return {
    open(input, resolve) {
      const known = new Map<string, Held | undefined>();
      const heldOf: HeldOf = (field) => {
        const { name } = field;
        if (known.has(name)) return known.get(name);
        // A text that is made of itself finds nothing here.
        known.set(name, undefined);
        const fill = fills.get(name);
        const given = givenIn(input, field);
        const held =
          given !== undefined
            ? holding(field, given)
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

/** A member of the input. Null is nothing, as in every document, but in a `json` field. */
function givenIn(input: DocumentValue, { name, type }: Field): Value {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return value === null && type.kind !== 'json' ? undefined : value;
}

/** A complaint about what configuration says must not repeat it, where that may be a secret. */
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
