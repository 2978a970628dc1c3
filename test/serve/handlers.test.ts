import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const DEFINITIONS = `document: SAID
fields: { MESSAGE: { type: text, default: "{fault.message}" }, CODE: { type: string, default: "{fault.code}" } }
---
document: ANSWER
fields: { NAME: string(5), COUNT: integer, LIST: { list: { fields: { N: { type: integer, required: true } } } } }
---
service: Code.v1
permission: EVERYTHING
response: ANSWER
operations:
  FAULT: { get: "fault/{KIND}", request: { fields: { KIND: string } }, fault: SAID }
  BROKEN: { get: "broken/{KIND}", request: { fields: { KIND: string } } }
  MISFIT: { get: "misfit/{KIND}", request: { fields: { KIND: string } }, handler: misfit }
  HANGS: { get: hangs, fault: SAID }
  ON_ERROR: { get: "on-error/{KIND}", request: { fields: { KIND: string } }, fault: SAID }
  REPLY: { get: "reply/{KIND}", request: { fields: { KIND: string } } }
  BYTES: { get: "bytes/{KIND}", request: { fields: { KIND: string } }, response: binary }
  FACTS: { get: ["facts", "facts/{ID}"], request: { fields: { ID: integer } }, response: json, handler: facts }
  OPEN_FACTS: { get: open-facts, public: true, response: json, handler: facts }
  QUERIES: { get: "queries/{KIND}", request: { fields: { KIND: string } }, response: json }
  OPEN_QUERIES: { get: "open-queries/{KIND}", public: true, request: { fields: { KIND: string } }, response: json, handler: queries }
  WAITS: { get: waits }
---
query: DOUBLED
permission: EVERYTHING
prompts: { N: { type: integer, required: true, minimum: 1 }, S: string(3) }
columns: { TWICE: integer, S: string }
sql: select :N * 2 as twice, :S as s
---
permission-list: NOBODY
---
query: FORBIDDEN_FRUIT
permission: NOBODY
columns: { N: integer }
sql: select 1 as n
---
query: COUNTED
public: true
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c where n < 50) select n from c
`;

