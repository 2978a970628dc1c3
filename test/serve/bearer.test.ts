import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, SYSTEM_CLOCK } from '../../src/wire/waiting.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Issuer, makeKey, startIssuer, tokenProject } from '../support/issuer.ts';
import { eventually } from '../support/project.ts';
import { withTokenGateway } from '../support/token-gateway.ts';
import { envelope, SERVICES } from './soap-client.ts';

const SERVICE = '/gateway/RESTListeningConnector/Token.v1';
let issuer: Issuer;
let gateway: TestGateway;
withTokenGateway((started, its) => {
  gateway = started;
  issuer = its;
});

const call = (path: string, token?: string, scheme = 'Bearer'): Promise<Reply> =>
  gateway.call(`${SERVICE}/${path}`, {
    anonymous: true,
    headers: token === undefined ? {} : { authorization: `${scheme} ${token}` },
  });
const idOf = ({ text }: Reply): unknown => (JSON.parse(text) as { ID: string }).ID;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The audit log's line of the last call. */
const lastLine = () =>
  eventually('the line of the call', () => gateway.log().findLast((line) => line.status !== undefined));

describe('a bearer token', () => {
  it('lets in whom the issuer vouches for, under the roles that its scopes give', async () => {
    const reply = await call('who', await issuer.token({ scope: 'call read' }));
    expect([reply.status, idOf(reply)]).toEqual([200, 'tokens:partner']);
    expect(await lastLine()).toMatchObject({ user: 'tokens:partner', scheme: 'tokens', status: 200 });
  });

  it('grants by its own scopes, not by those of another token of the same subject', async () => {
    expect((await call('who', await issuer.token({ scope: 'call read' }))).status).toBe(200);
    expect((await call('who', await issuer.token({ scope: 'call' }))).status).toBe(403);
    expect((await call('who', await issuer.token({ scope: 'call read' }))).status).toBe(200);
  });

  it('reads scopes out of scp too, as text or as an array', async () => {
    const missing = await call('who', await issuer.token({ scp: 'read' }));
    expect(missing.headers['www-authenticate']).toContain('insufficient_scope');
    // The scopes are held, and the claim that gives roles is another one.
    const held = await call('who', await issuer.token({ scp: ['call', 'read'] }));
    expect([held.status, held.headers['www-authenticate']]).toEqual([403, undefined]);
  });

  it('without a scope that is asked for is 403, and says which ones are', async () => {
    const reply = await call('who', await issuer.token({ scope: 'read recall' }));
    expect(reply.status).toBe(403);
    expect(reply.headers['www-authenticate']).toBe(
      'Bearer realm="signalbox", error="insufficient_scope", scope="call"',
    );
    expect(await lastLine()).toMatchObject({ reason: 'token without the scope call' });
  });

  it('names a user who is known, whose own roles hold beside those of a claim found by its path', async () => {
    const reads = await call('staff', await issuer.token({ upn: 'guest', realm_access: { roles: ['read', 'x'] } }));
    expect([reads.status, idOf(reads)]).toEqual([200, 'guest']);
    expect((await call('staff', await issuer.token({ upn: 'guest' }))).status).toBe(403);
    const unknown = await call('staff', await issuer.token({ upn: 'nobody', realm_access: { roles: ['read'] } }));
    expect(unknown.status).toBe(401);
  });

  it('of a subject with odd characters has an id without them, and no two subjects share one', async () => {
    const id = async (sub: string) => idOf(await call('who', await issuer.token({ sub, scope: 'call read' })));
    expect(await id('auth0|7@x/é\n')).toBe('tokens:auth0|7@x/%C3%A9%0A');
    expect(await id('a%20b')).toBe('tokens:a%2520b');
    expect((await call('who', await issuer.token({ sub: 'x'.repeat(300), scope: 'call read' }))).status).toBe(401);
  });

  it('that names no key is tried with each that fits, while the issuer changes its keys', async () => {
    const two = await startIssuer();
    const [old] = two.keys as [(typeof two.keys)[number]];
    const next = await makeKey('next');
    two.keys = [old, next];
    const other = await startTestGateway({ files: tokenProject(two) });
    const asked = async (key: typeof old) => {
      const authorization = `Bearer ${await two.token({ scope: 'call read' }, { key, header: { kid: undefined } })}`;
      return (await other.call(`${SERVICE}/who`, { anonymous: true, headers: { authorization } })).status;
    };
    try {
      expect([await asked(old), await asked(next), await asked(await makeKey('forged'))]).toEqual([200, 200, 401]);
      expect(other.log().findLast(({ status }) => status === 401)).toMatchObject({
        reason: 'token with a wrong signature',
      });
    } finally {
      await other.stop();
      await two.close();
    }
  });

  it.each([
    ['an RSA key that is too short', 1024, 'publicKey', "token signed with a key that can't be used: "],
    [
      'a private key',
      2048,
      'privateKey',
      "token signed with a key that can't be used: it is published as a private one",
    ],
  ] as const)('is 401 where the issuer publishes %s, and the log has the reason', async (_, modulusLength, part, reason) => {
    const odd = await startIssuer();
    const other = await startTestGateway({ files: tokenProject(odd) });
    try {
      const jwk = generateKeyPairSync('rsa', { modulusLength })[part].export({ format: 'jwk' });
      odd.instead = { status: 200, body: JSON.stringify({ keys: [{ ...jwk, kid: 'first' }] }) };
      const token = (await odd.token()).replace(/^[^.]*/, encode({ alg: 'RS256', kid: 'first', typ: 'at+jwt' }));
      const headers = { authorization: `Bearer ${token}` };
      expect((await other.call(`${SERVICE}/who`, { anonymous: true, headers })).status).toBe(401);
      const line = other.log().findLast(({ status }) => status === 401);
      expect(line).toMatchObject({ reason: expect.stringContaining(reason) });
    } finally {
      await other.stop();
      await odd.close();
    }
  });

  it('is tried with the keys of now where an issuer has changed them without naming any', async () => {
    let passed = 0;
    const clock: Clock = { now: () => SYSTEM_CLOCK.now() + passed, elapsed: () => SYSTEM_CLOCK.elapsed() + passed };
    const changing = await startIssuer();
    const other = await startTestGateway({ files: tokenProject(changing), clock });
    try {
      const asked = async () => {
        const token = await changing.token({ scope: 'call read' }, { header: { kid: undefined } });
        const headers = { authorization: `Bearer ${token}` };
        return (await other.call(`${SERVICE}/who`, { anonymous: true, headers })).status;
      };
      expect(await asked()).toBe(200);
      changing.keys = [await makeKey('next')];
      expect(await asked(), 'within the cooldown').toBe(401);
      passed = 31_000;
      expect(await asked()).toBe(200);
      expect(changing.asked).toHaveLength(2);
    } finally {
      await other.stop();
      await changing.close();
    }
  });

  it('is written in any case, and is one of several ways in', async () => {
    const token = await issuer.token({ scope: 'call read' });
    expect((await call('either', token, 'bEARER')).status).toBe(200);
    expect((await call('either', Buffer.from('demo:demo').toString('base64'), 'Basic')).status).toBe(403);
  });
});

