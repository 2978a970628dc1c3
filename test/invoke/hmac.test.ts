import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { NodeCredential } from '../../src/model/node.ts';
import { outgoing, sender, streamed, text } from './sending.ts';
import { client, node, partner, type Seen, target, thrown } from './support.ts';

const env = { NEW: 'new secret', OLD: 'old secret', HEX: '00ff10' };

type Hmac = Extract<NodeCredential, { readonly kind: 'hmac' }>;

const signing = (more: Partial<Hmac> = {}, ...secrets: readonly string[]): NodeCredential => ({
  kind: 'hmac',
  secrets: (secrets.length === 0 ? ['NEW'] : secrets).map((name) => text(`\${secret:${name}}`)),
  ...{ encoding: 'text', header: 'X-Hub-Signature-256', algorithm: 'sha256', form: 'sha256={hex}', signed: '{body}' },
  ...more,
});
const STRIPE: Partial<Hmac> = {
  header: 'Stripe-Signature',
  form: 't={timestamp},v1={hex}',
  signed: '{timestamp}.{body}',
};

/** A signature as another program makes it. */
function openssl(secret: string, signed: string | Buffer): string {
  const shown = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-hex'], { input: signed });
  return shown.toString().trim().split(/\s+/).at(-1) as string;
}

const body = '{"type":"user.created","name":"Zoë"}';
const post = (more = {}) => outgoing('POST', { text: body, ...more });
const github = ({ headers }: Seen) => headers['x-hub-signature-256'];

