import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const contract = (text: string) => ({ 'api.yaml': `openapi: 3.1.0\ninfo: { title: Shop, version: '1' }\n${text}` });

describe('the definitions of an OpenAPI contract', () => {
  it('describe the entries of a list at the list, when their document is in place', async () => {
    const { declared } = await declaredOf(
      contract(`
components:
  schemas:
    Order:
      type: object
      properties:
        lines:
          type: array
          items: { type: object, description: What was ordered., properties: { sku: { type: string } } }
        notes:
          description: Newest first.
          type: array
          items: { type: object, description: What was said., properties: { text: { type: string } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    const { documents = '' } = yamlOf(declared);
    expect(documents).toContain('lines: { description: What was ordered., list:');
    expect(documents).toMatch(/Newest first\.\n\n\s+What was said\./);
  });

  it('say in JSON what a branch is called only where JSON names it', async () => {
    const branch = (title: string) =>
      `{ title: ${title}, type: object, required: [${title[0]}], properties: { ${title[0]}: { type: string } } }`;
    const { declared } = await declaredOf(
      contract(`
components:
  schemas:
    Told:
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]
      discriminator: { propertyName: kind, mapping: { by post: A, by hand: B } }
    Untold: { oneOf: [${branch('two words')}, ${branch('one word')}] }
    A: { type: object, properties: { x: { type: string } } }
    B: { type: object, properties: { y: { type: string } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    const { documents = '' } = yamlOf(declared);
    expect(documents).toContain('by_post: { type: A, json: by post }');
    expect(documents).not.toContain('json: two words');
  });

  it('leave an operation that no request can match out where it is served', async () => {
    const files = contract(`
paths:
  /a/{x}: { get: { operationId: one, responses: { '200': { description: ok } } } }
  /b/{x}/{x}: { get: { operationId: two, responses: { '200': { description: ok } } } }
`);
    const { declared, losses } = await declaredOf(files, { as: 'provider' });
    expect(errorsOf(declared)).toEqual([]);
    expect(yamlOf(declared).service?.match(/^ {2}\w+:/gm)).toEqual(['  one:']);
    expect(losses.at(-1)?.what).toMatch(/^the operation "two", whose path no request can match: /);
    expect(yamlOf((await declaredOf(files)).declared).service?.match(/^ {2}\w+:/gm)).toEqual(['  one:', '  two:']);
  });

  it('take a dynamic reference as the reference that it is without others, and lists in forms of OpenAPI 2.0 as texts', async () => {
    const tree = contract(`
components:
  schemas:
    Tree: { $dynamicAnchor: node, type: object, properties: { kids: { type: array, items: { $dynamicRef: '#node' } } } }
`);
    const { declared } = await declaredOf(tree);
    expect(yamlOf(declared).documents).toContain('kids: list of Tree');
    const old = await declaredOf({
      'api.yaml': `
swagger: '2.0'
info: { title: Shop, version: '1' }
paths:
  /a:
    post:
      consumes: [application/x-www-form-urlencoded]
      parameters: [{ name: tags, in: formData, type: array, items: { type: string } }]
      responses: { 204: { description: ok } }
`,
    });
    expect(errorsOf(old.declared)).toEqual([]);
    expect(old.losses.map(({ instead }) => instead)).toEqual(['a text, with commas between entries']);
  });

  it('do not require what no value could have: an object that always contains itself', async () => {
    const { declared, losses } = await declaredOf(
      contract(`
components:
  schemas:
    A: { type: object, required: [b], properties: { b: { $ref: '#/components/schemas/B' } } }
    B: { type: object, required: [c], properties: { c: { $ref: '#/components/schemas/C' } } }
    C: { type: object, required: [a], properties: { a: { $ref: '#/components/schemas/A' }, d: { $ref: '#/components/schemas/D' } } }
    D: { type: object, required: [d], properties: { d: { $ref: '#/components/schemas/D' } } }
    E: { type: object, required: [list, b], properties: { list: { type: array, items: { $ref: '#/components/schemas/E' } }, b: { $ref: '#/components/schemas/B' } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
      '"b" is required, by which A always contains itself: optional',
      '"d" is required, by which D always contains itself: optional',
    ]);
  });

  it('tell schemas apart by a number and a text in one member', async () => {
    const { declared, losses } = await declaredOf(
      contract(`
components:
  schemas:
    Either: { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }
    A: { type: object, additionalProperties: false, required: [v], properties: { v: { type: number, format: double } } }
    B: { type: object, additionalProperties: false, required: [v], properties: { v: { type: string } } }
    Used: { type: object, properties: { either: { $ref: '#/components/schemas/Either' } } }
    Next: { type: object, required: [next], properties: { next: { oneOf: [{ $ref: '#/components/schemas/Next' }, { type: 'null' }] } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toEqual([]);
    const { documents } = yamlOf(declared);
    expect(documents).toContain('either: Either');
    expect(documents).toContain('next: { type: Next, required: true, nullable: true }');
  });

  it('may be null for objects without properties and lists without types', async () => {
    const { declared, losses } = await declaredOf(
      contract(`
components:
  schemas:
    Any: { type: object, properties: { map: { type: [object, 'null'] }, list: { type: [array, 'null'] } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toEqual([]);
    expect(yamlOf(declared).documents).toContain('map: { type: map of json, nullable: true }');
  });

  it('call with the credential that most operations ask for, and report every other one', async () => {
    const operation = (id: string, security: string) =>
      `  /${id}: { get: { operationId: ${id}, security: ${security}, responses: { '200': { description: ok } } } }`;
    const { declared, losses } = await declaredOf(
      contract(`
paths:
${operation('a', '[{ key: [] }]')}
${operation('b', '[{ key: [] }]')}
${operation('c', '[{ key: [], basic: [] }]')}
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    basic: { type: http, scheme: basic }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(yamlOf(declared).setup).toContain('credential: { api-key: { header: X-Key');
    expect(losses.map(({ what }) => what)).toEqual([
      'the operation "c" asks for an API key in the header, X-Key and basic',
    ]);
  });

  it.each(['User-Agent', 'X-Request-Id', 'Host'])('report a key in %s, which calls write themselves', async (name) => {
    const { declared, losses } = await declaredOf(
      contract(`
paths:
  /a: { get: { operationId: a, security: [{ key: [] }], responses: { '200': { description: ok } } } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: ${name} }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    expect(yamlOf(declared).setup).not.toContain('credential');
    expect(losses.map(({ what }) => what)).toEqual([`the contract asks for an API key in the header, ${name}`]);
  });

  it('send each field of a form as one text, members of objects by fields of their own, and lists in headers as texts', async () => {
    const { declared, losses } = await declaredOf(
      contract(`
paths:
  /charges/{id}:
    post:
      operationId: charge
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: X-Tags, in: header, schema: { type: array, items: { type: string } } }
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            encoding: { card: { style: deepObject }, codes: { explode: false } }
            schema:
              type: object
              required: [card]
              properties:
                id: { type: string }
                card: { type: object, required: [no], properties: { no: { type: string }, by: { type: object, properties: { day: { type: string, format: date } } } } }
                codes: { type: array, items: { type: string } }
                expand: { type: array, items: { type: string } }
                metadata: { type: object, additionalProperties: { type: string } }
      responses: { '200': { description: ok, content: { application/jsonl: { schema: { type: object } } } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    const { service = '' } = yamlOf(declared);
    expect(service).toContain('card[no]: "{card_no_}"');
    expect(service).toContain('card[by][day]: "{card_by_day_}"');
    expect(service).toContain('card_no_: { type: string, required: true, json: "card[no]" }');
    expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
      'the list in the header X-Tags: a text, in which the caller writes commas',
      'the field "codes" of a form, which is a list: a text, with commas between entries',
      'the field "expand" of a form, which is a list: one entry, as a text',
      'the field "metadata" of a form, which is an object: a text that the caller writes',
      'the schema of a body in application/jsonl: any bytes are accepted',
    ]);
  });

  it('are one service, however many operations it has', async () => {
    const words = 'words '.repeat(400);
    const paths = Array.from(
      { length: 1500 },
      (_, n) => `  /p${n}: { get: { description: ${words}, responses: { '200': { description: ok } } } }`,
    );
    const { declared } = await declaredOf(contract(`paths:\n${paths.join('\n')}\n`));
    expect(declared.filter(({ kind }) => kind === 'service')).toHaveLength(1);
    expect(errorsOf(declared)).toEqual([]);
  });
});

describe('an operation OPTIONS', () => {
  const text = contract(`
paths:
  /a: { get: { operationId: a, responses: { '200': { description: ok } } }, options: { responses: { '200': { description: ok } } } }
  /b: { options: { responses: { '200': { description: ok } } } }
`);

  it('is answered by the gateway where its path is served', async () => {
    const { losses } = await declaredOf(text, { as: 'provider' });
    expect(losses.map(({ kind, what, instead }) => [kind, `${what}: ${instead}`])).toEqual([
      ['operation', 'the operation OPTIONS "/b": left out'],
      ['note', 'the operation OPTIONS "/a": answered by the gateway itself, with the methods of the path'],
    ]);
  });

  it('is lost to callers', async () => {
    const { losses } = await declaredOf(text, { as: 'consumer' });
    expect(losses.map(({ kind }) => kind)).toEqual(['operation', 'operation']);
  });
});

it('an operation that check refuses in any form is left out, and no other', async () => {
  const text = contract(`
paths:
  /a: { get: { operationId: a, responses: { '200': { description: ok } } } }
  /b: { get: { operationId: b, responses: { '200': { description: ok } } } }
`);
  const { declared, losses } = await declaredOf(text, {
    judge: (all) =>
      all.flatMap(({ kind, id, keys }) =>
        kind === 'service' && Object.hasOwn(keys.operations as object, 'a')
          ? [{ kind, id, operation: 'a', message: 'No a.' }]
          : [],
      ),
  });
  expect(errorsOf(declared)).toEqual([]);
  expect(Object.values(yamlOf(declared)).join()).toMatch(/operations:\n\s+b:/);
  expect(losses.map(({ kind, what, instead }) => `${kind}: ${what}: ${instead}`)).toEqual([
    'operation: the operation a of Shop.v1, which is not valid: No a: declared without its messages and with `active: false`',
    'operation: the operation a of Shop.v1, which is not valid in a simpler form either: No a: left out',
  ]);
});
