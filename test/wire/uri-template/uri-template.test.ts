import { describe, expect, it } from 'vitest';
import { layOut, receivable } from '../../../src/wire/uri-template/layout.ts';
import { parseUriTemplate, UriTemplateError } from '../../../src/wire/uri-template/uri-template.ts';
import { expectWithin } from '../../support/duration.ts';

const variable = (text: string, name: string) => parseUriTemplate(text).variables.find((each) => each.name === name);

describe('parseUriTemplate', () => {
  it('keeps text, parts and variables in order', () => {
    const template = parseUriTemplate('a/{b}/c{.d,e*}{?f:3}');
    expect(template.text).toBe('a/{b}/c{.d,e*}{?f:3}');
    expect(template.parts.map((part) => (part.kind === 'literal' ? part.text : part.operator))).toEqual([
      'a/',
      '',
      '/c',
      '.',
      '?',
    ]);
    expect(template.variables).toEqual([
      { name: 'b', operator: '', explode: false, place: 'path', wireName: 'b', required: true },
      { name: 'd', operator: '.', explode: false, place: 'path', wireName: 'd', required: false },
      { name: 'e', operator: '.', explode: true, place: 'path', wireName: 'e', required: false },
      { name: 'f', operator: '?', explode: false, place: 'query', wireName: 'f', required: false, prefix: 3 },
    ]);
  });

  it.each([
    ['Locations/?region={REGION}', 'REGION', 'region', true],
    ['Locations/{REGION}/?location={LOCATION}', 'LOCATION', 'location', true],
    ['x?a={A}&b={B}', 'B', 'b', true],
    ['x?op=list&b={B}', 'B', 'b', true],
    ['x?a={A}{&b,c*}', 'c', 'c', false],
    ['x{?a}', 'a', 'a', false],
    ['x?my%20name={A}', 'A', 'my name', true],
    ['x{?Stra%C3%9Fe}', 'Stra%C3%9Fe', 'Straße', false],
    ['x?ref={+A}', 'A', 'ref', true],
    ['x?{A}', 'A', 'A', true],
    ['x?a=b={A}', 'A', 'A', true],
    ['x?a=b{A}', 'A', 'A', true],
    ['x?a={A}{B}', 'B', 'B', true],
    ['x?={A}', 'A', 'A', true],
  ])('%s: %s is the query parameter %s, required: %s', (text, name, wireName, required) => {
    expect(variable(text, name)).toMatchObject({ place: 'query', wireName, required });
  });

  it.each([
    ['{a}', true],
    ['{+a}', true],
    ['x{.a}', false],
    ['x{/a}', false],
    ['x{;a}', false],
    ['x{#a}', false],
  ])('in %s the variable stands in the path, required: %s', (text, required) => {
    expect(variable(text, 'a')).toMatchObject({ place: 'path', required });
  });

  it.each([
    '',
    '/',
    "add(url='{FileName}',overwrite=true)",
    'café/{x}',
    'a%20b',
    '~-._!$&()*+,;=:@',
    '{a.b_c1}',
    '{42}',
    '{%41}',
    '{x:9999}',
    '{x:1}',
    'http://h/{x}#y',
    '[::1]/{x}',
  ])('accepts %j', (text) => {
    expect(parseUriTemplate(text).text).toBe(text);
  });

  it.each([
    ['a{', 1, 'not closed'],
    ['a{b', 1, 'not closed'],
    ['a}b', 1, '} closes no expression'],
    ['a{b}}', 4, '} closes no expression'],
    ['{}', 0, 'needs a variable'],
    ['{?}', 2, 'a variable name is missing'],
    ['{a,}', 3, 'a variable name is missing'],
    ['{,a}', 1, 'operator , is reserved'],
    ['{=a}', 1, 'operator = is reserved'],
    ['{!a}', 1, 'operator ! is reserved'],
    ['{@a}', 1, 'operator @ is reserved'],
    ['{|a}', 1, 'operator | is reserved'],
    ['{a b}', 2, 'a space'],
    ['{a-b}', 2, "can't hold - here"],
    ['{a{b}}', 2, "can't hold { here"],
    ['{.}', 2, 'a variable name is missing'],
    ['{+.a}', 2, "can't hold . here"],
    ['{a..b}', 3, "can't hold . here"],
    ['{a.}', 2, "can't end with a dot"],
    ['{a%2}', 2, '% needs two hexadecimal digits'],
    ['{a:0}', 3, 'a length from 1 to 9999'],
    ['{a:10000}', 3, 'a length from 1 to 9999'],
    ['{a:3*}', 3, 'a length from 1 to 9999'],
    ['{a*:3}', 3, 'nothing may follow *'],
    ['{é}', 1, "can't hold é here"],
    ['a b', 1, 'a space must be percent-encoded'],
    ['a"b', 1, '" must be percent-encoded'],
    ['a<b', 1, '< must be percent-encoded'],
    ['a\\b', 1, '\\ must be percent-encoded'],
    ['a%2', 1, '% needs two hexadecimal digits'],
    ['a%zz{x}', 1, '% needs two hexadecimal digits'],
    ['a\nb', 1, 'U+000A must be percent-encoded'],
    ['a\ud800', 1, 'U+D800 must be percent-encoded'],
    ['a\ufffe', 1, 'must be percent-encoded'],
    ['{?a%FF}', 2, "can't be decoded"],
    ['x?a%00={A}', 7, "can't be decoded"],
  ])('refuses %j at offset %d: %s', (text, offset, message) => {
    expect(() => parseUriTemplate(text)).toThrow(UriTemplateError);
    expect(() => parseUriTemplate(text)).toThrow(
      expect.objectContaining({ offset, message: expect.stringContaining(message) }),
    );
  });

  it('parses 64 KB in linear time', () => {
    expectWithin(1_000, () => {
      expect(parseUriTemplate('{a}/'.repeat(16_000)).variables).toHaveLength(16_000);
      expect(parseUriTemplate(`x?${'a'.repeat(65_000)}={A}`).variables).toHaveLength(1);
      expect(parseUriTemplate(`{${'a,'.repeat(30_000)}b}`).variables).toHaveLength(30_001);
    });
  });
});

