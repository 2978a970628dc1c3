import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { java } from './java/generators.ts';
import { hasMaven, needsMaven } from './java/maven.ts';
import { connectorOf } from './soap-support.ts';
import { type Served, serve } from './support.ts';

const DEFINITIONS = `node: CXF
base: "\${env:CXF_URL}/far"
---
document: SAID
fields: { TEXT: { type: string(40), required: true } }
---
service: Addressed.v1
permission: LOCATIONS
addressing: required
request: SAID
response: SAID
operations:
  ECHO: { soap: true, handler: echo-said }
  RELAY: { soap: true, call: FAR }
---
service: Far.v1
permission: LOCATIONS
target: CXF
request: SAID
response: SAID
operations:
  FAR: { soap: { addressing: true } }
`;

const folder = mkdtempSync(join(tmpdir(), 'signalbox-addressing-'));
let project: SampleCopy;
let gateway: Served;
let cxf: string;
beforeAll(async () => {
  if (!hasMaven) return;
  cxf = `http://127.0.0.1:${await freePort()}`;
  const handler = 'export default { onRequest: ({ TEXT }) => ({ TEXT }) };\n';
  project = copySample({ 'definitions/addressed.yaml': DEFINITIONS, 'src/handlers/echo-said.ts': handler });
  gateway = await serve(project.root, { CXF_URL: cxf });
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasMaven)(
  `CXF requires WS-Addressing of what it calls and of what calls it (${needsMaven})`,
  async () => {
    const reply = await fetch(`${connectorOf(gateway)}/Addressed.v1?wsdl`, {
      headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    });
    const wsdl = join(folder, 'addressed.wsdl');
    writeFileSync(wsdl, await reply.text());
    const printed = await java('Decoupled', 'Addressed.java', { args: [cxf, wsdl] });
    expect(printed.trim().split('\n')).toEqual([
      '<ECHOResponse><TEXT>here</TEXT></ECHOResponse>',
      '<RELAYResponse><TEXT>there</TEXT></RELAYResponse>',
      expect.stringContaining('Action'),
    ]);
  },
  300_000,
);
