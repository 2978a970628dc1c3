import { describe, expect, it } from 'vitest';
import { groupLosses, importContracts } from '../../../src/import/index.ts';
import { Losses } from '../../../src/import/place.ts';
import { readFrom } from '../support.ts';

/** What is taken of a contract, and what is listed. */
async function taken(text: string) {
  const [imported] = await importContracts(['api.yaml'], readFrom({ 'api.yaml': text }), { tolerant: true });
  if (imported === undefined) throw new Error('nothing was imported');
  const { contract, losses } = imported;
  return {
    operations: contract.services.flatMap(({ operations }) => operations),
    documents: contract.documents,
    invalid: losses
      .all()
      .filter(({ kind }) => kind === 'invalid')
      .map(({ what, instead }) => `${what}: ${instead}`),
    lost: losses
      .all()
      .filter(({ kind }) => kind !== 'invalid' && kind !== 'note')
      .map(({ what, instead }) => `${what}: ${instead}`),
  };
}

async function refusal(text: string): Promise<string> {
  return importContracts(['api.yaml'], readFrom({ 'api.yaml': text })).then(
    () => 'not refused',
    (error: Error) => error.message,
  );
}

const three = (paths: string, more = '', version = '3.0.3') =>
  `openapi: ${version}\ninfo: { title: Shop, version: '1' }\npaths:\n${paths}${more}`;

const get = (keys: string) => `  /a:\n    get: { operationId: a, ${keys} }\n`;
const OK = "responses: { '200': { description: ok } }";

