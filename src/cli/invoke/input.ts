import { fromBase64 } from '../../codec/binary.ts';
import {
  CodecError,
  compileDocument,
  compileJsonField,
  compileList,
  compileText,
  readJsonMember,
} from '../../codec/index.ts';
import { carryDigits, keepDigits } from '../../codec/json/digits.ts';
import type { Segment } from '../../invoke/index.ts';
import { everyField } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Message, RawKind } from '../../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { propose } from '../find.ts';
import { fileContent, fileSegment, fileText, readFileName } from './files.ts';

/** The arguments for the input of an operation. */
export interface GivenInput {
  /** `name=value`, `name=@file`. */
  readonly values: readonly string[];
  /** A file with JSON, or with content if the request has no document; `-` is standard input. */
  readonly input: string | undefined;
  /** `file`, `file;type=media/type`, `file;base64`. */
  readonly segments: readonly string[];
}

/** The segments of a request, in order. */
export async function readSegments({ segments }: GivenInput): Promise<Segment[]> {
  return Promise.all(segments.map((text) => fileSegment(readFileName(text))));
}

/** Reads the input of an operation. The writer of the request checks the rest. @throws CliFailure */
export async function readInput(request: Message, given: GivenInput): Promise<DocumentValue> {
  const texts = readValues(given.values);
  checkStandardInput(given);
  try {
    if (request.kind === 'document') return await readDocument(request.document, texts, given.input);
    if (request.kind === 'raw') return await readRaw(request.raw, texts, given.input);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new CliFailure(`the input is not valid: ${error.message}`, { exitCode: 2, cause: error });
  }
  if (texts.size > 0 || given.input !== undefined) throw wrongUsage('the operation has no input');
  return {};
}

/** Standard input can be read only once. */
function checkStandardInput({ values, input, segments }: GivenInput): void {
  const named = values.map((text) => text.slice(text.indexOf('=') + 1)).filter((text) => text.startsWith('@'));
  const files = [...named.map((text) => text.slice(1)), ...(input === undefined ? [] : [input]), ...segments];
  if (files.filter((file) => file === '-' || file.startsWith('-;')).length > 1)
    throw wrongUsage('standard input is used twice', 'It can be read only once.');
}

/** Texts by name, in the order in which the names first appear. */
function readValues(values: readonly string[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const text of values) {
    const equals = text.indexOf('=');
    if (equals <= 0) throw wrongUsage(`${JSON.stringify(text)} is not a value`, 'Write NAME=VALUE or NAME=@FILE.');
    const name = text.slice(0, equals);
    texts.set(name, [...(texts.get(name) ?? []), text.slice(equals + 1)]);
  }
  return texts;
}

async function readDocument(
  document: Document,
  texts: ReadonlyMap<string, readonly string[]>,
  input: string | undefined,
): Promise<DocumentValue> {
  const known = new Map(everyField(document).map((field) => [field.name, field]));
  for (const name of texts.keys()) {
    if (known.has(name)) continue;
    throw wrongUsage(`the request has no field ${name}`, propose(name, known.keys()) ?? describeFields(document));
  }
  const value: Record<string, Value> = {};
  if (input !== undefined) {
    const read = readJson(document, texts, await fileText(readFileName(input)));
    carryDigits(read, Object.assign(value, read));
  }
  const contentType = contentTypeIn(document, texts, value);
  for (const [name, given] of texts) await readField(known.get(name) as Field, given, contentType, value);
  return value;
}

/** Reads the document from JSON. Fields of the command line may be absent from it. */
function readJson(document: Document, texts: ReadonlyMap<string, unknown>, text: string): DocumentValue {
  const fields = document.fields.map((field) => (texts.has(field.name) ? { ...field, required: false } : field));
  return compileDocument({ ...document, fields }, { namespace: '' }).fromJson(text);
}

