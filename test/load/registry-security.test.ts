import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ConfigText } from '../../src/model/definition.ts';
import type { PermissionList, SecurityScheme } from '../../src/model/security.ts';
import type { Operation } from '../../src/model/service.ts';
import { consoleGrants } from '../../src/security/authorise.ts';
import { load, operation } from './linked.ts';

const [text = ''] = readFileSync(new URL('cases/sound-schemes.case', import.meta.url), 'utf8').split(/^-{10,}\n/m);
const registry = load(text);

const literal = (source: string): ConfigText => ({ source, parts: [{ kind: 'literal', text: source }] });
const secret = (name: string): ConfigText => ({ source: `\${secret:${name}}`, parts: [{ kind: 'secret', name }] });
const sources = (texts: readonly ConfigText[]): string[] => texts.map(({ source }) => source);
const asked = ({ requires }: Pick<Operation, 'requires'>): string[] => requires.map(({ id }) => id);

/** The one scheme of a text, beside a role CLERK. */
function scheme(rest: string): SecurityScheme {
  const { schemes } = load(`role: CLERK\npermission-lists: []\n---\nscheme: X\n${rest}`);
  return schemes.get('X') as SecurityScheme;
}

describe('a scheme', () => {
  it('is one of its kind, with basic beside those that are defined', () => {
    const kinds = [...registry.schemes.values()].map(({ id, kind }) => `${id}: ${kind}`);
    expect(kinds).toEqual([
      'CERTIFICATE: client-certificate',
      'LOGIN: bearer',
      'MACHINES: bearer',
      'PARTNER_KEY: api-key',
      'PASSWORD: basic',
      'PROXIED: client-certificate',
      'SIGNED: signature',
      'TOKEN: username-token',
      'basic: basic',
    ]);
    const description = 'The key that a partner was given.';
    expect(registry.schemes.get('PARTNER_KEY')).toEqual({
      id: 'PARTNER_KEY',
      description,
      kind: 'api-key',
      header: 'X-Api-Key',
    });
    expect(registry.schemes.get('PROXIED')).toEqual({
      id: 'PROXIED',
      kind: 'client-certificate',
      header: 'Client-Cert',
    });
  });

  it('checks tokens as it says', () => {
    const login = registry.schemes.get('LOGIN');
    if (login?.kind !== 'bearer') throw new TypeError('no bearer');
    const { audience, roles, grantedAt, ...rest } = login;
    expect(rest).toEqual({
      id: 'LOGIN',
      kind: 'bearer',
      issuer: literal('https://login.example.org/'),
      jwks: literal('https://login.example.org/jwks.json'),
      algorithms: ['RS256', 'ES256'],
      scopes: ['gateway'],
      tolerance: 10_000,
      user: 'preferred_username',
      users: 'known',
      claim: 'realm_access.roles',
    });
    expect(sources(audience)).toEqual(['signalbox', '${env:AUDIENCE:-orders}']);
    const [reader, writer] = ['READER', 'WRITER'].map((id) => registry.roles.get(id));
    expect([...(grantedAt?.keys() ?? [])]).toEqual(['orders.read', 'orders.write']);
    expect(roles).toEqual(
      new Map([
        ['orders.read', [reader]],
        ['orders.write', [reader, writer]],
      ]),
    );
  });

  it('has defaults that are safe', () => {
    expect(scheme('bearer: { issuer: i, audience: a, jwks: keys.json, roles: { r: CLERK } }')).toMatchObject({
      algorithms: ['RS256'],
      scopes: [],
      tolerance: 30_000,
      user: 'sub',
      users: 'any',
      claim: 'scope',
    });
    expect(scheme('username-token: {}')).toEqual({
      id: 'X',
      kind: 'username-token',
      passwords: ['text', 'digest'],
      maxAge: 300_000,
    });
    expect(scheme('signature: {}')).toEqual({
      id: 'X',
      kind: 'signature',
      algorithms: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'],
      digests: ['http://www.w3.org/2001/04/xmlenc#sha256'],
      maxAge: 300_000,
    });
  });

  it('takes keys of this machine over http', () => {
    for (const host of ['localhost', '127.0.0.1:9000', '[::1]:9000'])
      expect(scheme(`bearer: { issuer: i, audience: a, jwks: "http://${host}/", users: known }`).kind).toBe('bearer');
  });

  it('names the algorithms of signatures by their URIs', () => {
    expect(registry.schemes.get('SIGNED')).toEqual({
      id: 'SIGNED',
      kind: 'signature',
      algorithms: [
        'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
      ],
      digests: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
      maxAge: 60_000,
      caFile: { source: '${env:CA_FILE}', parts: [{ kind: 'env', name: 'CA_FILE' }] },
      certificatesFile: { source: '${env:CALLERS_FILE}', parts: [{ kind: 'env', name: 'CALLERS_FILE' }] },
    });
  });
});

describe('what an operation asks for', () => {
  it('is its own word, or that of its service, or that of the gateway', () => {
    expect(asked(registry.gateway)).toEqual(['basic', 'PARTNER_KEY']);
    expect(asked(operation(registry, 'MACHINE_GET'))).toEqual(['PASSWORD', 'MACHINES', 'PROXIED', 'PARTNER_KEY']);
    expect(asked(operation(registry, 'ORDER_POST'))).toEqual(['LOGIN', 'CERTIFICATE', 'TOKEN']);
    const plain = load(
      'scheme: K\napi-key: { header: X-K }\n---\ngateway: LOCAL\nrequires: K\n---\npermission-list: P\n---\nservice: A.v1\npermission: P\noperations: { A_GET: { get: A, response: text } }',
    );
    expect(operation(plain, 'A_GET').requires).toEqual([plain.schemes.get('K')]);
  });

  it('passes what stands inside a message over where there is none', () => {
    expect(asked(operation(registry, 'ORDERS_GET'))).toEqual(['LOGIN', 'CERTIFICATE']);
    expect(asked(operation(registry, 'ORDER_SIGN'))).toEqual(['SIGNED']);
  });
});

