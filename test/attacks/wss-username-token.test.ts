import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HTTP, packed, part, RELATED, root, SERVICES } from '../serve/soap-client.ts';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { withSecuredGateway } from './support/secured.ts';
import {
  call,
  digestToken,
  ENV,
  handled,
  message,
  PROJECT,
  post,
  reasonOf,
  security,
  textToken,
} from './support/wss.ts';

let gateway: TestGateway;
withSecuredGateway((started) => {
  gateway = started;
});

const tokenCall = (token: string, operation = 'TOKEN'): string => message(security(token), call(operation));

describe('what is taken', () => {
  it('a password as text, from this machine; its second use is not tried again', async () => {
    expect((await post(gateway, tokenCall(textToken()))).text).toContain('<S>demo hello</S>');
    expect((await post(gateway, tokenCall(textToken()))).text).toContain('<S>demo hello</S>');
  });

  it('a digest, over both connectors and inside an IBRequest', async () => {
    expect((await post(gateway, tokenCall(digestToken()))).text).toContain('<S>demo hello</S>');
    const headers = { 'content-type': 'text/xml' };
    const given = { method: 'POST', anonymous: true, headers };
    const plain = await gateway.call(HTTP, { ...given, body: tokenCall(digestToken(), 'DIGEST') });
    expect(plain.text).toContain('<S>demo hello</S>');
    const inside = `<IBRequest><ContentSections><ContentSection><Data><![CDATA[${tokenCall(digestToken(), 'DIGEST')}]]></Data></ContentSection></ContentSections></IBRequest>`;
    expect((await gateway.call(HTTP, { ...given, body: inside })).text).toContain('demo hello');
  });

  it('a digest in a message with attachments', async () => {
    const body = packed([root(tokenCall(digestToken(), 'DIGEST')), part('x', 'more')]);
    expect((await post(gateway, body, { 'content-type': RELATED })).status).toBe(200);
  });

  it('either of what an operation allows; credentials beside the message decide where there are any', async () => {
    const xml = (): string => tokenCall(digestToken(), 'EITHER');
    expect((await post(gateway, xml())).text).toContain('<S>demo hello</S>');
    const beside = await gateway.call(SERVICES, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', authorization: DEMO },
      body: message('', call('EITHER')),
    });
    expect(beside.text).toContain('<S>demo hello</S>');
    const wrong = await post(gateway, xml(), { authorization: GUEST });
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toMatch(/^Basic /);
  });
});

const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const EXPIRED = `<u:Timestamp xmlns:u="${WSU}"><u:Created>${ago(60)}</u:Created><u:Expires>${ago(1)}</u:Expires></u:Timestamp>`;

