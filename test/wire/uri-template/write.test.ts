import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileUriExpander } from '../../../src/wire/uri-template/expand.ts';
import {
  compileExpander,
  plainWriting,
  UriExpansionError,
  type UriValues,
  type UrlStyle,
} from '../../../src/wire/uri-template/expand-template.ts';
import { parseUriTemplate, UriTemplateError } from '../../../src/wire/uri-template/uri-template.ts';

type Styles = Readonly<Record<string, UrlStyle>>;

function write(text: string, values: UriValues, styles: Styles = {}, hostText = false): string {
  return compileUriExpander(parseUriTemplate(text), (v) => styles[v.name] ?? 'segment', { hostText })(values);
}

const upload =
  "{TenantName}.{document_host}/sites/{SiteName}/_api/web/GetFolderByServerRelativeURL('/sites/{SiteName}/{DocFolder}/')/Files/add(url='{FileName}',overwrite=true)";
const uploadStyles: Styles = { SiteName: 'odata', DocFolder: 'odata-path', FileName: 'odata' };
const uploadValues = {
  TenantName: 'contoso',
  document_host: 'sharepoint.example',
  SiteName: 'My Site',
  DocFolder: 'Shared Documents/2024 #1',
  FileName: "O'Neil & Söhne 100%.txt",
};

