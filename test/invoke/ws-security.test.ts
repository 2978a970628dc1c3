import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvokeError } from '../../src/invoke/index.ts';
import type { MessageSigner, NodeCredential, UsernameToken } from '../../src/model/node.ts';
import { DIGEST_ALGORITHMS, KEY_REFERENCES, SIGNATURE_ALGORITHMS } from '../../src/model/security.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { BARE, ELLIPTIC, PARTNER } from '../attacks/support/signers.ts';
import { SERVICES } from '../serve/soap-client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { document, field } from '../support/registry.ts';
import { everythingOf, leaked } from '../support/secrets.ts';
import { outgoing, sender, text } from './sending.ts';
import {
  attachment,
  type ConsumerOptions,
  client,
  node,
  partner,
  reply,
  SERVICE_NAMESPACE,
  target,
  thrown,
} from './support.ts';

const PASSWORD = 's3cret & <shared>';
const env = { PASSWORD };
type Security = Extract<NodeCredential, { readonly kind: 'ws-security' }>;
const userToken = (digest: boolean): UsernameToken => ({
  user: text('demo'),
  password: text('${secret:PASSWORD}'),
  digest,
});
const security = (parts: Partial<Security>): Security => ({ kind: 'ws-security', ...parts });
const signing: MessageSigner = { file: text('signer.pem'), keyFile: text('signer.key') };

const SAID = document('SAID', [field('S'), field('FILE', 'binary', { required: false })]);
const SOAP_12 = { 'Content-Type': 'application/soap+xml' };
const ANSWER = reply(`<r:SAID xmlns:r="${SERVICE_NAMESPACE}"><r:S>ok</r:S></r:SAID>`);

let folder: string;
let gateway: TestGateway;
const print = ({ certificate }: { readonly certificate: string }): string =>
  `sha256:${createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex')}`;
