import { refuse, within } from '../../codec/error.ts';
import {
  CodecError,
  compileJsonField,
  compileJsonFieldWriter,
  compileSeparated,
  compileText,
  compileTextWriter,
  initialValue,
  isCommaSeparated,
  nearest,
  shown,
  stepOf,
  writeJsonText,
} from '../../codec/index.ts';
import { setMember } from '../../codec/value.ts';
import { everyField } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import { type Field, type FieldType, singleType } from '../../model/field.ts';
import { FORM_SEPARATORS, type FormStyle, type FormStyles, formStyle } from '../../model/form.ts';
import { isAnyText, primitiveOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { FormDecoder, FormFieldError, formField } from '../../wire/form-values.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { PercentError, percentEncode } from '../../wire/percent.ts';
import { badBody, guard, RequestErrors, reading } from '../message.ts';
import { compileTakesUndeclared, listText, pointerBelow } from './fields.ts';

// Forms as application/x-www-form-urlencoded (WHATWG URL, section 5), with a field or several for each field of a document, in the
// styles of OpenAPI ("Encoding Object").

/** A form whose values have been read, with the errors of those that could not be. */
export interface UrlencodedForm {
  readonly values: Record<string, Value>;
  readonly errors: RequestErrors | undefined;
}

/**
 * @param charset of the Content-Type; UTF-8 if it has none
 * @param limit most fields of the form
 * @throws Fault TOO_MANY_PARAMETERS, and BAD_BODY for a name that can't be decoded
 */
export type UrlencodedReader = (bytes: Uint8Array, charset: string | undefined, limit: number) => UrlencodedForm;

/** What the body of a form is made of. */
type FormDocument = Pick<Document, 'id' | 'fields' | 'open'>;

/** Compiles the reading of a form. Its fields may have any order; those of a list keep theirs. */
export function compileUrlencodedReader(document: FormDocument, styles: FormStyles | undefined): UrlencodedReader {
  const known = new Map(document.fields.map((field) => [field.jsonName, compileRead(field, formStyle(field, styles))]));
  const takesUndeclared = compileTakesUndeclared(document);
  return (bytes, charset, limit) => {
    const values: Record<string, Value> = {};
    let errors: RequestErrors | undefined;
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        errors = (errors ?? new RequestErrors()).add(error);
      }
    };
    const reject = (name: string, reason: string): void =>
      attempt(() => {
        throw Fault.of('BAD_PARAMETER', { name: shown(stepOf(name)), reason }, { at: pointerTo(name) });
      });
    const decoder = new FormDecoder(charset);
    const given = new Map<FieldReader, Given>();
    let count = 0;
    const countMore = (more: number): void => {
      count += more;
      if (count > limit) throw Fault.of('TOO_MANY_PARAMETERS', { what: 'The form', limit });
    };
    for (const { name: rawName, value } of decoder.fields(bytes)) {
      countMore(1);
      const name = decoded(() => decoder.text(rawName), `the name of its field ${count}`);
      // A page may say so which charset it writes (HTML, section 4.10.21.5).
      if (name === '_charset_') continue;
      const path = known.has(name) ? [] : pathIn(name);
      const reader = known.get(path.length === 0 ? name : name.slice(0, name.indexOf('[')));
      if (reader === undefined || (path.length > 0 && reader.style !== 'brackets')) {
        if (!takesUndeclared(name)) reject(name, `is not a field of ${document.id}${meant(name, known.keys())}`);
        else if (Object.hasOwn(values, name)) reject(name, 'is there more than once');
        else
          attempt(() =>
            setMember(
              values,
              name,
              guard(shown(stepOf(name)), (raw) => textOf(decoder, raw), value, pointerTo(name)),
            ),
          );
        continue;
      }
      let further = 0;
      attempt(() => {
        const text = guard(reader.field.name, (raw) => textOf(decoder, raw), value, reader.at);
        further = separatorsIn(text, reader.separators, limit);
        const found = given.get(reader) ?? { texts: [], tree: undefined };
        given.set(reader, found);
        if (reader.style !== 'brackets') found.texts.push(text);
        else found.tree = planted(found.tree, path, text);
      });
      countMore(further);
    }
    for (const [reader, found] of given)
      attempt(() => {
        const value = reader.read(found);
        if (value !== undefined) setMember(values, reader.field.name, value);
      });
    return { values, errors };
  };
}

