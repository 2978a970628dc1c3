import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMediaType } from '../../../src/wire/media-type.ts';
import {
  cidOf,
  contentIdOf,
  hrefOf,
  isInclude,
  isRelated,
  newContentId,
  readRelatedType,
  relatedContentType,
  XOP_MEDIA_TYPE,
  XOP_NAMESPACE,
  XopError,
} from '../../../src/wire/soap/xop.ts';
import type { XmlElement } from '../../../src/wire/xml/tree.ts';

describe('isInclude', () => {
  const element = (local: string, namespace: string, prefix: string): XmlElement => ({
    local,
    namespace,
    prefix,
    attributes: [],
    content: [],
    line: 1,
    column: 1,
    namespaceOf: () => undefined,
  });

  it('goes by name and namespace, never by prefix', () => {
    expect(isInclude(element('Include', XOP_NAMESPACE, ''))).toBe(true);
    expect(isInclude(element('Include', XOP_NAMESPACE, 'inc'))).toBe(true);
    expect(isInclude(element('Include', '', 'xop'))).toBe(false);
    expect(isInclude(element('Include', 'http://www.w3.org/2003/12/xop/include', 'xop'))).toBe(false);
    expect(isInclude(element('include', XOP_NAMESPACE, 'xop'))).toBe(false);
  });
});

describe('ids', () => {
  it.each([
    ['<a@b>', 'a@b'],
    ['  < a@b >\t', 'a@b'],
    ['a@b', 'a@b'],
    ['<>', ''],
    ['<a', '<a'],
    ['<1.urn:uuid:4922@apache.org>', '1.urn:uuid:4922@apache.org'],
    ['<x@http%3A%2F%2Fcxf.apache.org%2F>', 'x@http://cxf.apache.org/'],
    ['<foo4%foo1@bar.net>', 'foo4%foo1@bar.net'],
    ['<a%ff>', 'a%ff'],
  ])('Content-ID: %s is %s', (header, id) => {
    expect(contentIdOf(header)).toBe(id);
  });

  it.each([
    ['cid:a@b', 'a@b'],
    ['cid:a%40b', 'a@b'],
    [' CID:a@b\n', 'a@b'],
    ['cid:1.urn:uuid:4922@apache.org', '1.urn:uuid:4922@apache.org'],
    ['cid:http%3A%2F%2Ftempuri.org%2F1%2F6350', 'http://tempuri.org/1/6350'],
    ['cid:gr%C3%BC%C3%9Fe', 'grüße'],
    ['cid:a+b', 'a+b'],
  ])('%s names %s', (href, id) => {
    expect(cidOf(href)).toBe(id);
  });

  it.each([
    ['<foo4%foo1@bar.net>', 'cid:foo4%25foo1@bar.net', 'RFC 2392'],
    ['<foo4%25foo1@bar.net>', 'cid:foo4%25foo1@bar.net', 'RFC 2392 before its erratum'],
    ['<u@http%3A%2F%2Fcxf.apache.org%2F>', 'cid:u@http%3A%2F%2Fcxf.apache.org%2F', 'Apache CXF'],
    ['<u@urn:us:gov>', 'cid:u@urn%3Aus%3Agov', 'Apache CXF since 3.5.4'],
    ['<http://tempuri.org/1/6350>', 'cid:http%3A%2F%2Ftempuri.org%2F1%2F6350', 'WCF'],
    ['<be43@niem.gov>', 'cid:be43%40niem.gov', 'Spring-WS'],
    ['be43@niem.gov', 'cid:be43@niem.gov', 'no angle brackets'],
  ])('Content-ID: %s is what %s names (%s)', (header, href) => {
    expect(cidOf(href)).toBe(contentIdOf(header));
  });

  it.each([
    ['http://intranet/secret?token=1', 'it includes a http: URL, not a cid:'],
    ['file:///etc/passwd', 'it includes a file: URL, not a cid:'],
    ['HTTPS://x', 'it includes a https: URL, not a cid:'],
    ['mid:a@b/c@d', 'it includes a mid: URL, not a cid:'],
    ['cid', 'it includes a URL without a scheme, not a cid:'],
    ['#1', 'it includes a URL without a scheme, not a cid:'],
    ['', 'it includes a URL without a scheme, not a cid:'],
    [`${'x'.repeat(1000)}:y`, 'it includes a URL without a scheme, not a cid:'],
    ['cid:', 'it includes a cid: URL that names nothing'],
    ['cid:%', 'it includes a cid: URL that is not percent-encoded UTF-8'],
    ['cid:%zz', 'it includes a cid: URL that is not percent-encoded UTF-8'],
    ['cid:%ff', 'it includes a cid: URL that is not percent-encoded UTF-8'],
    ['cid:a%00', 'it includes a cid: URL that is not percent-encoded UTF-8'],
  ])('refuses %s', (href, reason) => {
    expect(() => cidOf(href)).toThrow(new XopError(reason));
  });

  it.each([
    ['a@b', 'cid:a@b'],
    ['1.urn:uuid:4@x', 'cid:1.urn%3Auuid%3A4@x'],
    ['foo4%foo1@bar.net', 'cid:foo4%25foo1@bar.net'],
    ['a b/c?d#e', 'cid:a%20b%2Fc%3Fd%23e'],
  ])('%s is written %s', (id, href) => {
    expect(hrefOf(id)).toBe(href);
  });

  it('are found again through their URLs', () => {
    const id = fc
      .string({ unit: fc.constantFrom(...'ab@.%25<:/ é€\u{1f600}'), minLength: 1 })
      .filter((each) => each.trim() !== '');
    fc.assert(
      fc.property(id, (given) => {
        expect(cidOf(hrefOf(given))).toBe(contentIdOf(given));
      }),
    );
  });

  it('are new each time, and need no encoding', () => {
    const ids = Array.from({ length: 100 }, newContentId);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) {
      expect(hrefOf(id)).toBe(`cid:${id}`);
      expect(cidOf(hrefOf(id))).toBe(id);
    }
  });
});

