import { describe, expect, it } from 'vitest';
import { hasXmllint } from '../support/xmllint.ts';
import { judge } from '../trials/corpus/judge.ts';
import { judgeJson } from '../trials/corpus/judge-json.ts';
import { reasonOf } from '../trials/corpus/reasons.ts';
import { JSON_SCHEMAS, SCHEMAS } from './instances-schemas.ts';

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

describe('instances of an imported OpenAPI description, by ajv and by the definitions', () => {
  it.each(Object.keys(JSON_SCHEMAS))('%s', async (name) => {
    const part = 'Part: { type: object, properties: { x: { type: string } } }';
    const text = `openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths: {}\ncomponents:\n  schemas:\n   ${part}\n   Tried:${JSON_SCHEMAS[name]}\n`;
    const read = async (): Promise<{ bytes: Uint8Array }> => ({ bytes: Buffer.from(text) });
    const { valid, reason, differences } = await judgeJson('a.yaml', read, { count: COUNT, seed: name });
    expect(reason).toBeUndefined();
    expect(valid).toBeGreaterThanOrEqual(COUNT);
    expect(differences.filter((each) => reasonOf(each) === undefined)).toEqual([]);
  });
});
