import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { draftsOf, draftText, filesOf } from './draft-text.ts';

// A case file: schemas (see filesOf), a line of dashes, the documents that are made of them, and after `!` what could not be
// carried, and what was done instead. A document without a name of its own is in parentheses.
const folder = new URL('./cases/', import.meta.url);
const cases = readdirSync(folder)
  .sort()
  .map((name) => {
    const [input = '', expected = ''] = readFileSync(new URL(name, folder), 'utf8').split(/^-{10,}\n/m);
    return { name: name.slice(0, -'.case'.length).replaceAll('-', ' '), input, expected };
  });

describe('documents of schemas', () => {
  it.each(cases)('$name', async ({ input, expected }) => {
    const { drafts, losses } = await draftsOf(filesOf(input));
    const documents = drafts.documents();
    expect(draftText(documents, losses.all())).toBe(expected);
  });
});
