import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEXICAL } from '../../src/wire/lexical.ts';
import { processorMs } from '../support/duration.ts';

const { uuid, uri } = LEXICAL;

describe('a UUID', () => {
  it.each([
    ['00000000-0000-0000-0000-000000000000'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['01920f0e-7b7b-7c3c-9a1b-3f0e5c8a1d2e'],
  ])('%s is one', (text) => {
    expect(uuid.read(text)).toBe(text);
  });

  it('is taken in any letter case, and kept in lower case', () => {
    expect(uuid.read('F81D4FAE-7dec-11D0-A765-00a0c91e6bf6')).toBe('f81d4fae-7dec-11d0-a765-00a0c91e6bf6');
    fc.assert(fc.property(fc.uuid(), (text) => uuid.read(text.toUpperCase()) === text));
  });

  it.each([
    [''],
    ['f81d4fae7dec11d0a76500a0c91e6bf6'],
    ['{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'],
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['f81d4fae-7dec-11d0-a765-00a0c91e6bf'],
    ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n'],
    [' f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['g81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['f81d4fa-e7dec-11d0-a765-00a0c91e6bf6'],
  ])('%j is none', (text) => {
    expect(uuid.read(text)).toBeUndefined();
  });
});

describe('a URI with a scheme', () => {
  it.each([
    // RFC 3986, section 1.1.2.
    ['ftp://ftp.is.co.za/rfc/rfc1808.txt'],
    ['http://www.ietf.org/rfc/rfc2396.txt'],
    ['ldap://[2001:db8::7]/c=GB?objectClass?one'],
    ['mailto:John.Doe@example.com'],
    ['news:comp.infosystems.www.servers.unix'],
    ['tel:+1-816-555-1212'],
    ['telnet://192.0.2.16:80/'],
    ['urn:oasis:names:specification:docbook:dtd:xml:4.1.2'],
    ['HTTPS://Example.COM:8443/a/./b/../c?q=%C3%a9&r#part?/'],
    ['http://user:pass%40word@example.com:/'],
    ['http://[v1.fe80::a+en1]/'],
    ['http://[::ffff:192.0.2.1]:80'],
    ['file:///etc/hosts'],
    ['a:'],
    ['x://'],
    ['data:text/plain;charset=UTF-8,a%20b'],
  ])('%s is kept as it is', (text) => {
    expect(uri.read(text)).toBe(text);
  });

  it.each([
    [''],
    ['/orders/17'],
    ['orders'],
    ['//example.com/'],
    ['?q=1'],
    ['#part'],
    [':a'],
    ['1http://example.com'],
    ['ht_tp://example.com'],
    ['http://example.com/a b'],
    ['http://example.com/\n'],
    ['http://example.com/é'],
    ['http://example.com/%'],
    ['http://example.com/%2'],
    ['http://example.com/%zz'],
    ['http://example.com/[a]'],
    ['http://example.com/?a=[1]'],
    ['http://example.com/#a#b'],
    ['http://example.com:port/'],
    ['http://a@b@example.com/'],
    ['http://[2001:db8::7/'],
    ['http://[2001:db8:::7]/'],
    ['http://[fe80::1%25en0]/'],
    ['http://[fe80::1%en0]/'],
    ['http://[192.0.2.1]/'],
    ['http://2001:db8::7/'],
    ['http://a[b/'],
    ['C:\\orders'],
    ['http://example.com/"a"'],
    ['http://example.com/{a}'],
    ['http://example.com/a|b'],
    ['http://example.com/a^b'],
    ['http://example.com/`a`'],
    ['http://example.com/<a>'],
  ])('%j is none', (text) => {
    expect(uri.read(text)).toBeUndefined();
  });

  it('is what the URL parser takes', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => uri.read(text) === text),
    );
  });

  it('is read in time that grows with its length', () => {
    const started = processorMs();
    for (const part of ['a', '%41', '/', '?', '@', ':', '[']) {
      uri.read(`http://${part.repeat(300_000)} `);
      uri.read(`http://example.com/${part.repeat(300_000)} `);
    }
    expect(processorMs() - started).toBeLessThan(2000);
  });
});
