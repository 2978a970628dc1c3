import { describe, expect, it } from 'vitest';
import { PercentError } from '../../../src/wire/percent.ts';
import { parseQueryString } from '../../../src/wire/query-string.ts';
import { decodeRaw, UriValueError } from '../../../src/wire/uri-template/decode-value.ts';
import { compileUriMatcher } from '../../../src/wire/uri-template/match.ts';
import type { ValueShape } from '../../../src/wire/uri-template/program.ts';
import { parseUriTemplate, UriTemplateError } from '../../../src/wire/uri-template/uri-template.ts';
import { expectWithin } from '../../support/duration.ts';

type Shapes = Readonly<Record<string, ValueShape>>;

/** Raw values by name, what is absent left out; undefined where the path differs. */
function match(text: string, target: string, shapes: Shapes = {}) {
  const template = parseUriTemplate(text);
  const matcher = compileUriMatcher(template, (v) => shapes[v.name] ?? (v.explode ? 'list' : 'string'));
  const mark = target.indexOf('?');
  const raw = matcher.matchPath(mark === -1 ? target : target.slice(0, mark));
  if (raw === undefined) return undefined;
  const query = matcher.matchQuery(parseQueryString(mark === -1 ? '' : target.slice(mark + 1), 1_000), raw);
  const values = Object.fromEntries(
    template.variables.flatMap(({ name }, i) => (raw[i] === undefined ? [] : [[name, raw[i]]])),
  );
  return { ...query, values };
}

const values = (text: string, target: string, shapes: Shapes = {}) => match(text, target, shapes)?.values;