const HANDLERS = {
  'src/handlers/fault.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    if (KIND === 'catalogue') throw Fault.of('NOT_FOUND', { what: 'location ' + KIND });
    if (KIND === 'own') throw Fault.custom('TOO_EARLY', 425, 'Come back later.', { headers: { 'Retry-After': '7' } });
    if (KIND === 'caused') throw Fault.custom('UPSTREAM', 502, 'No answer.', { cause: new Error('hidden cause') });
    if (KIND === 'header') throw Fault.custom('ODD', 409, 'Odd.', { headers: { 'X-Odd': 'a\\r\\nb: c' } });
    if (KIND === 'framing') throw Fault.custom('ODD', 409, 'Odd.', { headers: { 'content-length': '1' } });
    throw Fault.custom('TEXT', 418, 'é <&> "quoted" \\u0000 ]]>');
  },
};
`,
  'src/handlers/broken.ts': `export default {
  async onRequest({ KIND }) {
    if (KIND === 'error') throw new Error('secret detail of the database');
    if (KIND === 'null') throw null;
    if (KIND === 'text') throw 'secret detail in a text';
    return undefined;
  },
};
`,
  'src/handlers/misfit.ts': `export default {
  onRequest: ({ KIND }) => ({
    long: { NAME: 'longer than five' },
    type: { COUNT: 'seven' },
    unknown: { NAME: 'ok', OTHER: 1 },
    deep: { LIST: [{ N: 1 }, {}] },
    list: [],
    text: 'text',
    unsafe: { COUNT: 2 ** 60 },
  })[KIND],
};
`,
  'src/handlers/hangs.ts': `export default {
  onRequest(_, context) {
    return new Promise((_, reject) => {
      context.signal.addEventListener('abort', () => {
        context.log('info', 'noticed', { reason: context.signal.reason?.code });
        reject(context.signal.reason);
      });
    });
  },
  onError: (fault) => 'late: ' + fault.message,
};
`,
  'src/handlers/on-error.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    if (KIND === 'misfit') return { NAME: 'longer than five' };
    throw Fault.custom('REFUSED', 409, 'The first words.');
  },
  async onError(fault, { KIND }, context) {
    if (KIND === 'throws') throw new Error('secret of onError');
    if (KIND === 'nothing') return undefined;
    if (KIND === 'hangs') return new Promise(() => {});
    return fault.code + ' for ' + context.caller.user + ': ' + fault.message;
  },
};
`,
  'src/handlers/reply.ts': `export default {
  onRequest({ KIND }, context) {
    if (KIND === 'created') return context.reply({ NAME: 'new' }, { status: 201, headers: { Location: '/x/1', 'X-Own': 'yes' } });
    if (KIND === 'moved') return context.reply({}, { status: 303, headers: { Location: '/elsewhere' } });
    if (KIND === 'unchanged') return context.reply({}, { status: 304 });
    if (KIND === 'status') return context.reply({}, { status: 500 });
    if (KIND === 'split') return context.reply({}, { headers: { 'X-Own': 'a\\r\\nSet-Cookie: b' } });
    if (KIND === 'framing') return context.reply({}, { headers: { 'Content-Length': '1' } });
    return context.reply({}, { headers: { 'Content-Type': 'text/html' } });
  },
};
`,
  'src/handlers/bytes.ts': `const state = globalThis.bytesOfTest = { disposed: [] };
export default {
  onRequest({ KIND }, context) {
    const make = (length, body, more = {}) =>
      context.bytes({ contentType: 'text/x-test', length, body, dispose: () => state.disposed.push(KIND), ...more });
    const enc = new TextEncoder();
    switch (KIND) {
      case 'whole': return make(3, enc.encode('abc'), { status: 206, headers: { 'X-Own': 'yes' } });
      case 'stream': return make(6, async function* () { yield enc.encode('abc'); yield enc.encode('def'); });
      case 'empty': return make(0, async function* () {});
      case 'short': return make(9, async function* () { yield enc.encode('abc'); });
      case 'long': return make(4, async function* () { yield enc.encode('abc'); yield enc.encode('def'); });
      case 'wrong': return make(9, enc.encode('abc'));
      case 'fails-first': return make(9, async function* () { throw new Error('secret before the first byte'); });
      case 'fails-later': return make(9, async function* () { yield enc.encode('abc'); throw new Error('secret in the middle'); });
      case 'hangs': return make(9, async function* () { await new Promise(() => {}); });
      case 'large': return make(8 * 65536 * 16, async function* () { for (let i = 0; i < 8 * 16; i++) yield new Uint8Array(65536); });
    }
  },
};
`,
  'src/handlers/facts.ts': `export default {
  onRequest(given, { operation, uriIndex, caller, requestId, log }) {
    return { given: { ...given }, operation: operation.id, uriIndex, user: caller.user ?? null, requestId };
  },
};
`,
  'src/handlers/queries.ts': `export default {
  async onRequest({ KIND }, context) {
    const text = (value) => JSON.stringify(value, (_, each) => typeof each === 'bigint' ? each + 'n' : each);
    switch (KIND) {
      case 'rows': return text(await context.query('DOUBLED', { N: 4503599627370497n, S: 'abc' }));
      case 'limited': return text((await context.query('COUNTED', {}, { maxrows: 3 })).length);
      case 'unlimited': return text((await context.query('COUNTED')).length);
      case 'forbidden': return context.query('FORBIDDEN_FRUIT');
      case 'unknown': return context.query('NO_SUCH');
      case 'missing': return context.query('DOUBLED', { S: 'abc' });
      case 'type': return context.query('DOUBLED', { N: '1 or 1=1' });
      case 'small': return context.query('DOUBLED', { N: 0 });
      case 'long': return context.query('DOUBLED', { N: 1, S: 'longer' });
      case 'stranger': return context.query('DOUBLED', { N: 1, X: 1 });
    }
  },
};
`,
  'src/handlers/waits.ts': `export default {
  async onRequest(_, context) {
    context.log('info', 'waiting');
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    context.log('info', 'stopped waiting');
    throw new Error('the work was given up');
  },
};
`,
};