const hostile: readonly (readonly [string, () => string, RegExp])[] = [
  ['no Security header', () => message('', call('TOKEN')), /^no credentials$/],
  ['an empty Security header', () => message(security(''), call('TOKEN')), /no credentials of an accepted scheme/],
  ['a Timestamp that has expired before the token', () => tokenCall(EXPIRED + textToken()), /has expired/],
  ['a Timestamp that has expired behind the token', () => tokenCall(textToken() + EXPIRED), /has expired/],
  ['a wrong password', () => tokenCall(textToken('demo', 'wrong')), /wrong password/],
  ['an unknown user', () => tokenCall(textToken('nobody', 'demo')), /unknown or disabled/],
  ['a user who has no password', () => tokenCall(textToken('partner', '')), /without a password/],
  ['an empty user', () => tokenCall(textToken('', 'demo')), /not a valid user id/],
  ['a colon in the user', () => tokenCall(textToken('demo:demo', '')), /not a valid user id/],
  [
    'the password as text where digests alone are taken',
    () => tokenCall(textToken(), 'DIGEST'),
    /as text is not accepted/,
  ],
  ['a wrong secret', () => tokenCall(digestToken({ secret: 'wrong' })), /wrong digest/],
  ['the password in place of the secret', () => tokenCall(digestToken({ secret: 'demo' })), /wrong digest/],
  ['a digest of an unknown user', () => tokenCall(digestToken({ user: 'nobody' })), /unknown or disabled/],
  ['a digest of a user without a secret', () => tokenCall(digestToken({ user: 'partner' })), /without a shared secret/],
  ['an empty digest', () => tokenCall(digestToken().replace(/(Digest">)[^<]*/, '$1')), /wrong digest/],
  ['a digest cut short', () => tokenCall(digestToken().replace(/(Digest">.{10})[^<]*/, '$1')), /wrong digest/],
  ['no nonce', () => tokenCall(digestToken().replace(/<wsse:Nonce.*<\/wsse:Nonce>/, '')), /no Nonce or no Created/],
  ['no time', () => tokenCall(digestToken().replace(/<wsu:Created.*<\/wsu:Created>/, '')), /no Nonce or no Created/],
  ['a short nonce', () => tokenCall(digestToken({ nonce: randomBytes(4) })), /fewer than 8 bytes/],
  ['a nonce of a megabyte', () => tokenCall(digestToken({ nonce: randomBytes(300_000) })), /Nonce has more than/],
  [
    'two nonces',
    () => tokenCall(digestToken({ more: '<wsse:Nonce>AAAAAAAAAAAA</wsse:Nonce>' })),
    /more than one Nonce/,
  ],
  [
    'two users',
    () => tokenCall(digestToken({ more: '<wsse:Username>partner</wsse:Username>' })),
    /more than one Username/,
  ],
  [
    'two passwords',
    () => tokenCall(digestToken({ more: '<wsse:Password>demo</wsse:Password>' })),
    /more than one Password/,
  ],
  ['two tokens', () => tokenCall(textToken() + digestToken()), /more than one UsernameToken/],
  [
    'two Security headers',
    () => message(security('') + security(textToken()), call('TOKEN')),
    /more than one Security/,
  ],
  ['something unknown in the token', () => tokenCall(digestToken({ more: '<x/>' })), /contains an unknown element/],
  [
    'a key that is derived',
    () => tokenCall(digestToken({ more: '<wsse:Iteration>1</wsse:Iteration>' })),
    /contains an unknown element/,
  ],
  ['a password of an unknown type', () => tokenCall(textToken().replace('#PasswordText', '#Password')), /unknown type/],
  ['an element in the password', () => tokenCall(textToken('demo', 'de<x/>mo')), /Password contains an element/],
  ['a password of a megabyte', () => tokenCall(textToken('demo', 'x'.repeat(900_000))), /Password has more than/],
  [
    'a token for another actor',
    () => tokenCall(textToken()).replace('s:mustUnderstand="1"', 's:actor="urn:x"'),
    /^no credentials$/,
  ],
  [
    'a token in the Body',
    () => message('', call('TOKEN').replace('<S>', `${security(textToken())}<S>`)),
    /^no credentials$/,
  ],
  ['a SQL injection for a user', () => tokenCall(textToken(`' or '1'='1`, 'x')), /unknown or disabled/],
];

describe('what is refused is refused in the same words', () => {
  it.each(hostile)('%s', async (_, write, reason) => {
    const before = handled(gateway).length;
    const { status, text, headers } = await post(gateway, write());
    expect(status).toBe(401);
    // Before another is refused.
    expect(reasonOf(gateway)).toMatch(reason);
    expect(text).toContain('<faultstring>Credentials are missing or wrong.</faultstring>');
    expect(text).toHaveLength((await post(gateway, message('', call('TOKEN')))).text.length);
    expect(headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(handled(gateway).length).toBe(before);
  });

  it('SOAP 1.2 says by a code of WS-Security what it is', async () => {
    const xml = tokenCall(textToken('demo', 'wrong')).replace(
      'http://schemas.xmlsoap.org/soap/envelope/',
      'http://www.w3.org/2003/05/soap-envelope',
    );
    const { status, text } = await post(gateway, xml, { 'content-type': 'application/soap+xml' });
    expect(status).toBe(401);
    expect(text).toMatch(
      /<env:Value>env:Sender<\/env:Value><env:Subcode><env:Value xmlns:q="[^"]*secext-1.0.xsd">q:FailedAuthentication</,
    );
  });

  it('an operation that asks for nothing does not take a header for understood that it does not look at', async () => {
    expect((await post(gateway, message('', call('OPEN')))).text).toContain('<S>nobody hello</S>');
    const { text } = await post(gateway, message(security(textToken('demo', 'wrong')), call('OPEN')));
    expect(text).toContain('soap:MustUnderstand');
  });

  it('a document without an envelope shows nothing', async () => {
    const given = {
      method: 'POST',
      anonymous: true,
      headers: { 'content-type': 'application/xml', operationname: 'DIGEST.v1' },
    };
    expect((await gateway.call(HTTP, { ...given, body: call('DIGEST') })).status).toBe(401);
  });

  it('neither a password nor a digest nor a nonce is logged', async () => {
    const nonce = randomBytes(16);
    await post(gateway, tokenCall(textToken('demo', 'a very secret password')));
    await post(gateway, tokenCall(digestToken({ nonce, secret: 'wrong' })));
    const log = JSON.stringify(gateway.log());
    expect(log).not.toContain('a very secret password');
    expect(log).not.toContain(nonce.toString('base64'));
  });
});

it('nothing in front of the envelope is kept for somebody who is not known yet', async () => {
  const service = PROJECT['definitions/service.yaml'] as string;
  const guarded = service.replace('  OPEN: { soap: true, public: true,', '  OPEN: { soap: true, requires: TOKEN,');
  const closed = await startTestGateway({ files: { ...PROJECT, 'definitions/service.yaml': guarded }, env: ENV });
  try {
    const parts = [part('x', 'x'.repeat(100_000)), root(tokenCall(digestToken(), 'DIGEST'))];
    const type = { 'content-type': `${RELATED}; start="<root>"` };
    const { status, text } = await post(closed, packed(parts), type);
    expect([status, text]).toEqual([500, expect.stringContaining('its root is not the first part')]);
    expect((await post(closed, packed(parts.toReversed()), type)).status).toBe(200);
  } finally {
    await closed.stop();
  }
});

it('a password as text from another machine without TLS is refused unread', async () => {
  const project = {
    ...PROJECT,
    'definitions/gateway.yaml': `${PROJECT['definitions/gateway.yaml']}proxies: [127.0.0.1]\n`,
  };
  // Behind a proxy that says over what its callers came.
  const remote = await startTestGateway({ files: project, env: ENV });
  onTestFinished(() => remote.stop());
  const far = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' };
  expect((await post(remote, tokenCall(textToken()), far)).status).toBe(401);
  expect(reasonOf(remote)).toMatch(/over an unencrypted connection/);
  expect((await post(remote, tokenCall(textToken()), { ...far, 'x-forwarded-proto': 'https' })).status).toBe(200);
  expect((await post(remote, tokenCall(digestToken()), far)).status).toBe(200);
});