describe('paths', () => {
  it('a literal is not part of a percent-encoded byte, if another place is its own', () => {
    const text = 'A{x}B{y}';
    expect(values(text, 'A%C3%BCB7')).toEqual({ x: '%C3%BC', y: '7' });
    expect(values(text, 'A%C3%BC%bcBB')).toEqual({ x: '%C3%BC%BC', y: 'B' });
    expect(values('{x}3{y}', '%C3%BC3%333')).toEqual({ x: '%C3%BC', y: '33' });
  });

  it.each<[string, string, Record<string, unknown> | undefined]>([
    ['', '', {}],
    ['', '/', undefined],
    ['', 'a', undefined],
    ['/', '', {}],
    ['a', 'a', {}],
    ['a', 'a/', {}],
    ['a/', 'a', {}],
    ['/a/', 'a', {}],
    ['a', 'A', undefined],
    ['a', 'a//', undefined],
    ['a', '/a', undefined],
    ['a', 'ab', undefined],
    ['a/b', 'a', undefined],
    ['a/b', 'a/b/c', undefined],
    ['a//b', 'a//b', {}],
    ['a//b', 'a/b', undefined],
    ['{x}', '1', { x: '1' }],
    ['{x}', '', undefined],
    ['{x}', '/', undefined],
    ['{x}', '1/2', undefined],
    ['{x}', '1/', { x: '1' }],
    ['{x}', '%2F', { x: '%2F' }],
    ['{x}', 'a,b;c=d:e@f', { x: 'a,b;c=d:e@f' }],
    ['Locations/{R}/', 'Locations//', undefined],
    ['Locations/{R}', 'Locations/', undefined],
    ['a/{x}/b', 'a/1/b', { x: '1' }],
    ['a/{x}/b', 'a//b', undefined],
    ['a/{x}/{y}', 'a/1/2', { x: '1', y: '2' }],
    ['a/{x}/{y}', 'a/1/2/3', undefined],
    ['a/{x}/{y}', 'a/1/', undefined],
    ['{+x}', 'a/b', { x: 'a/b' }],
    ['{+x}', 'a/b/', { x: 'a/b/' }],
    ['{+x}', '', undefined],
    ['{+x}/here', 'a/b/here', { x: 'a/b' }],
    ['{+x}/here', 'here', undefined],
    ['{+x}/a/{+y}', '1/a/2/a/3', { x: '1', y: '2/a/3' }],
    ['files/{+x}', 'files/', undefined],
    ['v{x}', 'v1', { x: '1' }],
    ['v{x}', 'v', undefined],
    ['{x}.json', 'a.json', { x: 'a' }],
    ['{x}.json', 'a.json.json', { x: 'a.json' }],
    ['{x}.json', '.json', undefined],
    ["f('{x}')", "f('a')", { x: 'a' }],
    ["f('/{x}/{y}/')/g", "f('/a/b/')/g", { x: 'a', y: 'b' }],
    ['{a}-{b}', '1-2-3', { a: '1', b: '2-3' }],
    ['{a}{b}', '123', { a: '1', b: '23' }],
    ['{a}{b}', '1', undefined],
    ['{a,b}', '1,2', { a: '1', b: '2' }],
    ['{a,b}', '1,', { a: '1', b: '' }],
    ['{a,b}', '1', undefined],
    ['{a,b}', '1,2,3', undefined],
    ['{+a,b}/x', '/1'.slice(1), undefined],
    ['{+a,b}/x', 'p/q,2/x', { a: 'p/q', b: '2' }],
    ['x{.a}', 'x.json', { a: 'json' }],
    ['x{.a}', 'x', {}],
    ['x{.a}', 'x.', { a: '' }],
    ['x{.a}', 'x.b.c', { a: 'b.c' }],
    ['x{.a,b}', 'x.1.2', { a: '1', b: '2' }],
    ['x{.a,b}', 'x.1', { a: '1' }],
    ['x{.a,b}', 'x.1.2.3', undefined],
    ['x{.a*}', 'x.1.2', { a: ['1', '2'] }],
    ['{name}{.ext}', 'file.json', { name: 'file', ext: 'json' }],
    ['{name}{.ext}', 'file', { name: 'file' }],
    ['a{/b}', 'a/1', { b: '1' }],
    ['a{/b}', 'a', {}],
    ['a{/b}', 'a/', { b: '' }],
    ['a{/b}', 'a/1/2', undefined],
    ['a{/b}/c', 'a/c', {}],
    ['a{/b}/c', 'a/1/c', { b: '1' }],
    ['a{/b,c}', 'a/1', { b: '1' }],
    ['a{/b,c}', 'a/1/2', { b: '1', c: '2' }],
    ['a{/b*}', 'a/1/2/3', { b: ['1', '2', '3'] }],
    ['a{/b*}', 'a', {}],
    ['a{/b*}/', 'a/1/2/', { b: ['1', '2'] }],
    ['a{/b*,c}', 'a/1/2/3', { b: ['1', '2'], c: '3' }],
    ['{/b*}', '1/2', { b: ['1', '2'] }],
    ['{/b*}', '', {}],
    ['{/b}/c', '1/c', { b: '1' }],
    ['a{;x}', 'a;x=1', { x: '1' }],
    ['a{;x}', 'a;x', { x: '' }],
    ['a{;x}', 'a;x=', { x: '' }],
    ['a{;x}', 'a', {}],
    ['a{;x}', 'a;xy=1', undefined],
    ['a{;x}', 'a;y=1', undefined],
    ['a{;x,y}/b', 'a;y=2/b', { y: '2' }],
    ['a{;x,y}/b', 'a;x=1;y=2/b', { x: '1', y: '2' }],
    ['a{;x,y}/b', 'a;y=2;x=1/b', { x: '1', y: '2' }],
    ['a{;x,y,z}', 'a;z;y=2;x=1', { x: '1', y: '2', z: '' }],
    ['a{;x,xy}', 'a;xy=2;x=1', { x: '1', xy: '2' }],
    ['a{;x*,y}', 'a;x=1;y=2;x=3', { x: ['1', '3'], y: '2' }],
    ['a{;x,y}', 'a;x=1;x=2', undefined],
    ['a{;x,y}', 'a;y=1;z=2', undefined],
    ['a{;x,y}', 'a', {}],
    ['a{;x*}', 'a;x=1;x;x=3', { x: ['1', '', '3'] }],
    ['a{;Stra%C3%9Fe}', 'a;Stra%c3%9fe=1', { 'Stra%C3%9Fe': '1' }],
  ])('%s on %s', (template, path, expected) => {
    expect(values(template, path)).toEqual(expected);
  });

  it.each<[string, string, Shapes, Record<string, unknown> | undefined]>([
    ['{l}', 'a,b', { l: 'list' }, { l: ['a', 'b'] }],
    ['{l}', 'a', { l: 'list' }, { l: ['a'] }],
    ['{l}', ',a', { l: 'list' }, { l: ['', 'a'] }],
    ['{l}', 'a%2Cb', { l: 'list' }, { l: ['a%2Cb'] }],
    ['{l*}', 'a,b', { l: 'list' }, { l: ['a', 'b'] }],
    ['x{.l}', 'x.a,b', { l: 'list' }, { l: ['a', 'b'] }],
    ['x{/l}', 'x/a,b', { l: 'list' }, { l: ['a', 'b'] }],
    ['x{;l}', 'x;l=a,b', { l: 'list' }, { l: ['a', 'b'] }],
    ['{l,x}', 'a,b,c', { l: 'list' }, { l: ['a', 'b'], x: 'c' }],
  ])('%s on %s by shape', (template, path, shapes, expected) => {
    expect(values(template, path, shapes)).toEqual(expected);
  });

  it('compares literals in the normal form of percent-encoding, on both sides', () => {
    expect(values('Locations/{x}', '%4cocations/%41')).toEqual({ x: 'A' });
    expect(values('%4cocations', 'Locations')).toEqual({});
    expect(values('a%2fb', 'a%2Fb')).toEqual({});
    expect(values('a%2Fb', 'a/b')).toBeUndefined();
    expect(values('café', 'caf%c3%A9')).toEqual({});
    expect(values('~x', '%7ex')).toEqual({});
    expect(values('a(b', 'a%28b')).toBeUndefined();
    expect(values('{x}.{y}', 'a%2eb')).toEqual({ x: 'a', y: 'b' });
  });

  it('never decodes before it cuts, and leaves bad encoding to the decoder', () => {
    expect(values('{x}/{y}', 'a%2Fb/c')).toEqual({ x: 'a%2Fb', y: 'c' });
    expect(values('{x}', '%zz')).toEqual({ x: '%zz' });
    expect(values('{x}', '%')).toEqual({ x: '%' });
  });

  it('keeps values of one match apart from the next', () => {
    const matcher = compileUriMatcher(parseUriTemplate('{a}-{b}'));
    const first = matcher.matchPath('1-2');
    expect(matcher.matchPath('3-4')).toEqual(['3', '4']);
    expect(matcher.matchPath('none')).toBeUndefined();
    expect(first).toEqual(['1', '2']);
  });
});