const TIMEOUT = 250;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(`limits: { timeout: ${TIMEOUT} ms }`),
      'definitions/code.yaml': DEFINITIONS,
      ...HANDLERS,
    },
  });
});
afterAll(() => gateway.stop());

let calls = 0;
interface Told extends Reply {
  /** Lines of the log with the request's id. */
  readonly lines: Record<string, unknown>[];
}

async function get(path: string, headers: Record<string, string> = {}, more: object = {}): Promise<Told> {
  const id = `call-${++calls}`;
  const full = `/gateway/RESTListeningConnector/Code.v1/${path}`;
  const reply = await gateway.call(full, { headers: { 'x-request-id': id, ...headers }, ...more });
  return { ...reply, lines: gateway.log().filter((line) => line.requestId === id) };
}

/** A defect: 500 that tells nothing, and one line of the log that tells everything, beside the usual one. */
function expectDefect({ status, text, lines }: Told, operation: string, words: string): void {
  expect(status, text).toBe(500);
  expect(text).toContain(`${operation} could not be answered.`);
  expect(text).not.toMatch(/secret|\.ts\b|at \w+ \(/);
  const errors = lines.filter((line) => line.level === 'error');
  expect(errors).toEqual([expect.objectContaining({ operation, user: 'demo' })]);
  expect(JSON.stringify(errors[0]?.err)).toContain(words);
  expect(lines.filter((line) => line.level === 'info')).toEqual([
    expect.objectContaining({ status: 500, fault: 'INTERNAL' }),
  ]);
}

describe('a handler that throws a fault', () => {
  it.each([
    ['catalogue', 404, 'There is no location catalogue.', 'NOT_FOUND'],
    ['own', 425, 'Come back later.', 'TOO_EARLY'],
    ['caused', 502, 'No answer.', 'UPSTREAM'],
  ])('%s', async (kind, status, MESSAGE, CODE) => {
    const reply = await get(`fault/${kind}`);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE, CODE });
    expect(reply.headers['retry-after']).toBe(kind === 'own' ? '7' : undefined);
    expect(reply.lines.filter((line) => line.level === 'error')).toHaveLength(kind === 'caused' ? 1 : 0);
    expect(reply.text).not.toContain('hidden');
  });

  it('may use any text, in JSON and XML', async () => {
    const json = await get('fault/text');
    expect(json.status).toBe(418);
    expect(JSON.parse(json.text).MESSAGE).toMatch(/^é <&> "quoted" . ]]>$/);
    const xml = await get('fault/text', { accept: 'application/xml' });
    expect(xml.headers['content-type']).toBe('application/xml');
    expect(xml.text).toMatch(/<MESSAGE>é &lt;&amp;&gt; "quoted" . ]]&gt;<\/MESSAGE>/);
  });

  it.each(['header', 'framing'])('with a bad %s is a defect', async (kind) => {
    const reply = await get(`fault/${kind}`);
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'FAULT could not be answered.', CODE: 'INTERNAL' });
    expect(reply.lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });
});

describe('a handler with a defect', () => {
  it.each([
    ['error', 'secret detail of the database'],
    ['null', 'null'],
    ['text', 'secret detail in a text'],
    ['undefined', 'ANSWER'],
  ])('that throws %s tells the log alone, once', async (kind, words) => {
    expectDefect(await get(`broken/${kind}`), 'BROKEN', words);
  });

  it.each([
    ['long', 'NAME is longer than 5 characters'],
    ['type', 'COUNT is a string, not an integer'],
    ['unknown', 'OTHER is not a field of ANSWER'],
    ['deep', 'LIST[1].N is missing'],
    ['list', 'ANSWER is a list'],
    ['text', 'is a text, where a document is declared'],
    ['unsafe', 'COUNT is beyond 2^53 - 1'],
  ])('that returns what does not fit (%s) names the place in the log', async (kind, words) => {
    expectDefect(await get(`misfit/${kind}`), 'MISFIT', words);
    expectDefect(await get(`misfit/${kind}`, { accept: 'application/xml' }), 'MISFIT', words);
  });
});

