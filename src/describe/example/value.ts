import { kindName, kindsOf } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import {
  type CompoundType,
  entryField,
  type Field,
  filledByFault,
  isCollection,
  isSpaced,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { traitsOf } from '../../model/scalar.ts';
import { exampleKey, plainDefault, takenFor } from '../field.ts';
import { asExample, MOST_SHOWN, madeUp } from './scalar.ts';

/** A value of a field: a scalar in its JSON form (binary in base64), null, a list, or the fields of a document by name. */
export type ExampleValue = string | number | boolean | null | readonly ExampleValue[] | ExampleDocument;

export interface ExampleDocument {
  readonly [field: string]: ExampleValue;
}

/** A document without values yet. It has no prototype, so that a field may be called `constructor`. */
export function emptyExample(): Record<string, ExampleValue> {
  return Object.create(null) as Record<string, ExampleValue>;
}

/** Documents around a value, the outermost first: a document inside itself ends there. */
type Open = readonly Document[];

/** Decides what definitions leave open about a value. */
export interface Choices {
  /** The fields of a document that get a value, if one can be made. */
  fields(fields: readonly Field[]): readonly Field[];
  /** The branches of a choice, in the order in which they are tried. */
  branches(branches: readonly Field[], open: Open): readonly Field[];
  /** The documents that may stand for another one, in the order in which they are tried. */
  kinds(kinds: readonly Document[]): readonly Document[];
  /** The entries of a list or a map. `make` makes one, `undefined` if that fails. */
  entries(field: Field, make: () => ExampleValue | undefined): readonly ExampleValue[];
  /** Whether an optional list or map of which no entry can be made is empty instead of absent. */
  readonly showsEmpty: boolean;
  /** The value of a field without `fixed` and `example`, of its `enum` or its default. */
  given(field: Field): string | number | boolean | undefined;
  /** The value of a field about which the definition has no more than its type; `undefined` for that of contracts. */
  variant?(field: Field, type: ScalarType): string | number | boolean | undefined;
}

/** Why no value can be made: of which field or document. */
export interface Unmade {
  readonly name: string;
  readonly reason: string;
}

/** A value that is being made. */
interface Making {
  readonly choices: Choices;
  /** The last failure. */
  unmade?: Unmade;
}

/**
 * Makes a value of a document. A field has its `fixed` value, else its `example`, else a given value (`enum` or default), else
 * one of its type within its bounds and patterns. A document inside itself ends where it is optional or null.
 */
export function makeDocument(document: Document, choices: Choices): { value: ExampleDocument } | { unmade: Unmade } {
  const making: Making = { choices };
  const value = makeOf(document, making, []);
  return value === undefined ? { unmade: making.unmade as Unmade } : { value };
}

function makeOf(document: Document, making: Making, open: Open): ExampleDocument | undefined {
  const inside = [...open, document];
  if (document.choice !== undefined) return makeChoice(document, making, inside);
  if (document.kinds !== undefined) return makeKind(document, document.kinds.by, making, inside);
  return makeItself(document, making, inside);
}

/** A value of the first document that may stand for another one, and of which one can be made. */
function makeKind(document: Document, by: Field, making: Making, open: Open): ExampleDocument | undefined {
  const kinds = kindsOf(document).filter((kind) => kind === document || !open.includes(kind));
  if (kinds.length === 0)
    making.unmade = { name: document.id, reason: 'contains itself in each of the documents that derive from it' };
  for (const kind of making.choices.kinds(kinds)) {
    const value = makeItself(kind, making, [...open, kind]);
    if (value !== undefined) return Object.assign(emptyExample(), { [by.name]: kindName(kind) }, value);
  }
  return undefined;
}

/** A value of the document itself, not of one that derives from it. */
function makeItself(document: Document, making: Making, open: Open): ExampleDocument | undefined {
  const values = emptyExample();
  for (const field of making.choices.fields(document.fields)) {
    const value = makeField(field, making, open);
    if (value !== undefined) values[field.name] = value;
    else if (field.required && field.nullable) values[field.name] = null;
    else if (field.required) return undefined;
  }
  return values;
}

/** A value of the first branch of which one can be made. */
function makeChoice({ fields }: Document, making: Making, open: Open): ExampleDocument | undefined {
  for (const field of making.choices.branches(fields, open)) {
    const value = makeField(field, making, open);
    if (value !== undefined) return Object.assign(emptyExample(), { [field.name]: value });
  }
  return undefined;
}

function makeField(field: Field, making: Making, open: Open): ExampleValue | undefined {
  const { type } = field;
  if (!isCollection(type)) return makeSingle(field, type, making, open);
  const { choices, unmade } = making;
  const entry = exampleEntry(field);
  const made = choices.entries(field, () => makeSingle({ ...entry, type: type.item }, type.item, making, open));
  const isShort = made.length < (field.minimum ?? 0);
  if (isShort || (made.length === 0 && !field.required && !choices.showsEmpty)) {
    // The failure of an entry says more.
    if (making.unmade === unmade) making.unmade = needsExample(field, open);
    return undefined;
  }
  return type.kind === 'list' ? made : Object.fromEntries(made.map((each, index) => [exampleKey(field, index), each]));
}

/** The field for one entry of a list or a map. One with spaces between its entries has none inside of them. */
function exampleEntry(field: Field): Field {
  const entry = entryField(field);
  const isText = isSpaced(field.type) && traitsOf(field.type.item)?.anyText === true;
  return isText ? { ...entry, patterns: [...(entry.patterns ?? []), '\\S+'] } : entry;
}

function needsExample({ name }: Field, open: Open): Unmade {
  const around = open.at(-1);
  const where = around === undefined ? '' : ` in ${around.id}`;
  return { name, reason: `needs an example${where}: no value can be made from its definition` };
}

function makeSingle(
  field: Field,
  type: CompoundType | ScalarType,
  making: Making,
  open: Open,
): ExampleValue | undefined {
  if (type.kind === 'document') {
    if (!open.includes(type.document)) return makeOf(type.document, making, open);
    making.unmade = { name: field.name, reason: `contains ${type.document.id} again, which never ends` };
    return undefined;
  }
  const value = makeScalar(field, type, making.choices);
  if (value === undefined) making.unmade = needsExample(field, open);
  return value;
}

function makeScalar(field: Field, type: ScalarType, choices: Choices): string | number | boolean | undefined {
  const given = field.fixed ?? field.example ?? choices.given(field);
  if (given !== undefined) return asExample(type, given);
  return (filledByFault(field) ? undefined : choices.variant?.(field, type)) ?? madeUp(field, type);
}

/**
 * What contracts show. If any fields of a document have an `example`, these, the required fields, and those that are always
 * written, so that definitions decide which fields are shown together; otherwise all of them. What comes first is shown, and one
 * entry of a list.
 */
const EXAMPLES: Choices = {
  fields: shownFields,
  branches: (branches, open) => [...branches.filter((each) => hasExample(each, open)), ...branches],
  kinds: (kinds) => kinds,
  entries({ minimum = 0, maximum = Number.POSITIVE_INFINITY }, make) {
    const one = minimum > MOST_SHOWN ? undefined : make();
    return one === undefined ? [] : Array.from({ length: Math.min(Math.max(1, minimum), maximum) }, () => one);
  },
  showsEmpty: false,
  given: (field) => takenFor(field) ?? field.enum?.[0],
};

/**
 * The example of a document in contracts, commands and forms; `undefined` if none can be derived for a required field, for
 * instance because of its pattern.
 */
export function exampleDocument(document: Document): ExampleDocument | undefined {
  return makeOf(document, { choices: EXAMPLES }, []);
}

/** The example of a field's value; `undefined` if none can be derived. */
export function exampleField(field: Field): ExampleValue | undefined {
  return makeField(field, { choices: EXAMPLES }, []);
}

/** The fields in the example of a request: those that are required or have an example, or all if there are none. */
export function tellingFields(fields: readonly Field[]): readonly Field[] {
  const telling = fields.filter((field) => field.required || hasExample(field, []));
  return telling.length > 0 ? telling : fields;
}

/** Whether the definition of a field, or of the document in it, has an example. */
function hasExample({ example, type }: Field, open: Open): boolean {
  const single = singleType(type);
  if (example !== undefined || single.kind !== 'document') return example !== undefined;
  const { document } = single;
  return !open.includes(document) && document.fields.some((field) => hasExample(field, [...open, document]));
}

/** The fields in an example of a document. */
function shownFields(fields: readonly Field[]): readonly Field[] {
  const telling = tellingFields(fields);
  if (!telling.some((field) => hasExample(field, []))) return fields;
  const always = (field: Field): boolean => field.fixed !== undefined || plainDefault(field) !== undefined;
  const shown = fields.filter((field) => telling.includes(field) || always(field));
  // A list that is written blank when absent is left out if another list is shown.
  const isList = ({ type }: Field): boolean => type.kind === 'list';
  const rest = shown.filter((field) => field.required || !(isList(field) && field.absent === 'blank'));
  return rest.some(isList) ? rest : shown;
}
