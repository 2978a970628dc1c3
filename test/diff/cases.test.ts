import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES, type RuleId } from '../../src/diff/catalogue.ts';
import { compareTexts, linesOf, sampleOf } from './sample.ts';

// A case file for each rule: definitions before (see projectOf), a line of dashes, definitions after, a line of dashes, the changes.
const folder = new URL('./cases/', import.meta.url);
const all = Object.keys(RULES) as RuleId[];
// What only contracts state is tried with these: test/cli/diff-stated.test.ts.
const rules = all.filter((id) => RULES[id].sample !== 'contract');
const fileOf = (id: string): URL => new URL(`${id}.case`, folder);

describe('the catalogue of rules', () => {
  it('has a case file for each rule', () => {
    expect(rules.filter((id) => !existsSync(fileOf(id)))).toEqual([]);
  });

  it.each(rules)('%s is reported as its case says', (id) => {
    const [before = '', after = '', expected = ''] = readFileSync(fileOf(id), 'utf8').split(/^-{20}\n/m);
    const changes = compareTexts(before, after);
    expect(linesOf(changes)).toBe(expected);
    expect(changes.map(({ rule }) => rule)).toContain(id);
  });

  it.each(rules)('%s is reported for its sample in the guide, and not the other way around', (id) => {
    const { before, after } = sampleOf(RULES[id]);
    expect(compareTexts(before, after).map(({ rule }) => rule)).toContain(id);
    const back = compareTexts(after, before).map(({ rule }) => rule);
    if (/-(?:added|removed|begun|ended|lowered|raised|widened|narrowed|required|optional)$/.test(id))
      expect(back).not.toContain(id);
  });

  it.each(all)('%s has plain words for each of its verdicts', (id) => {
    const { sentence, reason, verdicts } = RULES[id];
    expect(sentence).toMatch(/^[A-Z{].*\.$/);
    expect(reason).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(verdicts)).not.toEqual([]);
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});