describe('a handler that takes too long', () => {
  it('is 504 when the time is up, and its signal says so', async () => {
    const from = performance.now();
    const reply = await get('hangs');
    expect(performance.now() - from).toBeGreaterThan(TIMEOUT * 0.9);
    expect(reply.status).toBe(504);
    expect(JSON.parse(reply.text)).toEqual({
      MESSAGE: 'late: HANGS took longer than 0.25 s and was stopped.',
      CODE: 'TIMEOUT',
    });
    expect(reply.lines).toEqual([
      expect.objectContaining({ msg: 'noticed', reason: 'TIMEOUT' }),
      expect.objectContaining({ status: 504, fault: 'TIMEOUT' }),
    ]);
  });
});

describe('onError', () => {
  it('says what the caller reads', async () => {
    const reply = await get('on-error/plain');
    expect(reply.status).toBe(409);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'REFUSED for demo: The first words.', CODE: 'REFUSED' });
  });

  it('speaks for a reply that does not fit, too', async () => {
    const reply = await get('on-error/misfit');
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text).MESSAGE).toBe('INTERNAL for demo: ON_ERROR could not be answered.');
  });

  it.each([
    ['throws', 'secret of onError'],
    ['nothing', 'onError returned undefined'],
    ['hangs', 'took longer than 0.25 s'],
  ])('that %s leaves the fault as it was', async (kind, words) => {
    const reply = await get(`on-error/${kind}`);
    expect(reply.status).toBe(409);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'The first words.', CODE: 'REFUSED' });
    const errors = reply.lines.filter((line) => line.level === 'error');
    expect(errors).toEqual([expect.objectContaining({ msg: 'onError of ON_ERROR failed.' })]);
    expect(JSON.stringify(errors[0]?.err)).toContain(words);
  });

  it('is not asked about what came before the handler', async () => {
    const reply = await get('on-error/plain', { authorization: GUEST });
    expect(JSON.parse(reply.text)).toEqual({
      MESSAGE: 'User guest may not use operation ON_ERROR.',
      CODE: 'FORBIDDEN',
    });
  });
});

describe('context.reply', () => {
  it('has a status and headers of its own', async () => {
    const created = await get('reply/created');
    expect([created.status, created.text]).toEqual([201, '{"NAME":"new"}']);
    expect(created.headers).toMatchObject({ location: '/x/1', 'x-own': 'yes', 'cache-control': 'no-store' });
    expect((await get('reply/moved')).status).toBe(303);
    expect(await get('reply/unchanged')).toMatchObject({ status: 304, text: '' });
  });

  it.each([
    ['status', 'must be 200 to 399, not 500'],
    ['split', 'Invalid character in header content'],
    ['framing', 'the gateway sets the header Content-Length itself'],
    ['type', 'the gateway sets the header Content-Type itself'],
  ])('with a bad %s is a defect', async (kind, words) => {
    expectDefect(await get(`reply/${kind}`), 'REPLY', words);
  });
});

const disposed = (): string[] =>
  (globalThis as unknown as { bytesOfTest: { disposed: string[] } }).bytesOfTest.disposed;

