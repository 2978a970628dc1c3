import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { freePort } from '../support/free-port.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { generate, java } from './java/generators.ts';
import { hasMaven, needsMaven } from './java/maven.ts';
import { connectorOf } from './soap-support.ts';
import { type Served, serve } from './support.ts';

const PRICES = `queue: PRICES
---
node: ASKERS
base: "\${env:ASKERS_URL}/replies"
---
service: Prices.v1
permission: LOCATIONS
operations:
  PRICE_ASK:
    soap: true
    request: { fields: { ARTICLE: { type: string(40), required: true } } }
    response: { fields: { PRICE: decimal(8.2) } }
    queue: PRICES
    reply-to: ASKERS
---
{ subscription: PRICE_ANSWERS, operation: PRICE_ASK, handler: price-answers, gives-reply: true }
`;

const HANDLER = `import { Fault } from 'signalbox';
export default {
  async onMessage({ ARTICLE }) {
    if (ARTICLE === 'GONE') throw Fault.custom('GONE', 409, 'It is gone.');
    return { PRICE: ARTICLE === 'BOOK' ? '12.50' : '30.00' };
  },
};
`;

const folder = mkdtempSync(join(tmpdir(), 'signalbox-reply-to-'));
let project: SampleCopy;
let gateway: Served;
let askers: string;
beforeAll(async () => {
  if (!hasMaven) return;
  askers = `http://127.0.0.1:${await freePort()}`;
  project = copySample({ 'definitions/prices.yaml': PRICES, 'src/handlers/price-answers.ts': HANDLER });
  const { code, stderr } = await signalbox(['generate'], { cwd: project.root });
  if (code !== 0) throw new Error(stderr);
  gateway = await serve(project.root, { ASKERS_URL: askers });
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasMaven)(
  `CXF gets replies and faults at its own endpoint, by what it wrote from the WSDL (${needsMaven})`,
  async () => {
    const reply = await fetch(`${connectorOf(gateway)}/Prices.v1?wsdl`, {
      headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    });
    const wsdl = join(folder, 'prices.wsdl');
    writeFileSync(wsdl, await reply.text());
    const classes = join(folder, 'prices');
    const byCxf = await generate('Decoupled', [{ folder: classes, tool: 'wsdl2java', args: ['-p', 'prices', wsdl] }]);
    expect(byCxf.get(classes)).toBe('');
    const other = join(folder, 'metro');
    const byMetro = await generate('Metro', [{ folder: other, tool: 'wsimport', args: ['-p', 'prices', wsdl] }]);
    expect(byMetro.get(other)).toBe('');
    const printed = await java('Decoupled', 'Decoupled.java', {
      folders: [classes],
      args: [wsdl, `${askers}/replies`],
    });
    expect(printed.trim().split('\n')).toEqual([
      ...['price 12.50', 'price 30.00', 'fault It is gone.'],
      ...['price 12.50', 'price 30.00', 'fault It is gone.'],
      'without an endpoint null',
    ]);
  },
  300_000,
);
