import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { has, run } from './support.ts';

// curl sends `Expect: 100-continue` with a large body, and waits for an answer before it sends it.

const FILES = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 1 KiB, attachment: 4 MiB }'),
  'definitions/asked.yaml': `service: Asked.v1
permission: EVERYTHING
operations:
  POSTED: { post: posted, request: { fields: { S: string } }, response: text, handler: bytes }
  BYTES: { post: bytes, request: binary, response: text }
`,
  'src/handlers/bytes.ts': `export default {
  async onRequest(input) {
    const [content] = Object.values(input);
    return String(Buffer.concat(await Array.fromAsync(content.stream())).length);
  },
};
`,
};
const BYTES = 3_000_000;

let gateway: TestGateway;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-curl-'));
const file = join(folder, 'body');
beforeAll(async () => {
  writeFileSync(file, Buffer.alloc(BYTES, 'x'));
  gateway = await startTestGateway({ files: FILES });
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true });
});

test.skipIf(!has('curl')).each([
  ['no credentials', 'bytes', [], '401 0 401'],
  ['no permission', 'bytes', ['-u', 'guest:guest'], '403 0 403'],
  ['a body that is too large', 'posted', ['-u', 'demo:demo', '-H', 'Content-Type: application/json'], '413 0 413'],
  ['another coding', 'bytes', ['-u', 'demo:demo', '-H', 'Content-Encoding: br'], '415 0 415'],
  ['nothing wrong', 'bytes', ['-u', 'demo:demo'], `200 ${BYTES} 100 200`],
] as const)('curl sends the body of a request with %s only if it is asked to: %s', async (_, path, args, expected) => {
  const url = `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/Asked.v1/${path}`;
  const { stdout } = await run('curl', [
    ...['-s', '--noproxy', '*', '-o', '/dev/null', '-D', '-', '-w', '%{http_code} %{size_upload}'],
    ...['--expect100-timeout', '30', '-H', 'Expect: 100-continue', ...args, '-X', 'POST', '-T', file, url],
  ]);
  const statuses = [...stdout.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
  expect([stdout.split('\n').at(-1), ...statuses].join(' ')).toBe(expected);
});
