import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARTNER } from '../../attacks/support/signers.ts';
import { ENV, PROJECT, SECRET } from '../../attacks/support/wss.ts';
import { repository } from '../../cli/support.ts';
import { SERVICES } from '../../serve/soap-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { readBlocks } from '../../support/markdown.ts';
import { java } from './generators.ts';
import { hasMaven, needsMaven } from './maven.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const named = `scheme: NAMED
signature: { certificates: callers.pem }
---
service: Named.v1
namespace: urn:test:Safe.v1
permission: EVERYTHING
operations:
  NAMED: { soap: true, requires: NAMED, request: SAID, response: SAID, handler: echo }
`;
  const files = { ...PROJECT, 'callers.pem': PARTNER.certificate, 'definitions/named.yaml': named };
  gateway = await startTestGateway({ files, env: ENV });
});
afterAll(() => gateway.stop());

test.skipIf(!hasMaven)(
  `WSS4J signs by the settings of the document, and not by its own (${needsMaven})`,
  async () => {
    const page = 'docs/ws-security.md';
    const blocks = readBlocks(readFileSync(join(repository, page), 'utf8'), page);
    const settings = join(gateway.folder, 'wss4j.properties');
    writeFileSync(settings, blocks.find(({ language }) => language === 'properties')?.text ?? '');
    writeFileSync(join(gateway.folder, 'partner.key'), PARTNER.key);
    writeFileSync(join(gateway.folder, 'partner.pem'), PARTNER.certificate);
    const address = `${gateway.gateway.address}${SERVICES}`;
    const printed = await java('WSS4J', 'Signed.java', {
      args: [address, 'urn:test:Safe.v1', gateway.folder, SECRET, settings],
    });
    expect(printed.trim().split('\n')).toEqual([
      'signature: partner Gr\u00fc\u00dfe &amp; &lt;b&gt;',
      'signature of the defaults: Credentials are missing or wrong.',
      'digest: demo Gr\u00fc\u00dfe &amp; &lt;b&gt;',
      'named where the scheme has no certificates: Credentials are missing or wrong.',
      'named: partner Gr\u00fc\u00dfe &amp; &lt;b&gt;',
    ]);
  },
  240_000,
);
