import { isAttachment } from '../../codec/binary.ts';
import {
  CodecError,
  compileJsonFieldWriter,
  compileTextWriter,
  initialValue,
  writeJsonText,
} from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import { type Field, isCollection, singleType } from '../../model/field.ts';
import { partKind } from '../../model/form.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { formDisposition } from '../../wire/multipart/content-disposition.ts';
import { freshBoundary, type PartToWrite, writeMultipart } from '../../wire/multipart/write.ts';
import { UNSENDABLE } from '../call/content.ts';

// Forms with a part for each field: multipart/form-data, RFC 7578.

/** A form that is about to be sent. */
export interface WrittenForm {
  /** With its boundary. */
  readonly contentType: string;
  /** In bytes; `undefined` when the length of a file is not known. */
  readonly length: number | undefined;
  /** Files are read as it is sent. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Whether it can be sent again. */
  readonly again: boolean;
}

/** @throws CodecError for a value that does not fit */
export type FormWriter = (value: DocumentValue) => WrittenForm;

/**
 * Compiles the writing of a form: fields in declared order; of a list, a part for each entry.
 * @param mediaType `multipart/form-data` or `multipart/mixed`
 * @param streamOf makes the stream of a file
 */
export function compileFormWriter(
  document: Pick<Document, 'fields' | 'open'>,
  mediaType: string,
  streamOf: (name: string, file: Attachment) => AsyncIterable<Uint8Array> = (_, file) => file.stream(),
): FormWriter {
  const writers = document.fields.map((field) => ({ field, write: compileFieldParts(field, streamOf) }));
  const declared = new Set(document.fields.map(({ name }) => name));
  return (value) => {
    const parts = writers.flatMap(({ field, write }) => {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const own = given === undefined || given === null ? initialValue(field) : given;
      if (own !== undefined) return write(own);
      if (field.required) throw new CodecError(field.name, 'is missing');
      return [];
    });
    for (const [name, each] of Object.entries(document.open ? value : {}))
      if (!declared.has(name) && each !== undefined)
        parts.push(textPart(name, typeof each === 'string' ? each : writeJsonText(each)));
    const files = Object.values(value)
      .flat()
      .filter((each) => isAttachment(each as Value)) as Attachment[];
    return { ...sealed(mediaType, parts), again: files.every(({ again }) => again === true) };
  };
}

function sealed(mediaType: string, parts: readonly PartToWrite[]): Omit<WrittenForm, 'again'> {
  const boundary = freshBoundary();
  const contentType = `${mediaType}; boundary="${boundary}"`;
  if (parts.length > 0) return { contentType, ...writeMultipart({ boundary, parts }) };
  // A form without fields has its end alone.
  const end = Buffer.from(`--${boundary}--\r\n`);
  return {
    contentType,
    length: end.byteLength,
    async *bytes() {
      yield end;
    },
  };
}

type PartsOf = (value: Value) => PartToWrite[];

function compileFieldParts(
  field: Field,
  streamOf: (name: string, file: Attachment) => AsyncIterable<Uint8Array>,
): PartsOf {
  const { type, jsonName, name } = field;
  const kind = partKind(field);
  const isList = type.kind === 'list';
  const entriesOf = (value: Value): readonly Value[] => {
    if (!isList) return [value];
    if (!Array.isArray(value)) throw new CodecError(name, 'is not a list');
    return value as readonly Value[];
  };
  if (kind === 'file') return (value) => entriesOf(value).map((each) => filePart(field, each, streamOf));
  if (kind === 'text') {
    const write = compileTextWriter(field);
    return (value) => write(value).map((text) => textPart(jsonName, text));
  }
  // Checked as a whole, written entry by entry.
  const whole = compileJsonFieldWriter(field);
  if (!isList) return (value) => [jsonPart(jsonName, whole(value))];
  const entry = compileJsonFieldWriter({ ...field, type: singleType(type) });
  return (value) => {
    whole(value);
    return entriesOf(value).map((each) => jsonPart(jsonName, entry(each)));
  };
}

function textPart(name: string, text: string): PartToWrite {
  if (!text.isWellFormed()) throw new CodecError(name, 'holds half of a surrogate pair, which UTF-8 does not carry');
  return { headers: { 'Content-Disposition': formDisposition({ name, filename: undefined }) }, content: text };
}

function jsonPart(name: string, text: string): PartToWrite {
  const headers = {
    'Content-Disposition': formDisposition({ name, filename: undefined }),
    'Content-Type': 'application/json',
  };
  return { headers, content: text };
}

function filePart(
  { name, jsonName, type }: Field,
  value: Value,
  streamOf: (name: string, file: Attachment) => AsyncIterable<Uint8Array>,
): PartToWrite {
  if (!isAttachment(value))
    throw new CodecError(name, `is not ${isCollection(type) ? 'a list of ' : ''}content with a stream`);
  const { contentType, length, name: filename = name } = value;
  if (typeof contentType !== 'string' || parseMediaType(contentType) === undefined || UNSENDABLE.test(contentType))
    throw new CodecError(name, `has the content type ${JSON.stringify(contentType)}, which is not valid`);
  return {
    headers: {
      'Content-Disposition': formDisposition({ name: jsonName, filename }),
      'Content-Type': sentMediaType(contentType, { name: filename }),
    },
    content: { length, stream: () => streamOf(name, value) },
  };
}
