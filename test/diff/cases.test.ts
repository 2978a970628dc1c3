import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES, type RuleId } from '../../src/diff/catalogue.ts';
import { compareTexts, definitionsAround, linesOf } from './sample.ts';
import { ruleSample, rulesWithSample, SAMPLE_KINDS } from './samples.ts';

const all = Object.keys(RULES) as RuleId[];
// What only contracts state is tried with these: test/cli/diff-stated.test.ts.
const rules = SAMPLE_KINDS.filter((kind) => kind !== 'contract').flatMap(rulesWithSample);

// More definitions for a rule than its sample has: before (see projectOf), a line of dashes, after, a line of dashes, the changes.
const folder = new URL('./cases/', import.meta.url);
const cases = readdirSync(folder);

describe('the catalogue of rules', () => {
  it('has one sample for each rule, and no other samples', () => {
    expect(SAMPLE_KINDS.flatMap(rulesWithSample).sort()).toEqual(all.toSorted());
  });

  it.each(rules)('%s is reported for its sample in the guide, and not the other way around', (id) => {
    const sample = ruleSample(id);
    const { before, after } = definitionsAround(sample);
    const changes = compareTexts(before, after);
    expect(linesOf(changes)).toBe(sample.changes);
    expect(changes.map(({ rule }) => rule)).toContain(id);
    const back = compareTexts(after, before).map(({ rule }) => rule);
    if (/-(?:added|removed|begun|ended|lowered|raised|widened|narrowed|required|optional)$/.test(id))
      expect(back).not.toContain(id);
  });

  it.each(cases)('%s is reported as it says', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const [before = '', after = '', expected = ''] = text.split(/^-{20}\n/m);
    const changes = compareTexts(before, after);
    expect(linesOf(changes)).toBe(expected);
    expect(changes.map(({ rule }) => rule)).toContain(name.replace(/\.case$/, ''));
  });

  it.each([
    ['number', 'double', []],
    ['float', 'double', ['type-widened']],
    ['xs-double', 'number', ['type-narrowed']],
    ['float', 'xs-float', ['type-widened']],
    ['xs-double', 'xs-float', ['type-narrowed']],
    ['double', 'xs-float', ['type-changed']],
  ])('floating-point numbers are compared as the values that they hold: %s to %s', (before, after, rules) => {
    const sides = definitionsAround({ kind: 'fields', before: `NUMBER: ${before}`, after: `NUMBER: ${after}` });
    const changes = compareTexts(sides.before, sides.after);
    expect([...new Set(changes.map(({ rule }) => rule))]).toEqual(rules);
  });

  it.each(all)('%s has plain words for each of its verdicts', (id) => {
    const { sentence, reason, verdicts } = RULES[id];
    expect(sentence).toMatch(/^[A-Z{].*\.$/);
    expect(reason).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(verdicts)).not.toEqual([]);
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});
