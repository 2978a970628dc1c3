import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectUnharmed, LOOKUP, MONITOR, REST, requestText, SOAP, statusesOf } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

/** A line break in every spelling that something on the way may take for one. */
const BREAKS = ['\r\n', '\n', '\r', '\u2028', '\u0085', '\u560a', '\u560d', '\0\r\n', '%0d%0a'] as const;
const injected = (lineBreak: string): string =>
  `a${lineBreak}X-Injected: yes${lineBreak}${lineBreak}<script>alert(1)</script>`;

/** One reply whose head holds nothing that was injected. */
function expectOneHead(reply: string, what: string): void {
  const end = reply.indexOf('\r\n\r\n');
  const head = end < 0 ? reply : reply.slice(0, end);
  expect(head, what).toMatch(/^HTTP\/1\.1 \d{3} /);
  expect(head, what).not.toMatch(/^x-injected/im);
  expect(head, what).not.toContain('<script>');
  // Every line is a field, and none has a bare carriage return or line feed in it.
  for (const line of head.split('\r\n').slice(1)) expect(line, what).toMatch(/^[\w-]+: ?[^\r\n\0]*$/);
  expect(reply.match(/HTTP\/1\.1 \d{3} /g), what).toHaveLength(1);
}

const enc = encodeURIComponent;
const authorised = [`Authorization: ${DEMO}`];

describe.each(BREAKS)('%j', (lineBreak) => {
  const text = injected(lineBreak);

  it.each<[string, string]>([
    ['GET', `${REST}/${enc(text)}.wadl`],
    ['GET', LOOKUP.replace('=N', `=${enc(text)}`)],
    ['OPTIONS', `${LOOKUP}&x=${enc(text)}`],
    ['GET', `${MONITOR}?maxrows=${enc(text)}`],
    ['GET', `${REST}/ExecuteQuery.v1/PUBLIC/${enc(text)}/CSV/FILE`],
    ['GET', `${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/${enc(text)}/NONFILE`],
    ['GET', `${REST}/QueryFile.v1/${enc(text)}/${enc(text)}`],
    ['GET', `${REST}/ProcessRequest.v1/requests/${enc(text)}/report/content`],
    ['DELETE', `${REST}/QueryDelete.v1/${enc(text)}`],
    ['GET', `${SOAP}/${enc(text)}?wsdl`],
    ['GET', `/${enc(text)}`],
  ])('in %s %s stays out of the head of the reply', async (method, target) => {
    expectOneHead(await gateway.raw(requestText(`${method} ${target}`, authorised)), target);
  });

  it.each([
    'X-Request-Id',
    'Accept',
    'Accept-Language',
    'Content-Type',
    'If-Match',
    'If-None-Match',
    'Range',
    'Cookie',
    'Origin',
    'Access-Control-Request-Method',
    'Access-Control-Request-Headers',
    'SOAPAction',
    'Host',
  ])('in %s stays out of the head of the reply', async (name) => {
    const value = Buffer.from(text).toString('latin1');
    const given = name === 'Host' ? authorised : [...authorised, `${name}: ${value}`];
    for (const method of ['GET', 'OPTIONS']) {
      const bytes = Buffer.from(requestText(`${method} ${LOOKUP}`, given, name === 'Host' ? value : 'x'), 'latin1');
      // What breaks the line makes another header of the request, or is refused; what an empty line leaves behind the
      // request is refused after its reply. Nothing of it comes back.
      const [reply = '', ...refused] = (await gateway.raw(bytes)).split(/(?=HTTP\/1\.1 \d{3} )/);
      for (const each of [reply, ...refused]) expectOneHead(each, name);
      expect(statusesOf(refused.join('')), name).toEqual(lineBreak === '\r\n' ? [400] : []);
    }
  });

  it('in a record whose address is told in Location', async () => {
    const record = { REGION: 'N', LOCATION: `L${lineBreak}X-I:1`.slice(0, 10), DESCR: 'x', EFFDT: '2026-01-01' };
    const body = JSON.stringify(record);
    const headers = [...authorised, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
    const reply = await gateway.raw(`${requestText(`POST ${REST}/LocationSetup.v1/Locations`, headers)}${body}`);
    expectOneHead(reply, body);
    expect(reply.slice(0, reply.indexOf('\r\n\r\n'))).not.toMatch(/^x-i:/im);
  });
});

it('an entity tag, a range or an id of a caller comes back as it is, or not at all', async () => {
  for (const value of ['"a", "b"', 'W/"x"', 'a'.repeat(8000), 'bytes=0-1,2-3', 'é']) {
    for (const name of ['X-Request-Id', 'If-None-Match', 'Range', 'If-Match']) {
      const reply = await gateway.raw(
        Buffer.from(requestText(`GET ${LOOKUP}`, [...authorised, `${name}: ${value}`]), 'latin1'),
      );
      expectOneHead(reply, `${name}: ${value}`);
      expect(reply.slice(0, reply.indexOf('\r\n\r\n')).toLowerCase()).not.toContain(value.toLowerCase());
    }
  }
});

describe('what a handler puts into its reply', () => {
  let echoing: TestGateway;
  beforeAll(async () => {
    echoing = await startTestGateway({
      files: {
        'definitions/echo.yaml': `service: Echo.v1
public: true
operations:
  ECHO: { post: echo, request: { fields: { HOW: string, SAID: text } }, response: binary, handler: echo }
`,
        'src/handlers/echo.ts': `import { Fault } from 'signalbox';
const bytes = { contentType: 'text/plain', length: 0, body: new Uint8Array() };
const ways = {
  'a header': (text, context) => context.bytes({ ...bytes, headers: { 'X-Said': text } }),
  'a name': (text, context) => context.bytes({ ...bytes, headers: { [text]: 'said' } }),
  'a type': (text, context) => context.bytes({ ...bytes, contentType: text }),
  'a fault': (text) => { throw Fault.of('NOT_FOUND', { what: text }, { headers: { 'X-Said': text } }); },
};
export default { onRequest: ({ HOW, SAID }, context) => ways[HOW](SAID, context) };
`,
      },
    });
  });
  afterAll(() => echoing.stop());

  const said = (HOW: string, SAID: string): Promise<string> => {
    const body = JSON.stringify({ HOW, SAID });
    const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
    return echoing.raw(`${requestText(`POST ${REST}/Echo.v1/echo`, headers)}${body}`);
  };

  it.each([
    ['a header', 'x-said: good', 200],
    ['a name', 'good: said', 200],
    ['a type', 'content-type: good', 200],
    ['a fault', 'x-said: good', 404],
  ])('in %s, stays where it was put', async (how, line, status) => {
    const good = await said(how, 'good');
    expect([good.slice(9, 12), good.toLowerCase()]).toEqual([`${status}`, expect.stringContaining(`\r\n${line}\r\n`)]);
    for (const lineBreak of BREAKS) {
      const reply = await said(how, injected(lineBreak).replace(/<.*/, ''));
      expectOneHead(reply, `${how} ${JSON.stringify(lineBreak)}`);
      // What would end a line is a mistake of the handler's, and not sent.
      if (/^[\r\n]+$/.test(lineBreak)) expect(reply).toMatch(/^HTTP\/1\.1 500 /);
    }
  });
});
