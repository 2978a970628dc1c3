import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfigText } from '../../../src/load/value/config-text.ts';
import type { NodeCredential } from '../../../src/model/node.ts';
import { KEY_REFERENCES } from '../../../src/model/security.ts';
import { PARTNER } from '../../attacks/support/signers.ts';
import { client, node, partner, reply, target } from '../../invoke/support.ts';
import { document, field } from '../../support/registry.ts';
import { java } from './generators.ts';
import { hasMaven, needsMaven } from './maven.ts';

const text = (source: string) => parseConfigText(source).text;
const PASSWORD = 'ge heim & <b>';
const SAID = document('SAID', [field('S')]);
const SOAP_12 = { 'Content-Type': 'application/soap+xml' };
const token = (digest: boolean) => ({ user: text('demo'), password: text('${secret:PASSWORD}'), digest });
const signature = { file: text('partner.pem'), keyFile: text('partner.key') };
type Security = Extract<NodeCredential, { readonly kind: 'ws-security' }>;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-wss4j-'));
  writeFileSync(join(folder, 'partner.pem'), PARTNER.certificate);
  writeFileSync(join(folder, 'partner.key'), PARTNER.key);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The message of a call, as it was received. */
async function sent(parts: Omit<Security, 'kind'>, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { url, seen } = await target(reply('<SAID xmlns="urn:signalbox:test:Partner.v1"><S>ok</S></SAID>'));
  const registry = partner(node('PARTNER', [url], { credential: { kind: 'ws-security', ...parts } }), {
    request: SAID,
    response: SAID,
    headers,
  });
  const operation = registry.consumers.get('FILE_SEND')!;
  if (operation.kind === 'soap') Object.assign(operation.soap, { addressing: true });
  await client(registry, { env: { PASSWORD }, folder }).call('FILE_SEND', { S: 'Grüße & <b>\r\n😀 "' });
  return seen[0]!.body.toString();
}

test.skipIf(!hasMaven)(
  `WSS4J verifies what calls send (${needsMaven})`,
  async () => {
    const signed = await sent({ signature, timestamp: 300_000 });
    const digest = await sent({ usernameToken: token(true) });
    const addressing = 'signed Action, signed Body, signed MessageID, signed ReplyTo, signed Timestamp, signed To';
    const messages: readonly (readonly [message: string, verdict: string])[] = [
      [await sent({ usernameToken: token(false) }), 'UsernameToken'],
      [digest, 'UsernameToken'],
      [await sent({ usernameToken: token(true), timestamp: 60_000 }, SOAP_12), 'Timestamp, UsernameToken'],
      [await sent({ timestamp: 60_000 }), 'Timestamp'],
      [signed, `Timestamp, ${addressing}`],
      [await sent({ signature, timestamp: 300_000 }, SOAP_12), `Timestamp, ${addressing}`],
      ...(await Promise.all(
        KEY_REFERENCES.filter((each) => each !== 'token').map(async (reference) => {
          const named = { ...signature, reference };
          return [await sent({ signature: named, timestamp: 300_000 }), `Timestamp, ${addressing}`] as const;
        }),
      )),
      [
        await sent({ usernameToken: token(true), signature, timestamp: 300_000 }),
        `Timestamp, UsernameToken, ${addressing}, signed UsernameToken`,
      ],
      [signed.replace('Grüße', 'Gruesse'), 'refused: FailedCheck'],
      [
        digest.replace(/<wsse:Nonce([^>]*)>[^<]*/, '<wsse:Nonce$1>AAAAAAAAAAAAAAAAAAAAAA=='),
        'refused: FailedAuthentication',
      ],
    ];
    const files = messages.map(([message], index) => {
      const file = join(folder, `${index}.xml`);
      writeFileSync(file, message);
      return file;
    });
    const printed = await java('WSS4J', 'Judged.java', { args: [folder, PASSWORD, ...files] });
    expect(printed.trim().split('\n')).toEqual(messages.map(([, verdict]) => verdict));
  },
  240_000,
);