describe('the bounds of calls', () => {
  it('are those of the service with those of the operation', () => {
    const limits = (id: string) => operation(registry, id).limits;
    expect(limits('ORDERS_GET')).toEqual({ rate: { requests: 100, per: 60_000, by: 'address' }, concurrent: 20 });
    expect(limits('ORDER_POST')).toEqual({ rate: { requests: 10, per: 1000, by: 'caller' }, concurrent: 20 });
  });

  it('stand at the gateway too', () => {
    expect(registry.gateway.limits).toMatchObject({
      rate: { requests: 1000, per: 60_000, by: 'caller' },
      concurrent: 200,
      queued: 10_000,
      slowest: 1024,
    });
    const { limits } = load('gateway: LOCAL').gateway;
    expect(limits.slowest).toBe(240);
    for (const key of ['rate', 'concurrent', 'queued']) expect(limits).not.toHaveProperty(key);
  });
});

describe('the gateway', () => {
  it('says what stands between it and its callers', () => {
    const { tls, proxies, audit } = registry.gateway;
    expect(tls).toEqual({
      certificate: literal('certificates/gateway.pem'),
      key: {
        source: '${env:TLS_KEY_FILE:-certificates/gateway-key.pem}',
        parts: [{ kind: 'env', name: 'TLS_KEY_FILE', default: 'certificates/gateway-key.pem' }],
      },
      passphrase: secret('TLS_PASSPHRASE'),
      clientCa: literal('certificates/partners.pem'),
      minimum: 'TLSv1.3',
    });
    expect(proxies).toEqual(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
    expect(audit?.source).toBe('${env:AUDIT_FILE:-.signalbox/audit.log}');
    expect(load('gateway: LOCAL\ntls: { certificate: a, key: b }').gateway.tls?.minimum).toBe('TLSv1.2');
  });

  it('leaves a service its own origins, none among them', () => {
    expect(registry.services.get('Orders.v1')?.cors).toEqual(['https://app.example.org']);
    const text = 'gateway: LOCAL\ncors: ["https://a.example.org"]\n---\nservice: A.v1\npublic: true\n';
    const operations = 'operations: { A_GET: { get: A, response: text } }';
    expect(load(`${text}cors: []\n${operations}`).services.get('A.v1')?.cors).toEqual([]);
    expect(load(text + operations).services.get('A.v1')).not.toHaveProperty('cors');
  });
});

describe('a user', () => {
  it('shows what it has, each in the spelling that it is found by', () => {
    const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;
    const colons = `sha256:${Array.from({ length: 32 }, () => 'AB').join(':')}`;
    const { users } = load(
      `user: A\napi-keys: ["${hash('A')}"]\ncertificates: ["${colons}", "cn=partner, O=Example"]\nshared-secret: "\${secret:S}"`,
    );
    expect(users.get('A')).toMatchObject({
      apiKeys: [hash('a')],
      certificates: [`sha256:${'ab'.repeat(32)}`, 'CN=partner,O=Example'],
      sharedSecret: secret('S'),
    });
    expect(users.get('A')).not.toHaveProperty('password');
  });
});

describe('the routing of an operation', () => {
  it('may ask for the payload in the log', () => {
    expect(registry.routings.find(({ id }) => id === 'ORDERS_LOGGED')?.log).toBe('full');
  });
});

describe('the console', () => {
  const console =
    readFileSync(new URL('cases/console-sound.case', import.meta.url), 'utf8').split(/^-{10,}\n/m)[0] ?? '';

  it('is off only where the gateway says so', () => {
    expect(load('gateway: LOCAL\nconsole: off').gateway.console).toBeUndefined();
    expect(load('gateway: LOCAL\nconsole: on').gateway.console).toEqual(load('gateway: LOCAL').gateway.console);
  });

  it('offers what is listed, in that order, with the scope openid always', () => {
    const { gateway, schemes } = load(console);
    expect(gateway.console).toMatchObject({ idle: 900_000, session: 28_800_000 });
    expect(gateway.console?.listen?.source).toBe('127.0.0.1:${env:CONSOLE_PORT:-9090}');
    expect(gateway.console?.signIn).toEqual([
      {
        ...{ kind: 'openid', scheme: schemes.get('CORP'), label: 'Company account', scopes: ['openid', 'profile'] },
        client: { source: '${env:CLIENT}', parts: [{ kind: 'env', name: 'CLIENT' }] },
        secret: secret('OIDC_SECRET'),
      },
      { kind: 'openid', scheme: schemes.get('NEAR'), label: 'NEAR', scopes: ['openid'], client: literal('console') },
      { kind: 'password' },
    ]);
  });

  it('is granted by lists, of which each grant includes read', () => {
    const { permissionLists } = load(console);
    const grants = (id: string) =>
      [...consoleGrants({ permissionLists: new Set([permissionLists.get(id) as PermissionList]) })].sort();
    expect([grants('ACTORS'), grants('NONE')]).toEqual([['act', 'read'], []]);
  });
});