describe('receivable', () => {
  it.each([
    '',
    '/',
    'a/{b}',
    '{+a}/b',
    'a{.b}',
    'a{/b*}',
    'a{;b,c*}',
    'a{?b,c*}',
    'a?x=1',
    'a?x=1{&b}',
    'a?x={X}&y={Y}{&z}',
    'a{?b}{&c}',
    '{a}{b}',
    'a?x={X*}',
    'a?flag',
    'a?&x={X}&',
  ])('%j is', (text) => {
    expect(receivable(parseUriTemplate(text))).toBeUndefined();
  });

  it.each([
    ['a#b', 'fragment'],
    ['a{#b}', 'fragment'],
    ['a?x={X}#b', 'fragment'],
    ['{a}/{a}', 'the variable a occurs in it twice'],
    ['a?x={X}&x={Y}', 'the query parameter x occurs in it twice'],
    ['a?x=1{&x}', 'the query parameter x occurs in it twice'],
    ['a?{x,y}', 'matched by name'],
    ['a?x={X}{Y}', 'matched by name'],
    ['a?x={X}y', 'matched by name'],
    ['a?xy{X}', 'matched by name'],
    ['a?x={X,Y}', 'matched by name'],
    ['a?x={;X}', 'matched by name'],
    ['a{&b}', 'needs a literal ?'],
    ['a{?b}{?c}', 'write {&...}'],
    ['a?x=1{?c}', 'write {&...}'],
    ['a{?b}&x=1', 'starts no query'],
    ['a?x=%FF', "can't be decoded"],
    ['a/../{b}', 'a segment ..'],
    ['a//', 'one slash at the end'],
    ['{a}//{?b}', 'one slash at the end'],
    ['a/%2e/{b}', 'a segment .'],
  ])('%j is not: %s', (text, reason) => {
    expect(receivable(parseUriTemplate(text))).toContain(reason);
  });
});

describe('layOut', () => {
  it('divides path and query', () => {
    const layout = layOut(parseUriTemplate('a/{b}/?op=list%2Bx&flag&c={C}{&d}'));
    expect(layout.path.map((part) => (part.kind === 'literal' ? part.text : '{}'))).toEqual(['a/', '{}', '/']);
    expect(layout.pairs).toEqual([
      { name: 'op', value: 'list+x' },
      { name: 'flag', value: '' },
    ]);
    expect(layout.queryVariables.map((each) => each.wireName)).toEqual(['c', 'd']);
  });
});
