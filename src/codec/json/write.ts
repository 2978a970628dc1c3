import type { Document } from '../../model/document.ts';
import type { Field, FieldType, ListType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { kindOf, refuse, within } from '../error.ts';
import { compileScalar, initialValue, plainLength } from '../scalar.ts';
import {
  checkDepth,
  compileEntryCount,
  isInherited,
  named,
  ownMember,
  plainObject,
  setMember,
  unknownField,
} from '../value.ts';
import { type AsIsField, blank, mayStayAsIs, staysAsIs } from './members.ts';
import { writePlain } from './plain.ts';

/** Checks a value and returns it as JSON.stringify takes it: the value itself where it needs no change. */
type Write = (value: Value, depth: number) => unknown;

interface FieldWriter extends AsIsField {
  readonly jsonName: string;
  /** The name is looked up among the object's own. */
  readonly inherited: boolean;
  readonly required: boolean;
  /** What is written where the value is absent; nothing where undefined. */
  readonly initial: unknown;
  /** A null is a value rather than nothing. */
  readonly holdsNull: boolean;
}

type Writers = Map<Document, Write>;

/**
 * Compiles the writing of a document as JSON text: fields in declared order, under their JSON names, with the root label
 * where the document has one. Undefined and null (but in a `json` field) are absent.
 */
export function compileJsonWriter(document: Document): (value: DocumentValue) => string {
  const write = documentWriter(document, new Map());
  const [start, end] = document.root ? [`{${JSON.stringify(document.id)}:`, '}'] : ['', ''];
  return (value) => {
    let ready: unknown;
    try {
      ready = write(value, 1);
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
  const fields = document.fields.map((field) => fieldWriter(field, writers));
  const copyUndeclared = compileUndeclared(document);
  const mayStay = mayStayAsIs(document.fields);
  const renames = fields.some(({ name, jsonName }) => name !== jsonName);
  compiled = (value, depth) => {
    const source = plainObject(value);
    checkDepth(depth);
    if (mayStay && staysAsIs(source, fields, depth)) return source;
    // A copy begins at the first field that is written otherwise than it is given.
    let copy: Record<string, unknown> | undefined = renames ? {} : undefined;
    let i = 0;
    try {
      for (; i < fields.length; i++) {
        const field = fields[i]!;
        const given = ownMember(source, field.name, field.inherited) as Value;
        if (typeof given === 'string' && given.length <= field.plainUpTo) {
          if (copy !== undefined) setMember(copy, field.jsonName, given);
          continue;
        }
        const absent = given === undefined || (given === null && !field.holdsNull);
        if (absent && field.initial === undefined && field.required) refuse('is missing');
        const written = absent ? field.initial : field.apply(given, depth + 1);
        if (written !== given) copy ??= copied(source, fields, i);
        if (copy !== undefined && written !== undefined) setMember(copy, field.jsonName, written);
      }
    } catch (error) {
      throw within(error, fields[i]!.name);
    }
    if (copy === undefined && inOrder(source, fields)) return source;
    copy ??= copied(source, fields, fields.length);
    copyUndeclared(source, copy, depth);
    return copy;
  };
  writers.set(document, compiled);
  return compiled;
}

/** Whether the members are declared ones in declared order and nothing else, so that the object can be written as it is. */
function inOrder(source: Readonly<Record<string, unknown>>, fields: readonly FieldWriter[]): boolean {
  if ('toJSON' in source && typeof source.toJSON === 'function') return false;
  let i = 0;
  for (const name in source) {
    while (i < fields.length && fields[i]!.name !== name) i++;
    if (i++ === fields.length) return false;
  }
  return true;
}

/** The first `n` fields of an object whose values need no change. */
function copied(
  source: Readonly<Record<string, unknown>>,
  fields: readonly FieldWriter[],
  n: number,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (let i = 0; i < n; i++) {
    const value = ownMember(source, fields[i]!.name, fields[i]!.inherited);
    if (value !== undefined) setMember(copy, fields[i]!.jsonName, value);
  }
  return copy;
}

function fieldWriter(field: Field, writers: Writers): FieldWriter {
  const write = valueWriter(field, field.type, writers);
  const initial = initialValue(field);
  return {
    name: field.name,
    jsonName: field.jsonName,
    plainUpTo: plainLength(field),
    inherited: isInherited(field.name),
    apply: write,
    required: field.required,
    needed: field.required || initial !== undefined,
    initial: initial !== undefined ? write(initial, 1) : field.absent === 'blank' ? blank(field.type) : undefined,
    holdsNull: primitiveOf(field.type) === 'json',
  };
}

function valueWriter(field: Field, type: FieldType, writers: Writers): Write {
  if (type.kind === 'list') return listWriter(field, type, writers);
  if (type.kind === 'document') return documentWriter(type.document, writers);
  return compileScalar(field, type).toJson;
}

function listWriter(field: Field, type: ListType, writers: Writers): Write {
  const item = valueWriter(field, type.item, writers);
  const checkCount = compileEntryCount(field);
  return (value, depth) => {
    if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
    const list: readonly Value[] = value;
    checkDepth(depth);
    checkCount(list.length);
    let copy: unknown[] | undefined;
    let i = 0;
    try {
      for (; i < list.length; i++) {
        const written = item(list[i], depth + 1);
        if (written !== list[i]) copy ??= list.slice();
        if (copy !== undefined) copy[i] = written;
      }
    } catch (error) {
      throw within(error, i);
    }
    return copy ?? list;
  };
}

/** What becomes of members that a document doesn't declare: refused, or written after the others where it is open. */
function compileUndeclared(
  document: Document,
): (source: Readonly<Record<string, unknown>>, copy: Record<string, unknown>, depth: number) => void {
  const names = new Set(document.fields.map((field) => field.name));
  const jsonNames = new Set(document.fields.map((field) => field.jsonName));
  return (source, copy, depth) => {
    for (const key of Object.keys(source)) {
      if (names.has(key) || source[key] === undefined) continue;
      if (!document.open || jsonNames.has(key) || key === '__proto__') throw unknownField(document, key, names);
      try {
        copy[key] = writePlain(source[key] as Value, depth + 1);
      } catch (error) {
        throw within(error, key);
      }
    }
  };
}
