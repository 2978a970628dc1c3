import { randomBytes } from 'node:crypto';
import { isAttachment, MemoryAttachment } from '../codec/binary.ts';
import { compileDocument } from '../codec/index.ts';
import { setMember } from '../codec/names.ts';
import { holdsKind } from '../codec/search.ts';
import type { Document } from '../model/document.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { encodeBase64Unbroken } from '../wire/base64.ts';
import { type CallContent, exactBytes, textContent } from './call-content.ts';
import type { HeldOf } from './call-held.ts';
import { compileShown } from './call-shown.ts';

/** How a document is written. */
export interface DocumentForm {
  readonly format: 'json' | 'xml';
  /** XML namespace of documents that name none. */
  readonly namespace: string;
}

/** @param undeclared members of the input that no field is declared for @throws CodecError */
export type DocumentWriter = (heldOf: HeldOf, undeclared: DocumentValue) => CallContent;

/** Compiles a body of fields. Content in it that is a stream is encoded as it is sent. */
export function compileDocumentContent(document: Document, { format, namespace }: DocumentForm): DocumentWriter {
  const write = writerOf(document, format, namespace);
  const mayHoldContent = holdsKind({ kind: 'document', document }, 'binary');
  const contentType = format === 'json' ? 'application/json' : 'application/xml';
  return (heldOf, undeclared) => {
    const value: Record<string, Value> = { ...undeclared };
    const masks = new Map<string, string>();
    let isPending = false;
    for (const field of document.fields) {
      const held = heldOf(field);
      if (held === undefined) continue;
      if (held.shown !== undefined) masks.set(field.name, held.shown);
      if (held.pending) isPending = true;
      else setMember(value, field.name, held.value);
    }
    const streams = new Map<string, Attachment>();
    const text = isPending ? '' : write((mayHoldContent ? withMarks(value, streams) : value) as DocumentValue);
    const content = streams.size === 0 ? textContent(text, contentType) : streamed(text, contentType, streams);
    const masked = (): Document => ({
      ...document,
      fields: document.fields.map((field) => (masks.has(field.name) ? { ...field, sensitive: true } : field)),
    });
    return {
      ...content,
      shown() {
        const form = compileShown(masked());
        const shown = { ...form.show(value), ...Object.fromEntries(masks) };
        return writerOf(form.document, format, namespace)(shown);
      },
      secrets: () => compileShown(masked()).secrets(value),
    };
  };
}

function writerOf(document: Document, format: DocumentForm['format'], namespace: string): (v: DocumentValue) => string {
  const codec = compileDocument(document, { namespace });
  return format === 'json' ? codec.toJson : codec.toXml;
}

/** Bytes of a mark; whole groups of base64, so that it is without padding. */
const MARK = 24;

/** The value with a mark in place of each stream, which is found again in the text by its base64. */
function withMarks(value: Value, streams: Map<string, Attachment>): Value {
  if (typeof value !== 'object' || value === null || value instanceof MemoryAttachment) return value;
  if (isAttachment(value)) {
    const mark = new MemoryAttachment(randomBytes(MARK));
    streams.set(Buffer.from(mark.bytes).toString('base64'), value);
    return mark;
  }
  if (Array.isArray(value)) return value.map((entry: Value) => withMarks(entry, streams));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, Value> = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, withMarks(member as Value, streams));
  return copy;
}

function streamed(text: string, contentType: string, streams: ReadonlyMap<string, Attachment>): CallContent {
  const pieces = piecesOf(text, streams);
  return {
    contentType,
    length: lengthOf(pieces),
    text: undefined,
    bytes: () => bytesOf(pieces),
    again: [...streams.values()].every(({ again }) => again === true),
    shown: () => text,
    secrets: () => [],
  };
}

type Pieces = readonly (string | Attachment)[];

function piecesOf(text: string, streams: ReadonlyMap<string, Attachment>): Pieces {
  const places = [...streams].map(([mark, attachment]) => ({ at: text.indexOf(mark), end: mark.length, attachment }));
  const pieces: (string | Attachment)[] = [];
  let from = 0;
  for (const { at, end, attachment } of places.toSorted((a, b) => a.at - b.at)) {
    pieces.push(text.slice(from, at), attachment);
    from = at + end;
  }
  return [...pieces, text.slice(from)];
}

function lengthOf(pieces: Pieces): number | undefined {
  let total = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') total += Buffer.byteLength(piece);
    else if (piece.length === undefined) return undefined;
    else total += Math.ceil(piece.length / 3) * 4;
  }
  return total;
}

async function* bytesOf(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else yield* encodeBase64Unbroken(exactBytes('content of the body', piece));
  }
}