describe('context.bytes', () => {
  it.each([
    ['whole', 206, 'abc'],
    ['stream', 200, 'abcdef'],
    ['empty', 200, ''],
  ])('%s', async (kind, status, text) => {
    const reply = await get(`bytes/${kind}`);
    expect(reply).toMatchObject({ status, text });
    expect(reply.headers).toMatchObject({ 'content-type': 'text/x-test', 'content-length': String(text.length) });
    expect(disposed()).toContain(kind);
    expect(reply.lines).toEqual([expect.objectContaining({ status, bytes: text.length })]);
  });

  it('is streamed, and HEAD has its length alone', async () => {
    expect((await get('bytes/large')).text).toHaveLength(8 * 1024 * 1024);
    const head = await get('bytes/large', {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(8 * 1024 * 1024));
    expect(disposed().filter((kind) => kind === 'large')).toHaveLength(2);
  });

  it.each([
    ['wrong', '3 bytes is said to have 9'],
    ['fails-first', 'secret before the first byte'],
  ])('that %s before its first byte is a fault like any other', async (kind, words) => {
    expectDefect(await get(`bytes/${kind}`), 'BYTES', words);
    expect(disposed()).toContain(kind);
  });

  it('is 504 where the first byte does not come in time', async () => {
    expect((await get('bytes/hangs')).status).toBe(504);
  });

  it.each([
    ['short', 'ended after 3'],
    ['long', 'holds more'],
    ['fails-later', 'secret in the middle'],
  ])('that is %s ends the connection, so that it never looks whole', async (kind, words) => {
    const from = gateway.log().length;
    await expect(get(`bytes/${kind}`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    const lines = await eventually('the line of the reply', () => {
      const found = gateway.log().slice(from);
      return found.length >= 2 ? found : undefined;
    });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', complete: false, bytes: 3 }),
      expect.objectContaining({ level: 'error', operation: 'BYTES' }),
    ]);
    expect(JSON.stringify(lines)).toContain(words);
    expect(disposed()).toContain(kind);
  });
});

describe('what a handler knows', () => {
  it('is the call, which URI it came by, and who calls', async () => {
    const { text } = await get('facts/5', { 'x-request-id': 'my-id' });
    expect(JSON.parse(text)).toEqual({
      given: { ID: 5 },
      operation: 'FACTS',
      uriIndex: 2,
      user: 'demo',
      requestId: 'my-id',
    });
    expect(JSON.parse((await get('facts')).text)).toMatchObject({ given: {}, uriIndex: 1 });
  });

  it('is nobody where the operation is public', async () => {
    expect(JSON.parse((await get('open-facts', {}, { anonymous: true })).text)).toMatchObject({ user: null });
  });
});

describe('context.query', () => {
  it('returns typed rows', async () => {
    expect((await get('queries/rows')).text).toBe('[{"TWICE":"9007199254740994n","S":"abc"}]');
    expect((await get('queries/limited')).text).toBe('3');
    expect((await get('queries/unlimited')).text).toBe('50');
  });

  it.each([
    ['forbidden', 403, 'User demo may not use query FORBIDDEN_FRUIT.'],
    ['unknown', 404, 'There is no query NO_SUCH.'],
    ['missing', 400, 'Prompt N is missing.'],
    ['type', 400, 'Prompt N is not an integer.'],
    ['small', 400, 'Prompt N is less than 1.'],
    ['long', 400, 'Prompt S is longer than 3 characters.'],
    ['stranger', 400, 'X is not a prompt of DOUBLED.'],
  ])('%s is %i', async (kind, status, words) => {
    const reply = await get(`queries/${kind}`);
    expect(reply.status, reply.text).toBe(status);
    expect(reply.text).toContain(words);
  });

  it('runs under the grants of whoever calls', async () => {
    const reply = await get('open-queries/rows', {}, { anonymous: true });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('An anonymous caller may not use query DOUBLED.');
    expect((await get('open-queries/limited', {}, { anonymous: true })).text).toBe('3');
  });
});

describe('a caller that goes away', () => {
  it('ends the work, and is no defect', async () => {
    const path = '/gateway/RESTListeningConnector/Code.v1/waits';
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nX-Request-Id: goes-away\r\n\r\n`);
    const lines = () => gateway.log().filter((line) => line.requestId === 'goes-away');
    await eventually('the handler', () => lines().find((line) => line.msg === 'waiting'));
    socket.destroy();
    await eventually('the end of the call', () => lines().find((line) => line.status !== undefined));
    expect(lines()).toEqual([
      expect.objectContaining({ msg: 'waiting' }),
      expect.objectContaining({ msg: 'stopped waiting' }),
      expect.objectContaining({ level: 'info', status: 499, fault: 'ABANDONED' }),
    ]);
  });
});
