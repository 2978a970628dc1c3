import { describe, expect, it } from 'vitest';
import { compileOffers, parseMediaType } from '../../src/wire/media-type.ts';
import { expectWithin } from '../support/duration.ts';

describe('parseMediaType', () => {
  it.each([
    'text/plain; a="x\r\nSet-Cookie: y"',
    'text/plain\r\nX: y',
    'text/plain; a="x\u0000"',
    'text/plain; a="\u007f"',
  ])('takes no line break or other control character, which a header can not carry: %j', (given) => {
    expect(parseMediaType(given)).toBeUndefined();
  });

  it.each([
    ['text/plain', 'text/plain', {}],
    ['Text/HTML;Charset="utf-8"', 'text/html', { charset: 'utf-8' }],
    ['  application/json ; a=1 ;; b = 2'.replace(' = ', '='), 'application/json', { a: '1', b: '2' }],
    [
      'multipart/related; boundary="a;b,c\\"d\\\\"; type=text/xml'.replace('text/xml', '"text/xml"'),
      'multipart/related',
      { boundary: 'a;b,c"d\\', type: 'text/xml' },
    ],
    ['a/b;c=""', 'a/b', { c: '' }],
    [
      'Multipart/Related; boundary="uuid:8f2a:1+id=3"; start="<a@b>"; start-info="application/soap+xml; action=\\"x\\""',
      'multipart/related',
      { boundary: 'uuid:8f2a:1+id=3', start: '<a@b>', 'start-info': 'application/soap+xml; action="x"' },
    ],
    [
      'multipart/related; boundary=----=_Part_4_701508.1145579811786; type=text/xml;start=<echo.xml>',
      'multipart/related',
      { boundary: '----=_Part_4_701508.1145579811786', type: 'text/xml', start: '<echo.xml>' },
    ],
    ['a/b;c=1;C=2', 'a/b', { c: '1' }],
    ['application/vnd.x+json;', 'application/vnd.x+json', {}],
  ])('%s', (text, essence, parameters) => {
    const found = parseMediaType(text);
    expect(found?.essence).toBe(essence);
    expect(`${found?.type}/${found?.subtype}`).toBe(essence);
    expect(Object.fromEntries(found?.parameters ?? [])).toEqual(parameters);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/plain/x',
    'te xt/plain',
    'text/plain;a',
    'text/plain;a=',
    'text/plain;a="b',
    'text/plain, a/b',
    '*/*',
    'text/*',
    'text /plain',
    'a/b;c=1 2',
    'a/b;c=----=_Part_1',
    'multipart/related;boundary=a b',
    'multipart/related;boundary=',
  ])('refuses %j', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });
});