describe('tokens of several issuers', () => {
  const NS = 'urn:test:Two.v1';
  let partners: Issuer;
  let both: TestGateway;
  beforeAll(async () => {
    partners = await startIssuer();
    const bearer = `audience: signalbox, algorithms: [ES256], roles: { read: [READER] }`;
    const files = {
      ...tokenProject(issuer),
      'definitions/two.yaml': `scheme: partners
bearer: { issuer: "${partners.url}", jwks: "${partners.jwks}", ${bearer} }
---
scheme: auditors
bearer: { issuer: "${partners.url}", jwks: "${partners.jwks}", scopes: [audit], ${bearer} }
---
service: Two.v1
permission: READING
response: { fields: { ID: string } }
operations:
  ANY: { soap: true, public: true, request: { fields: {} }, handler: who }
  TWO: { get: two, soap: true, request: { fields: {} }, handler: who, requires: [tokens, basic, partners] }
  AUDIT: { soap: true, request: { fields: {} }, handler: who, requires: auditors }
`,
    };
    both = await startTestGateway({ files });
  });
  afterAll(async () => {
    await both.stop();
    await partners.close();
  });

  const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
  const rest = (token: string) =>
    both.call('/gateway/RESTListeningConnector/Two.v1/two', { anonymous: true, headers: headersOf(token) });
  const soap = (operation: string, token: string) =>
    both.call(SERVICES, {
      method: 'POST',
      anonymous: true,
      headers: { 'content-type': 'text/xml', ...headersOf(token) },
      body: envelope(`<${operation} xmlns="${NS}"/>`),
    });
  const told = ({ status, text }: Reply): unknown => (status === 200 ? /ID[">:]+([\w:]*)/.exec(text)?.[1] : status);

  it('are judged by the scheme whose issuer they name, wherever it stands in the list', async () => {
    const own = await issuer.token({ scope: 'call read' });
    const other = await partners.token({ scope: 'read' });
    expect([told(await rest(own)), told(await rest(other))]).toEqual(['tokens:partner', 'partners:partner']);
    expect([told(await soap('TWO', own)), told(await soap('TWO', other))]).toEqual([
      'tokens:partner',
      'partners:partner',
    ]);
  });

  it('are good by the keys of that issuer alone, and of nobody known are refused by the first', async () => {
    const [ownKey] = issuer.keys;
    const [otherKey] = partners.keys;
    const forged = [
      await issuer.token({ scope: 'call read' }, { key: otherKey as never }),
      await partners.token({ scope: 'read' }, { key: ownKey as never }),
    ];
    for (const token of forged) {
      expect((await rest(token)).status).toBe(401);
      expect((await soap('TWO', token)).status).toBe(401);
    }
    const asked = partners.asked.length;
    const strange = await rest(await issuer.token({ iss: 'https://evil.example', scope: 'call read' }));
    expect([strange.status, strange.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="signalbox", error="invalid_token", Basic realm="signalbox", charset="UTF-8"',
    ]);
    // Nobody else was asked about it.
    expect(partners.asked.length).toBe(asked);
  });

  it('are not looked at for what anybody may call', async () => {
    // No key of it is known yet: whoever looked at a token would have to ask.
    const unasked = await startIssuer();
    const files = {
      ...tokenProject(unasked),
      'definitions/two.yaml': `service: Two.v1
permission: READING
response: { fields: { ID: string } }
operations:
  ANY: { soap: true, public: true, request: { fields: {} }, handler: who }
  TWO: { soap: true, request: { fields: {} }, handler: who, requires: tokens }
`,
    };
    const open = await startTestGateway({ files });
    onTestFinished(async () => {
      await open.stop();
      await unasked.close();
    });
    const token = await unasked.token({ scope: 'call read' });
    const given = { method: 'POST', anonymous: true, headers: { 'content-type': 'text/xml', ...headersOf(token) } };
    const reply = await open.call(SERVICES, { ...given, body: envelope(`<ANY xmlns="${NS}"/>`) });
    expect([reply.status, unasked.asked]).toEqual([200, []]);
    await open.call(SERVICES, { ...given, body: envelope(`<TWO xmlns="${NS}"/>`) });
    expect(unasked.asked).toEqual(['/jwks']);
  });

  it('are judged over SOAP by what the operation asks for, whatever another one asks of the same issuer', async () => {
    expect(told(await soap('AUDIT', await partners.token({ scope: 'read audit' })))).toBe('auditors:partner');
    const refused = await soap('AUDIT', await partners.token({ scope: 'read' }));
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('<MessageID>FORBIDDEN</MessageID>')]);
    expect(told(await soap('AUDIT', await issuer.token({ scope: 'call read audit' })))).toBe(401);
  });
});

