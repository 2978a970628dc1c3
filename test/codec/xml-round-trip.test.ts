import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAttachment, type MemoryAttachment } from '../../src/codec/binary.ts';
import { CodecError, compileDocument } from '../../src/codec/index.ts';
import { kindsOf } from '../../src/model/derivation.ts';
import type { Document } from '../../src/model/document.ts';
import type { FieldType } from '../../src/model/field.ts';
import type { Attachment, DocumentValue, Value } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { carried, cases, documents } from './arbitraries.ts';

/** A value without what XML has no form for: a list without an element of its own that is empty, and needn't be there. */
function written(value: Value, type: FieldType): Value {
  if (value === undefined || value === null) return value;
  if (type.kind === 'list') return (value as readonly Value[]).map((entry) => written(entry, type.item));
  if (type.kind === 'map')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each as Value, type.item)]));
  if (type.kind !== 'document') return value;
  const { document } = type;
  const by = document.kinds?.by.name;
  const kind = kindIn(document, value as DocumentValue);
  const members = Object.entries(value as DocumentValue).flatMap(([name, member]) => {
    if (name === by) return [[name, member] as const];
    const { type: of, required } = kind.fields.find((each) => each.name === name)!;
    const gone = of.kind === 'list' && of.flat && !required && (member as readonly Value[]).length === 0;
    return gone ? [] : [[name, written(member, of)] as const];
  });
  return Object.fromEntries(members);
}

const options = fc.record(
  {
    namespace: fc.constantFrom('', 'urn:service'),
    root: fc.record({
      name: fc.constantFrom('DOC', 'wrapper'),
      namespace: fc.constantFrom('', 'urn:service', 'urn:a'),
    }),
  },
  { requiredKeys: ['namespace'] },
);

const inline = ({ bytes }: MemoryAttachment): string => Buffer.from(bytes).toString('base64');

describe('XML', () => {
  it('is read as the value that it was written from, which is what JSON gives', () => {
    fc.assert(
      fc.property(cases, options, ({ of, value }, given) => {
        const codec = compileDocument(of, given);
        const ready = carried(value) as DocumentValue;
        const read = codec.fromXml(readXml(codec.toXml(ready)));
        expect(read).toEqual(written(codec.fromJson(codec.toJson(ready)), { kind: 'document', document: of }));
      }),
      { numRuns: 150 },
    );
  });

  it('in pieces is the same with the content of its attachments in their places', () => {
    fc.assert(
      fc.property(cases, options, ({ of, value }, given) => {
        const codec = compileDocument(of, given);
        const ready = carried(value) as DocumentValue;
        const texts = codec
          .toXmlPieces(ready)
          .map((each) => (isAttachment(each) ? inline(each as MemoryAttachment) : each));
        // Whether an attachment is empty is not known before it is read.
        expect(texts.join('').replace(/(<([^\s<>/]+)[^<>]*)(?<!\/)><\/\2>/g, '$1/>')).toBe(codec.toXml(ready));
      }),
      { numRuns: 100 },
    );
  });

  it('in pieces leaves streams unread, in the order of the document', () => {
    fc.assert(
      fc.property(cases, ({ of, value }) => {
        const streams: Attachment[] = [];
        const ready = streaming(carried(value), { kind: 'document', document: of }, streams) as DocumentValue;
        const pieces = compileDocument(of, { namespace: 'urn:service' }).toXmlPieces(ready);
        expect(pieces.filter((each) => typeof each !== 'string')).toEqual(streams);
        expect(pieces.every((each, i) => (typeof each === 'string') === (i % 2 === 0))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('of any other document is read or refused by a CodecError, never otherwise', () => {
    const any = fc.tuple(documents(1), cases);
    fc.assert(
      fc.property(any, ([{ of }, other]) => {
        const codec = compileDocument(of, { namespace: '' });
        const foreign = readXml(
          compileDocument(other.of, { namespace: '' }).toXml(carried(other.value) as DocumentValue),
        );
        try {
          codec.toXml(codec.fromXml(foreign));
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** A value with streams instead of its attachments, but in attributes; they are collected in the order of the fields. */
function streaming(value: Value, type: FieldType, streams: Attachment[]): Value {
  if (value === undefined || value === null) return value;
  if (type.kind === 'list') return (value as readonly Value[]).map((entry) => streaming(entry, type.item, streams));
  if (type.kind === 'binary') {
    const stream: Attachment = {
      contentType: `x-test/${streams.length}`,
      stream: () => {
        throw new Error('was read');
      },
    };
    streams.push(stream);
    return stream;
  }
  if (type.kind === 'map')
    return Object.fromEntries(
      Object.entries(value as DocumentValue).map(([key, each]) => [key, streaming(each, type.item, streams)]),
    );
  if (type.kind !== 'document') return value;
  const source = value as DocumentValue;
  const kind = kindIn(type.document, source);
  const members = kind.fields.map(({ name, attribute, type: of }) => {
    const member = Object.hasOwn(source, name) ? source[name] : undefined;
    return [name, attribute ? member : streaming(member, of, streams)] as const;
  });
  const by = type.document.kinds?.by.name;
  return Object.fromEntries(by === undefined ? members : [[by, source[by]], ...members]);
}

/** The document that a value is, where others may stand for the one that is expected. */
function kindIn(document: Document, value: DocumentValue): Document {
  const by = document.kinds?.by.name;
  return kindsOf(document).find(({ id }) => by !== undefined && id === value[by]) ?? document;
}
