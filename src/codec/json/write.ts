import { kindMember, kindName } from '../../model/derivation.ts';
import { bareField, type Document } from '../../model/document.ts';
import type { Field, FieldType, ListType, MapType } from '../../model/field.ts';
import { blankOf, holdsNull, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { CodecError, kindOf, refuse, stepOf, within } from '../error.ts';
import { compileNamesItself, isKinded } from '../kind.ts';
import { compileScalar, initialValue, plainLength } from '../scalar.ts';
import {
  checkDepth,
  chosenField,
  compileEntryCount,
  isInherited,
  mapEntries,
  named,
  ownMember,
  plainObject,
  setMember,
  unknownField,
} from '../value.ts';
import { choiceWriter } from './choice.ts';
import { digitsWritten } from './digits.ts';
import { compileKinds } from './kinds.ts';
import { writeMember } from './plain.ts';

/** Checks a value and returns it as JSON.stringify takes it: the value itself where it needs no change. */
type Write = (value: Value, depth: number) => unknown;

interface FieldWriter extends AsIsField {
  readonly jsonName: string;
  /** Whether the name must be looked up among the object's own members. */
  readonly inherited: boolean;
  readonly required: boolean;
  /** Written when the value is absent; `undefined` to write nothing. */
  readonly initial: unknown;
  /** Whether null is a value rather than absent. */
  readonly holdsNull: boolean;
  /** Whether a number is written as it was: it may be any JSON. */
  readonly keepsDigits: boolean;
}

type Writers = Map<Document, Write>;

/**
 * Compiles the writing of a document as JSON text: fields in declared order, under their JSON names, with the root label
 * where the document has one. Undefined and null (but in a `json` field) are absent.
 */
export function compileJsonWriter(document: Document): (value: DocumentValue) => string {
  const write = documentWriter(document, new Map());
  const whole = bareField(document)?.jsonName;
  const [start, end] = document.root ? [`{${JSON.stringify(document.id)}:`, '}'] : ['', ''];
  return (value) => {
    let ready: unknown;
    try {
      ready = whole === undefined ? write(value, 1) : (write(value, 0) as DocumentValue)[whole];
    } catch (error) {
      throw named(error, document);
    }
    return start + JSON.stringify(ready) + end;
  };
}

/** Compiles the writing of one field's value as a JSON text of its own. Complaints begin with the field's name. */
export function compileJsonFieldWriter(field: Field): (value: Value) => string {
  const write = valueWriter(field, field.type, new Map());
  return (value) => {
    try {
      return JSON.stringify(write(value, 1));
    } catch (error) {
      throw within(error, field.name);
    }
  };
}

function documentWriter(document: Document, writers: Writers): Write {
  const known = writers.get(document);
  if (known !== undefined) return known;
  let compiled: Write | undefined;
  writers.set(document, (value, depth) => compiled!(value, depth));
  compiled = isKinded(document)
    ? compileKinds(document, (kind) => itselfWriter(kind, writers) as (value: unknown, depth: number) => unknown)
    : namedWriter(document, itselfWriter(document, writers));
  writers.set(document, compiled);
  return compiled;
}

/** A document that derives from another has the member that names it where only it may stand, too: contracts may require it. */
function namedWriter(document: Document, write: Write): Write {
  const by = kindMember(document);
  if (by === undefined || document.patch !== undefined) return write;
  const name = kindName(document);
  return (value, depth) => ({ [by]: name, ...(write(value, depth) as object) });
}

/** Writes a document itself, not one that derives from it. */
function itselfWriter(document: Document, writers: Writers): Write {
  if (document.choice !== undefined && !document.choice.named) {
    return choiceWriter(
      document,
      document.fields.map((field) => valueWriter(field, field.type, writers)),
    );
  }
  const fields = document.fields.map((field) => fieldWriter(field, writers));
  const copyUndeclared = compileUndeclared(document);
  const isChoice = document.choice !== undefined;
  const mayStay = !isChoice && mayStayAsIs(document.fields);
  return (value, depth) => {
    const source = plainObject(value);
    checkDepth(depth);
    if (isChoice) chosenField(document, source);
    if (mayStay && staysAsIs(source, fields, depth)) return source;
    const copy: Record<string, unknown> = {};
    let i = 0;
    try {
      for (; i < fields.length; i++) {
        const field = fields[i]!;
        const given = ownMember(source, field.name, field.inherited) as Value;
        if (typeof given === 'string' && given.length <= field.plainUpTo) {
          setMember(copy, field.jsonName, given);
          continue;
        }
        const absent = given === undefined || (given === null && !field.holdsNull);
        if (absent && field.initial === undefined && field.required) refuse('is missing');
        const digits = field.keepsDigits ? digitsWritten(source, field.name, given) : undefined;
        if (digits !== undefined) {
          setMember(copy, field.jsonName, JSON.rawJSON(digits));
          continue;
        }
        const written = absent ? field.initial : field.apply(given, depth + 1);
        if (written !== undefined) setMember(copy, field.jsonName, written);
      }
    } catch (error) {
      throw within(error, fields[i]!.name);
    }
    copyUndeclared(source, copy, depth);
    return copy;
  };
}

function fieldWriter(field: Field, writers: Writers): FieldWriter {
  const write = valueWriter(field, field.type, writers);
  const initial = initialValue(field);
  return {
    name: field.name,
    jsonName: field.jsonName,
    plainUpTo: plainLength(field),
    inherited: isInherited(field.name),
    apply: field.nullable ? (value, depth) => (value === null ? null : write(value, depth)) : write,
    required: field.required && !field.asFound,
    needed: field.required || initial !== undefined,
    initial: initial !== undefined ? write(initial, 1) : field.absent === 'blank' ? blank(field.type) : undefined,
    holdsNull: holdsNull(field),
    keepsDigits: primitiveOf(field.type) === 'json',
  };
}

function valueWriter(field: Field, type: FieldType, writers: Writers): Write {
  if (type.kind === 'list') return listWriter(field, type, writers);
  if (type.kind === 'map') return mapWriter(field, type, writers);
  if (type.kind === 'document') return documentWriter(type.document, writers);
  return compileScalar(field, type).toJson;
}

/** Writes an entry of a list or a map, which may be null. */
function entryWriter(field: Field, type: ListType | MapType, writers: Writers): Write {
  const write = valueWriter(field, type.item, writers);
  return field.entry?.nullable ? (value, depth) => (value === null ? null : write(value, depth)) : write;
}

function listWriter(field: Field, type: ListType, writers: Writers): Write {
  const item = entryWriter(field, type, writers);
  const checkCount = compileEntryCount(field);
  const isAny = primitiveOf(type.item) === 'json';
  return (value, depth) => {
    if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
    const list: readonly Value[] = value;
    checkDepth(depth);
    checkCount(list.length);
    let copy: unknown[] | undefined;
    let i = 0;
    try {
      for (; i < list.length; i++) {
        const digits = isAny ? digitsWritten(list, i, list[i]) : undefined;
        const written = digits === undefined ? item(list[i], depth + 1) : JSON.rawJSON(digits);
        if (written !== list[i]) copy ??= list.slice();
        if (copy !== undefined) copy[i] = written;
      }
    } catch (error) {
      throw within(error, i);
    }
    return copy ?? list;
  };
}

function mapWriter(field: Field, type: MapType, writers: Writers): Write {
  const item = entryWriter(field, type, writers);
  const checkCount = compileEntryCount(field);
  const isAny = primitiveOf(type.item) === 'json';
  return (value, depth) => {
    checkDepth(depth);
    const entries = mapEntries(value);
    checkCount(entries.length);
    const written: Record<string, unknown> = {};
    for (const [key, each] of entries) {
      try {
        const digits = isAny ? digitsWritten(value as object, key, each) : undefined;
        setMember(written, key, digits === undefined ? item(each, depth + 1) : JSON.rawJSON(digits));
      } catch (error) {
        throw within(error, stepOf(key));
      }
    }
    return written;
  };
}

/** How members that a document doesn't declare are handled: rejected, or written after the others if it is open. */
function compileUndeclared(
  document: Document,
): (source: Readonly<Record<string, unknown>>, copy: Record<string, unknown>, depth: number) => void {
  const names = new Set(document.fields.map((field) => field.name));
  const jsonNames = new Set(document.fields.map((field) => field.jsonName));
  const namesItself = compileNamesItself(document);
  return (source, copy, depth) => {
    for (const key of Object.keys(source)) {
      if (names.has(key) || source[key] === undefined || namesItself(key, source[key])) continue;
      if (!document.open || jsonNames.has(key) || key === '__proto__') throw unknownField(document, key, names);
      copy[key] = writeMember(source, source[key] as Value, key, depth);
    }
  };
}

/** The properties of a field that {@link staysAsIs} needs. */
export interface AsIsField {
  readonly name: string;
  /** {@link plainLength}: a string up to here needs no call of `apply`. */
  readonly plainUpTo: number;
  /** Whether it must be present, because it has a default or is required. */
  readonly needed: boolean;
  /** Checks a value; returns a different value if it needs another form. */
  readonly apply: (value: Value, depth: number) => unknown;
}

/** What may stay: values with one form, in memory and in JSON. */
function hasOneForm(type: FieldType): boolean {
  const primitive = primitiveOf(type);
  return primitive !== undefined && primitive !== 'json' && primitive !== 'decimal' && primitive !== 'binary';
}

/**
 * Whether objects of a document may be taken as they are: it has single values only, under the same names in JSON. None of
 * any JSON, which is read in place and can't be read again where the object turns out to need a change; no decimal and no
 * binary, whose forms in memory and in JSON differ, so that they would be brought from one to the other twice.
 */
export function mayStayAsIs(fields: readonly Field[]): boolean {
  return fields.every(({ type, name, jsonName, absent }) => hasOneForm(type) && name === jsonName && absent === 'omit');
}

/**
 * Whether an object holds declared fields in declared order, nothing else, and none that needs another form. One pass in
 * the order of the members, which engines read fastest; where it says no, nothing has been changed.
 */
export function staysAsIs(
  source: Readonly<Record<string, unknown>>,
  fields: readonly AsIsField[],
  depth: number,
): boolean {
  if (Object.getPrototypeOf(source) !== Object.prototype) return false;
  let i = 0;
  for (const name in source) {
    let field = fields[i++];
    while (field !== undefined && field.name !== name) {
      if (field.needed) return false;
      field = fields[i++];
    }
    if (field === undefined) return false;
    const value = source[name] as Value;
    if (typeof value === 'string' && value.length <= field.plainUpTo) continue;
    if (value === undefined || value === null || !isUnchanged(field, value, depth)) return false;
  }
  for (; i < fields.length; i++) if (fields[i]!.needed) return false;
  return true;
}

/** Whether a value is right and has the form that it needs. What is wrong is left to the caller, who reports all errors. */
function isUnchanged(field: AsIsField, value: Value, depth: number): boolean {
  try {
    return Object.is(field.apply(value, depth + 1), value);
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}

/** The JSON of a value that is not given: `""`, null, or an object of these. */
type Blank = '' | null | { readonly [jsonName: string]: Blank };

/**
 * The blank of a type: `""` for what is a string in JSON, null for other single values, one object with all fields blank for
 * a document, and for a list the blank of one entry. A document inside itself is null, and so are a choice and an abstract document.
 */
function blank(type: FieldType): Blank {
  return blankWithin(type, []);
}

function blankWithin(type: FieldType, outer: readonly Document[]): Blank {
  if (type.kind === 'list') return blankWithin(type.item, outer);
  if (type.kind === 'map') return {};
  if (type.kind !== 'document') return blankOf(traitsOf(type));
  const { document } = type;
  if (outer.includes(document) || document.choice !== undefined || document.abstract) return null;
  const inner = [...outer, document];
  return Object.fromEntries(document.fields.map((field) => [field.jsonName, blankWithin(field.type, inner)]));
}

/** Compiles the test whether what JSON.parse returned is the blank of a type. */
export function compileIsBlank(type: FieldType): (raw: unknown) => boolean {
  return compileEquals(blank(type));
}

function compileEquals(expected: Blank): (raw: unknown) => boolean {
  if (typeof expected !== 'object' || expected === null) return (raw) => raw === expected;
  const members = Object.entries(expected).map(([name, value]) => ({ name, equals: compileEquals(value) }));
  return (raw) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return false;
    const object = raw as Readonly<Record<string, unknown>>;
    for (const { name, equals } of members) if (!Object.hasOwn(object, name) || !equals(object[name])) return false;
    return Object.keys(object).length === members.length;
  };
}
