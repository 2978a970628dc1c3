import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { secretsOf } from '../../src/load/value/config.ts';
import type { NodeCredential } from '../../src/model/node.ts';
import { eventually } from '../support/project.ts';
import { outgoing, sender, text } from './sending.ts';
import { node, target } from './support.ts';

/** An environment with a secret in a file, and what replaces the file as a rotation does. */
function rotating(first: string) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, first);
  return {
    env: { SECRET_FILE: file },
    write: (content: string) => writeFileSync(file, content),
    replace(content: string) {
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file),
  };
}

/** Sends requests until one of them has what is wanted in a header. */
async function until(sent: { send(): Promise<unknown>; seen: { headers: Record<string, unknown> }[] }, header: string) {
  await eventually(`a request with ${header}`, async () => {
    await sent.send();
    return sent.seen.at(-1)?.headers.authorization === header || undefined;
  });
}

describe('a secret in a file that is rotated while the gateway runs', () => {
  it.each([
    [
      'basic',
      { kind: 'basic', user: text('me'), password: text('${secret:SECRET}') },
      (secret: string) => `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`,
    ],
    ['bearer', { kind: 'bearer', token: text('${secret:SECRET}') }, (secret: string) => `Bearer ${secret}`],
  ] satisfies [
    string,
    NodeCredential,
    (secret: string) => string,
  ][])('is that of the next calls, as a credential of a node: %s', async (_, credential, headerOf) => {
    const { env, replace } = rotating('first-secret\n');
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url], { credential }), { env });
    const sent = { send: () => made.send(outgoing()), seen };
    await until(sent, headerOf('first-secret'));
    replace('second-secret\n');
    await until(sent, headerOf('second-secret'));
    expect(createRedactor(() => secretsOf(env)).text('first-secret, second-secret')).toBe('***, ***');
  });

  it('is that of the next calls in the address of a node', async () => {
    const { env, replace } = rotating('first');
    const { url, seen } = await target({});
    const base = url.replace('http://', 'http://me:${secret:SECRET}@');
    const made = sender(node('PARTNER', [base]), { env });
    const sent = { send: () => made.send(outgoing()), seen };
    await until(sent, `Basic ${Buffer.from('me:first').toString('base64')}`);
    replace('second');
    await until(sent, `Basic ${Buffer.from('me:second').toString('base64')}`);
  });

  it('asks for a new token as an OAuth client secret', async () => {
    const { env, replace } = rotating('first');
    const endpoint = await target(({ headers }) => ({
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        access_token: `token-of-${Buffer.from(String(headers.authorization).slice(6), 'base64')}`,
        token_type: 'Bearer',
        expires_in: 3600,
      }),
    }));
    const { url, seen } = await target({});
    const credential: NodeCredential = {
      ...{ kind: 'client-credentials', tokenUrl: text(endpoint.url), clientId: text('us') },
      ...{ clientSecret: text('${secret:SECRET}'), parameters: new Map(), authentication: 'basic' },
    };
    const made = sender(node('PARTNER', [url], { credential }), { env });
    const sent = { send: () => made.send(outgoing()), seen };
    await until(sent, 'Bearer token-of-us:first');
    replace('second');
    await until(sent, 'Bearer token-of-us:second');
    expect(endpoint.seen).toHaveLength(2);
  });

  it('stays as it was read while its file is away or empty', async () => {
    const { env, write, remove } = rotating('first');
    const { url, seen } = await target({});
    const credential: NodeCredential = { kind: 'bearer', token: text('${secret:SECRET}') };
    const made = sender(node('PARTNER', [url], { credential }), { env });
    const sent = { send: () => made.send(outgoing()), seen };
    await until(sent, 'Bearer first');
    for (const change of [remove, () => write('')]) {
      change();
      const end = performance.now() + 1100;
      while (performance.now() < end) await until(sent, 'Bearer first');
    }
    write('second');
    await until(sent, 'Bearer second');
  });
});