describe('a refusal', () => {
  it('says the same of every cause, and error= only where a token was shown', async () => {
    const now = Math.floor(Date.now() / 1000);
    const stranger = await makeKey('first');
    const causes: [string, string][] = [
      ['token expired', await issuer.token({ scope: 'call', exp: now - 60 })],
      ['token with a wrong or missing nbf', await issuer.token({ scope: 'call', nbf: now + 300 })],
      ['token with a wrong or missing exp', await issuer.token({ scope: 'call', exp: undefined as never })],
      ['token with a wrong or missing aud', await issuer.token({ scope: 'call', aud: 'another' })],
      ['token with a wrong or missing iss', await issuer.token({ scope: 'call', iss: 'https://evil.example' })],
      ['token with a wrong signature', await issuer.token({ scope: 'call' }, { key: stranger })],
      ['token of another type', await issuer.token({ scope: 'call' }, { header: { typ: 'logout+jwt' } })],
      ['token without the name of a user', await issuer.token({ scope: 'call', sub: undefined as never })],
      ['malformed bearer token', 'not a token'],
      ['malformed token', 'e30.e30.e30'],
    ];
    const replies = new Set<string>();
    for (const [reason, token] of causes) {
      const { status, headers, text } = await call('who', token);
      const id = headers['x-request-id'] as string;
      replies.add(JSON.stringify([status, headers['www-authenticate'], text.replaceAll(id, 'ID')]));
      expect(await lastLine(), reason).toMatchObject({ reason, fault: 'UNAUTHENTICATED' });
    }
    expect(replies.size).toBe(1);
    expect([...replies][0]).toContain('Bearer realm=\\"signalbox\\", error=\\"invalid_token\\"');
    const missing = await call('who');
    expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="signalbox"']);
    const either = await call('either');
    expect(either.headers['www-authenticate']).toBe(
      'Bearer realm="signalbox", Basic realm="signalbox", charset="UTF-8"',
    );
  });

  it('takes a token within the tolerance of the clocks', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await call('who', await issuer.token({ scope: 'call read', exp: now - 10 }))).status).toBe(200);
  });
});

describe('keys that can not be had', () => {
  it('are 503 with Retry-After, not a refusal, and are asked for again later', async () => {
    const away = await startIssuer();
    const other = await startTestGateway({ files: tokenProject(away) });
    try {
      const headers = { authorization: `Bearer ${await away.token({ scope: 'call read' })}` };
      away.instead = { status: 500 };
      for (let count = 0; count < 2; count++) {
        const reply = await other.call(`${SERVICE}/who`, { headers });
        expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
        expect(reply.text).not.toContain(away.url);
      }
      // The second call asked nobody.
      expect(away.asked).toEqual(['/jwks']);
    } finally {
      await other.stop();
      await away.close();
    }
  });
});
