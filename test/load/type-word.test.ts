import { describe, expect, it } from 'vitest';
import { parseTypeWord, typeText } from '../../src/load/document/field-type.ts';
import { SCALAR_KINDS } from '../../src/model/scalar.ts';

describe('a type in one word', () => {
  it.each(SCALAR_KINDS)('%s stands alone and in lists', (kind) => {
    expect(parseTypeWord(kind)).toEqual({ kind: 'scalar', list: false, type: { kind } });
    expect(parseTypeWord(`list of ${kind}`)).toEqual({ kind: 'scalar', list: true, type: { kind } });
  });

  it.each([
    ['string(10)', { kind: 'string', length: 10 }],
    ['string( 1 )', { kind: 'string', length: 1 }],
    ['decimal(10.2)', { kind: 'decimal', length: 10, scale: 2 }],
    ['decimal(10,2)', { kind: 'decimal', length: 10, scale: 2 }],
    ['decimal(5)', { kind: 'decimal', length: 5, scale: 0 }],
    ['decimal(2.2)', { kind: 'decimal', length: 2, scale: 2 }],
  ])('%s has a size', (text, type) => {
    expect(parseTypeWord(text)).toEqual({ kind: 'scalar', list: false, type });
  });

  it('is a document where it is no type', () => {
    expect(parseTypeWord('LOC_DTL_VW')).toEqual({ kind: 'document', list: false, id: 'LOC_DTL_VW' });
    expect(parseTypeWord('list  of  LOC_DTL_VW')).toEqual({ kind: 'document', list: true, id: 'LOC_DTL_VW' });
    expect(parseTypeWord('constructor')).toEqual({ kind: 'document', list: false, id: 'constructor' });
  });

  it.each([
    'string(0)',
    'string()',
    'string(-1)',
    'string(1.5)',
    'decimal(0)',
    'decimal(2.3)',
    'decimal()',
    'integer(5)',
    'list',
    'list of list of text',
  ])('%s is none', (text) => {
    expect(parseTypeWord(text)).toMatchObject({ kind: 'bad' });
  });

  it('is written as it is read', () => {
    for (const text of ['string', 'string(10)', 'decimal(10.2)', 'date']) {
      const word = parseTypeWord(text);
      expect(word.kind === 'scalar' && typeText(word.type)).toBe(text);
    }
  });
});
