import { MemoryAttachment } from '../../../codec/binary.ts';
import { CodecError, compileText } from '../../../codec/index.ts';
import { setMember } from '../../../codec/value.ts';
import { type ExampleDocument, type ExampleValue, exampleField } from '../../../describe/example/value.ts';
import { mustBeGiven } from '../../../describe/field.ts';
import { everyField } from '../../../model/derivation.ts';
import type { Document } from '../../../model/document.ts';
import { entryField, type Field, isCollection, singleType } from '../../../model/field.ts';
import { primitiveOf } from '../../../model/scalar.ts';
import type { DocumentValue, Value } from '../../../model/value.ts';

/**
 * What a form of fields holds: texts by a letter for what they are and the path of the field, `v:LOC_DATA/0/EFFDT`. `v` is the
 * text of a value, `n` how many entries a list or map has, or whether an optional document is given, `k` the key of an entry of a
 * map, `b` the branch of a choice, `x` whether the value is null. `c`, `t` and `m` are the content in base64, the media type and
 * the name of a file that was chosen before, and `f` is the file that is chosen now.
 */
export type Entered = URLSearchParams;

type Part = 'v' | 'n' | 'k' | 'b' | 'x' | 'c' | 't' | 'm' | 'f';

export const keyOf = (part: Part, path: string): string => `${part}:${path}`;

export const below = (path: string, step: string | number): string => (path === '' ? `${step}` : `${path}/${step}`);

/** Maximum number of entries of one list or map. */
const MOST_ENTRIES = 200;

export function countOf(entered: Entered, path: string): number {
  const count = Number(entered.get(keyOf('n', path)) ?? 0);
  return Number.isInteger(count) && count > 0 ? Math.min(count, MOST_ENTRIES) : 0;
}

/** A field of a form, which may be required although its definition makes it optional. */
export interface FormField {
  readonly field: Field;
  readonly required: boolean;
  /** Whether null is a value. */
  readonly nullable: boolean;
}

/** The fields of a document that a caller supplies. */
export const formFields = ({ patch, ...document }: Pick<Document, 'fields' | 'patch' | 'kinds'>): FormField[] =>
  eachName(everyField(document)).map((field) => ({
    field,
    required: mustBeGiven(field),
    nullable: field.nullable === true || patch?.clearable.includes(field) === true,
  }));

/** Fields of several derived documents may have the same name, which a form has once. */
const eachName = (fields: readonly Field[]): readonly Field[] => [
  ...new Map(fields.toReversed().map((field) => [field.name, field])).values().toArray().toReversed(),
];

/** Fills in an example of a field. */
export function fill(entered: Entered, field: Field, path: string, value: ExampleValue | undefined): void {
  if (value === undefined) return;
  if (value === null) {
    entered.set(keyOf('x', path), 'on');
    return;
  }
  const { type } = field;
  if (!isCollection(type)) {
    fillOne(entered, field, path, value);
    return;
  }
  const entries = type.kind === 'list' ? (value as readonly ExampleValue[]) : Object.values(value as ExampleDocument);
  const keys = type.kind === 'map' ? Object.keys(value as ExampleDocument) : [];
  entered.set(keyOf('n', path), String(entries.length));
  for (const [index, entry] of entries.entries()) {
    if (keys[index] !== undefined) entered.set(keyOf('k', below(path, index)), keys[index]);
    fillOne(entered, entryField(field), below(path, index), entry);
  }
}

/** One value, or one entry of a collection. */
function fillOne(entered: Entered, field: Field, path: string, value: ExampleValue): void {
  const type = singleType(field.type);
  if (type.kind === 'document') {
    if (!isCollection(field.type)) entered.set(keyOf('n', path), '1');
    fillDocument(entered, type.document, path, value as ExampleDocument);
    return;
  }
  if (primitiveOf(type) !== 'binary') entered.set(keyOf('v', path), String(value));
  else keep(entered, path, { content: String(value), contentType: 'application/octet-stream', name: 'example' });
}

export function fillDocument(entered: Entered, document: Document, path: string, value: ExampleDocument): void {
  for (const { field } of formFields(document)) {
    if (value[field.name] === undefined || isLeftToReceiver(field)) continue;
    if (document.choice !== undefined) entered.set(keyOf('b', path), field.name);
    fill(entered, field, below(path, field.name), value[field.name]);
  }
}

/**
 * Whether a value of the example is the one that the receiver assumes anyway: a hint states it, and it is sent only if it is
 * entered.
 */
const isLeftToReceiver = ({ assumed, required, example }: Field): boolean =>
  assumed !== undefined && !required && example === undefined;

