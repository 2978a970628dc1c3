import { describe, expect, it } from 'vitest';
import { judge } from '../../scripts/corpus/judge.ts';
import { reasonOf } from '../../scripts/corpus/reasons.ts';
import { hasXmllint } from '../support/xmllint.ts';
import { SCHEMAS } from './instances-schemas.ts';

const HEAD =
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" elementFormDefault="qualified"><xs:import namespace="http://www.w3.org/XML/1998/namespace"/>';

/** Random instances of each global element, and one mutant of each. */
const COUNT = 12;

describe.runIf(hasXmllint)('instances of an imported schema, by xmllint and by the definitions', () => {
  it.each(Object.keys(SCHEMAS))('%s', async (name) => {
    const bytes = Buffer.from(`${HEAD}${SCHEMAS[name]}</xs:schema>`);
    const read = async (): Promise<{ bytes: Uint8Array }> => ({ bytes });
    const { valid, skipped, reason, differences } = await judge('a.xsd', read, { count: COUNT, seed: name });
    expect({ reason, skipped }).toEqual({ reason: undefined, skipped: [] });
    expect(valid).toBeGreaterThanOrEqual(COUNT / 2);
    expect(differences.filter((each) => reasonOf(each) === undefined)).toEqual([]);
  });
});
