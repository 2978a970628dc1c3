// `signalbox diff` with the address of a running gateway, which is that of no contract.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { signalbox, temporaryFolder, writeFiles } from './support.ts';

const GATEWAY = (more = ''): string =>
  `gateway: LOCAL\ndatabase: \${env:DATABASE_URL:-sqlite:test.db}\nnamespace: urn:test\npublicUrl: https://gateway.example.org\n${more}`;

const ORDERS = `service: Orders.v1
public: true
fault: ORDER_FAULT
operations:
  ORDER_GET:
    description: One order, or those of a customer.
    get: ["orders/{NUMBER}{?details}", "customers/{CUSTOMER}/orders"]
    soap: true
    request: { fields: { NUMBER: integer, CUSTOMER: string(8), details: boolean } }
    response: { application/json: ORDER, application/xml: ORDER }
  ORDER_PUT: { put: "orders/{NUMBER}", request: ORDER, response: ORDER, soap: true }
---
service: Parts.v1
public: true
operations:
  PARTS_GET: { get: parts, response: list of PART }
---
service: Depots.v1
public: true
operations:
  DEPOT_OPEN: { soap: true, request: { fields: { CODE: string(4) } }, response: { fields: { OPENED: datetime } } }
---
document: ORDER
root: true
fields:
  NUMBER: { type: integer, required: true, minimum: 1, example: 7 }
  STATUS: { type: string(1), enum: [N, S], default: N }
  PRICE: decimal(10.2)
  POSITIONS: { list: { fields: { PART: { type: string(18), required: true }, COUNT: integer } } }
  NOTE: { type: text, nullable: true }
---
document: PART
fields: { CODE: { type: string(18), required: true, pattern: "[A-Z0-9-]+" }, WEIGHT: number }
---
document: ORDER_FAULT
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
`;

const files = (orders: string, more?: string): Record<string, string> => ({
  'definitions/gateway.yaml': GATEWAY(more),
  'definitions/orders.yaml': orders,
});

const HANDLERS = {
  ...Object.fromEntries(
    ['order-get', 'order-put', 'parts-get', 'depot-open'].map((name) => [
      `src/handlers/${name}.ts`,
      'export default { onRequest: () => ({}) };\n',
    ]),
  ),
};

let running: TestGateway;
beforeAll(async () => {
  running = await startTestGateway({ files: { ...files(ORDERS), ...HANDLERS } });
});
afterAll(() => running.stop());

const address = (path = ''): string => `http://127.0.0.1:${running.port}${path}`;

async function project(orders: string, more?: string): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, files(orders, more));
  return cwd;
}

interface Found {
  readonly rule: string;
  readonly at: string;
  readonly verdict: string;
  readonly accepted?: object;
}

