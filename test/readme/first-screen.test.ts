import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generate, knownIds } from '../../src/generate/index.ts';
import { editorSchema, loadProject, registryOf } from '../../src/load/index.ts';
import { repository } from '../cli/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { readBlocks } from '../support/markdown.ts';
import { gatewayText, USERS, writeProject } from '../support/project.ts';

const text = readFileSync(join(repository, 'README.md'), 'utf8');
const [definitions = '', exchange = '', type = ''] = readBlocks(text, 'README.md')
  .slice(0, 3)
  .map((block) => block.text);

const MIGRATION = `create table orders (order_id integer, customer varchar(10), total decimal(10, 2), due date, closed date);
insert into orders values (1042, 'ACME', 99.5, '2026-12-01', null);
insert into orders values (1043, 'ACME', 10, '2026-11-01', '2026-11-02');
`;

test('the service on the first screen is one: it answers as shown, and has the contract and the type', async () => {
  const project = writeProject({
    'definitions/gateway.yaml': gatewayText('migrations: migrations'),
    'definitions/users.yaml': `${USERS.replace('[EVERYTHING]', '[EVERYTHING, SALES]')}`,
    'definitions/orders.yaml': definitions,
    'migrations/0001-orders.sql': MIGRATION,
  });
  onTestFinished(() => project.remove());
  const registry = registryOf(loadProject({ root: project.root }));
  const files = generate(registry, { schema: editorSchema(knownIds(registry)) });
  expect(files.get('generated/types.ts')).toContain(type.trim());
  expect(files.get('generated/contracts/Orders.v1.openapi.json')).toContain('/Orders.v1/Orders/{CUSTOMER}');
  expect(files.get('generated/contracts/Orders.v1.wsdl')).toContain('ORDERS_GET');

  const gateway = await startTestGateway({ root: project.root });
  onTestFinished(() => gateway.stop());
  const [request = '', reply = ''] = exchange.trim().split('\n');
  expect((await gateway.call(request.replace('GET ', ''))).text).toBe(reply);
});
