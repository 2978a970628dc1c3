import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQueryString } from '../../../src/wire/query-string.ts';
import { receivable } from '../../../src/wire/uri-template/layout.ts';
import { compileUriMatcher } from '../../../src/wire/uri-template/match.ts';
import { templatesOverlap } from '../../../src/wire/uri-template/overlap.ts';
import { compareSpecificity, dominance } from '../../../src/wire/uri-template/specificity.ts';
import { parseUriTemplate } from '../../../src/wire/uri-template/uri-template.ts';
import { expectWithin } from '../../support/duration.ts';

const overlap = (a: string, b: string) => templatesOverlap(parseUriTemplate(a), parseUriTemplate(b));
const compare = (a: string, b: string) => Math.sign(compareSpecificity(parseUriTemplate(a), parseUriTemplate(b)));

describe('templatesOverlap', () => {
  it.each([
    ['Employees/{DEPTNAME}{?maxrows}', 'Employees/{ID}'],
    ['a/{x}', '{y}/b'],
    ['a', 'a'],
    ['a', 'a/'],
    ['/a', 'a'],
    ['%41', 'A'],
    ['{x}', '{y}'],
    ['{x}', '{y}/'],
    ['{x}.json', 'a{y}'],
    ['{x}.{y}', '{x}.json'],
    ['{x}{;p}', '{x}'],
    ['{+x}', '{+y}'],
    ['{+x}/a', '{+y}'],
    ['a{/x*}', 'a{/y}'],
    ['a{/x*}', 'a/{+y}'],
    ['a{?x}', 'a'],
    ['a{?x}', 'a{?y}'],
    ['a?x={X}', 'a{?x}'],
    ['a?x={X}', 'a?y={Y}'],
    ['a?op=1&x={X}', 'a?op=1&x={Y}'],
    ['a?op=1', 'a?kind=2'],
    ['{a,b}', '{c}'],
    ['requests/{ID}/{X}', 'requests/{+REST}/x'.replace('{+REST}', '{Y}').replace('/x', '/{Z}')],
  ])('%s and %s tie', (a, b) => {
    expect(overlap(a, b)).toBe(true);
    expect(overlap(b, a)).toBe(true);
  });

  it.each([
    ['Locations/?region={REGION}', 'Locations/{REGION}/?location={LOCATION}'],
    ['requests/{ID}', 'requests/latest'],
    ['requests/{ID}', 'requests/{ID}/report'],
    ['requests{?x}', 'requests/{ID}'],
    ['getstatus{?a}', 'getresults{?a}'],
    ['a', 'b'],
    ['a', 'A'],
    ['{x}.json', '{x}.xml'],
    ['{x}.json', '{x}'],
    ['v{x}', 'w{x}'],
    ['{x}', '{+x}'],
    ['a{/x*}', 'a/b'],
    ['a{/x*}', 'a/{y}'],
    ['{+x}/a', '{+x}/b'],
    ['a?x={X}', 'a?x={X}&y={Y}'],
    ['a?x={X}', 'a'],
    ['a?op=1', 'a?op=2'],
    ['a?op=1{&x}', 'a?op=2{&x}'],
    ['a?op=1', 'a{?op}'],
    ['{a,b}', '{c,d,e}'],
    ['a#b', 'a#b'],
  ])('%s and %s do not', (a, b) => {
    expect(overlap(a, b)).toBe(false);
    expect(overlap(b, a)).toBe(false);
  });

  it('is exact for paths: a tie is claimed just where a request shows it', () => {
    const piece = fc.constantFrom('a', '/', '.', '/a', '{x}', '{+x}', '{.x}', '{/x}', '{/x*}', '{.x*}');
    const text = fc
      .array(piece, { minLength: 1, maxLength: 3 })
      .map((pieces) => pieces.map((p, i) => p.replace('x', `x${i}`)).join(''));
    const paths = pathsOver(['a', '/', '.'], 7);
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [left, right] = [parseUriTemplate(a), parseUriTemplate(b)];
        fc.pre(receivable(left) === undefined && receivable(right) === undefined);
        const [inLeft, inRight] = [compileUriMatcher(left), compileUriMatcher(right)];
        const decided = dominance(left, right);
        const both = paths.some(
          (path) => inLeft.matchPath(path) !== undefined && inRight.matchPath(path) !== undefined,
        );
        expect(templatesOverlap(left, right)).toBe(both && (decided === 0 || decided === undefined));
      }),
      { numRuns: 150 },
    );
  });

  it('is exact for queries', () => {
    const form = fc.constantFrom('absent', 'required', 'optional', '1', '2');
    const template = fc.tuple(form, form, form).map((forms) => {
      const names = ['p', 'q', 'r'];
      const fixed = forms.flatMap((f, i) =>
        f === 'required' ? [`${names[i]}={${names[i]}}`] : f === '1' || f === '2' ? [`${names[i]}=${f}`] : [],
      );
      const optional = names.filter((_, i) => forms[i] === 'optional');
      const mark = fixed.length > 0 ? `?${fixed.join('&')}` : '';
      return `x${mark}${optional.length > 0 ? `{${mark === '' ? '?' : '&'}${optional.join(',')}}` : ''}`;
    });
    const choices = ['', '1', '2'];
    const queries = choices.flatMap((p) =>
      choices.flatMap((q) => choices.map((r) => `p=${p}&q=${q}&r=${r}`.replaceAll(/\w=(&|$)/g, ''))),
    );
    fc.assert(
      fc.property(template, template, (a, b) => {
        const [left, right] = [parseUriTemplate(a), parseUriTemplate(b)];
        const tie = queries.some((raw) => {
          const [x, y] = [left, right].map((t) => compileUriMatcher(t).matchQuery(parseQueryString(raw, 9), []));
          return x?.ok && y?.ok && x.missing.length + y.missing.length === 0 && x.bound === y.bound;
        });
        expect(templatesOverlap(left, right)).toBe(tie && compareSpecificity(left, right) === 0);
      }),
      { numRuns: 200 },
    );
  });

  it('takes little time for three hundred templates of one service', () => {
    const templates = Array.from({ length: 300 }, (_, i) => parseUriTemplate(`resource${i}/{id}/part{?a,b}`));
    expectWithin(3_000, () =>
      expect(templates.some((a, i) => templates.slice(i + 1).some((b) => templatesOverlap(a, b)))).toBe(false),
    );
  });
});

