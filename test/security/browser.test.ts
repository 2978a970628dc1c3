import { expect, it } from 'vitest';
import { loadProject, registryOf } from '../../src/load/index.ts';
import type { Fault } from '../../src/model/fault.ts';
import {
  formToken,
  isFormToken,
  isSameOrigin,
  readCookie,
  returnPath,
  SESSION_COOKIE,
  STATE_COOKIE,
} from '../../src/security/sign-in/browser.ts';
import { signInByPassword } from '../../src/security/sign-in/password.ts';
import { repository } from '../cli/support.ts';
import { authenticatorOf } from '../support/authenticator.ts';

it.each([
  ['/console'],
  ['/console/'],
  ['/console?tab=1'],
  ['/console/queues/QUEUE%20A?at=2026-01-01T00%3A00%2F&next=//x'],
])('a browser returns to %s', (path) => {
  expect(returnPath(path)).toBe(path);
});

it.each([
  [undefined],
  [''],
  ['//evil.example.org'],
  ['///console'],
  ['/\\evil.example.org'],
  ['\\\\evil.example.org'],
  ['https://evil.example.org/console'],
  ['javascript:alert(1)'],
  ['/consolex'],
  ['/console@evil.example.org'],
  ['/gateway'],
  ['console'],
  ['/console/..//evil.example.org'],
  ['/console/%2e%2e//evil.example.org'],
  ['/console/%2E%2E/gateway'],
  ['/console/../../etc'],
  ['/console/%2f%2fevil'],
  ['/console/%5cevil'],
  ['/console/%252e%252e/gateway'],
  ['/console/%0d%0aSet-Cookie:x'],
  ['/console\r\nSet-Cookie: x'],
  ['/console\t/x'],
  ['/console/\u0000'],
  ['/console/\u202e'],
  [' /console'],
  ['%2Fconsole'],
  [`/console/${'x'.repeat(2048)}`],
])('a browser that should return to %j goes to the first page', (path) => {
  expect(returnPath(path)).toBe('/console');
});

it('a cookie is read where it is there once and whole', () => {
  const read = (header: string | undefined) => readCookie(header, SESSION_COOKIE);
  expect(read('a=b; __Host-signalbox=TOKEN; __Host-signalbox-state=S')).toBe('TOKEN');
  expect(readCookie('__Host-signalbox=TOKEN;__Host-signalbox-state=S', STATE_COOKIE)).toBe('S');
  for (const header of [
    undefined,
    '',
    'signalbox=TOKEN',
    '__Host-signalbox=A; __Host-signalbox=B',
    '__Host-signalbox="A B"',
    '__host-signalbox=TOKEN',
    'x__Host-signalbox=TOKEN',
    '__Host-signalbox',
    'a="; __Host-signalboxx=TOKEN"',
  ])
    expect(read(header), header).toBeUndefined();
});

it('cookies are for this host, TLS and no script', () => {
  expect(SESSION_COOKIE.set('T')).toBe('__Host-signalbox=T; Path=/; Secure; HttpOnly; SameSite=Strict');
  expect(STATE_COOKIE.set('S')).toBe('__Host-signalbox-state=S; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600');
  expect(SESSION_COOKIE.removal).toBe('__Host-signalbox=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0');
});

it('a form belongs to its session', () => {
  const [one, two] = ['A'.repeat(43), 'B'.repeat(43)];
  expect(isFormToken(one, formToken(one))).toBe(true);
  for (const wrong of [formToken(two), undefined, '', one, `${formToken(one)}x`])
    expect(isFormToken(one, wrong)).toBe(false);
});

const OWN = 'https://ops.example.org';

it.each<[boolean, string, Record<string, string>]>([
  [true, 'GET', {}],
  [true, 'GET', { 'sec-fetch-site': 'none' }],
  [true, 'GET', { 'sec-fetch-site': 'same-origin' }],
  [true, 'POST', { 'sec-fetch-site': 'same-origin', origin: OWN }],
  [true, 'POST', { 'sec-fetch-site': 'same-origin' }],
  [true, 'POST', { origin: OWN }],
  [false, 'POST', {}],
  [false, 'POST', { 'sec-fetch-site': 'none' }],
  [false, 'POST', { 'sec-fetch-site': 'same-site', origin: 'https://www.example.org' }],
  [false, 'POST', { 'sec-fetch-site': 'cross-site' }],
  [false, 'POST', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  [false, 'POST', { origin: 'null' }],
  [false, 'POST', { origin: `${OWN}.evil.example` }],
  // A proxy may have ended TLS.
  [true, 'POST', { origin: 'http://ops.example.org' }],
  [false, 'POST', { origin: 'http://ops.example.org', 'sec-fetch-site': 'cross-site' }],
  [false, 'DELETE', {}],
  [false, 'GET', { 'sec-fetch-site': 'cross-site' }],
  [false, 'GET', { origin: 'https://evil.example.org' }],
])('%s: %s with %j comes from the console', (expected, method, headers) => {
  expect(isSameOrigin({ method, header: (name) => (name === 'host' ? new URL(OWN).host : headers[name]) })).toBe(
    expected,
  );
});

it('a password is verified as that of a call, and refused without a challenge', async () => {
  const { users, schemes } = registryOf(loadProject({ root: repository }));
  const authenticator = authenticatorOf({ users, schemes });
  expect((await signInByPassword(authenticator, { id: 'demo', password: 'demo' })).id).toBe('demo');
  const refused = async (id: string, password: string) =>
    signInByPassword(authenticator, { id, password }).catch(({ code, reason, headers }: Fault) => [
      code,
      reason,
      headers,
    ]);
  const unknown = ['UNAUTHENTICATED', 'unknown or disabled user', {}];
  expect(await refused('demo', 'd\u00e9mo')).toEqual(['UNAUTHENTICATED', 'wrong password', {}]);
  for (const id of ['', 'nobody', 'demo:demo', 'demo\u0000']) expect(await refused(id, 'demo')).toEqual(unknown);
});
