import { describe, expect, it } from 'vitest';
import { declaredOf } from '../support.ts';

const refusal = async (text: string): Promise<string> => {
  const error: unknown = await declaredOf({ 'api.yaml': text }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : 'not refused';
};

const operation = (parameter: string) => `openapi: 3.0.3
info: { title: Shop, version: '1' }
paths:
  /a/{id}:
    get:
      parameters:
        - ${parameter}
      responses: { '200': { description: ok } }
`;

describe('a contract that is not valid is refused for', () => {
  it.each([
    ['{ name: id, in: path, schema: { type: string } }', 'api.yaml:7:11: not valid OpenAPI 3.0: "id" lacks "required"'],
    [
      '{ name: id, in: form, schema: { type: string } }',
      'api.yaml:7:23: not valid OpenAPI 3.0: "in" must be one of path, query, header, cookie',
    ],
    [
      '{ name: id, in: query, style: matrix, schema: { type: string } }',
      'api.yaml:7:34: not valid OpenAPI 3.0: "style" must be one of form, spaceDelimited, pipeDelimited, deepObject',
    ],
    [
      '{ name: id, in: query, example: 1, examples: {}, schema: { type: string } }',
      'api.yaml:7:11: not valid OpenAPI 3.0: "id" has members that exclude each other',
    ],
  ])('what its parameter lacks: %s', async (parameter, message) => {
    expect(await refusal(operation(parameter))).toBe(message);
  });

  it('what its security scheme lacks', async () => {
    const text = `openapi: 3.0.3
info: { title: Shop, version: '1' }
paths: {}
components: { securitySchemes: { o: { type: oauth2 } } }
`;
    expect(await refusal(text)).toBe('api.yaml:4:34: not valid OpenAPI 3.0: "o" lacks "flows"');
  });

  it('two versions', async () => {
    const text = "swagger: '2.0'\nopenapi: 3.0.3\ninfo: { title: Shop, version: '1' }\npaths: {}\n";
    expect(await refusal(text)).toMatch(/^api\.yaml:2:1: .* has both "openapi" and "swagger"$/);
  });
});

it('what a contract says twice, or of itself, is listed', async () => {
  const { losses } = await declaredOf({
    'api.yaml': `openapi: 3.0.3
info: { title: Shop, version: '1' }
paths:
  /a:
    get:
      parameters:
        - { name: q, in: query, schema: { type: string } }
        - { name: q, in: query, schema: { type: integer } }
      responses: { '200': { description: ok } }
components:
  schemas:
    A: { allOf: [{ $ref: '#/components/schemas/B' }, { type: object, properties: { '': { type: string } } }] }
    B: { allOf: [{ $ref: '#/components/schemas/A' }, { type: object, properties: { b: { type: string } } }] }
`,
  });
  expect(losses.map(({ what, instead, place }) => `${place.line}: ${what}: ${instead}`)).toEqual([
    '13: a schema that is part of itself by "#/components/schemas/A": taken once',
    '12: a schema that is part of itself by "#/components/schemas/B": taken once',
    '8: a second query parameter "q": the last one is taken',
    '8: integers without a format or bounds: they have 64 bits; write big-integer at a field that may be longer, which the next import keeps',
    '12: a property "", which no field can be called: left out',
  ]);
});
