import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorMs } from '../support/duration.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

// Texts for which a reader with two ways to read the same blanks, or with a loop in a loop, takes seconds, and with it everybody: without
// credentials, wherever a request leads. What each reader takes by itself is in test/wire/worst-texts.test.ts.

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const PATHS = [
  '/console',
  '/console/sign-in/return?state=a',
  '/gateway/RESTListeningConnector/Locations.v1/Locations/?region=N',
  '/gateway/PeopleSoftServiceListeningConnector',
  '/gateway/HttpListeningConnector',
  '/gateway/RESTListeningConnector/Locations.v1.wadl',
  '/metrics',
  '/',
];
const HEADERS =
  `accept accept-encoding accept-language access-control-request-headers authorization cache-control content-disposition
content-encoding content-type cookie date forwarded from if-match if-modified-since if-none-match if-range if-unmodified-since
idempotency-key operationname origin prefer range referer sec-fetch-site signature soapaction tracestate traceparent user-agent via
x-forwarded-for x-forwarded-host x-forwarded-proto x-request-id`.split(/\s+/);
const UNITS = [
  ' ',
  '\t',
  'a',
  ';',
  ',',
  '=',
  '"',
  '\\"',
  '/',
  ';a=',
  ', a',
  '%41',
  '"a",',
  ' =',
  'a ',
  '*/*;q=0.1,',
  'W/"',
  '((',
  '--',
];
/** Within what Node's parser accepts of a header, with room for the others. */
const LENGTH = 60_000;

/** Milliseconds of processor time, both the gateway's and the client's. */
const MOST = 400;

async function expectQuick(what: string, work: () => Promise<{ readonly status: number }>): Promise<void> {
  // A pause of the garbage collector is not the reader's.
  for (let attempt = 0; ; attempt++) {
    const began = processorMs();
    const { status } = await work();
    const took = processorMs() - began;
    expect(status, what).not.toBe(500);
    if (took < MOST) return;
    if (attempt === 2) expect.fail(`${what} took ${took.toFixed(0)} ms`);
  }
}

describe.each(HEADERS)('a header %s', (name) => {
  it.each(PATHS)('at %s', async (path) => {
    for (const start of ['a', 'a;'])
      for (const unit of UNITS) {
        const value = `${start}${unit.repeat(LENGTH / unit.length)}a`;
        await expectQuick(`${name}: ${start} and many ${JSON.stringify(unit)}`, () =>
          gateway.call(path, { anonymous: true, method: 'POST', headers: { [name]: value }, body: 'x' }),
        );
      }
  });
});

describe('bodies', () => {
  const FORM = 'application/x-www-form-urlencoded';
  it.each([
    ['/console/sign-in', FORM],
    ['/console/sign-out', FORM],
    ['/console/sign-in', 'multipart/form-data; boundary=b'],
    ['/gateway/HttpListeningConnector', FORM],
    ['/gateway/HttpListeningConnector', 'multipart/related; boundary=b'],
    ['/gateway/PeopleSoftServiceListeningConnector', 'text/xml'],
    ['/gateway/PeopleSoftServiceListeningConnector', 'multipart/related; type="text/xml"; boundary=b'],
  ])('at %s, as %s', async (path, type) => {
    for (const unit of ['a&', '&', 'a=&', '%41&', '%', '+', '\r\n--', '\r\n--b\r\n', '<a ', ' ', '&amp;', 'a=b&a']) {
      const body = unit.repeat((1.5 * 1024 * 1024) / unit.length);
      await expectQuick(`many ${JSON.stringify(unit)}`, () =>
        gateway.call(path, {
          anonymous: true,
          method: 'POST',
          headers: {
            'content-type': type,
            origin: `http://127.0.0.1:${gateway.port}`,
            host: `127.0.0.1:${gateway.port}`,
          },
          body,
        }),
      );
    }
  });

  it('a form for signing in has 16 KiB and 20 fields at most, and no parts', async () => {
    const send = (type: string, body: string) =>
      gateway.call('/console/sign-in', {
        anonymous: true,
        method: 'POST',
        headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
        body,
      });
    const padded = (size: number): string =>
      `id=demo&password=wrong&to=${'a'.repeat(size - 'id=demo&password=wrong&to='.length)}`;
    expect((await send(FORM, padded(16 * 1024))).status).toBe(401);
    expect((await send(FORM, padded(16 * 1024 + 1))).status).toBe(413);
    expect((await send(FORM, `id=demo&password=wrong${'&a=b'.repeat(18)}`)).status).toBe(401);
    const many = await send(FORM, `id=demo&password=wrong${'&a'.repeat(19)}`);
    expect([many.status, many.text]).toEqual([400, expect.stringContaining('more than 20 fields')]);
    expect((await send('multipart/form-data; boundary=b', '--b--')).status).toBe(415);
  });
});