async function changes(cwd: string, ...sides: readonly string[]): Promise<readonly Found[]> {
  const { code, stdout, stderr } = await signalbox(['diff', ...sides, '--json'], { cwd });
  expect(stderr.replace(/^\d+ things? of .* can't be compared.*\n/gm, '')).toBe('');
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { changes: Found[] }).changes;
}

const worse = (all: readonly Found[]): string[] =>
  all.filter(({ verdict }) => verdict !== 'documentation').map(({ rule, at }) => `${rule} ${at}`);

it.each([
  '',
  '/',
  '/gateway',
  '/gateway/RESTListeningConnector',
])('a gateway at %j that serves these definitions has no changes', async (path) => {
  expect(await changes(await project(ORDERS), address(path))).toEqual([]);
});

it('each contract of it has no changes', async () => {
  const cwd = await project(ORDERS);
  for (const name of ['Orders.v1.openapi.json', 'Orders.v1.wadl', 'Orders.v1.wsdl', 'Depots.v1.wsdl'])
    expect(await changes(cwd, address(`/gateway/RESTListeningConnector/${name}`))).toEqual([]);
});

it('all that has changed since is found, over REST and SOAP, with its place in the definitions', async () => {
  const now = ORDERS.replace('  NOTE: { type: text, nullable: true }\n', '')
    .replace('enum: [N, S]', 'enum: [N, S, X]')
    .replace(', "customers/{CUSTOMER}/orders"', '')
    .replace('response: ORDER, soap: true }', 'response: ORDER }')
    .replace('PARTS_GET: { get: parts, ', 'PARTS_GET: { get: parts, soap: true, ')
    .replace(
      /service: Depots[^-]+---\n/,
      'service: Sites.v1\npublic: true\noperations:\n  SITE_GET: { get: site, response: text }\n---\n',
    );
  const cwd = await project(now);
  const found = await changes(cwd, address());
  expect(worse(found).sort()).toEqual([
    'base-changed Orders.v1.ORDER_GET.request',
    'document-renamed Orders.v1.ORDER_GET.request',
    'enum-value-added Orders.v1.ORDER_GET.reply.STATUS',
    'enum-value-added Orders.v1.ORDER_PUT.reply.STATUS',
    'enum-value-added Orders.v1.ORDER_PUT.request.STATUS',
    // Over SOAP it was optional, because the other URI does not have it.
    'field-required Orders.v1.ORDER_GET.request.NUMBER',
    'optional-field-removed Orders.v1.ORDER_GET.reply.NOTE',
    'optional-field-removed Orders.v1.ORDER_PUT.reply.NOTE',
    'optional-field-removed Orders.v1.ORDER_PUT.request.NOTE',
    'service-added Sites.v1',
    'service-removed Depots.v1',
    'soap-added Parts.v1.PARTS_GET',
    'soap-removed Orders.v1.ORDER_PUT',
    'uri-removed Orders.v1.ORDER_GET.uri.2',
  ]);
  const back = worse(await changes(cwd, '.', address()));
  for (const each of [
    'service-added Depots.v1',
    'soap-added Orders.v1.ORDER_PUT',
    'uri-added Orders.v1.ORDER_GET.uri.2',
  ])
    expect(back).toContain(each);
  const { stdout } = await signalbox(['diff', address()], { cwd });
  const contract = address('/gateway/RESTListeningConnector/Orders.v1.openapi.json');
  expect(stdout).toMatch(
    new RegExp(
      `enum-value-added at Orders.v1.ORDER_PUT.request.STATUS, ${contract}:\\d+ > definitions/orders.yaml:27\n`,
    ),
  );
  expect(stdout).toContain(
    `service-removed at Depots.v1, ${address('/gateway/PeopleSoftServiceListeningConnector/Depots.v1.wsdl')} > -`,
  );
});

it('a break is accepted as that of commits is', async () => {
  const entry = 'accepted-breaks: [{ rule: enum-value-added, at: Orders.v1, reason: Agreed., until: 2999-12-31 }]\n';
  const cwd = await project(ORDERS.replace('enum: [N, S]', 'enum: [N, S, X]'), entry);
  const found = await changes(cwd, address());
  expect(found.filter(({ verdict }) => verdict === 'may-break').map(({ accepted }) => accepted)).not.toContain(
    undefined,
  );
});

it('contracts that are private are read with the credentials of the address, which are not printed', async () => {
  const gateway = await startTestGateway({
    files: { ...files(ORDERS, 'contracts: private\nrequires: basic\n'), ...HANDLERS },
  });
  onTestFinished(() => gateway.stop());
  const cwd = await project(ORDERS);
  const at = `127.0.0.1:${gateway.port}`;
  expect(await changes(cwd, `http://demo:demo@${at}`)).toEqual([]);
  const { code, stderr } = await signalbox(['diff', `http://demo:wrong@${at}/gateway`], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain('needs credentials: https://user:***@gateway.example.org');
  expect(stderr).not.toContain('wrong');
});

it('an address that is neither says what was tried', async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await signalbox(['diff', `${at}/orders`], { cwd: await project(ORDERS) });
  expect(code).toBe(1);
  expect(
    stderr,
  ).toBe(`signalbox: ${at}/orders is neither a contract nor a gateway: ${at}/orders can't be fetched: the answer has status 404; ${at}/ can't be fetched: the answer has status 404
  Name the address of a contract, or that of a gateway, which has its catalogue of services at '/'.
`);
});
