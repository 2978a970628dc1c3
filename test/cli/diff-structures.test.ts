import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository, signalbox, temporaryFolder, writeFiles } from './support.ts';

interface Found {
  readonly rule: string;
  readonly at: string;
  readonly verdict: string;
  readonly message: string;
}

async function changesOf(before: string, after: string, cwd: string): Promise<readonly Found[]> {
  const { stdout, stderr, code } = await signalbox(['diff', before, after, '--json'], { cwd });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return (JSON.parse(stdout) as { changes: Found[] }).changes;
}

type Schema = Readonly<Record<string, unknown>>;

/** A contract with a schema in the body of a request, in a reply, or nowhere. */
function contract(role: 'request' | 'reply', schema: Schema, required = true): string {
  const content = { 'application/json': { schema: { type: 'object', properties: { part: schema } } } };
  const plain = { 'application/json': { schema: { type: 'object', properties: { id: { type: 'string' } } } } };
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Parts', version: '1' },
    servers: [{ url: 'https://parts.example.org' }],
    paths: {
      '/parts': {
        put: {
          operationId: 'putPart',
          requestBody: { required, content: role === 'request' ? content : plain },
          responses: { 200: { description: 'ok', content: role === 'reply' ? content : plain } },
        },
      },
    },
  });
}

/** Everywhere that a type can be in a schema, around another one. */
const AROUND: Readonly<Record<string, (inner: Schema) => Schema>> = {
  'a list of lists': (inner) => list(list(inner)),
  'a map of maps': (inner) => map(map(inner)),
  'a map of lists': (inner) => map(list(inner)),
  'a list of maps': (inner) => list(map(inner)),
  'a list of lists of lists': (inner) => list(list(list(inner))),
  'a list of maps of lists of objects': (inner) => list(map(list(object(inner)))),
  'oneOf of a text and an object': (inner) => ({ oneOf: [{ type: 'boolean' }, object(inner)] }),
  'anyOf of a list and an object': (inner) => ({ anyOf: [list({ type: 'boolean' }), object(inner)] }),
  'oneOf of a text and a list': (inner) => ({ oneOf: [{ type: 'boolean' }, list(inner)] }),
  'a list of oneOf': (inner) => list({ oneOf: [{ type: 'boolean' }, object(inner)] }),
  'a map of oneOf of maps': (inner) => map({ oneOf: [{ type: 'boolean' }, map(inner)] }),
};
const list = (items: Schema): Schema => ({ type: 'array', items });
const map = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties });
const object = (inner: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties: { inner },
  ...(required.length === 0 ? {} : { required }),
});

describe.each(['request', 'reply'] as const)('in a %s', (role) => {
  it.concurrent.each(Object.keys(AROUND))('%s is compared to its end', async (name) => {
    const around = AROUND[name] as (inner: Schema) => Schema;
    const cwd = await temporaryFolder();
    await writeFiles(cwd, {
      'a.json': contract(role, around({ type: 'integer' })),
      'same.json': contract(role, around({ type: 'integer', description: 'A number.' })),
      'type.json': contract(role, around({ type: 'string' })),
      'bound.json': contract(
        role,
        around({ type: 'integer', ...(role === 'request' ? { maximum: 5 } : { minimum: -5 }) }),
      ),
    });
    const verdicts = async (after: string) => (await changesOf('a.json', after, cwd)).map(({ verdict }) => verdict);
    expect((await verdicts('same.json')).filter((verdict) => verdict !== 'documentation')).toEqual([]);
    expect(await verdicts('type.json')).toContain('breaking');
    expect(await verdicts('bound.json')).not.toEqual([]);
  });

  it.concurrent('members of an object in oneOf', async () => {
    const cwd = await temporaryFolder();
    const of = (required: readonly string[]): string =>
      contract(role, { oneOf: [{ type: 'string' }, object({ type: 'integer' }, required)] });
    await writeFiles(cwd, { 'a.json': of([]), 'b.json': of(['inner']) });
    const [before, after] = role === 'request' ? ['a.json', 'b.json'] : ['b.json', 'a.json'];
    expect(await changesOf(before as string, after as string, cwd)).toMatchObject([
      { verdict: 'breaking', at: expect.stringMatching(/part\.object\.inner$/) },
    ]);
  });
});

