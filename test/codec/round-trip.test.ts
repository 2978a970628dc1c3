import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { CodecError, compileDocument, compileText, compileTextWriter } from '../../src/codec/index.ts';
import type { Value } from '../../src/model/value.ts';
import { cases, decimal, documents, integer, kinds, scalar, xmlCases } from './arbitraries.ts';
import { document, field } from './support.ts';

describe('round trips', () => {
  it('fromJson(toJson(x)) is x, for any document and value', () => {
    fc.assert(
      fc.property(cases, ({ of, value }) => {
        const codec = compileDocument(of, { namespace: 'urn:x' });
        const json = codec.toJson(value);
        const read = codec.fromJson(json);
        expect(read).toEqual(value);
        expect(codec.toJson(read)).toBe(json);
      }),
      { numRuns: 150 },
    );
  });

  it('what is written in another order is the same', () => {
    fc.assert(
      fc.property(cases, ({ of, value }) => {
        const codec = compileDocument(of, { namespace: 'urn:x' });
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(codec.toJson(reversed)).toBe(codec.toJson(value));
      }),
    );
  });

  it('XML is well-formed', () => {
    fc.assert(
      fc.property(xmlCases, ({ of, value }) => {
        expect(XMLValidator.validate(compileDocument(of, { namespace: 'urn:x' }).toXml(value))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('a value as text is read as the value', () => {
    const any = scalar().chain(({ type, value }) => value.map((v) => ({ type, value: v })));
    fc.assert(
      fc.property(any, ({ type, value }) => {
        const of = field('X', type);
        expect(compileTextWriter(of)(value as Value).map(compileText(of))).toEqual([value]);
      }),
    );
  });

  it('decimals and integers keep every digit in JSON', () => {
    const codec = compileDocument(document('D', [field('D', 'decimal'), field('I', 'integer')]), { namespace: '' });
    fc.assert(
      fc.property(decimal, integer, (d, i) => {
        const json = codec.toJson({ D: d, I: i });
        expect(json).toBe(`{"D":${d},"I":${i}}`);
        expect(codec.fromJson(json)).toEqual({ D: d, I: i });
      }),
    );
  });

  it('any JSON is read or refused by a CodecError, never otherwise', () => {
    const any = fc.tuple(
      documents(1),
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((j) => `{"DOC":${j}}`),
        fc.dictionary(fc.string(), fc.jsonValue()).map((v) => JSON.stringify(v)),
      ),
    );
    fc.assert(
      fc.property(any, ([{ of }, given]) => {
        const codec = compileDocument(of, { namespace: '' });
        try {
          codec.fromJson(given);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('any text is read or refused by a CodecError, never otherwise', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: 'binary' }), (kind, given) => {
        try {
          compileText(field('X', kind))(given);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 150 },
    );
  });
});
