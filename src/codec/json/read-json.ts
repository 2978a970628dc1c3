import { bareField, type Document } from '../../model/document.ts';
import type { Field, FieldType, ListType, MapType } from '../../model/field.ts';
import { holdsNull, isAnyText, primitiveOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { addError, CodecError, kindOf, refuse, stepOf, within } from '../error.ts';
import { compileNamesItself, isKinded } from '../kind.ts';
import { compileScalar, initialValue, plainLength } from '../scalar.ts';
import {
  checkChosen,
  checkDepth,
  compileEntryCount,
  countIgnored,
  type Foreign,
  holdsPrimitive,
  holdsUndeclared,
  isInherited,
  named,
  ownMember,
  setMember,
  unknownField,
} from '../value.ts';
import { choiceReader } from './choice.ts';
import { keepDigits } from './digits.ts';
import { compileKinds } from './kinds.ts';
import { NumberToken } from './number-token.ts';
import { type Digits, objectOf, readJson, readPlain } from './plain.ts';
import { type AsIsField, compileIsBlank, mayStayAsIs, staysAsIs } from './write.ts';

/** Reads what JSON.parse returned, in place where it can. `depth` counts from the root, which is level 1. */
type Read = (raw: unknown, depth: number) => Value;

interface FieldReader extends AsIsField {
  readonly jsonName: string;
  /** Whether the name must be looked up among the object's own members. */
  readonly inherited: boolean;
  readonly apply: Read;
  readonly required: boolean;
  readonly initial: Value;
  /** Whether the digits of a number are remembered: it may be any JSON. */
  readonly keepsDigits: boolean;
  /** Whether the value has the form that means "not given". */
  readonly absent: (raw: unknown) => boolean;
}

/** State shared by the readers of one root document. */
interface Shared {
  readonly foreign: Foreign;
  readonly digits: Digits;
  /** By document, since a document may contain itself. */
  readonly readers: Map<Document, (raw: unknown, depth: number) => DocumentValue>;
}

/**
 * Compiles the reading of a document from a JSON text. A document with a root label is read without it too. Null is taken
 * for absent (but in a `json` field, and in a document that is a patch).
 * @param foreign `refuse` for what callers send; `pass` for replies, in which the last value of a repeated name counts
 */
export function compileJsonReader(document: Document, foreign: Foreign = 'refuse'): (text: string) => DocumentValue {
  const digits = digitsOf({ kind: 'document', document });
  const read = documentReader(document, { foreign, digits, readers: new Map() });
  const labelInherited = isInherited(document.id);
  const whole = bareField(document)?.jsonName;
  const readRoot = (raw: unknown): DocumentValue => {
    if (whole !== undefined) return read({ [whole]: raw }, 0);
    if (!document.root || typeof raw !== 'object' || raw === null || Array.isArray(raw)) return read(raw, 1);
    const inner = ownMember(raw as Record<string, unknown>, document.id, labelInherited);
    return inner !== undefined && Object.keys(raw).length === 1 ? readLabelled(inner, document.id, read) : read(raw, 1);
  };
  return (text) => {
    try {
      return readJson(text, foreign, digits, readRoot);
    } catch (error) {
      throw named(error, document);
    }
  };
}

function readLabelled(
  inner: unknown,
  label: string,
  read: (raw: unknown, depth: number) => DocumentValue,
): DocumentValue {
  try {
    return read(inner, 1);
  } catch (error) {
    if (error instanceof CodecError) error.setLabel(label);
    throw error;
  }
}

/**
 * Compiles the reading of one field's value from a JSON text that is this value alone. `undefined` when the text says that
 * nothing is given. Complaints about the value begin with the field's name, those about the text have no path.
 */
export function compileJsonField(field: Field): (text: string) => Value {
  const digits = digitsOf(field.type);
  const { name, apply, absent } = fieldReader(field, { foreign: 'refuse', digits, readers: new Map() });
  const readRoot = (raw: unknown): Value => {
    try {
      return absent(raw) ? undefined : apply(raw, 1);
    } catch (error) {
      throw within(error, name);
    }
  };
  return (text) => readJson(text, 'refuse', digits, readRoot);
}

function digitsOf(type: FieldType): Digits {
  const wanted = holdsPrimitive(type, 'decimal') || holdsPrimitive(type, 'json') || holdsUndeclared(type);
  return { wanted, met: false, kept: false };
}

function documentReader(document: Document, shared: Shared): (raw: unknown, depth: number) => DocumentValue {
  const { readers } = shared;
  const known = readers.get(document);
  if (known !== undefined) return known;
  let compiled: ((raw: unknown, depth: number) => DocumentValue) | undefined;
  readers.set(document, (raw, depth) => compiled!(raw, depth));
  compiled = isKinded(document)
    ? compileKinds(document, (kind) => itselfReader(kind, shared))
    : itselfReader(document, shared);
  readers.set(document, compiled);
  return compiled;
}

/** Reads a document itself, not one that derives from it. */
function itselfReader(document: Document, shared: Shared): (raw: unknown, depth: number) => DocumentValue {
  const { foreign } = shared;
  if (document.choice !== undefined && !document.choice.named) {
    return choiceReader(
      document,
      document.fields.map((field) => valueReader(field, field.type, shared)),
    );
  }
  const fields = document.fields.map((field) => fieldReader(field, shared, document.patch !== undefined));
  const takeUndeclared =
    foreign !== 'refuse' && !document.open ? passUndeclared(document, foreign) : compileUndeclared(document, shared);
  const isChoice = document.choice !== undefined;
  const mayStay = !isChoice && mayStayAsIs(document.fields);
  const renames = fields.some(({ name, jsonName }) => name !== jsonName || name === '__proto__');
  return (raw, depth) => {
    const source = objectOf(raw);
    checkDepth(depth);
    if (mayStay && staysAsIs(source, fields, depth)) return source as DocumentValue;
    const target: Record<string, unknown> = renames ? {} : source;
    let declared = 0;
    let added = 0;
    let errors: CodecError | undefined;
    let i = 0;
    // An error ends the inner loop; the fields behind it are read all the same.
    while (i < fields.length) {
      try {
        for (; i < fields.length; i++) {
          const field = fields[i]!;
          const given = ownMember(source, field.jsonName, field.inherited);
          if (given !== undefined) declared++;
          if (typeof given === 'string' && given.length <= field.plainUpTo) {
            if (renames) setMember(target, field.name, given);
            continue;
          }
          if (given !== undefined && !field.absent(given)) {
            const value = field.apply(given, depth + 1);
            if (renames || !Object.is(value, given)) setMember(target, field.name, value);
            if (field.keepsDigits && given instanceof NumberToken) keepDigits(target, field.name, value, given.source);
            continue;
          }
          if (field.initial !== undefined) {
            if (given === undefined) added++;
            setMember(target, field.name, field.initial);
          } else if (field.required) refuse('is missing');
          else if (given !== undefined && !renames) {
            delete source[field.name];
            declared--;
          }
        }
      } catch (error) {
        errors = addError(errors, within(error, fields[i++]!.name));
      }
    }
    if (Object.keys(source).length !== declared + (renames ? 0 : added))
      errors = takeUndeclared(source, target, depth, errors);
    if (errors !== undefined) throw errors;
    if (isChoice) checkChosen(document, Object.keys(target));
    return target as DocumentValue;
  };
}

function fieldReader(field: Field, shared: Shared, keepsNull = false): FieldReader {
  const takesNull = holdsNull(field) || keepsNull;
  const isNull = field.nullable === true || keepsNull;
  // An empty text is a value of a text type: only for other types does it mean that nothing is given.
  const isBlank = field.absent === 'blank' && !isAnyText(field.type) ? compileIsBlank(field.type) : undefined;
  const read = valueReader(field, field.type, shared);
  const initial = initialValue(field);
  return {
    name: field.name,
    jsonName: field.jsonName,
    plainUpTo: plainLength(field),
    inherited: isInherited(field.jsonName),
    apply: isNull ? (raw, depth) => (raw === null ? null : read(raw, depth)) : read,
    required: field.required,
    needed: field.required || initial !== undefined,
    initial,
    keepsDigits: primitiveOf(field.type) === 'json',
    absent: (raw) => (raw === null ? !takesNull : isBlank?.(raw) === true),
  };
}

function valueReader(field: Field, type: FieldType, shared: Shared): Read {
  if (type.kind === 'list') return listReader(field, type, shared);
  if (type.kind === 'map') return mapReader(field, type, shared);
  if (type.kind === 'document') return documentReader(type.document, shared);
  const { fromJson } = compileScalar(field, type);
  const { digits } = shared;
  return (raw, depth) => fromJson(raw, depth, digits);
}

/** Reads an entry of a list or a map, which may be null. */
function entryReader(field: Field, type: ListType | MapType, shared: Shared): Read {
  const read = valueReader(field, type.item, shared);
  return field.entry?.nullable ? (raw, depth) => (raw === null ? null : read(raw, depth)) : read;
}

function listReader(field: Field, type: ListType, shared: Shared): Read {
  const item = entryReader(field, type, shared);
  const keepsDigits = primitiveOf(type.item) === 'json';
  const checkCount = compileEntryCount(field);
  return (raw, depth) => {
    if (!Array.isArray(raw)) return refuse(`is ${kindOf(raw)}, not a list`);
    checkDepth(depth);
    checkCount(raw.length);
    let errors: CodecError | undefined;
    let i = 0;
    while (i < raw.length) {
      try {
        for (; i < raw.length; i++) {
          const given: unknown = raw[i];
          const value = item(given, depth + 1);
          if (Object.is(value, given)) continue;
          raw[i] = value;
          if (keepsDigits && given instanceof NumberToken) keepDigits(raw, i, value, given.source);
        }
      } catch (error) {
        errors = addError(errors, within(error, i++));
      }
    }
    if (errors !== undefined) throw errors;
    return raw;
  };
}

function mapReader(field: Field, type: MapType, shared: Shared): Read {
  const item = entryReader(field, type, shared);
  const keepsDigits = primitiveOf(type.item) === 'json';
  const checkCount = compileEntryCount(field);
  return (raw, depth) => {
    const map = objectOf(raw);
    checkDepth(depth);
    const keys = Object.keys(map);
    checkCount(keys.length);
    let errors: CodecError | undefined;
    for (const key of keys) {
      try {
        const given = map[key];
        const value = item(given, depth + 1);
        if (Object.is(value, given)) continue;
        setMember(map, key, value);
        if (keepsDigits && given instanceof NumberToken) keepDigits(map, key, value, given.source);
      } catch (error) {
        errors = addError(errors, within(error, stepOf(key)));
      }
    }
    if (errors !== undefined) throw errors;
    return map as DocumentValue;
  };
}

/** @returns the errors found before, with its own */
type TakeUndeclared = (
  source: Record<string, unknown>,
  target: Record<string, unknown>,
  depth: number,
  errors: CodecError | undefined,
) => CodecError | undefined;

/** Removes members that a document doesn't declare from the object that was read in place. */
function passUndeclared(document: Document, foreign: Foreign): TakeUndeclared {
  const jsonNames = new Set(document.fields.map((field) => field.jsonName));
  return (source, target, depth, errors) => {
    for (const key of Object.keys(source)) {
      if (jsonNames.has(key)) continue;
      checkNesting(source[key], depth + 1);
      countIgnored(foreign, 1);
      if (target === source) delete source[key];
    }
    return errors;
  };
}

function checkNesting(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  checkDepth(depth);
  for (const each of Object.values(value)) checkNesting(each, depth + 1);
}

/** How members that a document doesn't declare are handled: rejected, or kept unchanged if it is open. */
function compileUndeclared(document: Document, shared: Shared): TakeUndeclared {
  const jsonNames = new Set(document.fields.map((field) => field.jsonName));
  const names = new Set(document.fields.map((field) => field.name));
  const namesItself = compileNamesItself(document);
  const take = (source: Record<string, unknown>, target: Record<string, unknown>, key: string, depth: number): void => {
    // A field's own name, if its JSON name differs, would be mistaken for the field.
    if (!document.open || names.has(key) || key === '__proto__') throw unknownField(document, key, jsonNames);
    const given = source[key];
    try {
      target[key] = readPlain(given, depth + 1, shared.digits);
    } catch (error) {
      throw within(error, stepOf(key));
    }
    if (given instanceof NumberToken) keepDigits(target, key, target[key], given.source);
  };
  return (source, target, depth, errors) => {
    let found = errors;
    for (const key of Object.keys(source)) {
      if (jsonNames.has(key)) continue;
      if (namesItself(key, source[key])) {
        delete target[key];
        continue;
      }
      try {
        take(source, target, key, depth);
      } catch (error) {
        found = addError(found, error);
      }
    }
    return found;
  };
}