describe('queries', () => {
  const locations = 'Locations/?region={REGION}';

  it.each([
    'Locations/?region=N',
    'Locations?region=N',
    'Locations?other=1&region=N',
    'Locations/?regio%6e=N',
  ])('%s gives the region', (target) => {
    expect(match(locations, target)).toEqual({ bound: 1, missing: [], ok: true, values: { REGION: 'N' } });
  });

  it('tells absent from empty', () => {
    expect(match(locations, 'Locations/')).toEqual({ bound: 0, missing: ['region'], ok: true, values: {} });
    expect(match(locations, 'Locations/?region')).toEqual({ bound: 1, missing: [], ok: true, values: { REGION: '' } });
    expect(match(locations, 'Locations/?region=')).toEqual({ bound: 1, missing: [], ok: true, values: { REGION: '' } });
    expect(match('x{?a,b}', 'x?b')).toEqual({ bound: 1, missing: [], ok: true, values: { b: '' } });
  });

  it('is case-sensitive and needs every required one', () => {
    expect(match('x?a={A}&b={B}{&c}', 'x?A=1&c=2')).toMatchObject({ bound: 1, missing: ['a', 'b'] });
  });

  it('wants literal pairs to equal, once or more', () => {
    const template = 'x?op=a%20b&n={N}';
    expect(match(template, 'x?n=1&op=a+b')).toMatchObject({ ok: true, bound: 1 });
    expect(match(template, 'x?n=1&op=a%20b&op=a%20b')).toMatchObject({ ok: true });
    expect(match(template, 'x?n=1&op=a%20b&op=c')).toMatchObject({ ok: false });
    expect(match(template, 'x?n=1&op=A%20b')).toMatchObject({ ok: false });
    expect(match(template, 'x?n=1')).toMatchObject({ ok: false });
    expect(match('x?flag', 'x?flag=')).toMatchObject({ ok: true });
    expect(match('x?op=1', 'x?op=%31')).toMatchObject({ ok: true });
    expect(match('x?op=a%2Bb', 'x?op=a%2bb')).toMatchObject({ ok: true });
    expect(match('x?op=a%2Bb', 'x?op=a+b')).toMatchObject({ ok: false });
    expect(match('x?op=100%2525', 'x?op=100%25')).toMatchObject({ ok: false });
    expect(() => match('x?op=1', 'x?op=%zz')).toThrow(PercentError);
  });

  it.each<[string, unknown]>([
    ['x?p=a,b', ['a', 'b']],
    ['x?p=a&p=b', ['a', 'b']],
    ['x?p=a,b&p=c', ['a', 'b', 'c']],
    ['x?p=,12345', ['', '12345']],
    ['x?p=', []],
    ['x?p', []],
    ['x?p=&p=', ['', '']],
    ['x?p=a%2Cb,c', ['a%2Cb', 'c']],
    ['x', undefined],
  ])('a list from %s', (target, expected) => {
    expect(values('x{?p*}', target)).toEqual(expected === undefined ? {} : { p: expected });
    expect(values('x{?p}', target, { p: 'list' })).toEqual(expected === undefined ? {} : { p: expected });
    expect(values('x?q=1&p={p}', target.replace('?', '?q=1&'), { p: 'list' })).toEqual(
      expected === undefined ? {} : { p: expected },
    );
  });

  it('keeps all occurrences of a text, for the decoder to refuse', () => {
    expect(values('x{?a}', 'x?a=1&a=2')).toEqual({ a: ['1', '2'] });
  });

  it('takes a template that begins with its query', () => {
    expect(match('{?a}', '?a=1')).toMatchObject({ values: { a: '1' } });
    expect(match('?a={A}', '?a=1')).toMatchObject({ values: { A: '1' } });
  });
});

