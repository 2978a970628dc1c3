import { RE2JS } from 're2js';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { linkSavedQuery } from '../../src/load/query/saved-query.ts';
import { compilePattern } from '../../src/wire/pattern.ts';
import { envelope, send } from '../serve/soap-client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

/** Patterns that take a backtracking engine a time by the power of a text's length, and a text for each that it does so on. */
const PATTERNS: readonly (readonly [pattern: string, text: string])[] = [
  ['(a+)+', `${'a'.repeat(100_000)}!`],
  ['([a-zA-Z]+)*', `${'a'.repeat(100_000)}!`],
  ['(a|aa)+', `${'a'.repeat(100_000)}!`],
  ['(a|a?)+', `${'a'.repeat(100_000)}!`],
  ['(.*a){12}', `${'a'.repeat(50_000)}!`],
  ['\\\\s*x\\\\s*y\\\\s*', `${' '.repeat(100_000)}!`],
  ['(\\\\w+\\\\s?)*', `${'a '.repeat(50_000)}!`],
];

const DEFINITIONS = `service: Patterns.v1
public: true
operations:
${PATTERNS.map(
  ([pattern], index) => `  P${index}:
    post: p${index}
    soap: true
    handler: echo
    request: { fields: { T: { type: text, pattern: "${pattern}" } } }
    response: { fields: { T: text } }`,
).join('\n')}
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('limits: { body: 1 MiB }'),
      'definitions/patterns.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
    },
  });
});
afterAll(() => gateway.stop());

it.each(PATTERNS.map(([pattern], index) => [pattern, index] as const))('%s is run in linear time', async (_, index) => {
  const text = PATTERNS[index]![1];
  const path = `/gateway/RESTListeningConnector/Patterns.v1/p${index}`;
  const from = performance.now();
  const headers = { 'content-type': 'application/json' };
  const json = await send(gateway, { path, body: JSON.stringify({ T: text }), headers });
  const body = envelope(`<P${index} xmlns="urn:test:Patterns.v1"><T>${text}</T></P${index}>`);
  const soap = await send(gateway, { body, headers: { 'content-type': 'text/xml' } });
  expect(performance.now() - from).toBeLessThan(5_000);
  expect([json.status, soap.status]).toEqual([400, 500]);
  expect(json.text + soap.text).toMatch(/pattern|form/);
});

const large = { type: 'string', pattern: `[${'\\P{Cn}'.repeat(8900)}]` };
const heavy = { type: 'string', pattern: '\\p{L}'.repeat(100) };

it.each([
  ['a column', { columns: { A: large } }, ['A']],
  ['many columns', { columns: Object.fromEntries([...'ABCDEFGHIJ'].map((name) => [name, heavy])) }, [...'ABCDEFGHIJ']],
  ['a prompt', { prompts: { B: heavy }, columns: { A: 'string' } }, ['B']],
  [
    'documents in place',
    { columns: { A: { fields: { B: heavy } }, C: { list: { fields: { D: heavy } } } } },
    ['B', 'D'],
  ],
  [
    'a document in a prompt',
    { prompts: { A: { fields: { B: { fields: { C: heavy } } } } }, columns: { A: 'string' } },
    ['C'],
  ],
  ['a list of texts', { columns: { A: { ...heavy, type: 'list of string' } } }, ['A']],
  ['other mistakes beside it', { columns: { A: { ...heavy, type: 'integer', colour: 'red' } }, rows: 'many' }, ['A']],
] as const)('a private query with a pattern in %s is refused before that is compiled', (_, parts, names) => {
  const compile = vi.spyOn(RE2JS, 'compile');
  onTestFinished(() => compile.mockRestore());
  const linked = linkSavedQuery({ query: 'MINE', sql: 'select 1 as a', ...parts });
  expect(linked).toEqual({ problems: names.map((name) => `${name} has a pattern, which a private query can't have.`) });
  expect(compile).not.toHaveBeenCalled();
  compilePattern('a');
  expect(compile, 'what else is compiled is seen').toHaveBeenCalledOnce();
});
