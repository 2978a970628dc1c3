import { expect, inject, onTestFinished, test } from 'vitest';
import { Fault, startTestGateway } from '../../src/testing/index.ts';
import { hasPostgres } from '../support/postgres.ts';
import { gatewayText, writeProject } from '../support/project.ts';

const HOOK: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText('requires: basic'),
  'definitions/hook.yaml': `permission-list: SALES
---
role: SELLER
permission-lists: [SALES]
---
queue: CHANGES
order: [CUSTOMER]
---
service: Changes.v1
permission: SALES
operations:
  CHANGED:
    post: changed
    request: { fields: { CUSTOMER: { type: string(10), required: true }, NUMBER: { type: integer, required: true } } }
    queue: CHANGES
---
subscription: TO_HOOK
operation: CHANGED
call: HOOK_PUT
retry: { for: 3 d, first: 1 m, longest: 1 h }
---
node: HOOK
base: https://hook.invalid
---
service: Hook.v1
target: HOOK
permission: SALES
operations:
  HOOK_PUT: { post: hook, request: { fields: { CUSTOMER: { type: string(10), required: true }, NUMBER: { type: integer, required: true } } } }
`,
};

test.for([
  ['SQLite', undefined],
  ...(hasPostgres ? [['PostgreSQL', inject('postgres')] as const] : []),
] as const)('what waits in order behind a failed attempt is not due, on %s', { timeout: 60_000 }, async ([
  ,
  database,
]) => {
  const { root, remove } = writeProject(HOOK);
  onTestFinished(remove);
  const gateway = await startTestGateway({ root, database });
  onTestFinished(() => gateway.close());
  const seller = await gateway.caller({ roles: ['SELLER'] });
  const change = (CUSTOMER: string, NUMBER: number): Promise<Response> =>
    seller.fetch('/gateway/RESTListeningConnector/Changes.v1/changed', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ CUSTOMER, NUMBER }),
    });
  const hook = gateway.partner('HOOK');
  hook.answers('HOOK_PUT', Fault.custom('BUSY', 503, 'Later.'), { times: 1, when: { CUSTOMER: 'T' } });
  for (const [customer, number] of [
    ['T', 1],
    ['T', 2],
    ['U', 3],
  ] as const)
    expect((await change(customer, number)).status).toBe(202);

  expect(await gateway.settle()).toMatchObject([{ attempts: 1 }]);
  await gateway.clock.advance('2 m');
  expect(await gateway.settle()).toEqual([]);
  const taken = hook.asked.map(({ input }) => (input as { NUMBER: number }).NUMBER);
  expect(taken.filter((number) => number !== 3)).toEqual([1, 1, 2]);
  expect(taken).toContain(3);
});
