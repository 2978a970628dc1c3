import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptedCodings, CODINGS } from '../../src/wire/accept-encoding.ts';
import { codedTag, uncodedTags } from '../../src/wire/entity-tag.ts';

describe('Accept-Encoding (RFC 9110, section 12.5.3)', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    [undefined, undefined, true],
    ['', undefined, true],
    [' , ,', undefined, true],
    ['gzip', 'gzip', true],
    ['x-gzip;q=0.5', 'gzip', true],
    ['compress, gzip', 'gzip', true],
    ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip', true],
    ['gzip;q=0', undefined, true],
    ['*;q=0', undefined, false],
    ['identity;q=0', undefined, false],
    ['*;q=0, identity', undefined, true],
    ['identity;q=0, *', 'gzip', false],
    ['*;q=0.8, gzip;q=0.5, br;q=0, zstd;q=0', undefined, true],
    ['*;q=0.5, gzip;q=0.8', 'gzip', true],
    ['gzip;q=0.001, identity;q=0.002', undefined, true],
    ['GZIP ; q=0.3', 'gzip', true],
    ['gzip;q=1.5', undefined, true],
    ['gzip;level=9', undefined, true],
    ['br;q=1.000, zstd;q=1', 'zstd', true],
  ])('%s', (header, coding, identity) => {
    expect(acceptedCodings(header)).toEqual({ coding, identity });
  });

  it('is read whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (header) => {
        const { coding } = acceptedCodings(header);
        expect(coding === undefined || CODINGS.includes(coding)).toBe(true);
      }),
    );
  });
});

describe('the tag of a representation in a coding', () => {
  it('is another strong one, and the same for what is saved', () => {
    expect(codedTag('"1.xml"', 'br')).toBe('"1.xml-br"');
    expect(codedTag('W/"1"', 'br')).toBe('W/"1"');
    expect(uncodedTags('"1-gzip", W/"2-br","3-zstd" , "4-other", *')).toBe('"1", W/"2","3" , "4-other", *');
  });
});
