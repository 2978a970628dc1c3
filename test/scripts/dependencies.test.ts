import { expect, test } from 'vitest';
import { readAudit, unknownScripts } from '../../scripts/audit.ts';
import { lockedPackages } from '../../scripts/dependencies/lock-file.ts';
import { isAllowed, licenceOf } from '../../scripts/licences.ts';

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['GPL-3.0 OR CC0-1.0', true],
  ['MIT AND GPL-3.0', false],
  ['(MIT AND ISC)', true],
  ['GPL-3.0', false],
  ['MPL-2.0', false],
  ['none', false],
  ['', false],
  ['SEE LICENSE IN LICENCE.txt', false],
  ['MIT WITH Classpath-exception-2.0', false],
  ['GPL-3.0 AND (ISC OR MIT OR 0BSD)', false],
])('the licence %s is allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test('a licence is named in one of three ways', () => {
  expect(licenceOf({ license: 'MIT' })).toBe('MIT');
  expect(licenceOf({ license: { type: 'ISC' } })).toBe('ISC');
  expect(licenceOf({ licenses: [{ type: 'GPL-3.0' }, { type: 'MIT' }] })).toBe('GPL-3.0 OR MIT');
  expect(licenceOf({})).toBeUndefined();
});

const lock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { name: 'signalbox' },
    'node_modules/a': { version: '1.0.0', hasInstallScript: true },
    'node_modules/a/node_modules/@b/c': { version: '2.0.0', dev: true, optional: true, hasInstallScript: true },
  },
});

test('a package with an install script has to be named, whatever is allowed of it', () => {
  const packages = lockedPackages(lock);
  expect(packages.map(({ name, development, optional }) => [name, development, optional])).toEqual([
    ['a', false, false],
    ['@b/c', true, true],
  ]);
  expect(unknownScripts(packages, { a: false })).toEqual([
    '@b/c 2.0.0 has an install script that package.json does not name.',
  ]);
  expect(unknownScripts(packages, { a: true, '@b/c': false })).toEqual([]);
  expect(() => lockedPackages('{"lockfileVersion":1,"packages":{}}')).toThrow('version 1');
});

test('an audit finds what is high or worse, and says where there was none', () => {
  const report = (severity: string): string =>
    JSON.stringify({ vulnerabilities: { a: { name: 'a', range: '<2', severity } } });
  expect(readAudit(report('moderate'))).toEqual({ kind: 'clean' });
  expect(readAudit(report('high'))).toEqual({ kind: 'weak', found: ['a <2: high'] });
  expect(readAudit(report('critical'))).toMatchObject({ kind: 'weak' });
  expect(readAudit('{"message":"405 Method Not Allowed - POST https://registry.example"}')).toEqual({
    kind: 'not audited',
    reason: 'the service answered 405',
  });
  expect(readAudit('{"message":"request failed"}')).toMatchObject({ reason: 'no answer of the service' });
  expect(readAudit('')).toMatchObject({ kind: 'not audited' });
});
