import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorMs } from '../support/duration.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

// Headers with signatures that are many, long, cut or repeated: each is refused as any other, and before the body is read where
// the header alone says so.

const PATH = '/gateway/RESTListeningConnector/Hooks.v1/';
const SECRET = 'a secret';
const BODY = '{"N":1}';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { SECRET },
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/users.yaml': `${USERS}---
user: partner
roles: [ALL]
`,
      'definitions/hooks.yaml': `scheme: HEX
hmac: { user: partner, secrets: "\${secret:SECRET}", header: X-Hex, form: "sha256={hex}" }
---
scheme: BASE64
hmac: { user: partner, secrets: "\${secret:SECRET}", header: X-Base64, form: "{base64}" }
---
scheme: TIMED
hmac: { user: partner, secrets: "\${secret:SECRET}", header: X-Timed, form: "t={timestamp},v1={hex}", signed: "{timestamp}.{body}" }
---
scheme: AUTHORIZATION
hmac: { user: partner, secrets: "\${secret:SECRET}", header: Authorization, form: "HMAC {hex}" }
---
service: Hooks.v1
permission: EVERYTHING
operations:
  HEX_HOOK: { post: hex, handler: hook, requires: HEX, request: { fields: { N: integer } } }
  BASE64_HOOK: { post: base64, handler: hook, requires: BASE64, request: { fields: { N: integer } } }
  TIMED_HOOK: { post: timed, handler: hook, requires: TIMED, request: { fields: { N: integer } } }
  AUTHORIZATION_HOOK: { post: authorization, handler: hook, requires: AUTHORIZATION, request: { fields: { N: integer } } }
`,
      'src/handlers/hook.ts': 'export default { onRequest: () => {} };',
    },
  });
});
afterAll(() => gateway.stop());

const post = async (path: string, headers: Readonly<Record<string, string>>, body = BODY): Promise<number> => {
  const options = { method: 'POST', anonymous: true, body };
  const { status } = await gateway.call(PATH + path, {
    ...options,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return status;
};
const digest = (text = BODY): Buffer => createHmac('sha256', SECRET).update(text).digest();
const hex = digest().toString('hex');
const wrong = (n: number): string => `sha256=${n.toString(16).padStart(64, '0')}`;

/** Within what Node's parser accepts of a header, with room for the others. */
const LENGTH = 60_000;

/** Milliseconds of processor time, both the gateway's and the client's. */
const MOST = 400;

async function expectRefusedQuickly(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const began = processorMs();
    expect(await post(path, headers)).toBe(401);
    const spent = processorMs() - began;
    // A pause of the garbage collector is not the reader's.
    if (spent < MOST) return;
    expect(attempt, `${spent} ms`).toBeLessThan(3);
  }
}

describe('a header of signatures', () => {
  it.each([
    'sha256=',
    'sha256=a',
    'sha256=ab,',
    'sha256=,',
    ',',
    ' ,',
    ';',
    'a',
    'a ',
    'sha256',
    'sha256=abz',
    't=1,',
    't=',
    'v1=',
    'v1=ab,t=',
    '=',
    'A==',
    'HMAC ',
    'HMAC ab',
    '\t',
  ])('of 60 KB of %j is refused as quickly as any other', async (unit) => {
    const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
    for (const name of ['hex', 'base64', 'timed']) {
      await expectRefusedQuickly(name, { [`x-${name}`]: text });
      // Within the limit of the header, its form is read.
      await expectRefusedQuickly(name, { [`x-${name}`]: text.slice(0, 4090) });
    }
    await expectRefusedQuickly('authorization', { authorization: text });
    await expectRefusedQuickly('authorization', { authorization: text.slice(0, 4090) });
  });

  it('has sixteen candidates, and no more are compared', async () => {
    const candidates = (before: number): string =>
      [...Array.from({ length: before }, (_, index) => wrong(index)), `sha256=${hex}`].join(',');
    expect(await post('hex', { 'x-hex': candidates(15) })).toBe(204);
    expect(await post('hex', { 'x-hex': candidates(16) })).toBe(401);
    expect(await post('hex', { 'x-hex': candidates(50) })).toBe(401);
  });

  it('is whole: no beginning, end, repetition or other coding of a signature is one', async () => {
    expect(await post('hex', { 'x-hex': `sha256=${hex}` })).toBe(204);
    const base64 = digest().toString('base64');
    for (const text of [
      hex.slice(0, 2),
      hex.slice(0, 62),
      hex.slice(0, 63),
      `${hex}00`,
      hex + hex,
      `${hex}=`,
      base64,
      '00',
    ])
      expect(await post('hex', { 'x-hex': `sha256=${text}` }), text).toBe(401);
    for (const header of [
      `SHA256=${hex}`,
      `xsha256=${hex}`,
      `sha256=${hex}x`,
      `sha256=sha256=${hex}`,
      `sha256==${hex}`,
    ])
      expect(await post('hex', { 'x-hex': header }), header).toBe(401);
    expect(await post('base64', { 'x-base64': base64 })).toBe(204);
    for (const text of [base64.slice(0, -4), `${base64}AAAA`, `AA${base64}`, hex])
      expect(await post('base64', { 'x-base64': text }), text).toBe(401);
  });

  it('is of its own time: no other one beside it takes its place', async () => {
    const now = Math.floor(Date.now() / 1000);
    const signed = (at: number): string => digest(`${at}.${BODY}`).toString('hex');
    const old = now - 86_400;
    for (const header of [
      `t=${old},v1=${signed(old)}`,
      `t=${now},t=${old},v1=${signed(old)}`,
      `t=${old},t=${now},v1=${signed(old)}`,
      `t=${now},v1=${signed(old)}`,
      `v1=${signed(old)}`,
      `t=${'9'.repeat(300)},v1=${signed(now)}`,
    ])
      expect(await post('timed', { 'x-timed': header }), header).toBe(401);
    expect(await post('timed', { 'x-timed': `t=${now},v1=${signed(now)}` })).toBe(204);
  });

  it('is of the body and the time as they are sent', async () => {
    expect(await post('hex', { 'x-hex': `sha256=${hex}` }, '{"N":2}')).toBe(401);
    // What is between time and body can't be moved.
    const now = Math.floor(Date.now() / 1000);
    const moved = digest(`${now}.${BODY}`).toString('hex');
    expect(await post('timed', { 'x-timed': `t=${Math.floor(now / 10)},v1=${moved}` }, `${now % 10}.${BODY}`)).toBe(
      401,
    );
  });
});

it('no secret, no signature and no reason is in a reply', async () => {
  const { text, headers } = await gateway.call(`${PATH}hex`, {
    method: 'POST',
    anonymous: true,
    headers: { 'content-type': 'application/json', 'x-hex': wrong(1) },
    body: BODY,
  });
  for (const part of [hex, SECRET, 'sha256', 'HEX']) expect(text + JSON.stringify(headers)).not.toContain(part);
});
