import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';
import { envelope, SERVICES } from './soap-client.ts';

const NEW = `whsec_${Buffer.alloc(32, 'new').toString('base64')}`;
const OLD = `whsec_${Buffer.alloc(24, 'old').toString('base64')}`;
const UNKNOWN = `whsec_${Buffer.alloc(24, 'unknown').toString('base64')}`;
const PATH = '/gateway/RESTListeningConnector/Hooks.v1';
const NS = 'urn:test:Hooks.v1';

const files = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 1000 B, attachment: 10 KiB }'),
  'definitions/users.yaml': `${USERS}---
user: shop
roles: [ALL]
`,
  'definitions/hooks.yaml': `scheme: SHOP
webhook: { user: shop, secrets: ["\${secret:NEW}", "\${secret:OLD}"] }
---
scheme: STRICT
webhook: { user: shop, secrets: "\${secret:NEW}", tolerance: 10 s }
---
scheme: NOBODY
webhook: { user: nobody, secrets: "\${secret:NEW}" }
---
service: Hooks.v1
permission: EVERYTHING
operations:
  HOOK: { post: order, handler: who, requires: SHOP, request: { fields: { NUMBER: integer } }, response: { fields: { ID: string, NUMBER: integer } } }
  RAW: { post: raw, handler: who, requires: SHOP, request: binary, response: { fields: { ID: string } } }
  STRICT_HOOK: { post: strict, handler: who, requires: STRICT, request: { fields: { NUMBER: integer } }, response: { fields: { ID: string, NUMBER: integer } } }
  NOBODY_HOOK: { post: nobody, handler: who, requires: NOBODY, request: { fields: { NUMBER: integer } }, response: { fields: { ID: string, NUMBER: integer } } }
  EITHER: { post: either, soap: true, handler: who, requires: [SHOP, basic], request: { fields: { NUMBER: integer } }, response: { fields: { ID: string, NUMBER: integer } } }
`,
  'src/handlers/who.ts': `export default { onRequest: ({ NUMBER }, context) => ({ ID: context.user?.id ?? '', ...(NUMBER === undefined ? {} : { NUMBER }) }) };`,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files, env: { NEW, OLD } });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;

