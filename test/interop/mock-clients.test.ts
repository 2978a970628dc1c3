import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repository, signalbox, start } from '../cli/support.ts';
import { writeProject } from '../support/project.ts';
import { connectorOf, php, runSessions, type Session, zeep } from './soap-support.ts';

describe('a client that is built from the WSDL of a mock', () => {
  test.skipIf(!zeep.isHere && !php.isHere)(
    'calls it, and is refused what does not fit',
    { timeout: 120_000 },
    async () => {
      // There is no database at that address, and nobody signs in.
      const env = { DATABASE_URL: 'sqlite:/nowhere/at/all.db' };
      const mock = start(['mock', '--port', '0', '--json'], { cwd: repository, env });
      const [line = ''] = await mock.until(/^\{"address".*\}$/m);
      const served = { address: JSON.parse(line).address as string } as Parameters<typeof connectorOf>[0];
      const session: Session = {
        wsdl: `${connectorOf(served)}/Locations.v1?wsdl`,
        ...{ user: 'anyone', password: 'anything', version: '1.1', trace: false, binary: [] },
        calls: {
          first: { operation: 'LOCATIONS_GET', argument: { REGION: 'N' } },
          again: { operation: 'LOCATIONS_GET', argument: { REGION: 'N' } },
          wrong: { operation: 'LOCATIONS_GET', argument: { REGION: 'Narnia' } },
        },
      };
      for (const client of [zeep, php].filter(({ isHere }) => isHere)) {
        const { mocked } = await runSessions(client, { mocked: session });
        const { first, again, wrong } = mocked.answers;
        expect(JSON.stringify(first?.reply), client.name).toContain('New York Office');
        expect(again).toEqual(first);
        expect(wrong?.fault ?? wrong?.error, client.name).toBeDefined();
      }
      expect((await mock.stop()).code).toBe(0);
    },
  );
});

/** rpc/literal whose bodies name no namespace: the elements around its messages have none (WSDL 1.1, section 3.5). */
const rpc = (
  address: string,
): string => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:short" targetNamespace="urn:short">
<message name="i"><part name="to" type="x:string"/></message><message name="o"><part name="id" type="x:string"/></message>
<portType name="pt"><operation name="send"><input message="t:i"/><output message="t:o"/></operation></portType>
<binding name="b" type="t:pt"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="send"><s:operation soapAction="urn:short/send"/><input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation></binding>
<service name="Short"><port name="Soap11" binding="t:b"><s:address location="${address}"/></port></service></definitions>`;

describe('a client that is built from a contract whose bodies in rpc name no namespace', () => {
  test.skipIf(!zeep.isHere && !php.isHere)('is served by its import', { timeout: 120_000 }, async () => {
    const project = writeProject({
      'definitions/gateway.yaml': 'gateway: LOCAL\n',
      'short.wsdl': rpc('http://127.0.0.1:9/'),
    });
    onTestFinished(project.remove);
    const { code, stdout } = await signalbox(['import', 'short.wsdl', '--as', 'provider'], { cwd: project.root });
    expect(code, stdout).toBe(0);
    const mock = start(['mock', '--port', '0', '--json'], { cwd: project.root });
    const [line = ''] = await mock.until(/^\{"address".*\}$/m);
    const served = { address: JSON.parse(line).address as string } as Parameters<typeof connectorOf>[0];
    writeFileSync(join(project.root, 'short.wsdl'), rpc(`${connectorOf(served)}/Short.v1`));
    const session: Omit<Session, 'wsdl'> = {
      ...{ user: 'anyone', password: 'anything', version: '1.1', trace: true, binary: [] },
      calls: { sent: { operation: 'send', argument: 'Ada' } },
    };
    for (const client of [zeep, php].filter(({ isHere }) => isHere)) {
      const { original, described } = await runSessions(client, {
        original: { ...session, wsdl: join(project.root, 'short.wsdl') },
        described: { ...session, wsdl: `${connectorOf(served)}/Short.v1?wsdl` },
      });
      for (const { answers } of [original, described]) {
        expect(answers.sent?.reply, JSON.stringify(answers)).toEqual(expect.any(String));
        // PHP writes the element in the namespace of the envelope around it.
        expect(answers.sent?.sent).toMatch(/<(?:SOAP-ENV:)?send>/);
      }
    }
    expect((await mock.stop()).code).toBe(0);
  });
});

const CALLER: Readonly<Record<string, string>> = {
  'definitions/stock.yaml': `service: Stock.v1
public: true
operations:
  STOCK: { get: "Stock/{PART}", request: { fields: { PART: integer } }, response: { fields: { COUNT: integer } }, call: COUNT_GET }
---
node: WAREHOUSE
base: \${env:WAREHOUSE_URL}
credential: { basic: { user: fleet, password: "\${secret:WAREHOUSE_PASSWORD}" } }
---
service: Warehouse.v1
target: WAREHOUSE
public: true
operations:
  COUNT_GET: { get: "parts/{PART}", request: { fields: { PART: integer } }, response: { fields: { COUNT: { type: integer, example: 20 } } } }
`,
};

describe('a partner that is not there yet', () => {
  const stock = async (address: string): Promise<unknown> =>
    (await fetch(`${address}/gateway/RESTListeningConnector/Stock.v1/Stock/7`)).json();

  test('is stood in for while a project is developed, with each edit', { timeout: 60_000 }, async () => {
    const project = writeProject(CALLER);
    onTestFinished(project.remove);
    const dev = start(['dev', '--mock', 'WAREHOUSE'], { cwd: project.root, env: { PORT: '0' } });
    const [, address = ''] = await dev.until(/ready on (http:\S+)/);
    expect(await stock(address)).toEqual({ COUNT: 20 });
    const file = join(project.root, 'definitions/stock.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('example: 20', 'example: 33'));
    await dev.until(/Reloaded/);
    expect(await stock(address)).toEqual({ COUNT: 33 });
  });

  test('is stood in for as soon as something calls it, where all are', { timeout: 60_000 }, async () => {
    const { 'definitions/stock.yaml': calls = '', ...project } = CALLER;
    const { root, remove } = writeProject({ ...project, 'definitions/none.yaml': 'permission-list: NONE\n' });
    onTestFinished(remove);
    const dev = start(['dev', '--mock', 'all'], { cwd: root, env: { PORT: '0' } });
    const [, address = ''] = await dev.until(/ready on (http:\S+)/);
    writeFileSync(join(root, 'definitions/stock.yaml'), calls);
    await dev.until(/Reloaded/);
    expect(await stock(address)).toEqual({ COUNT: 20 });
  });

  test('is stood in for by signalbox mock --node, which says what leads a gateway there', {
    timeout: 60_000,
  }, async () => {
    const project = writeProject(CALLER);
    onTestFinished(project.remove);
    const mock = start(['mock', '--node', 'all', '--port', '0'], { cwd: project.root });
    const [, variable = '', at = ''] = await mock.until(/^ {2}(SIGNALBOX_NODE_WAREHOUSE)=(http:\S+)$/m);
    const gateway = start(['serve'], { cwd: project.root, env: { PORT: '0', [variable]: at } });
    const [, address = ''] = await gateway.until(/ready on (http:\S+)/);
    expect(await stock(address)).toEqual({ COUNT: 20 });
    expect((await fetch(`${at}/parts/7`)).status).toBe(401);
  });
});
