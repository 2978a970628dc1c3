import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { java } from './java/generators.ts';
import { hasMaven, needsMaven } from './java/maven.ts';

const DEFINITIONS = `service: Old.v1
permission: EVERYTHING
style: rpc
request: { fields: { TEXT: { type: string, required: true } } }
operations:
  SAY: { soap: true, response: { fields: { SAID: { type: string, required: true } } }, handler: say }
  KEEP: { soap: true, response: { fields: { KEPT: { type: binary, required: true } } }, handler: keep }
  REFUSE: { soap: true, response: { fields: { SAID: { type: string, required: true } } }, handler: refuse }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': 'gateway: LOCAL\nnamespace: urn:test\ncontracts: public\n',
      'definitions/old.yaml': DEFINITIONS,
      'src/handlers/say.ts': 'export default { onRequest: ({ TEXT }) => ({ SAID: TEXT }) };\n',
      'src/handlers/keep.ts':
        "export default { onRequest: ({ TEXT }, context) => ({ KEPT: { contentType: 'text/plain', stream: async function* () { yield new TextEncoder().encode(TEXT); } } }) };\n",
      'src/handlers/refuse.ts':
        "import { Fault } from 'signalbox';\nexport default { onRequest: () => { throw Fault.custom('NO', 409, 'It is not wanted.'); } };\n",
    },
  });
});
afterAll(() => gateway?.stop());

// Axis 1.4 accepts multipart/related without saying of what, and does not read MTOM.
test.skipIf(!hasMaven)(
  `Axis 1.4 calls by the WSDL, and gets binary content as Base64 (${needsMaven})`,
  async () => {
    const wsdl = `http://127.0.0.1:${gateway.port}/gateway/PeopleSoftServiceListeningConnector/Old.v1?wsdl`;
    const text = await (await fetch(wsdl)).text();
    const [, namespace = ''] = /targetNamespace="([^"]+)"/.exec(text) ?? [];
    const [, service = ''] = /<wsdl:service name="([^"]+)"/.exec(text) ?? [];
    const [, port = ''] = /<wsdl:port name="([^"]+)"/.exec(text) ?? [];
    const printed = await java('Axis', 'Axis.java', { args: [wsdl, namespace, service, port, 'Grüße & <b>'] });
    expect(printed.trim().split('\n')).toEqual([
      'SAY Grüße & <b>',
      'KEEP Grüße & <b>',
      'REFUSE Client It is not wanted.',
    ]);
  },
  120_000,
);
