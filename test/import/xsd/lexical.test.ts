import { describe, expect, it } from 'vitest';
import type { DraftField } from '../../../src/import/draft.ts';
import { compilePattern } from '../../../src/wire/pattern.ts';
import { hasXmllint, validateXml } from '../../support/xmllint.ts';
import { draftsOf, schemaOf } from './draft-text.ts';

// A union of a type with a text that no other value is makes its lexical forms one pattern, which libxml2 agrees with (but for `1e` as a
// double, `-0` as an unsigned number, and integers of more than 24 digits).

const samples: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false', '1', '0', 'TRUE', 'yes', ''],
  integer: ['0', '-1', '+007', '1.0', '', '-', '123456789012345678901'],
  int: ['2147483647', '2147483648', '-2147483648', '-2147483649', '+0', '00012', '999999999', '3000000000'],
  unsignedByte: ['255', '256', '-1', '099', '199', '249', '300'],
  short: ['32767', '32768', '-32768', '-32769', '9999', '10000', '32699', '31999'],
  positiveInteger: ['1', '0', '-1', '+10', '007', '00'],
  nonNegativeInteger: ['0', '-0', '-1', '12345678901234567890'],
  negativeInteger: ['-1', '0', '1', '-010', '-99999999999999999999'],
  decimal: ['1', '1.', '.5', '-1.50', '+.0', '.', '1e3', ''],
  double: ['1', '1e3', '-1.5E-3', '.5', 'INF', '-INF', 'NaN', '+INF', 'e1', 'inf'],
  date: [
    '2026-01-31',
    '2026-02-29',
    '2024-02-29',
    '2000-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-1-1',
    '2026-01-01Z',
    '2026-01-01+14:00',
    '2026-01-01+14:01',
    '12026-01-01',
    '-0044-03-15',
  ],
  time: ['00:00:00', '23:59:59.999', '24:00:00', '24:00:01', '12:60:00', '12:00', '12:00:00-05:30'],
  dateTime: [
    '2026-01-31T08:30:00',
    '2026-01-31T08:30:00.5Z',
    '2026-01-31',
    '2026-02-30T00:00:00',
    '2026-01-31 08:30:00',
  ],
  gYear: ['2026', '26', '2026Z', '-0044', '12026', '02026'],
  gYearMonth: ['2026-01', '2026-13', '2026-1', '2026-12+01:00'],
  gMonth: ['--01', '--13', '--1', '--12Z'],
  gMonthDay: ['--02-29', '--02-30', '--04-31', '--12-31', '--1-1'],
  gDay: ['---01', '---32', '---1', '---31Z'],
  hexBinary: ['', '0a', 'FF00', 'f', '0g'],
  language: ['en', 'en-GB', 'x-klingon', 'toolonglanguage', 'en_GB'],
  NCName: ['a', '_a', 'a:b', '1a', 'a-b.c', 'é', ''],
  Name: ['a:b', ':', '1', '-'],
  NMTOKEN: ['1a', '-', 'a b', 'a:b', ''],
  QName: ['a', 'a:b', 'a:b:c', ':a'],
  NMTOKENS: ['a b', ' a  b ', 'a,b'],
};

const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${Object.keys(samples)
  .map(
    (type) =>
      `<xs:element name="${type}"><xs:simpleType><xs:union memberTypes="xs:${type}"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="none of these"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType></xs:element>`,
  )
  .join('')}</xs:schema>`;

function accepts({ options: { pattern, space } }: DraftField, text: string): boolean {
  const value = space === 'collapse' ? text.trim().replace(/\s+/g, ' ') : text;
  return typeof pattern === 'string' && compilePattern(pattern).test(value);
}

describe.runIf(hasXmllint)('the lexical forms of built-in types', async () => {
  const { drafts } = await draftsOf(new Map([['a.xsd', schemaOf(schema)]]));
  const fields = new Map(drafts.documents().map(({ name, fields: [field] }) => [name, field as DraftField]));
  const all = Object.entries(samples).flatMap(([type, texts]) => texts.map((text) => ({ type, text })));
  // A prefix is declared for each name.
  const errors = validateXml(
    { name: 'a.xsd', files: new Map([['a.xsd', schema]]) },
    all.map(({ type, text }) => `<${type} xmlns:a="urn:a">${text}</${type}>`),
  );
  const refused = new Set([...errors.matchAll(/\/(\d+)\.xml fails to validate/g)].map((found) => Number(found[1])));

  it.each(Object.keys(samples))('%s', (type) => {
    const field = fields.get(type) as DraftField;
    const own = all.flatMap((sample, i) =>
      sample.type === type ? [{ text: sample.text, valid: !refused.has(i) }] : [],
    );
    expect(own.map(({ text }) => ({ text, valid: accepts(field, text) }))).toEqual(own);
  });
});