describe('compileOffers', () => {
  const xmlAndJson = compileOffers(['application/xml', 'application/json', 'text/csv']);

  it.each<[string | undefined, number | undefined, boolean]>([
    [undefined, 0, false],
    ['', 0, false],
    ['*/*', 0, false],
    ['application/json', 1, true],
    ['APPLICATION/JSON', 1, true],
    ['application/*', 0, false],
    ['text/*', 2, false],
    ['text/html', undefined, false],
    ['application/json, text/plain, */*', 1, true],
    ['*/*, application/json', 1, true],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 0, true],
    ['application/json;q=0.5, application/xml;q=0.4', 1, true],
    ['application/json;q=0.5, */*', 0, false],
    ['application/json;q=0', undefined, false],
    ['application/xml;q=0, */*', 1, false],
    ['application/xml;q=0, application/*', 1, false],
    ['*/*;q=0', undefined, false],
    ['*/*;q=0, text/csv', 2, true],
    ['application/json;charset=UTF-8', 1, true],
    ['application/json;charset=iso-8859-1', 1, true],
    ['application/json;version=2', 1, true],
    ['application/json;odata=nometadata;charset=utf-8', 1, true],
    ['application/json;version=2, text/csv', 2, true],
    ['application/json;version=2;q=0, application/json', 1, true],
    ['application/json;version=2;q=0', undefined, false],
    ['application/json;version=2, application/json;q=0', undefined, false],
    ['text/html;level=1', undefined, false],
    ['application/json;version=2, application/json;q=0.1', 1, true],
    ['application/json ; q=1.000 , application/xml', 1, true],
    ['application/json, application/xml, application/problem+json', 1, true],
    ['application/xml, application/json', 0, true],
    ['text/csv, application/json;q=0.9, application/xml', 2, true],
    ['text/*, application/json, application/xml', 1, true],
    ['application/json;q=0.5, application/xml;q=0.7', 0, true],
    ['application/json;q=0.001', 1, true],
    ['nonsense, application/json', 1, true],
    ['application/json;q=2, text/csv', 2, true],
    ['application/json;q=, text/csv', 2, true],
    ['application/json;q=0.1234, text/csv;q=0.1', 2, true],
    ['application/json;q=-1, text/csv;q=0.1', 2, true],
    ['*/json, text/csv', 2, true],
    ['application/json x, text/csv', 2, true],
    [', ,, text/csv ,', 2, true],
    ['nonsense', 0, false],
    ['a/b;x="\\", application/json", text/csv', 2, true],
    ['a/b;x="application/json, text/csv', 0, false],
  ])('Accept: %s gives offer %s, named: %s', (accept, index, explicit) => {
    const found = xmlAndJson(accept);
    expect(found).toEqual(index === undefined ? undefined : { index, explicit });
  });

  it('refuses a value of a parameter other than that of the offer, and takes parameters that no offer has', () => {
    const choose = compileOffers(['application/json;version=1', 'application/json;version=2']);
    expect(choose('application/json;version=2')).toEqual({ index: 1, explicit: true });
    expect(choose('application/json;version=2;indent=4')).toEqual({ index: 1, explicit: true });
    expect(choose('application/json;version=3')).toBeUndefined();
  });

  it('excludes the variant that q=0 names, whatever else is accepted, and no other', () => {
    const choose = compileOffers(['application/json;version=1', 'application/json;version=2']);
    expect(choose('application/json;version=1;q=0, application/json;indent=4')).toEqual({ index: 1, explicit: true });
    expect(choose('application/json;version=3;q=0, application/json')).toEqual({ index: 0, explicit: true });
    const one = compileOffers(['application/json;odata=nometadata']);
    expect(one('application/json;odata=nometadata;q=0, application/json')).toBeUndefined();
    expect(one('application/json;odata=verbose;q=0, application/json')).toEqual({ index: 0, explicit: true });
  });

  it('lets the more specific range decide the quality', () => {
    const choose = compileOffers(['text/html;level=1', 'text/html;level=2', 'text/plain']);
    const accept = 'text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5';
    expect(choose(accept)).toEqual({ index: 0, explicit: true });
    expect(choose('text/html;level=2, text/html;q=0.1')).toEqual({ index: 1, explicit: true });
    expect(choose('text/html;level=2;q=0, text/html;level=1;q=0, text/*;q=0.2')).toEqual({ index: 2, explicit: false });
  });

  it('offers nothing where there is nothing', () => {
    expect(compileOffers([])(undefined)).toBeUndefined();
    expect(compileOffers([])('text/plain')).toBeUndefined();
  });

  it('refuses an offer that is no media type', () => {
    expect(() => compileOffers(['json'])).toThrow(TypeError);
  });

  it.each([
    ['entries', 'a/b,'.repeat(16_000)],
    ['quotes', '"'.repeat(65_536)],
    ['open quotes', 'a/b;c="'.repeat(9_000)],
    ['parameters', `a/b${';c=d'.repeat(16_000)}`],
    ['semicolons', `a/b${';'.repeat(65_000)}`],
    ['commas', ','.repeat(65_536)],
    ['backslashes', `a/b;c="${'\\'.repeat(65_000)}`],
  ])('reads 64 KB of %s in linear time', (_, accept) => {
    expectWithin(300, () => xmlAndJson(accept));
  });
});