function keep(
  entered: Entered,
  path: string,
  { content, contentType, name }: { content: string; contentType: string; name: string },
): void {
  entered.set(keyOf('c', path), content);
  entered.set(keyOf('t', path), contentType);
  entered.set(keyOf('m', path), name);
}

/** Maximum number of bytes of one file, and of all files, that a page keeps until its form is sent again. */
const LARGEST_KEPT = 1024 * 1024;
const MOST_KEPT = 4 * LARGEST_KEPT;

/** A submitted form. */
export interface Sent {
  readonly entered: Entered;
  /** The files that were chosen now, by path. */
  readonly files: ReadonlyMap<string, MemoryAttachment>;
  /** Paths of files that are too large to be kept by the page: they must be chosen again. */
  readonly lost: ReadonlySet<string>;
}

export async function takeForm(form: URLSearchParams, uploaded: ReadonlyMap<string, File>): Promise<Sent> {
  const entered = new URLSearchParams(form);
  const files = new Map<string, MemoryAttachment>();
  const lost = new Set<string>();
  let room = MOST_KEPT;
  for (const [name, file] of uploaded) {
    if (!name.startsWith('f:')) continue;
    const path = name.slice(2);
    const contentType = file.type || 'application/octet-stream';
    const bytes = Buffer.from(await file.arrayBuffer());
    files.set(path, new MemoryAttachment(bytes, { contentType, name: file.name }));
    drop(entered, path, ['c', 't', 'm']);
    if (file.size > LARGEST_KEPT || file.size > room) lost.add(path);
    else keep(entered, path, { content: bytes.toString('base64'), contentType, name: file.name });
    room -= file.size;
  }
  return { entered, files, lost };
}

function drop(entered: Entered, path: string, parts: readonly Part[]): void {
  for (const part of parts) entered.delete(keyOf(part, path));
}

/** Changes the form as the pressed button states: `add:LOC_DATA`, `remove:LOC_DATA/2`, `choose:PAYMENT`, `clear:LOGO`. */
export function change(entered: Entered, what: string, fieldAt: (path: string) => Field | undefined): void {
  const [, act = '', path = ''] = /^(\w+):(.*)$/s.exec(what) ?? [];
  if (act === 'clear') drop(entered, path, ['c', 't', 'm']);
  else if (act === 'remove') remove(entered, path, fieldAt);
  else if (act === 'choose') {
    const at = below(path, entered.get(keyOf('b', path)) ?? '');
    const branch = fieldAt(at);
    if (branch !== undefined) fill(entered, branch, at, exampleField(branch));
  } else if (act === 'add') add(entered, path, fieldAt(path));
}

/** Adds an entry to a list or a map, or an optional document, with its example. */
function add(entered: Entered, path: string, field: Field | undefined): void {
  if (field === undefined) return;
  const example = exampleField(field);
  if (!isCollection(field.type)) {
    entered.set(keyOf('n', path), '1');
    fill(entered, field, path, example);
    return;
  }
  const count = countOf(entered, path);
  if (count === MOST_ENTRIES) return;
  entered.set(keyOf('n', path), String(count + 1));
  const [entry] = Object.entries((example ?? {}) as ExampleDocument);
  if (field.type.kind === 'map') entered.set(keyOf('k', below(path, count)), entry?.[0] ?? '');
  if (entry !== undefined) fillOne(entered, entryField(field), below(path, count), entry[1]);
}

/** Removes an optional document, or an entry; the entries after it move up. */
function remove(entered: Entered, path: string, fieldAt: (path: string) => Field | undefined): void {
  const [, list = '', position = ''] = /^(.*)\/(\d+)$/s.exec(path) ?? [];
  const around = position === '' ? undefined : fieldAt(list);
  const isEntry = around !== undefined && isCollection(around.type);
  const moved = [...entered].flatMap(([key, text]): [string, string][] => {
    const [part, at] = [key.slice(0, 2), key.slice(2)];
    if (at === path || at.startsWith(`${path}/`)) return isEntry || at !== path ? [] : [[`n:${path}`, '0']];
    if (!isEntry || !at.startsWith(`${list}/`)) return [[key, text]];
    const [step = '', ...rest] = at.slice(list.length + 1).split('/');
    if (Number(step) < Number(position)) return [[key, text]];
    return [[`${part}${[list, Number(step) - 1, ...rest].join('/')}`, text]];
  });
  for (const key of new Set(entered.keys())) entered.delete(key);
  for (const [key, text] of moved) entered.append(key, text);
  if (isEntry) entered.set(keyOf('n', list), String(Math.max(0, countOf(entered, list) - 1)));
}

