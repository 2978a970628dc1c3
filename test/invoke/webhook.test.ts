import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { NodeCredential } from '../../src/model/node.ts';
import { outgoing, sender, streamed, text } from './sending.ts';
import { attachment, client, node, partner, type Seen, target, thrown } from './support.ts';

const NEW = `whsec_${Buffer.alloc(32, 'new').toString('base64')}`;
const OLD = `whsec_${Buffer.alloc(24, 'old').toString('base64')}`;
const env = { NEW, OLD };

const signing = (...secrets: readonly string[]): NodeCredential => ({
  kind: 'webhook',
  secrets: secrets.map((name) => text(`\${secret:${name}}`)),
});

/** A signature as the specification defines it. */
function signatureOf(secret: string, { headers, body }: Seen): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`);
  return `v1,${signed.update(body).digest('base64')}`;
}

const body = '{"type":"user.created","name":"Zoë"}';
const post = (more = {}) => outgoing('POST', { text: body, ...more });

describe('a node with `credential: { webhook: … }`', () => {
  it('signs id, time and exactly the bytes of each request', async () => {
    const { url, seen } = await target({});
    const before = Math.floor(Date.now() / 1000);
    await sender(node('HOOKS', [url], { credential: signing('NEW') }), { env }).send(post(), { messageId: 'msg_1' });
    expect(seen[0]!.headers['webhook-id']).toBe('msg_1');
    expect(Number(seen[0]!.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(before);
    expect(Number(seen[0]!.headers['webhook-timestamp'])).toBeLessThanOrEqual(Date.now() / 1000);
    expect(seen[0]!.headers['webhook-signature']).toBe(signatureOf(NEW, seen[0]!));
    expect(seen[0]!.body.toString()).toBe(body);
  });

  it('signs with all of its secrets, so that a receiver may know either', async () => {
    const { url, seen } = await target({});
    await sender(node('HOOKS', [url], { credential: signing('NEW', 'OLD') }), { env }).send(post());
    expect(seen[0]!.headers['webhook-signature']).toBe(`${signatureOf(NEW, seen[0]!)} ${signatureOf(OLD, seen[0]!)}`);
  });

  it('is verified by the library of the specification, with the new secret and with the old one', async () => {
    const { url, seen } = await target({});
    await sender(node('HOOKS', [url], { credential: signing('NEW', 'OLD') }), { env }).send(post());
    const { body: received, headers } = seen[0]!;
    for (const secret of [NEW, OLD])
      expect(new Webhook(secret).verify(received, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(() => new Webhook(NEW).verify(`${received} `, headers as Record<string, string>)).toThrow('No matching');
  });

  it('signs with an Ed25519 key, whose public key verifies', async () => {
    const { url, seen } = await target({});
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    const own = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    for (const bytes of [seed, Buffer.concat([seed, own])]) {
      const made = sender(node('HOOKS', [url], { credential: signing('KEY') }), {
        env: { KEY: `whsk_${bytes.toString('base64')}` },
      });
      await made.send(post());
      const { headers } = seen.at(-1)!;
      const [version, signature = ''] = String(headers['webhook-signature']).split(',');
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      expect(version).toBe('v1a');
      expect(verify(null, Buffer.from(content), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    }
  });

  it('has an id of its own for each call that names none', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env });
    await made.send(post());
    await made.send(post());
    const [first, second] = seen.map(({ headers }) => headers['webhook-id']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  it('keeps the id in each attempt, and signs each', async () => {
    const { url, seen } = await target(() => ({ status: seen.length < 3 ? 503 : 200 }));
    const operation = { retry: { attempts: 3, first: 1, longest: 1, on: new Set([503]) } };
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env, operation });
    await made.send(post());
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const each of seen) expect(each.headers['webhook-signature']).toBe(signatureOf(NEW, each));
  });

  it('signs a body that is streamed, and one that is compressed, as they are sent', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env });
    await made.send(streamed(['one ', 'two']));
    await made.send(streamed(['one ', 'two'], { length: undefined }));
    await made.send(post({ compress: true }));
    expect(seen.map(({ headers }) => headers['webhook-signature'])).toEqual(seen.map((each) => signatureOf(NEW, each)));
    expect(seen[0]!.body.toString()).toBe('one two');
    expect(seen[2]!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(seen[2]!.body).toString()).toBe(body);
  });

  it('signs the request without a body of a GET', async () => {
    const { url, seen } = await target({});
    await sender(node('HOOKS', [url], { credential: signing('NEW') }), { env }).send(outgoing());
    expect(seen[0]!.headers['webhook-signature']).toBe(signatureOf(NEW, seen[0]!));
  });

  it.each([
    ['of a known length', {}],
    ['of an unknown length', { length: undefined }],
  ])('sends a stream %s up to the limit of bodies, and nothing of a longer one', async (_, more) => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env, signedBody: 7 });
    await made.send(streamed(['one ', 'two'], more));
    expect(await thrown(made.send(streamed(['one ', 'two!'], more)))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('a webhook is signed as a whole, up to 7 bytes (`limits.body`)'),
    });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['no prefix', NEW.slice('whsec_'.length)],
    ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['a line end', `${NEW}\n`],
    ['no base64', 'whsec_this is a sentence of some thirty-two bytes'],
    ['a public key', `whpk_${Buffer.alloc(32).toString('base64')}`],
    ['half of another key', `whsk_${Buffer.alloc(64, 1).toString('base64')}`],
  ])('names a secret that has the wrong form, without showing it: %s', async (_, secret) => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW', 'OLD') }), { env: { NEW, OLD: secret } });
    const error = (await thrown(made.send(post()))) as Error;
    expect(error).toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining("webhook secret 2 of node HOOKS can't be used"),
    });
    expect(error.message).not.toContain(secret.trim().slice(6));
    expect(seen).toEqual([]);
  });

  it.each([24, 64])('takes a secret of %i bytes', async (bytes) => {
    const { url, seen } = await target({});
    const secret = `whsec_${Buffer.alloc(bytes, 'x').toString('base64')}`;
    await sender(node('HOOKS', [url], { credential: signing('NEW') }), { env: { NEW: secret } }).send(post());
    expect(seen[0]!.headers['webhook-signature']).toBe(signatureOf(secret, seen[0]!));
  });

  it.each(['a.b', 'a b', '', 'é', 'x'.repeat(257)])('refuses an id that can not be signed: %j', async (messageId) => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env });
    expect(await thrown(made.send(post(), { messageId }))).toMatchObject({ code: 'BAD_INPUT' });
    expect(seen).toEqual([]);
  });

  it('masks signatures where a request is shown', async () => {
    const { url } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env });
    expect(made.describe(post()).headers).toMatchObject({ 'webhook-id': '***', 'webhook-signature': '***' });
    const heads: string[] = [];
    await made.send(post(), { heads: { onRequest: (head) => heads.push(JSON.stringify(head)) }, messageId: 'msg_1' });
    expect(heads[0]).toContain('["webhook-id","msg_1"],');
    expect(heads[0]).toContain('["webhook-signature","***"]');
  });

  it('gives way to the credential of a call', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing('NEW') }));
    await made.send(post(), { credential: { user: 'a', password: 'b' } });
    expect(seen[0]!.headers).not.toHaveProperty('webhook-signature');
  });

  it('ends with WebhookGone where the receiver answers 410', async () => {
    const { url } = await target({ status: 410 });
    const gone = sender(node('HOOKS', [url], { credential: signing('NEW') }), { env });
    expect(await thrown(gone.send(post()))).toMatchObject({
      name: 'WebhookGone',
      node: 'HOOKS',
      code: 'HTTP_STATUS',
      httpResponseCode: 410,
      responseStatus: 20,
      attempts: 1,
    });
    // Elsewhere 410 is a status like any other.
    expect((await sender(node('OTHER', [url])).send(post())).status).toBe(410);
  });

  it('signs calls of operations, with the id that the caller gives', async () => {
    const { url, seen } = await target({ headers: { 'Content-Type': 'application/json' }, body: '{}' });
    const registry = partner(node('HOOKS', [url], { credential: signing('NEW') }), {});
    const calls = client(registry, { env });
    const [operation] = registry.consumers.values();
    await calls.call(operation!, { name: 'a', content: attachment('x') }, { messageId: 'd-1' });
    expect(seen[0]!.headers['webhook-id']).toBe('d-1');
    expect(seen[0]!.headers['webhook-signature']).toBe(signatureOf(NEW, seen[0]!));
  });
});
