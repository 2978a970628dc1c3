import { existsSync, readFileSync } from 'node:fs';
import { parseTemplate } from 'url-template';
import { describe, expect, it } from 'vitest';
import { compileUriExpander } from '../../../src/wire/uri-template/expand.ts';
import {
  compileExpander,
  plainWriting,
  UriExpansionError,
  type UriValues,
} from '../../../src/wire/uri-template/expand-template.ts';
import { parseUriTemplate, UriTemplateError } from '../../../src/wire/uri-template/uri-template.ts';

const folder = new URL('../../../../shared/corpus/uri-template/', import.meta.url);
const present = existsSync(folder);

interface Case {
  readonly template: string;
  readonly expected: readonly string[];
  readonly variables: UriValues;
}

function casesOf(file: string): Case[] {
  if (!present) return [];
  const groups: Record<string, { variables: UriValues; testcases: [string, string | string[] | false][] }> = JSON.parse(
    readFileSync(new URL(file, folder), 'utf8'),
  );
  return Object.values(groups).flatMap(({ variables, testcases }) =>
    testcases.map(([template, expected]) => ({
      template,
      variables,
      expected: expected === false ? [] : [expected].flat(),
    })),
  );
}

/** What url-template 3 does not get right by itself, and what mends it here. */
const mended: Readonly<Record<string, string>> = {
  '/lookup{?Stra%C3%9Fe}': 'it encodes the name a second time: the name is handed over decoded',
  '{?empty_list}': 'it writes a name for an empty list: the list is left out before',
  '{?empty_assoc}': 'it writes a name for an empty map: the map is left out before',
  '{+not_pct}': 'it takes %fo for an octet: a stray % is encoded before',
  '{#not_pct}': 'it takes %fo for an octet: a stray % is encoded before',
  '{clef:1}': 'it cuts a surrogate pair: the value is cut before, by code points',
};

describe.skipIf(!present)('the public RFC 6570 suite (skipped where ../shared/corpus is missing)', () => {
  it.each([
    'spec-examples.json',
    'spec-examples-by-section.json',
    'extended-tests.json',
  ])('%s expands wholly', (file) => {
    const cases = casesOf(file);
    expect(cases.length).toBeGreaterThan(50);
    const wrong = cases.filter(({ template, expected, variables }) => {
      return !expected.includes(compileExpander(parseUriTemplate(template), plainWriting)(variables));
    });
    expect(wrong).toEqual([]);
  });

  it('mends exactly what url-template gets wrong', () => {
    const wrong = casesOf('extended-tests.json').filter(({ template, expected, variables }) => {
      try {
        return !expected.includes(
          parseTemplate(template).expand(variables as Parameters<ReturnType<typeof parseTemplate>['expand']>[0]),
        );
      } catch {
        return true;
      }
    });
    expect(wrong.map((each) => each.template).toSorted()).toEqual(Object.keys(mended).toSorted());
  });

  it('is followed by the writing expander too, but for reserved expansion, which encodes more', () => {
    const files = ['spec-examples.json', 'spec-examples-by-section.json', 'extended-tests.json'];
    const cases = files.flatMap(casesOf).filter(({ template }) => !template.includes('{+'));
    const wrong = cases.filter(({ template, expected, variables }) => {
      return !expected.includes(compileUriExpander(parseUriTemplate(template))(variables));
    });
    expect(wrong).toEqual([]);
  });

  const negative = casesOf('negative-tests.json');
  /** Right by their syntax; their value is a map, to which a length does not apply. */
  const byValue = ['{keys:1}', '{+keys:1}'];

  it.each(negative.filter(({ template }) => !byValue.includes(template)))('refuses $template', ({ template }) => {
    expect(() => parseUriTemplate(template)).toThrow(UriTemplateError);
  });

  it.each(negative.filter(({ template }) => byValue.includes(template)))('refuses to expand $template', ({
    template,
    variables,
  }) => {
    expect(() => compileExpander(parseUriTemplate(template), plainWriting)(variables)).toThrow(UriExpansionError);
    expect(() => compileUriExpander(parseUriTemplate(template))(variables)).toThrow('keys holds more than one value');
  });

  it('has 36 negative cases', () => {
    expect(negative).toHaveLength(36);
  });
});