describe('multipart/related', () => {
  const read = (contentType: string) => readRelatedType(parseMediaType(contentType)!);

  it.each([
    [
      'multipart/related; boundary="uuid:c1f3:1+id=2"; type="application/xop+xml"; start="<root@x>"; start-info="text/xml"',
      { boundary: 'uuid:c1f3:1+id=2', type: XOP_MEDIA_TYPE, start: 'root@x', startInfo: 'text/xml' },
    ],
    [
      'Multipart/Related;boundary=MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507;\ttype="application/xop+xml";\tstart="<0.urn:uuid:4922@apache.org>"; start-info="application/soap+xml; action=\\"urn:x\\""',
      {
        boundary: 'MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507',
        type: XOP_MEDIA_TYPE,
        start: '0.urn:uuid:4922@apache.org',
        startInfo: 'application/soap+xml; action="urn:x"',
      },
    ],
    [
      'multipart/related; boundary=----=_Part_4_701508.1145579811786; type=text/xml; start=<echo.xml>',
      { boundary: '----=_Part_4_701508.1145579811786', type: 'text/xml', start: 'echo.xml' },
    ],
    ['multipart/related; boundary=b; start=""; type="Text/XML; charset=utf-8"', { boundary: 'b', type: 'text/xml' }],
    ['multipart/related; boundary=b; type=XML', { boundary: 'b', type: 'xml' }],
  ])('%s', (contentType, expected) => {
    expect(isRelated(parseMediaType(contentType)!)).toBe(true);
    expect(read(contentType)).toEqual(expected);
  });

  it.each([
    ['multipart/related; type="text/xml"', 'its Content-Type is wrong: its boundary is missing'],
    ['multipart/related; boundary=""', 'its Content-Type is wrong: its boundary is empty'],
    [
      `multipart/related; boundary=${'x'.repeat(71)}`,
      'its Content-Type is wrong: its boundary has 71 characters, of at most 70',
    ],
  ])('refuses %s', (contentType, reason) => {
    expect(() => read(contentType)).toThrow(new XopError(reason));
  });

  it('is no other multipart type', () => {
    expect(isRelated(parseMediaType('multipart/form-data; boundary=b')!)).toBe(false);
    expect(isRelated(parseMediaType('application/xop+xml')!)).toBe(false);
  });

  it('is written with everything quoted, and read again', () => {
    const given = {
      boundary: '----=_Part_1',
      start: 'a@b',
      type: XOP_MEDIA_TYPE,
      startInfo: 'application/soap+xml; action="x\\y"',
    };
    const written = relatedContentType(given);
    expect(written).toBe(
      'multipart/related; type="application/xop+xml"; start="<a@b>"; ' +
        'start-info="application/soap+xml; action=\\"x\\\\y\\""; boundary="----=_Part_1"',
    );
    expect(read(written)).toEqual(given);
    expect(relatedContentType({ boundary: 'b' })).toBe('multipart/related; boundary="b"');
  });

  it.each(['a\r\nB: c', 'é', '\0'])('is not written with %j', (startInfo) => {
    expect(() => relatedContentType({ boundary: 'b', startInfo })).toThrow(TypeError);
  });
});