const pointerTo = (name: string) => ({ pointer: jsonPointer([name.slice(0, 200)]) });

function meant(name: string, known: Iterable<string>): string {
  const other = nearest(name, known);
  return other === undefined ? '' : ` (did you mean ${other}?)`;
}

function decoded<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormFieldError) throw badBody(`${what} ${error.reason}`);
    throw error;
  }
}

/** @throws CodecError */
function textOf(decoder: FormDecoder, raw: Uint8Array): string {
  try {
    return decoder.text(raw);
  } catch (error) {
    if (error instanceof FormFieldError) throw new CodecError('', error.reason);
    throw error;
  }
}

/** What a form has of one field. */
interface Given {
  readonly texts: string[];
  tree: Branch | undefined;
}

interface FieldReader {
  readonly field: Field;
  readonly style: FormStyle;
  readonly at: { readonly pointer: string };
  /** What separates the entries of a list within one text. */
  readonly separators: readonly string[];
  /** @throws Fault */
  readonly read: (given: Given) => Value;
}

function separatorsOf(field: Field, style: FormStyle): readonly string[] {
  if (style === 'text' || style === 'json' || style === 'brackets') return [];
  const separator = FORM_SEPARATORS[style];
  return [...new Set([...(separator === undefined ? [] : [separator]), ...(isCommaSeparated(field) ? [','] : [])])];
}

/** How many separators a text has, counted as far as one more than a limit. */
function separatorsIn(text: string, separators: readonly string[], limit: number): number {
  let count = 0;
  for (const each of separators)
    for (let at = text.indexOf(each); at !== -1 && count <= limit; at = text.indexOf(each, at + 1)) count++;
  return count;
}

function compileRead(field: Field, style: FormStyle): FieldReader {
  const { name, jsonName, type } = field;
  const at = { pointer: jsonPointer([jsonName]) };
  const separator = FORM_SEPARATORS[style];
  const base = { field, style, at, separators: separatorsOf(field, style) };
  const once = ([text = '', ...others]: readonly string[]): string => {
    if (others.length === 0) return text;
    throw Fault.of('BAD_PARAMETER', { name, reason: 'is there more than once' }, { at });
  };
  if (style === 'text') {
    const read = compileText(field);
    const isFree = isAnyText(type);
    return {
      ...base,
      read({ texts }) {
        const text = once(texts);
        return text === '' && !isFree ? undefined : guard(name, read, text, at);
      },
    };
  }
  if (style === 'json' || style === 'brackets') {
    const json = compileJsonField(field);
    const readJson = (textOf: () => string): Value =>
      reading(
        () => json(textOf()),
        undefined,
        ({ steps }) => ({ pointer: steps.length === 0 ? at.pointer : pointerBelow(field, steps) }),
      );
    if (style === 'brackets') return { ...base, read: ({ tree = {} }) => readJson(() => jsonText(tree, field)) };
    const isList = type.kind === 'list';
    return {
      ...base,
      read({ texts }) {
        if (isList) return readJson(() => listText(texts));
        const text = once(texts);
        return text === '' ? undefined : readJson(() => text);
      },
    };
  }
  const read = compileSeparated(field);
  const isFree = isAnyText(singleType(type));
  return {
    ...base,
    read({ texts }) {
      const entries = separator === undefined ? texts : once(texts).split(separator);
      const isEmpty = entries.length === 1 && entries[0] === '' && (separator !== undefined || !isFree);
      return guard(name, read, isEmpty ? [] : entries, at);
    },
  };
}

/** A field of a form in brackets, as a tree: `a[b][0]`. */
interface Branch {
  text?: string[];
  members?: Map<string, Branch>;
  /** The index of the next entry without one, `a[]`, if there is any. */
  next?: number;
}