/** The media type for files without one: from a field of that name. */
function contentTypeIn(
  { fields }: Document,
  texts: ReadonlyMap<string, readonly string[]>,
  value: DocumentValue,
): string | undefined {
  const field = fields.find(({ name }) => /^content_?type$/i.test(name));
  if (field === undefined) return undefined;
  const type = texts.get(field.name)?.[0] ?? value[field.name];
  return typeof type === 'string' && !type.startsWith('@') ? type : undefined;
}

/** Reads a field into the object that it is a member of. */
async function readField(
  field: Field,
  texts: readonly string[],
  contentType: string | undefined,
  into: Record<string, Value>,
): Promise<void> {
  const { name, type } = field;
  const item = singleType(type);
  const [first = ''] = texts;
  if (type.kind !== 'list' && texts.length > 1) throw wrongUsage(`${name} is given twice`);
  if (item.kind === 'document' || type.kind === 'map') {
    if (texts.length > 1) throw wrongUsage(`${name} is given twice`, 'It takes JSON.');
    into[name] = compileJsonField(field)(await textOf(first));
    return;
  }
  if (primitiveOf(item) === 'binary' && first.startsWith('@')) {
    const files = await Promise.all(texts.map((text) => fileOf(text, contentType)));
    into[name] = type.kind === 'list' ? files : files[0];
    return;
  }
  const plain = (text: string): string => (primitiveOf(item) === 'binary' ? unlined(text) : text);
  const values = (await Promise.all(texts.map(textOf))).map(plain);
  if (type.kind === 'list') {
    const list = compileList(field)(values) as readonly Value[];
    into[name] = list;
    if (primitiveOf(item) === 'json') for (const [i, each] of list.entries()) keepNumber(list, i, each, values[i]);
    return;
  }
  into[name] = compileText(field)(values[0] as string);
  if (primitiveOf(item) === 'json') keepNumber(into, name, into[name], values[0]);
}

/** A number that is any JSON is sent with the digits that it was given with; one inside an object or a list is anyway. */
function keepNumber(container: object, step: string | number, value: Value, text = ''): void {
  if (typeof value === 'number' || typeof value === 'bigint') keepDigits(container, step, value, text.trim());
}

/** Base64 may be in lines, as programs write it. */
function unlined(base64: string): string {
  return base64.replace(/[\r\n\t ]+/g, '');
}

async function fileOf(text: string, otherwise: string | undefined): Promise<Attachment> {
  const file = readFileName(text.slice(1));
  return fileContent({ ...file, contentType: file.contentType ?? otherwise });
}

/** `@file` is the text of a file, `@@` an at sign; anything else is the text itself. */
async function textOf(text: string): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1);
  return text.startsWith('@') ? fileText({ path: text.slice(1), contentType: undefined }) : text;
}

async function readRaw(
  raw: RawKind,
  texts: ReadonlyMap<string, readonly string[]>,
  input: string | undefined,
): Promise<DocumentValue> {
  for (const name of texts.keys()) {
    if (name !== 'content') throw wrongUsage(`the request is ${raw} and has no field ${name}`, 'Pass content=@FILE.');
  }
  const given = [...(texts.get('content') ?? []), ...(input === undefined ? [] : [`@${input}`])];
  if (given.length > 1) throw wrongUsage('the content is given twice');
  const [text] = given;
  if (text === undefined) throw wrongUsage('the content is missing', 'Pass content=@FILE.');
  if (raw === 'json') return readJsonMember('content', await textOf(text));
  if (raw !== 'binary') return { content: await textOf(text) };
  if (text.startsWith('@') && !text.startsWith('@@')) return { content: await fileOf(text, undefined) };
  try {
    return { content: fromBase64(unlined(text)) };
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw wrongUsage(`content ${cause.reason}`, 'Pass content=@FILE, or the Base64 text of the content.');
  }
}

function describeFields({ fields }: Document): string {
  const shown = fields.map(({ name, type, required }) => `${name} ${type.kind}${required ? ', required' : ''}`);
  return shown.length === 0 ? 'It has no fields.' : `Its fields: ${shown.join('; ')}.`;
}