describe('a node with `credential: { hmac: … }`', () => {
  it('signs exactly the bytes of each request, as openssl does', async () => {
    const { url, seen } = await target({});
    await sender(node('HOOKS', [url], { credential: signing() }), { env }).send(post());
    expect(github(seen[0]!)).toBe(`sha256=${openssl(env.NEW, seen[0]!.body)}`);
    expect(seen[0]!.body.toString()).toBe(body);
    expect(seen[0]!.headers).not.toHaveProperty('webhook-id');
  });

  it('signs a body that is streamed, one that is compressed, and none', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing() }), { env });
    await made.send(streamed(['one ', 'two'], { length: undefined }));
    await made.send(post({ compress: true }));
    await made.send(outgoing());
    expect(seen.map(github)).toEqual(seen.map((each) => `sha256=${openssl(env.NEW, each.body)}`));
    expect(gunzipSync(seen[1]!.body).toString()).toBe(body);
    expect(seen[2]!.body).toHaveLength(0);
  });

  it('signs the time of each attempt, in the header of the signature or in one of its own', async () => {
    const { url, seen } = await target(() => ({ status: seen.length < 2 ? 503 : 200 }));
    const operation = { retry: { attempts: 2, first: 1, longest: 1, on: new Set([503]) } };
    const before = Math.floor(Date.now() / 1000);
    await sender(node('HOOKS', [url], { credential: signing(STRIPE) }), { env, operation }).send(post());
    expect(seen).toHaveLength(2);
    // A receiver takes the second of two that are equal for a copy.
    expect(new Set(seen.map(({ headers }) => headers['stripe-signature'])).size).toBe(2);
    for (const { headers } of seen) {
      const [, time = '', signature] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(headers['stripe-signature'])) ?? [];
      expect(Number(time)).toBeGreaterThanOrEqual(before);
      expect(signature).toBe(openssl(env.NEW, `${time}.${body}`));
    }
    const slack = signing({ header: 'X-Sig', form: 'v0={hex}', timestamp: 'X-Time', signed: 'v0:{timestamp}:{body}' });
    await sender(node('HOOKS', [url], { credential: slack }), { env }).send(post());
    const { 'x-time': time, 'x-sig': signature } = seen[2]!.headers;
    expect(signature).toBe(`v0=${openssl(env.NEW, `v0:${String(time)}:${body}`)}`);
  });

  it('signs the id of the message, the same in each attempt', async () => {
    const { url, seen } = await target({});
    const own = signing({ timestamp: 'X-Time', webhookId: 'X-Id', signed: '{id}{timestamp}{body}' });
    await sender(node('HOOKS', [url], { credential: own }), { env }).send(post(), { messageId: 'msg_1' });
    const { 'x-time': time, 'x-id': id } = seen[0]!.headers;
    expect(id).toBe('msg_1');
    expect(github(seen[0]!)).toBe(`sha256=${openssl(env.NEW, `msg_1${String(time)}${body}`)}`);
  });

  it('signs with each of its secrets', async () => {
    const { url, seen } = await target({});
    await sender(node('HOOKS', [url], { credential: signing(STRIPE, 'NEW', 'OLD') }), { env }).send(post());
    const [, time, ...signatures] =
      /^t=(\d+),v1=(\w+),v1=(\w+)$/.exec(String(seen[0]!.headers['stripe-signature'])) ?? [];
    expect(signatures).toEqual([env.NEW, env.OLD].map((secret) => openssl(secret, `${time}.${body}`)));
  });

  it.each([
    'sha1',
    'sha256',
    'sha384',
    'sha512',
  ] as const)('signs with %s, in base64, by a key in hexadecimal digits', async (algorithm) => {
    const { url, seen } = await target({});
    const own = signing({ algorithm, form: 'HMAC {base64}', header: 'Authorization', encoding: 'hex' }, 'HEX');
    await sender(node('HOOKS', [url], { credential: own }), { env }).send(post());
    const digest = createHmac(algorithm, Buffer.from(env.HEX, 'hex')).update(body).digest('base64');
    expect(seen[0]!.headers.authorization).toBe(`HMAC ${digest}`);
  });

  it('sends a stream up to the limit of bodies, and nothing of a longer one', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing() }), { env, signedBody: 7 });
    await made.send(streamed(['one ', 'two'], { length: undefined }));
    expect(await thrown(made.send(streamed(['one ', 'two!'], { length: undefined })))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('a request is signed as a whole, up to 7 bytes (`limits.body`)'),
    });
    expect(seen).toHaveLength(1);
  });

  it('names a secret that has the wrong form, without showing it', async () => {
    const { url, seen } = await target({});
    const made = sender(node('HOOKS', [url], { credential: signing({ encoding: 'hex' }, 'HEX', 'OLD') }), { env });
    const error = (await thrown(made.send(post()))) as Error;
    expect(error).toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining(
        "webhook secret 2 of node HOOKS can't be used: it does not consist of pairs of hexadecimal digits",
      ),
    });
    expect(error.message).not.toContain('old secret');
    expect(seen).toEqual([]);
  });

  it('masks signatures where a request is shown', async () => {
    const { url } = await target({});
    const slack = signing({ header: 'X-Sig', timestamp: 'X-Time', signed: '{timestamp}{body}' });
    const made = sender(node('HOOKS', [url], { credential: slack }), { env });
    expect(made.describe(post()).headers).toMatchObject({ 'X-Sig': '***', 'X-Time': '***' });
    const heads: string[] = [];
    await made.send(post(), { heads: { onRequest: (head) => heads.push(JSON.stringify(head)) } });
    expect(heads[0]).toContain('["X-Sig","***"]');
    expect(heads[0]).toMatch(/\["X-Time","\d{10}"\]/);
  });

  it('gives way to the credential of a call, and takes 410 as a status like any other', async () => {
    const { url, seen } = await target({ status: 410 });
    const made = sender(node('HOOKS', [url], { credential: signing() }), { env });
    await made.send(post(), { credential: { user: 'a', password: 'b' } });
    expect(seen[0]!.headers).not.toHaveProperty('x-hub-signature-256');
    expect((await made.send(post())).status).toBe(410);
  });

  it('signs calls of operations', async () => {
    const { url, seen } = await target({ headers: { 'Content-Type': 'application/json' }, body: '{}' });
    const registry = partner(node('HOOKS', [url], { credential: signing() }), {});
    const [operation] = registry.consumers.values();
    await client(registry, { env }).call(operation!, { name: 'a', content: 'x' } as never);
    expect(github(seen[0]!)).toBe(`sha256=${openssl(env.NEW, seen[0]!.body)}`);
  });
});