describe('what is not valid is listed, and the rest taken', () => {
  it.each([
    [
      'a response without a description',
      get("responses: { '200': {} }"),
      ['not valid OpenAPI 3.0: "200" lacks "description": taken without it'],
    ],
    [
      'an operation without responses',
      get('deprecated: true'),
      ['not valid OpenAPI 3.0: "get" lacks "responses": taken without it'],
    ],
    [
      'an unknown key',
      get(`consumes: [a], ${OK}`),
      ['not valid OpenAPI 3.0: "get" can\'t have the key "consumes": ignored'],
    ],
    [
      'a keyword with a wrong type',
      get(`deprecated: 'no', ${OK}`),
      ['not valid OpenAPI 3.0: "deprecated" must be boolean: ignored'],
    ],
    [
      'a parameter in a place that does not exist',
      get(`parameters: [{ name: q, in: url, schema: {} }], ${OK}`),
      ['not valid OpenAPI 3.0: "in" must be one of path, query, header, cookie: left out'],
    ],
    [
      'a parameter without a name',
      get(`parameters: [{ in: query, schema: {} }], ${OK}`),
      ['not valid OpenAPI 3.0: "parameters[0]" lacks "name": it is left out'],
    ],
    [
      'a parameter without a schema',
      get(`parameters: [{ name: q, in: query }], ${OK}`),
      ['not valid OpenAPI 3.0: "q" lacks "schema": taken as a text'],
    ],
    [
      'several in one operation',
      get(`tags: x, security: y, ${OK}, servers: z`),
      [
        'not valid OpenAPI 3.0: "tags" must be array: ignored',
        'not valid OpenAPI 3.0: "security" must be array: ignored',
        'not valid OpenAPI 3.0: "servers" must be array: ignored',
      ],
    ],
    [
      'a path without a slash',
      `  a/b:\n    get: { operationId: a, ${OK} }\n`,
      ['not valid OpenAPI 3.0: "paths" can\'t have the key "a/b": taken as "/a/b"'],
    ],
  ])('%s', async (_, paths, invalid) => {
    const found = await taken(three(paths));
    expect(found.operations.map(({ name }) => name)).toEqual(['a']);
    expect(found.invalid).toEqual(invalid);
    const words = await refusal(three(paths));
    expect(words.match(/ "[^"]+"/g)?.length).toBeGreaterThanOrEqual(invalid.length);
    if (invalid.length === 1) expect(words).toContain(invalid[0]?.replace(/: [^:]*$/, ''));
  });

  const schema = (text: string, version?: string) =>
    three('  {}\n', `components: { schemas: { S: { type: object, properties: { p: ${text} } } } }\n`, version);

  it.each([
    [
      '{ type: string, required: true }',
      '3.0.3',
      { word: 'string', options: {} },
      ['not valid OpenAPI 3.0: "required" must be array: ignored'],
    ],
    [
      '{ type: text }',
      '3.0.3',
      { word: 'json', options: {} },
      ['not valid OpenAPI 3.0: "type" must be one of array, boolean, integer, number, object, string: ignored'],
    ],
    [
      '{ type: string, maxLength: "20" }',
      '3.0.3',
      { word: 'string', options: {} },
      ['not valid OpenAPI 3.0: "maxLength" must be integer: ignored'],
    ],
    ['{ type: number, minimum: 5, exclusiveMinimum: true }', '3.1.0', { word: 'number', options: { above: 5 } }, []],
    [
      '{ type: number, exclusiveMinimum: 5 }',
      '3.0.3',
      { word: 'number', options: { above: 5 } },
      ['not valid OpenAPI 3.0: "exclusiveMinimum" must be boolean: taken as OpenAPI 3.1 has it'],
    ],
    [
      '{ type: [string, "null"] }',
      '3.0.3',
      { word: 'string', options: { nullable: true } },
      ['not valid OpenAPI 3.0: "type" must be string: taken as OpenAPI 3.1 has it'],
    ],
    [
      '{ type: string, const: x }',
      '3.0.3',
      { word: 'string', options: { fixed: 'x' } },
      ['not valid OpenAPI 3.0: "p" can\'t have the key "const": taken as OpenAPI 3.1 has it'],
    ],
    [
      '{ $ref: "#/components/schemas/Gone" }',
      '3.0.3',
      { word: 'json', options: {} },
      ['the reference "#/components/schemas/Gone" leads nowhere: what it declares is unknown'],
    ],
  ])('a property %s of OpenAPI %s', async (text, version, { word, options }, invalid) => {
    const found = await taken(schema(text, version));
    expect(found.documents[0]?.fields[0]).toMatchObject({ name: 'p', type: { kind: 'scalar', word }, options });
    expect(found.invalid).toEqual(invalid);
  });

  it('names of required members that are repeated', async () => {
    const more =
      'components: { schemas: { S: { type: object, properties: { p: { type: string } }, required: [p, p] } } }\n';
    const { documents, invalid } = await taken(three('  {}\n', more));
    expect(documents[0]?.fields[0]).toMatchObject({ name: 'p', options: { required: true } });
    expect(invalid).toEqual([
      'not valid OpenAPI 3.0: "required" must NOT have duplicate items (items ## 1 and 0 are identical): taken once',
    ]);
  });

  it('security schemes without what their type needs, and unknown ones', async () => {
    const more = `components: { securitySchemes: { k: { type: apiKey, name: X }, b: { type: bearer } } }\nsecurity: [{ k: [] }, { gone: [] }]\n`;
    const { invalid, lost } = await taken(three(get(OK), more));
    expect(invalid).toEqual([
      'not valid OpenAPI 3.0: "k" lacks "in": "k" is left out',
      'not valid OpenAPI 3.0: the "type" of "b" must be one of apiKey, http, oauth2, openIdConnect: "b" is left out',
    ]);
    expect(lost).toEqual([
      'the security scheme "k" is not declared: no credentials are sent',
      'the security scheme "gone" is not declared: no credentials are sent',
    ]);
  });

  it('a contract without a title, a version and paths', async () => {
    const { invalid } = await taken('openapi: 3.0.3\n');
    expect(invalid).toEqual([
      'not valid OpenAPI 3.0: it lacks "info": taken without it',
      'not valid OpenAPI 3.0: it lacks "paths": taken without it',
    ]);
  });
});

it('what is next to a reference is ignored in OpenAPI 2.0 and 3.0, as their texts say, whatever it is', async () => {
  const two = `swagger: '2.0'
info: { title: Old, version: '1' }
parameters: { page: { name: page, in: query, type: integer } }
paths:
  /a:
    get:
      operationId: a
      parameters: [{ $ref: '#/parameters/page', name: page, required: true }]
      responses: { 200: { description: ok, schema: { $ref: '#/definitions/A', required: true, description: an A } } }
definitions: { A: { type: object, properties: { b: { $ref: '#/definitions/B', type: text } } }, B: { type: string } }
`;
  expect(await refusal(two)).toBe('not refused');
  const { operations, documents, lost, invalid } = await taken(two);
  expect(invalid).toEqual([]);
  expect(operations[0]?.rest?.uris).toEqual(['a{?page}']);
  expect(documents[0]?.fields[0]?.type).toMatchObject({ kind: 'scalar', word: 'string' });
  expect(lost).toEqual([
    '"name" beside "$ref": ignored, as OpenAPI 2.0 requires',
    '"required" beside "$ref": ignored, as OpenAPI 2.0 requires',
    '"required" beside "$ref": ignored, as OpenAPI 2.0 requires',
    '"type" beside "$ref": ignored, as OpenAPI 2.0 requires',
  ]);
});

it('any number of errors of one part is repaired', async () => {
  const many = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => text(n)).join();
  const properties = many(3000, (n) => `p${n}: { type: text, more: 1 }`);
  const parameters = many(
    500,
    (n) =>
      `{ name: q${n}, in: query }, { name: r${n}, in: url, schema: {} }, { name: s${n}, in: query, schema: { type: string } }`,
  );
  const unknown = many(500, (n) => `k${n}: 1`);
  const text = three(
    get(`parameters: [${parameters}], ${unknown}, ${OK}`),
    `components: { schemas: { S: { type: object, properties: { ${properties} } } } }\ntags: [${many(1000, (n) => `{ name: t${n}, extra: 1 }`)}]\n`,
  );
  const { operations, documents, invalid } = await taken(text);
  expect(operations[0]?.rest?.uris[0]?.match(/[qrs]\d+/g)).toHaveLength(1000);
  expect(documents[0]?.fields).toHaveLength(3000);
  expect(invalid).toHaveLength(2 * 3000 + 500 + 500 + 500 + 1000);
});