/** The headers of a webhook, as the specification defines them. */
function signed(body: string, { secrets = [NEW], id = `msg_${randomUUID()}`, at = 0 } = {}): Headers {
  const timestamp = String(Math.floor(Date.now() / 1000) + at);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const BODY = '{"NUMBER":7}';
const post = (path: string, body: string, headers: Headers): Promise<Reply> =>
  gateway.call(`${PATH}/${path}`, {
    method: 'POST',
    anonymous: true,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const lastLine = () =>
  eventually('the line of the call', () => gateway.log().findLast((line) => line.status !== undefined));

describe('a webhook', () => {
  it('is accepted in the name of the user of its scheme', async () => {
    const reply = await post('order', BODY, signed(BODY));
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { ID: 'shop', NUMBER: 7 }]);
    expect(await lastLine()).toMatchObject({ user: 'shop', scheme: 'SHOP', status: 200 });
  });

  it('is accepted as the library of the specification signs it', async () => {
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_library',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(NEW).sign('msg_library', at, BODY),
    };
    expect((await post('order', BODY, headers)).status).toBe(200);
  });

  it('is signed with any of the secrets, and may have other signatures beside', async () => {
    expect((await post('order', BODY, signed(BODY, { secrets: [OLD] }))).status).toBe(200);
    expect((await post('order', BODY, signed(BODY, { secrets: [UNKNOWN, NEW] }))).status).toBe(200);
  });

  it('is refused with the same 401 for every cause, which only the log names', async () => {
    const good = signed(BODY);
    const { 'webhook-id': _id, ...withoutId } = good;
    const { 'webhook-timestamp': _time, ...withoutTime } = good;
    const { 'webhook-signature': _signature, ...withoutSignature } = good;
    const causes: readonly (readonly [string, Headers, string])[] = [
      [BODY, {}, 'no credentials'],
      [BODY, withoutSignature, 'no credentials'],
      [BODY, withoutId, 'webhook-id is missing'],
      [BODY, { ...good, 'webhook-id': 'a.b' }, 'is not an id'],
      [BODY, withoutTime, 'webhook-timestamp is missing'],
      [BODY, { ...good, 'webhook-timestamp': '1e9' }, 'is not a number of seconds'],
      [BODY, signed(BODY, { at: -302 }), 'differs from the time here by more than 5 m'],
      [BODY, signed(BODY, { at: 302 }), 'differs from the time here by more than 5 m'],
      [BODY, signed(BODY, { secrets: [UNKNOWN] }), 'no signature is of a secret'],
      ['{"NUMBER":8}', good, 'no signature is of a secret'],
      [BODY, { ...good, 'webhook-id': 'msg_other' }, 'no signature is of a secret'],
      ['not even JSON', good, 'no signature is of a secret'],
      [BODY, { ...good, 'webhook-signature': `v1,${'A'.repeat(2100)}` }, 'too long'],
    ];
    const replies = new Set<string>();
    for (const [body, headers, reason] of causes) {
      const { status, text, headers: shown } = await post('order', body, headers);
      const { requestId: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
      replies.add(JSON.stringify([status, shown['www-authenticate'], Object.keys(rest)]));
      expect((await lastLine())?.reason).toContain(reason);
    }
    expect([...replies]).toHaveLength(1);
    expect([...replies][0]).toContain('401,"Webhook realm=\\"signalbox\\""');
  });

  it('may differ in time as far as its scheme allows', async () => {
    expect((await post('order', BODY, signed(BODY, { at: -290 }))).status).toBe(200);
    expect((await post('order', BODY, signed(BODY, { at: 290 }))).status).toBe(200);
    expect((await post('strict', BODY, signed(BODY, { at: -5 }))).status).toBe(200);
    expect((await post('strict', BODY, signed(BODY, { at: -12 }))).status).toBe(401);
  });

  it('is accepted once; the next attempt of its sender has the same id and a new time', async () => {
    const id = `msg_${randomUUID()}`;
    const first = signed(BODY, { id });
    expect((await post('order', BODY, first)).status).toBe(200);
    expect((await post('order', BODY, first)).status).toBe(401);
    expect((await lastLine())?.reason).toContain('a replay');
    expect((await post('order', BODY, signed(BODY, { id, at: 5 }))).status).toBe(200);
  });

  it('is accepted once of many copies that come at the same time', async () => {
    const headers = signed(BODY);
    const replies = await Promise.all(Array.from({ length: 8 }, () => post('order', BODY, headers)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('that was refused leaves no mark: the true one is still accepted', async () => {
    const headers = signed(BODY);
    expect((await post('order', '{"NUMBER":8}', headers)).status).toBe(401);
    expect((await post('order', BODY, headers)).status).toBe(200);
  });

  it('has at most the bytes of a body, also where its content is binary', async () => {
    const of = (bytes: number): string => 'x'.repeat(bytes);
    expect((await post('raw', of(1000), signed(of(1000)))).status).toBe(200);
    expect((await post('raw', of(1001), signed(of(1001)))).status).toBe(413);
    expect((await post('raw', '', signed(''))).status).not.toBe(401);
  });

  it('is from no one where the user of its scheme does not exist', async () => {
    expect((await post('nobody', BODY, signed(BODY))).status).toBe(401);
    expect((await lastLine())?.reason).toContain('the user nobody of the scheme NOBODY is unknown or disabled');
  });

  it('is one of several ways in, over REST only', async () => {
    const soap = (headers: Headers): Promise<Reply> => {
      const body = envelope(`<EITHER xmlns="${NS}"><NUMBER>7</NUMBER></EITHER>`);
      const own = headers['webhook-id'] === undefined ? headers : signed(body);
      return gateway.call(SERVICES, {
        method: 'POST',
        anonymous: true,
        headers: { 'content-type': 'text/xml', ...own },
        body,
      });
    };
    const basic = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` };
    expect((await post('either', BODY, signed(BODY))).text).toContain('"shop"');
    expect((await post('either', BODY, basic)).text).toContain('"demo"');
    expect((await soap(basic)).status).toBe(200);
    expect((await soap(signed(BODY))).status).toBe(401);
  });

  it('is described in OpenAPI', async () => {
    const { text } = await gateway.call('/gateway/RESTListeningConnector/Hooks.v1.openapi.json', { anonymous: true });
    expect(text).toContain('"webhook-signature"');
  });
});

describe('a start', () => {
  const failed = async (env: Record<string, string>): Promise<unknown> =>
    startTestGateway({ files, env }).then(
      (started) => started.stop(),
      (error: unknown) => error,
    );

  it('names a secret that has the wrong form, without showing it', async () => {
    const error = (await failed({ NEW, OLD: 'whsec_short' })) as Error;
    expect(error.message).toContain("webhook secret 2 of the scheme SHOP can't be used: it is neither whsec_");
    expect(error.message).not.toContain('short');
    expect(await failed({ NEW })).toMatchObject({ message: expect.stringContaining('OLD is not set') });
  });
});