it.each([
  ['values of several types', { type: ['string', 'integer'] }, { type: ['string', 'boolean'] }],
  [
    'entries by position',
    { type: 'array', prefixItems: [{ type: 'string' }] },
    { type: 'array', prefixItems: [{ type: 'integer' }] },
  ],
  [
    'members beside properties',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } },
  ],
  [
    'members by a pattern beside properties',
    { type: 'object', properties: { a: { type: 'string' } }, patternProperties: { '^x': { maxLength: 9 } } },
    { type: 'object', properties: { a: { type: 'string' } }, patternProperties: { '^x': { maxLength: 5 } } },
  ],
  [
    'numbers of members beside properties',
    { type: 'object', properties: { a: { type: 'string' } }, maxProperties: 9 },
    { type: 'object', properties: { a: { type: 'string' } }, maxProperties: 2 },
  ],
  [
    'bounds of a text that is a date',
    { type: 'string', format: 'date', maxLength: 9 },
    { type: 'string', format: 'date', maxLength: 5 },
  ],
  ['a keyword', { type: 'string', not: { enum: ['A'] } }, { type: 'string', not: { enum: ['B'] } }],
])('what is not compared, and has changed, is listed: %s', async (_, before, after) => {
  const cwd = await temporaryFolder();
  const of = (schema: Schema): string => contract('reply', schema).replace('3.0.3', '3.1.0');
  await writeFiles(cwd, {
    'a.json': of(before),
    'b.json': of(after),
    'c.json': of({ ...before, description: 'The same.' }),
  });
  const changes = await changesOf('a.json', 'b.json', cwd);
  expect(changes.map(({ verdict, rule }) => `${verdict} ${rule}`).sort()).toEqual([
    'may-break uncarried-added',
    'may-break uncarried-removed',
  ]);
  const same = await changesOf('a.json', 'c.json', cwd);
  expect(same.filter(({ verdict }) => verdict !== 'documentation')).toEqual([]);
});

it('a required body breaks callers that send none, and an optional one nobody', async () => {
  const cwd = await temporaryFolder();
  const of = (required: boolean): string => contract('request', { type: 'string' }, required);
  await writeFiles(cwd, { 'a.json': of(false), 'b.json': of(true) });
  expect(await changesOf('a.json', 'b.json', cwd)).toMatchObject([
    { rule: 'field-required', verdict: 'breaking', at: 'Parts.v1.putPart.request' },
  ]);
  expect(await changesOf('b.json', 'a.json', cwd)).toMatchObject([{ rule: 'field-optional', verdict: 'compatible' }]);
});

it('a member that an open object of a reply always had is missed; one of a request is still taken', async () => {
  const cwd = await temporaryFolder();
  const open = (properties: Schema, required: readonly string[]): Schema => ({
    type: 'object',
    properties,
    required,
    additionalProperties: true,
  });
  const [text, both] = [{ id: { type: 'string' } }, { id: { type: 'string' }, state: { type: 'string' } }];
  for (const role of ['reply', 'request'] as const) {
    await writeFiles(cwd, {
      [`${role}-a.json`]: contract(role, open(both, ['id', 'state'])),
      [`${role}-b.json`]: contract(role, open(text, ['id'])),
    });
  }
  expect(await changesOf('reply-a.json', 'reply-b.json', cwd)).toMatchObject([
    { rule: 'field-removed', verdict: 'breaking' },
  ]);
  expect(await changesOf('request-a.json', 'request-b.json', cwd)).toMatchObject([
    { rule: 'field-undeclared', verdict: 'may-break' },
  ]);
});

const strangers = join(repository, '../shared/corpus/strangers/diff');
describe.skipIf(!existsSync(strangers))('contracts of others (needs ../shared/corpus)', () => {
  const names = existsSync(strangers) ? readdirSync(strangers).filter((name) => name !== 'base.json') : [];
  it.concurrent.each(names)('%s breaks callers', async (name) => {
    const changes = await changesOf(join(strangers, 'base.json'), join(strangers, name), repository);
    expect(changes.map(({ verdict }) => verdict)).toContain('breaking');
  });
});
