import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { credentialsIn } from '../../src/load/value/address.ts';
import { ConfigError, resolveAll } from '../../src/load/value/config.ts';
import { literalOf, parseConfigText } from '../../src/load/value/config-text.ts';
import { readPasswordHash } from '../../src/wire/password-hash.ts';

const text = (source: string) => parseConfigText(source).text;
const resolve = (source: string, env: Record<string, string | undefined> = {}): string =>
  resolveAll([text(source)], env)[0] ?? '';

describe('references', () => {
  it('are cut out of the text around them', () => {
    expect(text('a${env:X}b${env:Y:-c:-d}${secret:Z}').parts).toEqual([
      { kind: 'literal', text: 'a' },
      { kind: 'env', name: 'X' },
      { kind: 'literal', text: 'b' },
      { kind: 'env', name: 'Y', default: 'c:-d' },
      { kind: 'secret', name: 'Z' },
    ]);
    expect(text('${env:X:-}').parts).toEqual([{ kind: 'env', name: 'X', default: '' }]);
  });

  it.each([
    '${}',
    '${env:}',
    '${env:A B}',
    '${env:1A}',
    '${secret:X:-d}',
    '${vault:X}',
    '${env:X',
    '${env :X}',
  ])('%s is none', (source) => {
    expect(parseConfigText(source).bad).toHaveLength(1);
  });

  it('say which of them lack their source', () => {
    expect(parseConfigText('${HOME}').bad).toEqual([{ text: '${HOME}', offset: 0, meant: { name: 'HOME' } }]);
  });

  it.each([
    ['$PARTS_URL', 'PARTS_URL', undefined],
    ['%PARTS_URL%', 'PARTS_URL', undefined],
    ['{{ parts.url }}', 'PARTS_URL', undefined],
    ['https://$HOST/parts', 'HOST', undefined],
    ['sqlite:$HOME/workshop.db', 'HOME', undefined],
    ['${PORT:-8080}', 'PORT', '8080'],
    ['${parts.url:http://localhost}', 'PARTS_URL', 'http://localhost'],
    ['${env.PARTS_URL}', 'PARTS_URL', undefined],
  ])('of other programs are recognised: %s', (text, name, otherwise) => {
    const meant = { name, ...(otherwise === undefined ? {} : { default: otherwise }) };
    expect(parseConfigText(text).bad).toMatchObject([{ meant }]);
  });

  it.each([
    'https://example.org/odata/$metadata',
    'Price in $US',
    '100%',
    'a%20b',
    '$scrypt$ln=14',
    'https://example.org/%C3%A4',
  ])('are not seen in %s', (text) => {
    expect(parseConfigText(text).bad).toEqual([]);
  });

  it('keep any other text as it is', () => {
    fc.assert(
      fc.property(fc.string(), (source) => {
        fc.pre(!source.includes('${'));
        expect(resolve(source)).toBe(source);
        expect(literalOf(text(source))).toBe(source);
      }),
    );
  });
});

describe('resolving', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes the environment, then the default', () => {
    expect(resolve('${env:X:-d}', { X: 'x' })).toBe('x');
    expect(resolve('${env:X:-d}', {})).toBe('d');
    expect(resolve('${env:X:-d}', { X: '' })).toBe('d');
    expect(resolve('a${env:X}c', { X: 'b' })).toBe('abc');
  });

  it('never resolves what a value holds', () => {
    expect(resolve('${env:X}', { X: '${env:Y}', Y: 'y' })).toBe('${env:Y}');
  });

  it('names everything that is missing at once, each once', () => {
    const all = () => resolveAll([text('${env:A}${secret:B}'), text('${env:A}${env:C:-c}${env:D}')], {});
    expect(all).toThrow(ConfigError);
    expect(all).toThrow('A is not set; B is not set, and neither is B_FILE; D is not set');
    try {
      all();
    } catch (error) {
      expect((error as ConfigError).missing).toEqual(['A', 'B', 'D']);
    }
  });

  it('takes a secret from the environment, else from the file that is named', () => {
    const file = join(folder, 'secret');
    writeFileSync(file, 's3cret \r\n');
    expect(resolve('${secret:S}', { S: 'direct', S_FILE: file })).toBe('direct');
    expect(resolve('${secret:S}', { S_FILE: file })).toBe('s3cret ');
    expect(() => resolve('${secret:S}', { S_FILE: join(folder, 'none') })).toThrow(
      "S_FILE can't be read: the file does not exist",
    );
    expect(() => resolve('${secret:S}', { S_FILE: folder })).toThrow("S_FILE can't be read: it is not a file");
    writeFileSync(file, '\n');
    expect(() => resolve('${secret:S}', { S_FILE: file })).toThrow('the file that S_FILE names is empty');
  });

  it('tells no secret in its message', () => {
    expect(() => resolve('${secret:S}${env:X}', { S: 'hunter2' })).toThrow(/^X is not set$/);
  });
});

describe('secrets in clear', () => {
  it.each([
    ['https://me:pw@example.org', true],
    ['postgres://me:pw@db/x', true],
    ['${env:URL:-postgres://me:pw@db/x}', true],
    ['https://me:${secret:P}x@example.org', true],
    ['https://example.org/?token=abc', true],
    ['sqlite:x?password=abc', true],
    ['https://me:${secret:P}@example.org', false],
    ['https://me@example.org', false],
    ['https://example.org:8080/a@b', false],
    ['https://example.org/?token=${secret:T}', false],
    ['${env:URL}', false],
  ])('%s: %s', (source, expected) => {
    expect(credentialsIn(text(source))).toBe(expected);
  });

  it('are told from hashes', () => {
    const salt = 'jR0yTa7bt0qeomBbRenAvA';
    const hash = 'wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg';
    expect(readPasswordHash(`$scrypt$ln=14,r=8,p=1$${salt}$${hash}`)).toMatchObject({ ln: 14, r: 8, p: 1 });
    expect(readPasswordHash(`$scrypt$ln=25,r=8,p=1$${salt}$${hash}`)).toBe('its cost is out of bounds');
    // What RFC 7914 does not allow, no implementation tries.
    expect(readPasswordHash(`$scrypt$ln=16,r=1,p=1$${salt}$${hash}`)).toBe('its cost is out of bounds');
    expect(readPasswordHash(`$scrypt$ln=14,r=8,p=1$abc$${hash}`)).toBe('its salt is shorter than 8 bytes');
    expect(readPasswordHash(`$scrypt$ln=14,r=8,p=1$${salt}$abc`)).toBe('its hash is shorter than 16 bytes');
    expect(readPasswordHash(`$scrypt$ln=14,r=8$${salt}$${hash}`)).toBe('its parts are not those of the form');
  });
});