/** Most brackets in one name. */
const DEEPEST = 32;

/** The words in the brackets of a name: those of `a[b][]` are `b` and an empty one. Empty for a name that has none. */
function pathIn(name: string): string[] {
  const start = name.indexOf('[');
  if (start < 1 || !name.endsWith(']')) return [];
  const words = name.slice(start + 1, -1).split('][');
  return words.length > DEEPEST || words.some((each) => /[[\]]/.test(each)) ? [] : words;
}

const INDEX = /^\d{1,15}$/;

function planted(root: Branch | undefined, path: readonly string[], text: string): Branch {
  const tree = root ?? {};
  let at = tree;
  for (const word of path) {
    at.members ??= new Map();
    const key = word === '' ? String(nextIndex(at)) : word;
    if (at.next !== undefined && INDEX.test(key)) at.next = Math.max(at.next, Number(key) + 1);
    let next = at.members.get(key);
    if (next === undefined) {
      next = {};
      at.members.set(key, next);
    }
    at = next;
  }
  at.text ??= [];
  at.text.push(text);
  return tree;
}

/** Entries without an index follow the one with the greatest. */
function nextIndex(branch: Branch): number {
  if (branch.next === undefined) {
    branch.next = 0;
    for (const key of branch.members?.keys() ?? [])
      if (INDEX.test(key)) branch.next = Math.max(branch.next, Number(key) + 1);
  }
  return branch.next;
}

/** A tree as JSON for the type of a field. What does not fit is left to the reader of the field, which names its place. @throws CodecError */
function jsonText(tree: Branch, { name, type }: Field): string {
  try {
    return writeJsonText(jsonOf(tree, type) ?? null);
  } catch (error) {
    throw within(error, name);
  }
}

function jsonOf(branch: Branch, type: FieldType | undefined): Value {
  const { text = [], members = new Map<string, Branch>() } = branch;
  if (type?.kind === 'list') {
    // A page sends an empty text for a list of which nothing was chosen.
    const texts = text.length === 1 && text[0] === '' ? [] : text;
    return [...texts.map((each) => entryOf({ text: [each] }, type.item)), ...entriesOf(members, type.item)];
  }
  if (text.length > 0 && members.size > 0) refuse('has a text as well as members');
  if (members.size === 0) return scalarOf(text, type);
  if (branch.next !== undefined) {
    if (type !== undefined && primitiveOf(type) !== 'json') refuse('is not a list, and has [] in its name');
    return entriesOf(members, undefined);
  }
  const typeOf = memberTypes(type);
  const isMap = type?.kind === 'map';
  const object: Record<string, Value> = {};
  for (const [key, each] of members) {
    const own = typeOf(key);
    const value = below(key, () => (isMap ? entryOf(each, own) : jsonOf(each, own)));
    if (value !== undefined) setMember(object, key, value);
  }
  return object;
}

/** The entries of a list in the order of their indexes. */
function entriesOf(members: ReadonlyMap<string, Branch>, type: FieldType | undefined): Value[] {
  const other = [...members.keys()].find((key) => !INDEX.test(key));
  if (other !== undefined) throw within(new CodecError('', 'is not the index of an entry'), stepOf(other));
  return [...members]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, each], index) => below(index, () => entryOf(each, type)));
}

/** An empty text is an entry too, for the reader of the field to judge. */
function entryOf(branch: Branch, type: FieldType | undefined): Value {
  return jsonOf(branch, type) ?? '';
}

function below<T>(key: string | number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(error, stepOf(key));
  }
}

function memberTypes(type: FieldType | undefined): (key: string) => FieldType | undefined {
  if (type?.kind === 'map') return () => type.item;
  if (type?.kind !== 'document') return () => undefined;
  const fields = new Map(everyField(type.document).map((field) => [field.jsonName, field.type]));
  return (key) => fields.get(key);
}

