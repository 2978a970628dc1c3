import { expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import type { Issuer } from '../support/issuer.ts';
import { withTokenGateway } from '../support/token-gateway.ts';
import { statusesOf } from './support/attack.ts';

const WHO = '/gateway/RESTListeningConnector/Token.v1/who';
let issuer: Issuer;
let gateway: TestGateway;
withTokenGateway((started, its) => {
  gateway = started;
  issuer = its;
});

async function statusOf(authorization: string): Promise<number> {
  return (await gateway.call(WHO, { anonymous: true, headers: { authorization } })).status;
}
const now = (): number => Math.floor(Date.now() / 1000);
const good = { scope: 'call read' };

it('tokens of another time, place or audience are refused, however they say it', async () => {
  const claims: Record<string, unknown>[] = [
    { exp: now() - 31 },
    { exp: 0 },
    { exp: -1 },
    { exp: null },
    { exp: undefined },
    { exp: String(now() + 300) },
    { exp: [now() + 300] },
    { nbf: now() + 60 },
    { nbf: 'soon' },
    { aud: 'another' },
    { aud: [] },
    { aud: ['another', 'signalbox2', 'SIGNALBOX'] },
    { aud: undefined },
    { aud: { signalbox: true } },
    { iss: undefined },
    { iss: `${issuer.url}/` },
    { iss: [issuer.url] },
    { iss: 'https://issuer.example' },
    { sub: undefined },
    { sub: '' },
    { sub: 7 },
    { sub: ['partner'] },
    { sub: { toString: 'partner' } },
  ];
  expect(await statusOf(`Bearer ${await issuer.token(good)}`)).toBe(200);
  for (const each of claims)
    expect(await statusOf(`Bearer ${await issuer.token({ ...good, ...each })}`), JSON.stringify(each)).toBe(401);
});

it('no claim gives more than the definitions do', async () => {
  const claims: Record<string, unknown>[] = [
    { scope: 'call', roles: ['READER'] },
    { scope: 'call', permissions: ['READING'] },
    { scope: 'call READER' },
    { scope: 'call __proto__ constructor' },
    { scope: 'call READ' },
    { scope: ['call', ['read']] },
    { scope: 'call,read' },
    { scope: 'call\u00a0read' },
    { scope: 'call', sub: 'demo' },
    { scope: 'call', sub: 'staff:demo' },
  ];
  for (const each of claims)
    expect(await statusOf(`Bearer ${await issuer.token(each)}`), JSON.stringify(each)).toBe(403);
});

it('a token for one scheme opens none of another, and a subject is never a user of the definitions', async () => {
  const { text } = await gateway.call(WHO, {
    anonymous: true,
    headers: { authorization: `Bearer ${await issuer.token({ ...good, sub: 'demo' })}` },
  });
  expect(JSON.parse(text)).toEqual({ ID: 'tokens:demo' });
  const staff = WHO.replace('who', 'staff');
  const headers = { authorization: `Bearer ${await issuer.token({ upn: 'tokens:partner', ...good })}` };
  expect((await gateway.call(staff, { anonymous: true, headers })).status).toBe(401);
});

it('huge tokens are refused before anything of them is read', async () => {
  const started = performance.now();
  for (const size of [17_000, 60_000]) expect(await statusOf(`Bearer ${'A'.repeat(size)}`)).toBe(401);
  // Well formed and well signed, and still too long.
  const long = await issuer.token({ ...good, padding: 'x'.repeat(20_000) });
  expect(await statusOf(`Bearer ${long}`)).toBe(401);
  const deep = `${'['.repeat(4000)}${']'.repeat(4000)}`;
  expect(await statusOf(`Bearer ${Buffer.from(deep).toString('base64url')}.e30.e30`)).toBe(401);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(gateway.log().findLast((line) => line.status === 401)?.reason).toBe('malformed token');
});

it('two Authorization headers, or two tokens in one, are none', async () => {
  const token = await issuer.token(good);
  const request = (...lines: readonly string[]): string =>
    [`GET ${WHO} HTTP/1.1`, 'Host: x', ...lines, 'Connection: close', '', ''].join('\r\n');
  const both = [`Authorization: Bearer ${token}`, 'Authorization: Basic ZGVtbzpkZW1v'];
  for (const lines of [both, both.toReversed(), [both[0] as string, both[0] as string]])
    expect(statusesOf(await gateway.raw(request(...lines)))).toEqual([400]);
  for (const value of [`Bearer ${token}, Bearer ${token}`, `Bearer ${token} ${token}`, `Bearer,${token}`, token])
    expect(await statusOf(value), value.slice(0, 10)).toBe(401);
  // Nor is one taken out of the query string (RFC 6750 section 2.3).
  expect((await gateway.call(`${WHO}?access_token=${token}`, { anonymous: true })).status).toBe(401);
});