it('a reference to what was left out says so, and is no error of the contract', async () => {
  const more =
    "components: { parameters: { p: { in: query, schema: {} }, q: { $ref: '#/components/parameters/gone' } } }\n";
  const text = three(get(`parameters: [{ $ref: '#/components/parameters/p' }], ${OK}`), more);
  const { invalid, lost } = await taken(text);
  expect(invalid).toEqual([
    'not valid OpenAPI 3.0: "p" lacks "name": "p" is left out',
    'the reference "#/components/parameters/gone" leads nowhere: what it declares is unknown',
  ]);
  expect(lost).toContain('what "#/components/parameters/p" refers to was left out: what it declares is unknown');
});

it('of a path with and without its slash the valid one is taken', async () => {
  const { operations, invalid } = await taken(
    three(`  pets: { get: { operationId: a, ${OK} } }\n  /pets: { get: { operationId: b, ${OK} } }\n`),
  );
  expect(operations.map(({ name }) => name)).toEqual(['b']);
  expect(invalid).toEqual([
    'not valid OpenAPI 3.0: "paths" can\'t have the key "pets": left out, since "/pets" is there too',
  ]);
});

it('everything that is not valid is reported at once, what is alike together, with the way out', async () => {
  const paths = Array.from({ length: 418 }, (_, n) => `  /a${n}: { get: { responses: { '200': {} } } }\n`).join('');
  const error = await importContracts(['api.yaml'], readFrom({ 'api.yaml': three(paths) })).catch((thrown) => thrown);
  expect(error.message).toBe(`api.yaml:4:30: not valid in 418 places:
  api.yaml:4:30, 5:30, 6:30 and 415 more: not valid OpenAPI 3.0: "200" lacks "description"`);
  expect(error.hint).toBe(
    'Correct the contract, or take what is valid with `signalbox import --tolerant`, which lists the rest.',
  );
});

it('what is alike but for several names is grouped by the one that says more', () => {
  const losses = new Losses();
  const place = { source: 'api.yaml', line: 1, column: 1 };
  const add = (map: string, key: string, line: number) =>
    losses.invalid(`"${map}" can't have the key "${key}"`, 'ignored', { ...place, line });
  for (let n = 1; n <= 20; n++) add(`m${n}`, n % 2 === 0 ? 'consumes' : 'produces', n);
  add('m1', 'secret', 21);
  expect(groupLosses(losses.all()).map(({ what }) => what)).toEqual([
    '"m1", "m3", "m5" and 7 more can\'t have the key "produces"',
    '"m2", "m4", "m6" and 7 more can\'t have the key "consumes"',
    '"m1" can\'t have the key "secret"',
  ]);
});

it('choices that contain one another are read in the time of their number, and listed', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `C${index}`);
  const schemas = names.map((name) => {
    const others = names.filter((each) => each !== name).map((each) => `{ $ref: '#/components/schemas/${each}' }`);
    return `    ${name}: { oneOf: [{ type: object, required: [${name}], properties: { ${name}: { type: string } } }, ${others}] }`;
  });
  const { lost } = await taken(three('  {}\n', `components:\n  schemas:\n${schemas.join('\n')}\n`));
  expect(lost).toContain('"oneOf" of other choices: any JSON is accepted');
}, 5000);
