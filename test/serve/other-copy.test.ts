import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';

/** A project that has a package of its own under the name of this one. */
function projectWithCopy(handler: string): string {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-copy-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = {
    'package.json': '{ "type": "module" }',
    'node_modules/signalbox/package.json':
      '{ "name": "signalbox", "version": "0.0.7", "main": "index.js", "type": "module" }',
    // What a fault of any version has.
    'node_modules/signalbox/index.js': `export class Fault extends Error {
  code = 'GONE';
  status = 410;
  detail = '';
  headers = {};
  get [Symbol.for('signalbox.Fault')]() { return true; }
}

`,
    'definitions/gateway.yaml': 'gateway: LOCAL\n',
    'definitions/service.yaml': `service: Copy.v1
public: true
operations:
  COPY_GET: { get: copies, response: { fields: { A: string } } }
`,
    'src/handlers/copy-get.ts': handler,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('a fault of another copy of the package is a fault, and the start says that there are two', async () => {
  const root = projectWithCopy(`// By its path: the tests' own loader has a copy for the name.
import { Fault } from '../../node_modules/signalbox/index.js';
export default { onRequest() { throw new Fault('It has gone.'); } };
`);
  const gateway = await startTestGateway({ root });
  onTestFinished(() => gateway.stop());
  const { status, text } = await gateway.call('/gateway/RESTListeningConnector/Copy.v1/copies');
  expect({ status, text }).toMatchObject({ status: 410, text: expect.stringContaining('It has gone.') });
  const [warning] = gateway.log().filter(({ level }) => level === 'warn');
  expect(warning?.msg).toMatch(
    /^The project's code imports signalbox 0\.0\.7 in .*node_modules\/signalbox, but signalbox \S+ in \S+ runs\. Start the project's own with npx signalbox/,
  );
});
