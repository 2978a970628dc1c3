import { describe, expect, it } from 'vitest';
import type { ConfigText } from '../../src/model/definition.ts';
import type { Node } from '../../src/model/node.ts';
import { load } from './linked.ts';

const literal = (text: string): ConfigText => ({ source: text, parts: [{ kind: 'literal', text }] });
const env = (name: string): ConfigText => ({ source: `\${env:${name}}`, parts: [{ kind: 'env', name }] });
const secret = (name: string): ConfigText => ({ source: `\${secret:${name}}`, parts: [{ kind: 'secret', name }] });

/** The one node of a text. */
function node(rest: string): Node {
  const found = load(`node: PARTNER\nbase: https://example.org\n${rest}`).nodes.get('PARTNER');
  if (found === undefined) throw new TypeError('no node');
  return found;
}

describe('a node', () => {
  it('is called with the defaults of calls where it says nothing', () => {
    expect(node('')).toEqual({
      id: 'PARTNER',
      base: [literal('https://example.org')],
      resolve: new Map(),
      timeouts: {},
      circuit: { failures: 5, reset: 30_000 },
      redirects: 0,
      at: { file: 'definitions/example.yaml', line: 1, column: 7 },
    });
  });

  it('has its addresses in the order of fail-over, or a scheme alone', () => {
    const { nodes } = load(
      'node: A\nbase: [https://a.example.org, "${env:B_URL}"]\n---\nnode: B\nbase: https://\n---\nnode: C\nbase: http://',
    );
    expect(nodes.get('A')?.base).toEqual([literal('https://a.example.org'), env('B_URL')]);
    expect(nodes.get('B')?.base).toEqual([literal('https://')]);
    expect(nodes.get('C')?.base).toEqual([literal('http://')]);
  });

  it('says how long each phase of a call may take, in milliseconds', () => {
    expect(node('timeouts: { connect: 500 ms, head: 30 s, idle: 1m, reply: 3 m, call: 2 h }').timeouts).toEqual({
      connect: 500,
      head: 30_000,
      idle: 60_000,
      reply: 180_000,
      call: 7_200_000,
    });
    expect(node('timeouts: { idle: 5 s }').timeouts).toEqual({ idle: 5000 });
  });

  it('says how often a call is made and after which statuses, of every method', () => {
    const retry = { attempts: 5, on: new Set([429, 503]), first: 200, longest: 5000 };
    expect(node('retry: { attempts: 5, on: [429, 503] }').retry).toEqual(retry);
    expect(node('retry: { attempts: 1 }').retry).toEqual({
      attempts: 1,
      on: new Set([408, 429, 502, 503, 504]),
      first: 200,
      longest: 5000,
    });
    expect(node('retry: { on: 503 }').retry).toEqual({ attempts: 3, on: new Set([503]), first: 200, longest: 5000 });
  });

  it('says when it is left alone, and how many redirects are followed', () => {
    expect(node('circuit: { failures: 2, reset: 1 m }').circuit).toEqual({ failures: 2, reset: 60_000 });
    expect(node('circuit: { reset: 1 s }').circuit).toEqual({ failures: 5, reset: 1000 });
    expect(node('circuit: { failures: 0 }').circuit.failures).toBe(0);
    expect(node('redirects: 3').redirects).toBe(3);
  });

  it('names files of certificates, and keeps the reference to the passphrase', () => {
    const { caFile, certificate } = node(
      'ca-file: ${env:CA_FILE:-}\ncertificate: { file: client.pem, key-file: "${env:KEY_FILE}", passphrase: "${secret:PASSPHRASE}" }',
    );
    expect(caFile).toEqual({ source: '${env:CA_FILE:-}', parts: [{ kind: 'env', name: 'CA_FILE', default: '' }] });
    expect(certificate).toEqual({
      file: literal('client.pem'),
      keyFile: env('KEY_FILE'),
      passphrase: secret('PASSPHRASE'),
    });
    expect(node('certificate: { file: a.pem, key-file: b.pem }').certificate).not.toHaveProperty('passphrase');
  });

  it('says where connections to hosts go, by their names in small letters', () => {
    const { resolve } = node(
      'resolve:\n  Library.Example.ORG: 127.0.0.1:8443\n  other.example.org: "[::1]"\n  third: ${env:THIRD}',
    );
    expect(resolve).toEqual(
      new Map([
        ['library.example.org', literal('127.0.0.1:8443')],
        ['other.example.org', literal('[::1]')],
        ['third', env('THIRD')],
      ]),
    );
  });
});

describe('the credential of a node', () => {
  const credential = (text: string) => node(`credential: ${text}`).credential;

  it('is a user and a password', () => {
    expect(credential('{ basic: { user: "${env:USER}", password: "${secret:PASSWORD}" } }')).toEqual({
      kind: 'basic',
      user: env('USER'),
      password: secret('PASSWORD'),
    });
  });

  it('is a bearer token', () => {
    expect(credential('{ bearer: "${secret:TOKEN}" }')).toEqual({ kind: 'bearer', token: secret('TOKEN') });
  });

  it('is a key in a header, behind a scheme where that is Authorization', () => {
    expect(credential('{ api-key: { header: X-Api-Key, value: "${secret:KEY}" } }')).toEqual({
      kind: 'api-key',
      header: 'X-Api-Key',
      value: secret('KEY'),
    });
    expect(credential('{ api-key: { header: Authorization, value: "ApiKey ${secret:KEY}" } }')).toMatchObject({
      value: {
        parts: [
          { kind: 'literal', text: 'ApiKey ' },
          { kind: 'secret', name: 'KEY' },
        ],
      },
    });
  });

  it('is a token that is fetched, shown in HTTP Basic unless the body is said', () => {
    const shortest = '"token-url": "${env:LOGIN}", "client-id": signalbox, "client-secret": "${secret:SECRET}"';
    const expected = {
      kind: 'client-credentials',
      tokenUrl: env('LOGIN'),
      clientId: literal('signalbox'),
      clientSecret: secret('SECRET'),
      parameters: new Map(),
      authentication: 'basic',
    };
    expect(credential(`{ client-credentials: { ${shortest} } }`)).toEqual(expected);
    const longest = `${shortest}, scope: a b, parameters: { resource: "\${env:RESOURCE}" }, authentication: body`;
    expect(credential(`{ client-credentials: { ${longest} } }`)).toEqual({
      ...expected,
      scope: literal('a b'),
      parameters: new Map([['resource', env('RESOURCE')]]),
      authentication: 'body',
    });
  });

  it('is fetched over TLS, or from this machine', () => {
    const urls = [
      'https://login.example.org/a?b=c',
      'http://localhost:8080/a',
      'http://127.0.0.9/a',
      'http://[::1]:1/a',
    ];
    for (const url of urls) {
      const grant = `{ token-url: "${url}", client-id: a, client-secret: "\${secret:X}" }`;
      expect(credential(`{ client-credentials: ${grant} }`)).toMatchObject({ tokenUrl: literal(url) });
    }
  });
});
