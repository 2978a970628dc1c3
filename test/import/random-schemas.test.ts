import { expect, it } from 'vitest';
import { seeded } from '../../src/mock/instance.ts';
import { hasXmllint } from '../support/xmllint.ts';
import { judge } from '../trials/corpus/judge.ts';
import { randomSchema } from '../trials/corpus/random-schema.ts';
import { reasonOf } from '../trials/corpus/reasons.ts';
import { readFrom } from './support.ts';

// Schemas that no one has written, of all constructs: their instances are read, written and described as the schemas say.

const SEEDS = Array.from({ length: 12 }, (_, index) => `sample ${index}`);

it.runIf(hasXmllint).each(SEEDS)('the instances of a random schema are those of what is imported: %s', async (seed) => {
  const read = readFrom(randomSchema(seeded(seed)));
  const { reason, skipped, differences } = await judge('a.xsd', read, { count: 4, seed });
  expect({ reason, skipped }).toEqual({ reason: undefined, skipped: [] });
  expect(differences.filter((each) => reasonOf(each) === undefined)).toEqual([]);
});