describe('compileUriExpander', () => {
  it('writes the upload path of a document library', () => {
    expect(write(upload, uploadValues, uploadStyles, true)).toBe(
      "contoso.sharepoint.example/sites/My%20Site/_api/web/GetFolderByServerRelativeURL('/sites/My%20Site/Shared%20Documents/2024%20%231/')/Files/add(url='O''Neil%20%26%20S%C3%B6hne%20100%25.txt',overwrite=true)",
    );
  });

  it.each<[string, UrlStyle, string, string]>([
    ['x/{a}', 'segment', "a/b'c %2F?#&", 'x/a%2Fb%27c%20%252F%3F%23%26'],
    ['x/{a}', 'path', "a/b'c %2F?#&", 'x/a/b%27c%20%252F%3F%23%26'],
    ['x/{a}', 'odata', "a/b'c %2F?#&", "x/a%2Fb''c%20%252F%3F%23%26"],
    ['x/{a}', 'odata-path', "a/b'c %2F?#&", "x/a/b''c%20%252F%3F%23%26"],
    ['x/{+a}', 'segment', "a/b'c %2F?#&", 'x/a/b%27c%20%252F%3F%23%26'],
    ['x?a={a}', 'segment', 'a/b&c+d%', 'x?a=a%2Fb%26c%2Bd%25'],
    ['x?a={+a}', 'segment', 'http://h/?a&b=c+d%41#,', 'x?a=http://h/?a%26b%3Dc%2Bd%2541%23%2C'],
    ['x?a={a}', 'odata', "'", "x?a=''"],
    ['x{?a}', 'odata', "'", 'x?a=%27%27'],
    ['x{/a}', 'odata', "'", 'x/%27%27'],
    ['x{?a}', 'path', 'a/b', 'x?a=a%2Fb'],
    ['x/{a:3}', 'path', 'a/bc', 'x/a/b'],
    ['x/{a:2}', 'odata', "a'b", "x/a''"],
    ['x/{a}', 'segment', '100%25', 'x/100%2525'],
    ['x#{a}', 'segment', '..', 'x#..'],
    ['x{#a}', 'segment', 'a?b', 'x#a?b'],
  ])('%s as %s: %s', (template, style, value, expected) => {
    expect(write(template, { a: value }, { a: style })).toBe(expected);
  });

  it.each([
    ['{a}.{b}/x', { a: 'h', b: 'example:8443' }, 'h.example:8443/x'],
    ['{a}', { a: 'localhost:1' }, 'localhost:1'],
    ['{a}?x={b}', { a: 'h:80', b: '/:1' }, 'h:80?x=%2F%3A1'],
    ['{a}{/b}', { a: 'h:80', b: 'c:d' }, 'h:80/c%3Ad'],
  ])('takes a port at the end of a host: %s', (template, values, expected) => {
    expect(write(template, values, {}, true)).toBe(expected);
  });

  it.each([
    ['{a}.{b}/x', { a: 'h:80', b: 'example' }, 'a'],
    ['{a}.example/x', { a: 'h:80' }, 'a'],
    ['{a}/x', { a: 'h:' }, 'a'],
    ['{a}/x', { a: 'h:123456' }, 'a'],
    ['{a}/x', { a: 'h:80:80' }, 'a'],
    ['{a}/x', { a: ':80' }, 'a'],
    ['{a}/x', { a: 'h.-i' }, 'a'],
  ])('takes none elsewhere, and no other: %s with %j', (template, values, variable) => {
    expect(() => write(template, values, {}, true)).toThrow(
      new UriExpansionError(variable, 'stands in a host name: letters, digits, dots and hyphens only'),
    );
  });

  it('encodes every item of a list once', () => {
    expect(write('x/{a}', { a: ['b/c', 'd,e'] }, { a: 'path' })).toBe('x/b/c,d%2Ce');
    expect(write('x{?a*}', { a: ['b', undefined, 2, null] })).toBe('x?a=b&a=2');
  });

  it.each([
    ['x/{a}', '..'],
    ['x/{a}', '.'],
    ['{a}/x', '..'],
    ['x/{a}/y', '..'],
    ['x{/a}', '..'],
    ['x/.{a}', '.'],
    ['x/{+a}', 'b/../c'],
    ['x/{+a}', '../c'],
    ['x/{+a}', 'b/.'],
    ['x/%2e{a}', '.'],
    ['x/{a}?b={a}', '..'],
    ['x/{a}', 'b/../c'],
    ['x/{a}', '..\\b'],
    ['x/{+a}', 'b\\..'],
    ["x/f('{a}')", 'b/../c'],
    ['x/{a}{;b}', '..'],
  ])('%s takes no %s', (template, value) => {
    expect(() => write(template, { a: value })).toThrow(UriExpansionError);
    expect(() => write(template, { a: value })).toThrow('into the path, which changes where it leads');
    expect(() => write(template, { a: value })).toThrow(expect.objectContaining({ variable: 'a' }));
  });

  it('names all variables of the path where several make the dots together', () => {
    expect(() => write('x/{a}{b}?c={c}', { a: '.', b: '', c: '' })).toThrow(expect.objectContaining({ variable: 'a' }));
    expect(() => write('x/{a}{.b}', { a: '', b: '' })).toThrow(expect.objectContaining({ variable: 'a, b' }));
  });

  it('lets dots be where they change nothing', () => {
    expect(write('x/{a}/{b}?c={c}{#d}', { a: '...', b: 'a..b', c: '../..', d: '/../' })).toBe(
      'x/.../a..b?c=..%2F..#/../',
    );
    expect(write('x/a{a}', { a: '..' })).toBe('x/a..');
  });

  it('adds no structure to a URI, whatever the value', () => {
    const styles = fc.constantFrom<UrlStyle>('segment', 'path', 'odata', 'odata-path');
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom('.', '..', '/', '%2e', '%2F', '?', '#', "'", '\\', '&', 'a')).map((p) => p.join('')),
    );
    fc.assert(
      fc.property(styles, value, value, (style, a, b) => {
        let uri: string;
        try {
          uri = write('p/{a}/q?r={b}', { a, b }, { a: style, b: style });
        } catch (error) {
          expect(error).toBeInstanceOf(UriExpansionError);
          return;
        }
        expect(uri).toMatch(/^[\x21-\x7e]*$/);
        expect(uri.match(/[#&]/g)).toBeNull();
        const parsed = new URL(`http://h/${uri}`);
        expect(`${parsed.pathname}${parsed.search === '' ? '?' : parsed.search}`.replaceAll("'", '%27').slice(1)).toBe(
          uri.replaceAll("'", '%27'),
        );
        const written = decodeURIComponent(parsed.pathname.slice('/p/'.length, -'/q'.length));
        expect(written.split(/[/\\]/).filter((segment) => segment === '.' || segment === '..')).toEqual([]);
        const kept = style.endsWith('path') ? a.replace(/^\/+|\/+$/g, '') : a;
        expect(written).toBe(style.startsWith('odata') ? kept.replaceAll("'", "''") : kept);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string, string]>([
    ['x/{a}/y', '/Shared Documents/', 'x/Shared%20Documents/y'],
    ['x/{a}/y', '//a//b//', 'x/a//b/y'],
    ['x/{a}', '/a/', 'x/a/'],
    ['x{a}/y', '/a/', 'x/a/y'],
    ["x('{a}')", '/a/', "x('/a/')"],
    ['x?p={a}/', '/a/', 'x?p=/a//'],
  ])('doubles no slash of %s with %j', (template, a, uri) => {
    for (const style of ['path', 'odata-path'] as const) expect(write(template, { a }, { a: style })).toBe(uri);
  });

  it('refuses a path of slashes alone', () => {
    expect(() => write('x/{a}/y', { a: '//' }, { a: 'path' })).toThrow('a consists of slashes only');
  });

  it('checks host text, and encodes it never', () => {
    expect(write('{a}.example/x', { a: 'my-tenant.eu1' }, {}, true)).toBe('my-tenant.eu1.example/x');
    for (const a of ['', 'a/b', 'a b', 'é', '-a', 'a-', 'a..b', 'a@b', 'a:80', 'a%2eb', 'a?b']) {
      expect(() => write('{a}.example/x', { a }, {}, true)).toThrow('a stands in a host name');
    }
    expect(write('{a}/x', { a: 'é' })).toBe('%C3%A9/x');
  });

  it.each(['.', '/', ';'])('refuses a path in {%sa}', (operator) => {
    expect(() => write(`x{${operator}a}`, {}, { a: 'path' })).toThrow(UriTemplateError);
    expect(() => write(`x{${operator}a}`, {}, { a: 'odata-path' })).toThrow('keeps no slashes');
  });
});

describe('compileExpander, to the letter of RFC 6570', () => {
  const expand = (text: string, values: UriValues) => compileExpander(parseUriTemplate(text), plainWriting)(values);

  it('lets reserved characters and octets through {+x}, but no stray %', () => {
    expect(expand('{+a}', { a: '/?#%2F%zz%' })).toBe('/?#%2F%25zz%25');
    expect(expand('{+a:2}', { a: '%41%42%43' })).toBe('%41%42');
  });

  it('takes each occurrence of a variable by itself', () => {
    expect(expand('{a:1}/{a}{?a}{&b}{;a}', { a: 'xyz' })).toBe('x/xyz?a=xyz;a=xyz');
    expect(() => expand('{?a:1,a}', {})).toThrow('occurs in it twice with different lengths');
  });

  it('takes no property that the values inherit', () => {
    expect(expand('{toString}{?__proto__,constructor}', {})).toBe('');
    expect(expand('{?__proto__}', JSON.parse('{"__proto__":"x"}'))).toBe('?__proto__=x');
    expect(expand('{?m*}', { m: JSON.parse('{"__proto__":"x"}') })).toBe('?__proto__=x');
  });

  it('writes numbers and booleans as JavaScript does, a bigint with all digits', () => {
    expect(expand('{a}/{b}/{c}', { a: 1.5, b: false, c: 12345678901234567890n })).toBe(
      '1.5/false/12345678901234567890',
    );
  });

  it('refuses what UTF-8 does not carry', () => {
    expect(() => expand('{a}', { a: '\ud800' })).toThrow(UriExpansionError);
    expect(() => expand('{a*}', { a: { '\ud800': 'x' } })).toThrow('half of a surrogate pair');
  });

  it('refuses a name that templates use themselves', () => {
    expect(() => expand('{?a%2Cb}', {})).toThrow(UriTemplateError);
    expect(expand('{a%2Cb}', { 'a%2Cb': 'x' })).toBe('x');
  });
});