const HASH = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-wss-'));
  for (const [name, { certificate, key }] of Object.entries({ signer: PARTNER, elliptic: ELLIPTIC, bare: BARE })) {
    writeFileSync(join(folder, `${name}.pem`), certificate);
    writeFileSync(join(folder, `${name}.key`), key);
  }
  gateway = await startTestGateway({
    env: { DEMO_SECRET: PASSWORD },
    files: {
      'definitions/gateway.yaml': gatewayText('limits: { body: 1 MiB }'),
      'definitions/users.yaml': `permission-list: EVERYTHING
---
role: ALL
permission-lists: [EVERYTHING]
---
user: demo
password: ${HASH}
shared-secret: \${secret:DEMO_SECRET}
roles: [ALL]
---
user: partner
certificates: ['${print(PARTNER)}', '${print(ELLIPTIC)}']
roles: [ALL]
`,
      'definitions/all.yaml': `scheme: TOKEN
username-token: { max-age: 5 m }
---
scheme: SIGNED
signature: { algorithms: [rsa-sha256, ecdsa-sha256, rsa-pss-sha384, rsa-sha1], digests: [sha256, sha512, sha1] }
---
scheme: NAMED
signature: { algorithms: [rsa-sha256, ecdsa-sha256], certificates: callers.pem }
---
document: SAID
fields: { S: string, FILE: { type: binary, required: false } }
---
service: Partner.v1
namespace: ${SERVICE_NAMESPACE}
permission: EVERYTHING
operations:
  FILE_SEND: { soap: true, requires: [TOKEN, SIGNED], request: SAID, response: SAID, handler: echo }
  NAMED: { soap: true, requires: NAMED, request: SAID, response: SAID, handler: echo }
`,
      'callers.pem': ELLIPTIC.certificate + PARTNER.certificate,
      'src/handlers/echo.ts': `export default {
  onRequest: ({ S }, context) => ({ S: [context.caller?.user, S].join(' ') }),
};
`,
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** A client of an operation whose node has the credential. */
function caller(url: string, credential: NodeCredential, options: ConsumerOptions = {}, secrets = env) {
  const registry = partner(node('PARTNER', [url], { credential }), { request: SAID, response: SAID, ...options });
  return client(registry, { env: secrets, folder });
}
const served = (): string => `${gateway.gateway.address}${SERVICES}`;

const all = (element: XmlElement): XmlElement[] => [element, ...childrenOf(element).flatMap(all)];
const named = (xml: string, local: string): XmlElement[] => all(readXml(xml)).filter((each) => each.local === local);
const wordOf = (xml: string, local: string): string => textOf(named(xml, local)[0]!);

describe('a node with `credential: { username-token: … }`', () => {
  it.each([
    [{}],
    [SOAP_12],
  ])('sends a digest that the served door accepts, in both versions of SOAP', async (headers) => {
    const credential = security({ usernameToken: userToken(true), timestamp: 300_000 });
    const called = await caller(served(), credential, { headers }).call('FILE_SEND', { S: 'Grüße & <b>' });
    expect(called.value).toEqual({ S: 'demo Grüße & <b>' });
  });

  it('without a password sends the user alone', async () => {
    const { url, seen } = await target(ANSWER);
    const calling = caller(url, security({ usernameToken: { user: text('demo'), digest: false } }));
    await calling.call('FILE_SEND', { S: 'x' });
    const [token] = named(seen[0]!.body.toString(), 'UsernameToken');
    expect(childrenOf(token!).map((each) => [each.local, textOf(each)])).toEqual([['Username', 'demo']]);
    expect(calling.preview('FILE_SEND', { S: 'x' }).body).toContain(
      '<wsse:Username>demo</wsse:Username></wsse:UsernameToken>',
    );
  });

  it('sends the password that the served door accepts', async () => {
    const credential = security({ usernameToken: userToken(false) });
    const called = await caller(served(), credential, {}, { PASSWORD: 'demo' }).call('FILE_SEND', { S: 'x' });
    expect(called.value).toEqual({ S: 'demo x' });
    const wrong = await thrown(caller(served(), credential, {}, { PASSWORD: 'wrong' }).call('FILE_SEND', { S: 'x' }));
    expect((wrong as InvokeError).httpResponseCode).toBe(401);
  });

  it('hashes Nonce, Created and password, anew in each attempt', async () => {
    let attempts = 0;
    const { url, seen } = await target(() => (++attempts < 3 ? { status: 503 } : ANSWER));
    const registry = partner(
      node('PARTNER', [url], {
        credential: security({ usernameToken: userToken(true), timestamp: 60_000 }),
        retry: { attempts: 3, first: 1, longest: 1, on: new Set([503]) },
      }),
      { request: SAID, response: SAID },
    );
    await client(registry, { env, folder }).call('FILE_SEND', { S: 'x' });
    const bodies = seen.map(({ body }) => body.toString());
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies.map((each) => wordOf(each, 'Nonce'))).size).toBe(3);
    for (const body of bodies) {
      const [created] = named(body, 'Created').slice(-1);
      const digest = createHash('sha1').update(Buffer.from(wordOf(body, 'Nonce'), 'base64'));
      digest.update(textOf(created!)).update(PASSWORD);
      expect(wordOf(body, 'Password')).toBe(digest.digest('base64'));
      const lasts = Date.parse(wordOf(body, 'Expires')) - Date.parse(wordOf(body, 'Created'));
      expect(lasts).toBe(60_000);
    }
  });

  it('shows neither password nor digest, in what would be sent and in errors', async () => {
    for (const digest of [true, false]) {
      const credential = security({ usernameToken: userToken(digest) });
      const { url, seen } = await target({ status: 500, body: 'no' });
      const made = caller(url, credential);
      const shown = made.preview('FILE_SEND', { S: 'x' });
      expect(shown.body).toContain('<wsse:Username>demo</wsse:Username>');
      expect(shown.body).toMatch(/<wsse:Password [^>]*>\*\*\*<\/wsse:Password>/);
      const error = await thrown(made.call('FILE_SEND', { S: 'x' }));
      const sent = wordOf(seen[0]!.body.toString(), 'Password');
      expect(leaked(everythingOf(error) + JSON.stringify(shown), [PASSWORD, sent])).toEqual([]);
    }
  });

  it('leaves a streamed message a stream, with MTOM or without', async () => {
    for (const mtom of [true, false]) {
      const { url, seen } = await target(ANSWER);
      const made = caller(url, security({ usernameToken: userToken(true) }), { properties: { mtom } });
      await made.call('FILE_SEND', { S: 'x', FILE: attachment('onetwo') });
      const body = seen[0]!.body.toString();
      expect(body).toContain('<wsse:Nonce');
      expect(body).toContain(mtom ? 'onetwo' : Buffer.from('onetwo').toString('base64'));
    }
  });

  it('is put into an envelope of the caller, unless that has one', async () => {
    const { url, seen } = await target(ANSWER);
    const made = caller(url, security({ usernameToken: userToken(true) }), {
      request: 'xml',
      response: 'xml',
      properties: { upContent: false },
    });
    const ns = 'http://schemas.xmlsoap.org/soap/envelope/';
    const body = '<e:Body><a xmlns="urn:a">\r\n😀</a></e:Body></e:Envelope>';
    const envelopes = [
      `<e:Envelope xmlns:e="${ns}">${body}`,
      `<e:Envelope xmlns:e="${ns}">\r\n<e:Header/>${body}`,
      `<e:Envelope xmlns:e="${ns}"><e:Header a="😀>"\r\n><b xmlns="urn:b"/></e:Header>${body}`,
    ];
    for (const content of envelopes) {
      await made.call('FILE_SEND', { content });
      const [header] = named(seen.at(-1)!.body.toString(), 'Header');
      expect(childrenOf(header!)[0]?.local).toBe('Security');
      expect(seen.at(-1)!.body.toString()).toContain('😀</a>');
    }
    const wsse = named(seen[0]!.body.toString(), 'Security')[0]!.namespace;
    const own = `<e:Envelope xmlns:e="${ns}"><e:Header><w:Security xmlns:w="${wsse}"/></e:Header>${body}`;
    await made.call('FILE_SEND', { content: own });
    expect(seen.at(-1)!.body.toString()).toBe(own);
  });

  it('is repeated at the same origin, and not sent with the GET that follows a 303', async () => {
    for (const status of [307, 303]) {
      const { url, seen } = await target(({ url }) =>
        url === '/other' ? ANSWER : { status, headers: { Location: '/other' } },
      );
      const credential = security({ usernameToken: userToken(true) });
      const registry = partner(node('PARTNER', [url], { credential, redirects: 1 }), { request: SAID, response: SAID });
      await client(registry, { env, folder }).call('FILE_SEND', { S: 'x' });
      expect(seen.map(({ method }) => method)).toEqual(['POST', status === 303 ? 'GET' : 'POST']);
      expect(seen[1]!.body.toString().includes('Nonce')).toBe(status === 307);
    }
  });

  it('is not for calls over REST', async () => {
    const { url, seen } = await target({});
    const error = await thrown(
      sender(node('PARTNER', [url], { credential: security({ timestamp: 1000 }) }), { env }).send(outgoing()),
    );
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining('SOAP') });
    expect(seen).toEqual([]);
  });
});

