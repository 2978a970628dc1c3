import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NameError, normaliseName, subjectOfCertificate } from '../../src/wire/distinguished-name.ts';
import { AUTHORITY, IMPOSTOR, PARTNER, PARTNER_SUBJECT } from '../support/certificates.ts';

describe('a distinguished name (RFC 4514)', () => {
  it.each([
    ['CN=Steve Kille,O=Isode Limited,C=GB', 'CN=Steve Kille,O=Isode Limited,C=GB'],
    ['OU=Sales+CN=J.  Smith,DC=example,DC=net', 'CN=J.  Smith+OU=Sales,DC=example,DC=net'],
    ['cn = James \\"Jim\\" Smith\\, III , dc=example', 'CN=James \\"Jim\\" Smith\\, III,DC=example'],
    ['2.5.4.3=Before\\0DAfter', 'CN=Before\rAfter'],
    ['CN=Lu\\C4\\8Di\\C4\\87', 'CN=Lučić'],
    ['CN=Lučić', 'CN=Lučić'],
    ['1.3.6.1.4.1.1466.0=#04024869', '1.3.6.1.4.1.1466.0=#04024869'],
    ['CN=\\#616263', 'CN=\\#616263'],
    ['CN=a\\ ', 'CN=a\\ '],
    ['CN=a=b', 'CN=a=b'],
  ])('%s is compared as %s', (text, spelling) => {
    expect(normaliseName(text)).toBe(spelling);
    expect(normaliseName(spelling)).toBe(spelling);
  });

  it.each(['', 'partner', 'CN=a,', 'CN=a\\x', '=a', 'NICKNAME=a'])('%j is none', (text) => {
    expect(() => normaliseName(text)).toThrow(NameError);
  });

  it('is that of a certificate, whose last part comes first', () => {
    const subjectOf = (pem: string): string => subjectOfCertificate(new X509Certificate(pem).raw);
    expect(subjectOf(PARTNER.certificate)).toBe(PARTNER_SUBJECT);
    expect(subjectOf(IMPOSTOR.certificate)).toBe(normaliseName(PARTNER_SUBJECT));
    expect(subjectOf(AUTHORITY)).toBe('CN=Test authority,O=Example');
  });

  it('is no name where the bytes end early', () => {
    const { raw } = new X509Certificate(PARTNER.certificate);
    for (let length = 0; length < raw.length; length += 7)
      expect(() => subjectOfCertificate(raw.subarray(0, length)), String(length)).toThrow(NameError);
  });
});