/** The values of a form, and by path the reasons why some could not be read. */
export interface ReadForm {
  readonly value: DocumentValue;
  readonly errors: ReadonlyMap<string, string>;
}

export function readForm(
  { entered, files }: Sent,
  groups: readonly { readonly fields: readonly FormField[]; readonly isChoice: boolean }[],
): ReadForm {
  const errors = new Map<string, string>();
  const reader: Reader = { entered, files, errors };
  const value: Record<string, Value> = {};
  for (const { fields, isChoice } of groups) readFields(reader, fields, '', isChoice, value);
  return { value, errors };
}

interface Reader {
  readonly entered: Entered;
  readonly files: Sent['files'];
  readonly errors: Map<string, string>;
}

function readFields(
  reader: Reader,
  fields: readonly FormField[],
  path: string,
  isChoice: boolean,
  into: Record<string, Value>,
): void {
  const branch = isChoice ? branchOf(reader.entered, fields, path) : undefined;
  for (const each of fields) {
    if (isChoice && each !== branch) continue;
    const value = readField(reader, isChoice ? { ...each, required: true } : each, below(path, each.field.name));
    if (value !== undefined) setMember(into, each.field.name, value);
  }
}

/** The chosen branch of a choice; the first by default. */
export const branchOf = (entered: Entered, fields: readonly FormField[], path: string): FormField | undefined =>
  fields.find(({ field }) => field.name === entered.get(keyOf('b', path))) ?? fields[0];

function readField(reader: Reader, { field, required, nullable }: FormField, path: string): Value {
  const { entered, errors } = reader;
  const { type } = field;
  if (nullable && entered.has(keyOf('x', path))) return null;
  if (!isCollection(type)) {
    if (type.kind === 'document' && !required && countOf(entered, path) === 0) return undefined;
    const value = readOne(reader, field, path);
    if (value === undefined && required && !errors.has(path)) errors.set(path, 'is required');
    return value;
  }
  const count = countOf(entered, path);
  if (count === 0) return required ? (type.kind === 'list' ? [] : {}) : undefined;
  const entry = entryField(field);
  const values = Array.from({ length: count }, (_, index) => {
    const at = below(path, index);
    const value = readOne(reader, entry, at);
    // An empty line is an entry of a list of texts if the text may be empty.
    if (value === undefined && !errors.has(at)) return readText(reader, entry, at, '');
    return value;
  });
  if (type.kind === 'list') return values;
  const map: Record<string, Value> = {};
  for (const [index, value] of values.entries())
    setMember(map, entered.get(keyOf('k', below(path, index))) ?? '', value);
  return map;
}

function readOne(reader: Reader, field: Field, path: string): Value {
  const type = singleType(field.type);
  const { entered, files } = reader;
  if (type.kind === 'document') {
    const { document } = type;
    const value: Record<string, Value> = {};
    readFields(reader, formFields(document), path, document.choice !== undefined, value);
    return value;
  }
  if (primitiveOf(type) === 'binary') return files.get(path) ?? keptFile(entered, path);
  const text = (entered.get(keyOf('v', path)) ?? '').replaceAll('\r\n', '\n');
  return text === '' ? undefined : readText(reader, field, path, text);
}

function readText({ errors }: Reader, field: Field, path: string, text: string): Value {
  const type = singleType(field.type);
  if (type.kind === 'document' || primitiveOf(type) === 'binary') {
    errors.set(path, 'is required');
    return undefined;
  }
  // Browsers omit seconds that are zero.
  const given = primitiveOf(type) === 'time' && /^\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  try {
    return compileText({ ...field, type })(given);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    errors.set(path, error.reason);
    return undefined;
  }
}

function keptFile(entered: Entered, path: string): MemoryAttachment | undefined {
  const content = entered.get(keyOf('c', path));
  if (content === null) return undefined;
  return new MemoryAttachment(Buffer.from(content, 'base64'), {
    contentType: entered.get(keyOf('t', path)) ?? 'application/octet-stream',
    name: entered.get(keyOf('m', path)) ?? undefined,
  });
}

/** The field at a path below some fields. */
export function findField(fields: readonly FormField[], path: string): Field | undefined {
  let within: readonly Field[] = fields.map(({ field }) => field);
  let found: Field | undefined;
  for (const step of path.split('/')) {
    if (found !== undefined && isCollection(found.type) && /^\d+$/.test(step)) {
      found = { ...entryField(found), type: found.type.item, required: true };
    } else {
      found = within.find(({ name }) => name === step);
    }
    if (found === undefined) return undefined;
    const type = found.type;
    within = type.kind === 'document' ? type.document.fields : [];
  }
  return found;
}