function pathsOver(alphabet: readonly string[], length: number): string[] {
  let layer = [''];
  const all = [''];
  for (let i = 0; i < length; i++) {
    layer = layer.flatMap((path) => alphabet.map((c) => path + c));
    all.push(...layer);
  }
  return all;
}

describe('compareSpecificity', () => {
  it.each([
    ['requests/latest', 'requests/{ID}'],
    ['a/{x}', '{y}/b'],
    ['a/b/{x}', 'a/{y}/c'],
    ['{x}.json', '{x}'],
    ['{x}', '{+x}'],
    ['a', 'a{/x*}'],
    ['a/{x}', 'a{/x*}'],
    ['a?op=1', 'a{?op}'],
    ['a?op=1&b=2', 'a?op=1'],
  ])('%s stands before %s', (a, b) => {
    expect(compare(a, b)).toBe(-1);
    expect(compare(b, a)).toBe(1);
  });

  it.each([
    ['a/{x}', 'a/{y}'],
    ['a', 'b'],
    ['{x}', '{a,b}'],
    ['{+x}/a', '{+x}'],
    ['a{?x}', 'a{?y,z}'],
  ])('%s and %s are equal', (a, b) => {
    expect(compare(a, b)).toBe(0);
  });

  it('is an order: sorting a shuffled list gives one result', () => {
    const texts = [
      'a/b',
      'a/{x}',
      'a/v{x}',
      '{x}/b',
      '{x}/{y}',
      'a{/x*}',
      '{+x}',
      'a',
      'a?op=1',
      'a/b/c',
      'a/{x}/c',
      '{x}',
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(texts, { minLength: texts.length }), (shuffled) => {
        const sorted = shuffled.toSorted(compare);
        for (let i = 0; i < sorted.length; i++) {
          for (const after of sorted.slice(i)) expect(compare(sorted[i] ?? '', after)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});
