import type { KnownId } from '../kinds/kind.ts';
import { faults } from '../model/fault.ts';
import { ANSWER_KEYS, FAULT_KEYS, MOCK_KEYS } from '../model/mock-keys.ts';
import { DURATION } from '../wire/duration.ts';
import type { JsonTree } from './json-text.ts';

/** The JSON Schema (draft 7) of the files in `mocks/`, which proposes the operations that a project provides and calls. */
export function mocksSchema(operations: readonly KnownId[]): Readonly<Record<string, JsonTree>> {
  const texts = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
  const status = { type: 'integer', minimum: 400, maximum: 599 };
  const fault = keys(FAULT_KEYS, { code: { type: 'string' }, status, message: { type: 'string' }, headers: texts });
  const answer = keys(ANSWER_KEYS, {
    when: { type: 'object' },
    times: { type: 'integer', minimum: 1 },
    delay: { type: 'string', pattern: `^${DURATION}$` },
    status: { type: 'integer', minimum: 200, maximum: 299 },
    headers: texts,
    reply: {},
    fault: { anyOf: [status, { enum: Object.keys(faults) }, { type: 'string', pattern: '^[45][0-9][0-9]$' }, fault] },
  });
  const ids = operations.map(({ id, about }) => ({ const: id, description: about }));
  // The qualified name of an operation is accepted too, and not proposed.
  const qualified = { type: 'string', pattern: '\\.' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...keys(MOCK_KEYS, {
      mock: { anyOf: [...ids, qualified] },
      description: { type: 'string' },
      answers: { type: 'array', minItems: 1, items: answer },
    }),
    required: ['mock', 'answers'],
  };
}

/** An object with these keys only. */
function keys<K extends string>(
  descriptions: Readonly<Record<K, string>>,
  properties: Readonly<Record<K, Readonly<Record<string, JsonTree>>>>,
): Readonly<Record<string, JsonTree>> {
  const described = Object.entries<Readonly<Record<string, JsonTree>>>(properties).map(
    ([key, schema]) => [key, { description: descriptions[key as K], ...schema }] as const,
  );
  return { type: 'object', properties: Object.fromEntries(described), additionalProperties: false };
}