function scalarOf([text = '', ...others]: readonly string[], type: FieldType | undefined): Value {
  if (others.length > 0) return refuse('is there more than once');
  if (type === undefined) return text;
  if (text === '' && !isAnyText(type)) return undefined;
  if (primitiveOf(type) === 'boolean' && /^(?:true|false|0|1)$/.test(text)) return text === 'true' || text === '1';
  return text;
}

/** Writes a form: fields in declared order, each value encoded once. @throws CodecError for a value that does not fit */
export type UrlencodedWriter = (value: DocumentValue) => string;

/** Compiles the writing of a form. */
export function compileUrlencodedWriter(
  document: Pick<Document, 'fields' | 'open'>,
  styles: FormStyles | undefined,
): UrlencodedWriter {
  const writers = document.fields.map((field) => ({ field, write: compileWrite(field, formStyle(field, styles)) }));
  const declared = new Set(document.fields.map(({ name }) => name));
  return (value) => {
    const pairs = writers.flatMap(({ field, write }) => {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const own = given === undefined || given === null ? initialValue(field) : given;
      if (own !== undefined) {
        const found = write(own);
        if (found.length === 0 && field.required)
          throw new CodecError(field.name, 'is empty, and a form has no field for it, although it is required');
        return found.map(([name, text]) => pair(name, text, field.name));
      }
      if (field.required) throw new CodecError(field.name, 'is missing');
      return [];
    });
    for (const [name, each] of Object.entries(document.open ? value : {}))
      if (!declared.has(name) && each !== undefined)
        pairs.push(pair(name, typeof each === 'string' ? each : writeJsonText(each), name));
    return pairs.join('&');
  };
}

function pair(name: string, text: string, field: string): string {
  try {
    return formField(name, percentEncode(text));
  } catch (error) {
    if (error instanceof PercentError) throw new CodecError(field, error.reason.replace(/^it /, ''));
    throw error;
  }
}

type PairsOf = (value: Value) => (readonly [name: string, text: string])[];

function compileWrite(field: Field, style: FormStyle): PairsOf {
  const { name, jsonName, type } = field;
  if (style === 'json') {
    const write = compileJsonFieldWriter(field);
    return (value) => [[jsonName, write(value)]];
  }
  if (style === 'brackets') {
    const write = compileJsonFieldWriter(field);
    return (value) => {
      const whole = plain(write(value));
      if (isEmpty(whole)) return [];
      try {
        return flattened(jsonName, whole);
      } catch (error) {
        throw within(error, name);
      }
    };
  }
  const write = compileTextWriter(field);
  const separator = FORM_SEPARATORS[style];
  if (separator === undefined) return (value) => write(value).map((text) => [jsonName, text]);
  return (value) => {
    const texts = write(value);
    if (texts.length === 1 && texts[0] === '')
      throw new CodecError(name, 'has an empty text for its only entry, which in a form is a list without entries');
    if (type.kind === 'list' && texts.some((text) => text.includes(separator)))
      throw new CodecError(
        name,
        `has an entry with ${JSON.stringify(separator)}, which separates its entries in a form`,
      );
    return [[jsonName, texts.join(separator)]];
  };
}

type Plain = string | null | readonly Plain[] | { readonly [name: string]: Plain };

/** JSON whose numbers are their texts. */
function plain(json: string): Plain {
  return JSON.parse(json, (_, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number') return context?.source ?? String(value);
    return typeof value === 'boolean' ? String(value) : value;
  }) as Plain;
}

function isEmpty(value: Plain): boolean {
  return typeof value === 'object' && (value === null || Object.keys(value).length === 0);
}

/** @throws CodecError for what would be read as another value, or as none */
function flattened(name: string, value: Plain): (readonly [string, string])[] {
  if (value === null) return refuse('is null, for which a form in brackets has no text');
  if (typeof value === 'string') return [[name, value]];
  if (isEmpty(value)) return refuse('is empty, and a form in brackets has no field for it');
  return Object.entries(value).flatMap(([key, each]) =>
    below(Array.isArray(value) ? Number(key) : key, () => {
      if (key === '' || /[[\]]/.test(key)) refuse('has a name that can not be written in brackets');
      return flattened(`${name}[${key}]`, each);
    }),
  );
}
