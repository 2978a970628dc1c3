import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callSoap,
  envelope,
  keptFiles,
  packed,
  part,
  post,
  RELATED,
  root,
  send,
  wrapped,
} from '../serve/soap-client.ts';
import { soapProject } from '../serve/soap-project.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectFreed, inUse } from '../support/memory.ts';

const MiB = 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: soapProject('limits: { body: 16 MiB, attachment: 1 MiB, attachments: 4 }'),
  });
  await callSoap(gateway, 'ECHO', '<S>first</S>');
});
afterAll(async () => {
  expect((await callSoap(gateway, 'ECHO', '<S>after</S>')).text).toContain('<S>after</S>');
  expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  expect(keptFiles(gateway).filter((file) => !file.endsWith('.lock'))).toEqual([]);
  await gateway.stop();
});

const ECHO = '/gateway/RESTListeningConnector/Soap.v1/echo';
const xml = (inside: string): string => envelope(wrapped('ECHO', inside));

/** Refused as the caller's doing, within seconds, and what was held for it is let go. */
async function expectStopped(work: () => Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const before = inUse();
  const from = performance.now();
  const { status, text } = await work();
  expect(performance.now() - from).toBeLessThan(10_000);
  expect(status, text.slice(0, 300)).toBeGreaterThanOrEqual(400);
  expect(text).not.toContain('INTERNAL');
  expect(text.length).toBeLessThan(8192);
  await expectFreed(before, 8 * MiB);
}

describe('XML', () => {
  it.each<[string, () => string]>([
    ['attributes', () => xml(`<X><a ${Array.from({ length: 60_000 }, (_, i) => `a${i}="b"`).join(' ')}/></X>`)],
    [
      'namespaces',
      () => xml(`<X><a ${Array.from({ length: 60_000 }, (_, i) => `xmlns:n${i}="u:${i}"`).join(' ')}/></X>`),
    ],
    ['depth', () => xml(`<X>${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}</X>`)],
    ['depth that never ends', () => xml(`<X>${'<a>'.repeat(1_000_000)}`)],
    ['one long name', () => xml(`<X><${'a'.repeat(4_000_000)}/></X>`)],
    ['one long attribute name', () => xml(`<X><a ${'a'.repeat(4_000_000)}="b"/></X>`)],
    ['unknown elements', () => xml('<UNKNOWN/>'.repeat(500_000))],
    ['character references that are none', () => xml(`<T>${'&#x0;'.repeat(500_000)}</T>`)],
    ['brackets', () => xml(`<T>${'<'.repeat(2_000_000)}</T>`)],
    ['a comment without an end', () => xml(`<T><!--${'-'.repeat(2_000_000)}</T>`)],
    ['a section without an end', () => xml(`<T><![CDATA[${']'.repeat(2_000_000)}</T>`)],
    ['an instruction without an end', () => xml(`<T><?a ${'?'.repeat(2_000_000)}</T>`)],
  ])('%s', async (_, make) => {
    const body = make();
    await expectStopped(() => post(gateway, body));
  });
});

describe('JSON', () => {
  const posted = (body: string) => send(gateway, { path: ECHO, body, headers: { 'content-type': 'application/json' } });

  it.each<[string, () => string]>([
    ['depth', () => `{"J":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
    ['depth of objects', () => `{"J":${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}}`],
    ['depth that never ends', () => '['.repeat(4_000_000)],
    ['members that nobody knows', () => `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['an integer without an end', () => `{"I":${'9'.repeat(4_000_000)}}`],
    ['a decimal without an end', () => `{"D":1e${'9'.repeat(1_000_000)}}`],
    ['a text without an end', () => `{"S":"${'\\'.repeat(4_000_001)}`],
    ['surrogates', () => `{"S":"${'\\ud800'.repeat(500_000)}"}`],
  ])('%s', async (_, make) => {
    const body = make();
    await expectStopped(() => posted(body));
  });
});

describe('parts', () => {
  const sent = (body: Buffer, type = RELATED) => send(gateway, { body, headers: { 'content-type': type } });
  const one = root(xml('<S>a</S>'));

  it.each<[string, () => Buffer, string?]>([
    ['by the thousand', () => packed([one, ...Array.from({ length: 20_000 }, (_, i) => part(`${i}`, 'x'))])],
    [
      'with headers by the thousand',
      () =>
        packed([one, part('a', 'x', Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`X-${i}`, 'y'])))]),
    ],
    ['with one header without an end', () => packed([one, part('a', 'x', { 'X-Long': 'y'.repeat(2_000_000) })])],
    ['with a header that goes on', () => packed([one, part('a', 'x', { 'X-Folded': `y${'\r\n z'.repeat(200_000)}` })])],
    ['behind a preamble without an end', () => Buffer.concat([Buffer.alloc(12 * MiB, '\r\n--'), packed([one])])],
    ['larger than they may be', () => packed([one, part('a', Buffer.alloc(4 * MiB))])],
    ['within parts', () => packed([root(packed([one]), { 'Content-Type': RELATED })])],
    [
      'behind a boundary that is too long',
      () => packed([one]),
      RELATED.replace(/boundary=".*"/, `boundary="${'b'.repeat(60_000)}"`),
    ],
  ])('%s', async (_, make, type) => {
    const body = make();
    await expectStopped(() => sent(body, type));
  });
});

describe('a request', () => {
  const head = (more: string): string =>
    `GET ${ECHO} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nConnection: close\r\n${more}\r\n`;

  it.each<[string, () => string]>([
    ['headers by number', () => head(Array.from({ length: 5_000 }, (_, i) => `X-${i}: y\r\n`).join(''))],
    ['empty headers', () => head('X:\r\n'.repeat(30_000))],
    ['one long header', () => head(`X: ${'y'.repeat(200_000)}\r\n`)],
    ['one long name', () => head(`${'X'.repeat(200_000)}: y\r\n`)],
    ['cookies', () => head(`Cookie: ${'a=b; '.repeat(50_000)}\r\n`)],
    ['media types', () => head(`Accept: ${'a/b;q=0.1,'.repeat(20_000)}\r\n`)],
    ['parameters', () => head('').replace(' HTTP', `?${'a=b&'.repeat(10_000)} HTTP`)],
    ['one parameter by number', () => head('').replace(' HTTP', `?${'S&'.repeat(20_000)} HTTP`)],
    ['segments', () => head('').replace('/echo', '/e'.repeat(30_000))],
    ['a method', () => head('').replace('GET', 'G'.repeat(200_000))],
  ])('%s', async (_, make) => {
    const bytes = make();
    await expectStopped(async () => {
      const text = await gateway.raw(bytes);
      return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 400), text };
    });
  });

  it('media types and ranges as many as fit are weighed at once', async () => {
    const from = performance.now();
    await gateway.raw(head(`Accept: ${'a/b;q=0.1,'.repeat(9_000)}*/*\r\n`));
    await gateway.raw(head(`Range: bytes=${'0-0,'.repeat(15_000)}0-0\r\n`));
    await gateway.raw(head(`If-None-Match: ${'"a",'.repeat(15_000)}"b"\r\n`));
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});