describe('a node with `credential: { timestamp: … }`', () => {
  it('sends a Timestamp alone', async () => {
    const { url, seen } = await target(ANSWER);
    await caller(url, security({ timestamp: 60_000 })).call('FILE_SEND', { S: 'x' });
    const [header] = named(seen[0]!.body.toString(), 'Security');
    expect(childrenOf(header!).map(({ local }) => local)).toEqual(['Timestamp']);
    expect(header!.attributes.find(({ local }) => local === 'mustUnderstand')?.value).toBe('1');
  });
});

const elliptic: MessageSigner = { file: text('elliptic.pem'), keyFile: text('elliptic.key') };

/** The element of a reference, and its value type. */
const REFERRED = {
  token: ['Reference', 'X509v3'],
  'issuer-serial': ['X509Data', undefined],
  'key-identifier': ['KeyIdentifier', 'X509SubjectKeyIdentifier'],
  thumbprint: ['KeyIdentifier', 'ThumbprintSHA1'],
} as const;

describe('a node with `credential: { signature: … }`', () => {
  const signed = security({ signature: signing, timestamp: 300_000 });

  it.each([
    ['RSA', signing, {}],
    ['RSA in SOAP 1.2', signing, SOAP_12],
    ['ECDSA', { file: text('elliptic.pem'), keyFile: text('elliptic.key') }, {}],
  ])('signs with %s what the served door accepts', async (_, signature, headers) => {
    const credential = security({ signature, timestamp: 300_000 });
    const called = await caller(served(), credential, { headers }).call('FILE_SEND', { S: 'Grüße & <b>\r\n😀' });
    expect(called.value).toEqual({ S: 'partner Grüße & <b>\r\n😀' });
  });

  it.each([
    ['rsa-sha1', 'sha1'],
    ['rsa-sha1', 'sha256'],
    ['rsa-pss-sha384', 'sha512'],
  ] as const)('signs with the algorithms that it declares, %s and %s, which the served door accepts by declaration', async (algorithm, digest) => {
    const uris = { algorithm: SIGNATURE_ALGORITHMS[algorithm]!, digest: DIGEST_ALGORITHMS[digest]! };
    const credential = security({ signature: { ...signing, ...uris }, timestamp: 300_000 });
    const called = await caller(served(), credential).call('FILE_SEND', { S: 'x' });
    expect(called.value).toEqual({ S: 'partner x' });
    const { url, seen } = await target(ANSWER);
    await caller(url, credential).call('FILE_SEND', { S: 'x' });
    const used = (local: string): unknown =>
      named(seen[0]!.body.toString(), local)[0]!.attributes.find((each) => each.local === 'Algorithm')?.value;
    expect([used('SignatureMethod'), used('DigestMethod')]).toEqual([uris.algorithm, uris.digest]);
    const { body } = caller(url, credential).preview('FILE_SEND', { S: 'x' });
    expect(body).toContain(`SignatureMethod Algorithm="${uris.algorithm}"`);
  });

  it.each(
    KEY_REFERENCES.flatMap((reference) =>
      [signing, elliptic].map((signer) => [reference, signer.file.source, signer] as const),
    ),
  )('refers to its certificate by %s, and the served door finds it among those of its scheme: %s', async (reference, _, signer) => {
    const signature = { ...signer, ...(reference === 'token' ? {} : { reference }) };
    const credential = security({ signature, timestamp: 300_000 });
    const { url, seen } = await target(ANSWER);
    await caller(url, credential).call('FILE_SEND', { S: 'x' });
    const sent = seen[0]!.body.toString();
    expect(named(sent, 'BinarySecurityToken')).toHaveLength(reference === 'token' ? 1 : 0);
    const [found] = named(sent, 'SecurityTokenReference').flatMap(childrenOf);
    const type = found!.attributes.find(({ local }) => local === 'ValueType')?.value.replace(/.*#/, '');
    expect([found!.local, type]).toEqual(REFERRED[reference]);
    expect(caller(url, credential).preview('FILE_SEND', { S: 'x' }).body).toContain('<wsse:SecurityTokenReference>');
    const registry = partner(node('PARTNER', [served()], { credential }), { request: SAID, response: SAID });
    const operation = registry.consumers.get('FILE_SEND')!;
    const NAMED = { name: 'NAMED', action: 'NAMED.v1' };
    if (operation.kind === 'soap') Object.assign(operation.soap, NAMED);
    const sending = client(registry, { env, folder }).call('FILE_SEND', { S: 'x' });
    expect((await sending).value).toEqual({ S: 'partner x' });
  });

  it.each([
    [undefined, 'signed', 'Reference'],
    ['thumbprint', 'signed', 'KeyIdentifier'],
    ['issuer-serial', 'included', 'X509Data'],
  ] as const)('sends its certificate as well as its name: reference %s, token %s', async (reference, token, form) => {
    const signature = { ...signing, token, ...(reference === undefined ? {} : { reference }) };
    const credential = security({ signature, timestamp: 300_000 });
    const { url, seen } = await target(ANSWER);
    await caller(url, credential).call('FILE_SEND', { S: 'x' });
    const sent = seen[0]!.body.toString();
    const covered = named(sent, 'Reference').map(({ attributes }) => attributes.find((a) => a.local === 'URI')?.value);
    expect(named(sent, 'SecurityTokenReference').flatMap(childrenOf)[0]?.local).toBe(form);
    expect(named(sent, 'BinarySecurityToken')).toHaveLength(1);
    const references = covered.filter((uri) => uri === '#security-token').length;
    expect(references - (form === 'Reference' ? 1 : 0)).toBe(token === 'signed' ? 1 : 0);
    if (reference === undefined)
      expect((await caller(served(), credential).call('FILE_SEND', { S: 'x' })).value).toEqual({ S: 'partner x' });
  });

  it('without a Timestamp sends none', async () => {
    const { url, seen } = await target(ANSWER);
    await caller(url, security({ signature: signing })).call('FILE_SEND', { S: 'x' });
    expect(named(seen[0]!.body.toString(), 'Timestamp')).toEqual([]);
    expect(named(seen[0]!.body.toString(), 'Signature')).toHaveLength(1);
  });

  it('signs content that is streamed, as Base64 in the Body', async () => {
    const called = await caller(served(), signed).call('FILE_SEND', { S: 'x', FILE: attachment('onetwo') });
    expect(called.value).toEqual({ S: 'partner x' });
  });

  it('signs Body, Timestamp, UsernameToken, addressing and header blocks of the message', async () => {
    const { url, seen } = await target(ANSWER);
    const credential = security({ usernameToken: userToken(true), signature: signing, timestamp: 300_000 });
    const request = document('SAID', [field('S'), field('ORDER', 'string', { header: true })]);
    const registry = partner(node('PARTNER', [url], { credential }), { request, response: SAID });
    const operation = registry.consumers.get('FILE_SEND')!;
    if (operation.kind === 'soap') Object.assign(operation.soap, { addressing: true });
    await client(registry, { env, folder }).call('FILE_SEND', { S: 'x', ORDER: '7' });
    const body = seen[0]!.body.toString();
    const uris = named(body, 'Reference').flatMap(
      ({ attributes }) => attributes.find((a) => a.local === 'URI')?.value ?? [],
    );
    const elements = all(readXml(body));
    const covered = uris.map(
      (uri) => elements.find((each) => each.attributes.some((a) => a.local === 'Id' && `#${a.value}` === uri))?.local,
    );
    expect(covered.toSorted()).toEqual(
      [
        'Action',
        'BinarySecurityToken',
        'Body',
        'MessageID',
        'ORDER',
        'ReplyTo',
        'Timestamp',
        'To',
        'UsernameToken',
      ].filter((each) => elements.some(({ local }) => local === each)),
    );
  });

  it('signs header blocks and a Body that declare the prefix of its ids themselves', async () => {
    const { url, seen } = await target(ANSWER);
    const own = { request: 'xml', response: SAID, properties: { upContent: false } } as const;
    const wsu = 'xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"';
    const content = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><t:A xmlns:t="urn:t" ${wsu}><wsu:Created>x</wsu:Created></t:A></s:Header><s:Body xmlns:wsu="urn:another"><wsu:x/></s:Body></s:Envelope>`;
    const registry = partner(node('PARTNER', [url], { credential: signed }), own);
    await client(registry, { env, folder }).call('FILE_SEND', { content });
    const body = seen[0]!.body.toString();
    expect(named(body, 'Reference').length).toBeGreaterThanOrEqual(3);
    expect(named(body, 'x').map(({ namespace }) => namespace)).toEqual(['urn:another']);
  });

  it('is shown without its values', () => {
    const shown = caller('http://a.example', signed).preview('FILE_SEND', { S: 'x' });
    expect(shown.body).toContain('<ds:SignatureValue>***</ds:SignatureValue>');
  });

  it('does not sign attachments, nor more than `limits.body`', async () => {
    const { url, seen } = await target(ANSWER);
    const mtom = caller(url, signed, { properties: { mtom: true } });
    expect(await thrown(mtom.call('FILE_SEND', { S: 'x', FILE: attachment('one') }))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining("can't be signed"),
    });
    const registry = partner(
      node('PARTNER', [url], { credential: signed }),
      { request: SAID, response: SAID },
      { body: 1000 },
    );
    const large = client(registry, { env, folder }).call('FILE_SEND', { S: 'x', FILE: attachment('x'.repeat(1000)) });
    expect(await thrown(large)).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('limits.body') });
    const text = client(registry, { env, folder }).call('FILE_SEND', { S: 'x'.repeat(1000) });
    expect(await thrown(text)).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('limits.body') });
    expect(seen).toEqual([]);
  });

  it.each<[string, MessageSigner, string]>([
    ['a missing certificate', { ...signing, file: text('none.pem') }, 'none.pem'],
    ['a key of another certificate', { ...signing, keyFile: text('elliptic.key') }, 'does not belong to'],
    [
      'a name that the certificate does not have',
      { file: text('bare.pem'), keyFile: text('bare.key'), reference: 'key-identifier' },
      "the certificate bare.pem can't be referred to by key-identifier: it does not have one",
    ],
    ['no certificate', { ...signing, file: text('signer.key') }, 'does not contain a certificate'],
    [
      'a key that does not fit the algorithm',
      { ...signing, algorithm: SIGNATURE_ALGORITHMS['ecdsa-sha256']! },
      'its key does not match its signature algorithm',
    ],
  ])('names %s', async (_, signature, words) => {
    const { url, seen } = await target(ANSWER);
    const error = await thrown(caller(url, security({ signature, timestamp: 1000 })).call('FILE_SEND', { S: 'x' }));
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining(words) });
    expect(seen).toEqual([]);
  });
});

describe('definitions with a credential of messages', () => {
  const started = (credential: string, settings: Readonly<Record<string, string>> = {}) =>
    startTestGateway({
      env: { PASSWORD, ...settings },
      files: {
        'definitions/gateway.yaml': gatewayText(),
        'definitions/partner.yaml': `node: PARTNER
base: ${served()}
credential: ${credential}
---
service: Called.v1
namespace: ${SERVICE_NAMESPACE}
target: PARTNER
public: true
operations:
  SEND: { soap: { name: FILE_SEND }, request: { fields: { S: string } }, response: { fields: { S: string } } }
---
service: Open.v1
public: true
operations:
  PASS: { post: pass, request: { fields: { S: string } }, response: { fields: { S: string } }, call: SEND }
`,
        'signer.pem': PARTNER.certificate,
        'signer.key': PARTNER.key,
        'other.key': ELLIPTIC.key,
      },
    });

  it('reach the partner through a whole gateway, which logs neither password nor digest', async () => {
    const all =
      '{ username-token: { user: demo, password: "${secret:PASSWORD}", digest: true }, signature: { file: signer.pem, key-file: signer.key } }';
    const caller = await started(all);
    try {
      const answered = await caller.call('/gateway/RESTListeningConnector/Open.v1/pass', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"S":"x"}',
      });
      expect(answered.status).toBe(200);
      expect(JSON.stringify(caller.log())).not.toContain(PASSWORD);
    } finally {
      await caller.stop();
    }
  });

  it('do not start with a key of another certificate', async () => {
    const error = await thrown(started('{ signature: { file: signer.pem, key-file: other.key } }'));
    expect((error as Error).message).toContain('the key other.key does not belong to the certificate signer.pem');
  });
});

describe('the Security header of a reply', () => {
  const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity';
  const answer = (content: string) => ({
    ...ANSWER,
    body: String(ANSWER.body).replace(
      /<([\w-]+):Body>/,
      (body, prefix: string) =>
        `<${prefix}:Header><w:Security xmlns:w="${WSS}-secext-1.0.xsd" xmlns:u="${WSS}-utility-1.0.xsd" ${prefix}:mustUnderstand="1">${content}</w:Security></${prefix}:Header>${body}`,
    ),
  });
  const time = (expires: number): string =>
    `<u:Timestamp><u:Created>2020-01-01T00:00:00Z</u:Created><u:Expires>${new Date(Date.now() + expires).toISOString()}</u:Expires></u:Timestamp>`;
  const call = async (content: string) => {
    const { url } = await target(answer(content));
    return client(partner(node('PARTNER', [url]), { request: SAID, response: SAID })).call('FILE_SEND', { S: 'x' });
  };

  it('is understood when it asks nothing', async () => {
    expect((await call(time(60_000))).value).toEqual({ S: 'ok' });
    expect((await call('')).value).toEqual({ S: 'ok' });
  });

  it('is refused with an expired Timestamp, and with what is encrypted', async () => {
    expect(await thrown(call(time(-1000)))).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringContaining('expired'),
    });
    expect(await thrown(call('<x:EncryptedKey xmlns:x="http://www.w3.org/2001/04/xmlenc#"/>'))).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringContaining('Security'),
    });
  });
});