describe('decodeRaw', () => {
  const decode = (text: string, raw: string | string[], shape: ValueShape = 'string') => {
    const [variable] = parseUriTemplate(text).variables;
    if (variable === undefined) throw new Error('no variable');
    return decodeRaw(raw, variable, shape);
  };

  it('takes + for a space in a query, and for itself in a path and in {+x}', () => {
    expect(decode('{?a}', 'a+b%2B')).toBe('a b+');
    expect(decode('x?a={A}', 'a+b')).toBe('a b');
    expect(decode('x?a={+A}', 'a+b')).toBe('a+b');
    expect(decode('{a}', 'a+b')).toBe('a+b');
  });

  it('decodes the pieces of lists one by one', () => {
    expect(decode('{?a*}', ['a%2Cb', 'c+d'], 'list')).toEqual(['a,b', 'c d']);
    expect(decode('{a}', [], 'list')).toEqual([]);
  });

  it('counts a prefix in characters', () => {
    expect(decode('{a:3}', 'abc')).toBe('abc');
    expect(decode('{a:3}', '%F0%9D%84%9E%F0%9D%84%9Ex')).toBe('\u{1d11e}\u{1d11e}x');
    expect(() => decode('{a:3}', 'abcd')).toThrow('is longer than 3 characters');
    expect(() => decode('{?a:1}', 'ab')).toThrow('is longer than 1 character');
  });

  it('refuses what it can not read', () => {
    expect(() => decode('{?a}', ['1', '2'])).toThrow(UriValueError);
    expect(() => decode('{?a}', ['1', '2'])).toThrow('is given more than once');
    expect(() => decode('{a}', '%C0%AF')).toThrow(PercentError);
    expect(() => decode('{?a*}', ['a', '%00'], 'list')).toThrow('NUL');
  });
});

describe('compileUriMatcher', () => {
  it('refuses what no server receives', () => {
    expect(() => compileUriMatcher(parseUriTemplate('a{#b}'))).toThrow(UriTemplateError);
    expect(() => compileUriMatcher(parseUriTemplate('{a}/{a}'))).toThrow('twice');
  });

  it.each(['{a:3}', '{+a:3}', 'x{/a:3}', 'x{?a:3}', 'x{;a:3}'])('refuses the length of %s on a list', (text) => {
    expect(() => compileUriMatcher(parseUriTemplate(text), () => 'list')).toThrow('does not apply to a list');
  });
});

describe('hostile sizes', () => {
  const long = 65_536;

  it.each([
    ['a/{x}/{y}', 'a/'.repeat(long / 2)],
    ['{x}', 'a'.repeat(long)],
    ['{x}', '/'.repeat(long)],
    ['{x}', '%'.repeat(long)],
    ['{x}', '%41'.repeat(long / 3)],
    ['{a}-{b}-{c}', '-'.repeat(long)],
    ['{a}aa{b}ab{c}', 'a'.repeat(long)],
    ['{+a}/x/{+b}/y', '/x'.repeat(long / 2)],
    ['{+a}a{b}c{+d}', 'a'.repeat(long)],
    ['{a}{b}{c}{d}', 'a'.repeat(long)],
    ['x{/a*}', `x${'/'.repeat(long)}`],
    ['x{/a*,b*,c*}/y', `x${'/a'.repeat(long / 2)}`],
    ['x{;a*}', `x${';a'.repeat(long / 2)}b`],
    ['x{.a*}{.b*}', `x${'.'.repeat(long)}`],
    ['{a,b,c}', ','.repeat(long)],
  ])('%s on 64 KB', (template, path) => {
    const matcher = compileUriMatcher(parseUriTemplate(template));
    expectWithin(1_500, () => matcher.matchPath(path));
  });

  it.each([
    ['one list', `p=${','.repeat(long)}`],
    ['10,000 occurrences', 'p=1&'.repeat(10_000)],
    ['10,000 names', Array.from({ length: 10_000 }, (_, i) => `n${i}`).join('&')],
  ])('a query of %s', (_, raw) => {
    const matcher = compileUriMatcher(parseUriTemplate('x?q={q}{&p*}'));
    expectWithin(500, () => {
      const given = matcher.matchPath('x') ?? [];
      expect(matcher.matchQuery(parseQueryString(raw, 100_000), given).missing).toEqual(['q']);
    });
  });
});
