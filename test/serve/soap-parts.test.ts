import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, send } from './soap-client.ts';

// Where MTOM is switched off, operations whose contract has attachments are served all the same.

const DEFINITIONS = `document: SCAN
namespace: urn:scans
fields:
  TITLE: string
  NOTES: { type: binary, attachment: text/plain, xml: notes }
---
document: PLAIN
namespace: urn:scans
fields:
  TITLE: string
---
service: Scans.v1
namespace: urn:scans
permission: EVERYTHING
operations:
  SCAN_SAVE: { soap: true, request: SCAN, response: SCAN }
  PLAIN_SAVE: { soap: true, request: PLAIN, response: PLAIN }
`;

const ECHO = 'export default { onRequest: (value) => value };\n';
const GATEWAY = 'gateway: LOCAL\nproperties: { ig.MTOM.enablePeopleSoftServiceListeningConnector: false }\n';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': GATEWAY,
      'definitions/scans.yaml': DEFINITIONS,
      'src/handlers/scan-save.ts': ECHO,
      'src/handlers/plain-save.ts': ECHO,
    },
  });
});
afterAll(() => gateway?.stop());

/** Sends an envelope with a part beside it, whose root has a type. */
const ask = (name: string, type: string) => {
  const xml = envelope(`<s:${name} xmlns:s="urn:scans"><s:TITLE>a</s:TITLE></s:${name}>`);
  const text = [
    ...['--b', `Content-Type: ${type}; charset=utf-8`, 'Content-ID: <root>', '', xml],
    ...['--b', 'Content-Type: text/plain', 'Content-ID: <notes=1@client>', '', 'noted', '--b--', ''],
  ].join('\r\n');
  const contentType = `multipart/related; type="${type}"; start="<root>"; boundary="b"`;
  return send(gateway, { body: text, headers: { 'content-type': contentType, soapaction: '""' } });
};

describe('a message in parts, where MTOM is switched off', () => {
  it('is read by an operation that has attachments, and so is its reply', async () => {
    const { status, headers, text } = await ask('SCAN_SAVE', 'text/xml');
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^multipart\/related;.*text\/xml/)]);
    expect(text).toContain('noted');
  });

  it.each([
    ['MTOM', 'SCAN_SAVE', 'application/xop+xml'],
    ['an operation without attachments', 'PLAIN_SAVE', 'text/xml'],
  ])('is refused: %s', async (_, name, type) => {
    const { status, text } = await ask(name, type);
    expect(status).toBe(415);
    expect(text).toContain('MTOM is switched off at this connector');
  });
});
