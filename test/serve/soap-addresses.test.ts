import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, faultOf, type SoapReply, send, TYPES, type Version } from './soap-client.ts';

// Services with the same messages, as contracts have them that offer one port type at several addresses.

const service = (name: string): string => `service: ${name}.v1
namespace: urn:t
public: true
operations:
  ${name.toLowerCase()}:
    soap: { name: ask, action: "" }
    request: { fields: { text: string } }
    response: { fields: { by: string } }
`;

const handler = (name: string): string => `export default { onRequest: () => ({ by: '${name}' }) };\n`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/first.yaml': service('First'),
      'definitions/second.yaml': service('Second'),
      'definitions/third.yaml': `service: Third.v1
public: true
operations:
  alone: { soap: { action: "" }, response: { fields: { by: string } } }
`,
      'src/handlers/first.ts': handler('first'),
      'src/handlers/second.ts': handler('second'),
      'src/handlers/alone.ts': handler('third'),
    },
  });
});
afterAll(() => gateway?.stop());

const CONNECTOR = '/gateway/PeopleSoftServiceListeningConnector';

const ask = (path: string, version: Version = '1.1', type = TYPES[version]): Promise<SoapReply> =>
  send(gateway, {
    path: `${CONNECTOR}${path}`,
    method: 'POST',
    body: envelope('<ask xmlns="urn:t"/>', version),
    headers: { 'content-type': type },
  });

describe('services with the same messages', () => {
  it.each(['First', 'Second'])('%s is called at its own address', async (name) => {
    const reply = await ask(`/${name}.v1`);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain(`<by>${name.toLowerCase()}</by>`);
  });

  it('are not told apart at the address of all, which names theirs', async () => {
    const { reason } = faultOf(await ask(''));
    expect(reason).toContain('"ask" may be');
    expect(reason).toContain('each service has an address of its own, such as /First.v1');
  });

  it('have their own address in their WSDL, and others that of all', async () => {
    const wsdl = async (name: string): Promise<string> => (await gateway.call(`${CONNECTOR}/${name}.v1.wsdl`)).text;
    expect(await wsdl('First')).toContain(`${CONNECTOR}/First.v1"`);
    expect(await wsdl('Third')).toContain(`${CONNECTOR}"`);
  });

  it('an operation without an action takes the one of a client over SOAP 1.2', async () => {
    const reply = await ask('/First.v1', '1.2', 'application/soap+xml; action="None"');
    expect(reply.status).toBe(200);
  });
});
