import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const REST = '/gateway/RESTListeningConnector/';
const PIN = 'pin"7Q/é';
const COUNT = 48151623;
/** However it is written. */
const SPOKEN = /7Q|48151623/;

const DEFINITIONS = `document: SAID
fields:
  HOW: string
  PIN: { type: string(20), sensitive: true }
  COUNT: { type: integer, sensitive: true }
  INNER: { fields: { KEYS: { list: { fields: { KEY: { type: string, sensitive: true } } } } } }
---
document: RECORD
fields:
  ID: { type: integer, required: true }
  HOW: string
  PIN: { type: string(20), sensitive: true }
---
component: RECORDS
table: record
shape: RECORD
keys: [ID]
events:
  - { event: SavePreChange, service: BEFORE }
  - { event: SavePostChange, service: AFTER }
---
{ related-content: BEFORE, class: before, public: true }
---
{ related-content: AFTER, class: after, public: true }
---
process: WORK
type: Application Engine
permission: EVERYTHING
parameters: { PIN: { type: string(20), sensitive: true }, COUNT: { type: integer, sensitive: true }, HOW: string }
retry: { attempts: 2, first: 10 ms, longest: 10 ms }
---
service: Words.v1
permission: EVERYTHING
operations:
  WORDS_POST: { post: words, soap: true, request: SAID, response: json, handler: words }
  PLAIN_POST: { post: plain, request: { fields: { PIN: string } }, response: json, handler: words }
  RECORD_PUT: { put: "records/{ID}", save: RECORDS }
  CODE_PUT: { put: "code/{ID}", request: { fields: { ID: integer, OTHER: string, HOW: string } }, response: json, handler: code }
`;

const FILES = {
  'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql\ndelivered: [PROCESSREQUEST.v1]'),
  'definitions/users.yaml': USERS.replace(
    'permission-list: EVERYTHING\n',
    'permission-list: EVERYTHING\noperations: [PROCESSREQUEST.*]\n',
  ),
  'definitions/words.yaml': DEFINITIONS,
  'definitions/data/tables.sql': 'create table record (id integer primary key, how text, pin text);\n',
  'src/handlers/words.ts': `import { Fault } from 'signalbox';
export default {
  async onRequest(request, context) {
    const { HOW, PIN, COUNT } = request;
    if (HOW === 'taken') delete request.PIN;
    context.log('info', 'asked with ' + PIN, { request, [PIN]: [COUNT, BigInt(COUNT ?? 1)], when: new Date(0), left: 'kept' });
    const cause = Object.assign(new Error('cause ' + PIN), { request });
    context.log('warn', 'an error', { err: cause });
    if (HOW === 'error') throw Object.assign(new Error('boom ' + PIN, { cause }), { count: COUNT, url: '/a?' + encodeURIComponent(PIN) });
    if (HOW === 'text') throw 'boom ' + PIN;
    if (HOW === 'fault') throw Fault.custom('AWAY', 502, 'No answer for ' + PIN, { cause });
    if (HOW === 'bytes') return context.bytes({ contentType: 'text/plain', length: 9, async *body() { yield new Uint8Array(1); throw cause; } });
    return { HOW };
  },
  onError(fault, { PIN }) { throw new Error('onError of ' + PIN); },
};
`,
  'src/handlers/code.ts': `export default {
  async onRequest({ ID, OTHER, HOW }, context) {
    await context.saveComponent('RECORDS', { ID, HOW, PIN: OTHER });
    return {};
  },
};
`,
  'src/handlers/before.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ log, before, after }) {
    log('info', 'before', { before, after });
    if (after.HOW === 'before') throw new Error('before ' + after.PIN);
  }
}
`,
  'src/handlers/after.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ log, after, attempt }) {
    log('info', 'after ' + after.PIN);
    if (after.HOW === 'after' && attempt === 1) throw new Error('after ' + after.PIN);
  }
}
`,
  'src/handlers/work.ts': `import { Fault } from 'signalbox';
export default {
  run(parameters, context) {
    const { PIN, COUNT, HOW } = parameters;
    context.message('info', 'works with ' + PIN + ' and ' + COUNT + ', ' + HOW);
    context.progress(50, 'half of ' + PIN);
    context.log('info', 'a process', { parameters });
    if (HOW === 'refuse') throw Fault.custom('NO', 409, 'Not with ' + PIN);
    throw new TypeError('process ' + PIN);
  },
};
`,
};

let test: TestGateway;
let heard = 0;
beforeAll(async () => {
  test = await startTestGateway({ files: FILES });
});
beforeEach(() => {
  heard = test.log().length;
});
afterAll(() => test.stop());

const lines = () => test.log().slice(heard);
const line = (message: string) => eventually(message, async () => lines().find(({ msg }) => msg === message));

const json = { 'content-type': 'application/json' };
const INNER = { KEYS: [{ KEY: 'deep7Q' }] };
const say = (HOW: string, more = {}) =>
  test.call(`${REST}Words.v1/words`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ HOW, PIN, COUNT, INNER, ...more }),
  });

describe('what code says of a request', () => {
  it('is logged without what is sensitive in it', async () => {
    expect((await say('well')).status).toBe(200);
    expect(await line('asked with ***')).toMatchObject({
      request: { HOW: 'well', PIN: '***', COUNT: '***', INNER: { KEYS: [{ KEY: '***' }] } },
      '***': ['***', '***'],
      when: '1970-01-01T00:00:00.000Z',
      left: 'kept',
      operation: 'WORDS_POST',
    });
    expect(await line('an error')).toMatchObject({ err: { message: 'cause ***', request: { PIN: '***' } } });
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it.each([
    ['error', 500, 'WORDS_POST', { message: 'boom ***: cause ***', count: '***', url: '/a?***' }],
    ['text', 500, 'WORDS_POST', 'boom ***'],
    ['fault', 502, 'No answer for ***', { message: 'cause ***' }],
  ])('is so where it throws: %s', async (how, status, words, err) => {
    expect((await say(how)).status).toBe(status);
    await line('onError of WORDS_POST failed.');
    const [failure, onError] = lines().filter(({ level }) => level === 'error');
    expect(failure?.msg).toContain(words);
    expect(failure).toMatchObject({ err });
    expect(onError).toMatchObject({ err: { message: 'onError of ***' } });
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it('is so where code has taken it out of the request before', async () => {
    expect((await say('taken')).status).toBe(200);
    expect(await line('asked with ***')).toMatchObject({ request: { HOW: 'taken' } });
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it('is so in the middle of a reply', async () => {
    await say('bytes').catch(() => undefined);
    expect(await line('The reply of WORDS_POST could not be sent completely.')).toMatchObject({
      err: { message: 'cause ***' },
    });
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it('is so over SOAP', async () => {
    const body =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      '<WORDS_POST xmlns="urn:test:Words.v1"><HOW>error</HOW><PIN>pin-7Q</PIN></WORDS_POST></s:Body></s:Envelope>';
    const headers = { 'content-type': 'text/xml' };
    const { status } = await test.call('/gateway/PeopleSoftServiceListeningConnector', {
      method: 'POST',
      headers,
      body,
    });
    expect(status).toBe(500);
    expect(await line('asked with ***')).toBeDefined();
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it('is logged as it is where nothing is sensitive', async () => {
    await test.call(`${REST}Words.v1/plain`, { method: 'POST', headers: json, body: JSON.stringify({ PIN: 'open' }) });
    expect(await line('asked with open')).toMatchObject({ request: { PIN: 'open' } });
  });
});

describe('what a process says', () => {
  const schedule = async (how: string): Promise<number> => {
    const { text } = await test.call(`${REST}ProcessRequest.v1/requests`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({
        RunControlId: 'RC',
        ProcessType: 'Application Engine',
        ProcessName: 'WORK',
        parameters: Object.entries({ PIN, COUNT: `0${COUNT}`, HOW: how }).map(([Name, Value]) => ({ Name, Value })),
      }),
    });
    return Number(/"\w*[Ii]nstance"\s*:\s*"?(\d+)/.exec(text)?.[1]);
  };
  const ended = (instance: number) =>
    eventually('its end', async () => {
      const { text } = await test.call(`${REST}ProcessRequest.v1/requests/${instance}`);
      return /"(Error|Not Successful|No Success)"/.test(text) ? text : undefined;
    });

  it.each([
    ['throws', ['Attempt 1 failed: process *** The next', 'Attempt 2 failed and no other follows: process ***']],
    ['refuse', ['Not with ***']],
  ])('is masked in its messages, its progress and the log: %s', async (how, words) => {
    const instance = await schedule(how);
    const shown = await ended(instance);
    const { text } = await test.call(`${REST}ProcessRequest.v1/requests/${instance}/messages`);
    expect(text).toContain(`works with *** and ***, ${how}`);
    for (const each of words) expect(text).toContain(each);
    expect(await line('a process')).toMatchObject({ parameters: { PIN: '***', COUNT: '***', HOW: how } });
    if (how === 'throws') expect(await line('process ***')).toMatchObject({ err: { message: 'process ***' } });
    expect(shown + text + JSON.stringify(lines())).not.toMatch(SPOKEN);
  });
});

describe('what a class says', () => {
  const save = (path: string, record: object) =>
    test.call(`${REST}Words.v1/${path}`, { method: 'PUT', headers: json, body: JSON.stringify(record) });

  it('is masked before and after a save', async () => {
    expect((await save('records/1', { HOW: 'after', PIN: 'old7Q' })).status).toBe(201);
    expect(await line('after ***')).toMatchObject({ component: 'RECORDS' });
    await eventually('the failed attempt', async () => lines().find(({ level, err }) => level === 'error' && err));
    expect((await save('records/1', { HOW: 'before', PIN: 'new7Q' })).status).toBe(500);
    expect(JSON.stringify(lines())).toContain('before ***');
    expect(lines().filter(({ msg }) => msg === 'before')).toMatchObject([
      { after: { PIN: '***' } },
      { before: { PIN: '***' }, after: { PIN: '***' } },
    ]);
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });

  it('is so where code saves what is no secret of its own request', async () => {
    expect((await save('code/2', { HOW: 'before', OTHER: 'mine7Q' })).status).toBe(500);
    expect(JSON.stringify(lines())).toContain('before ***');
    expect(JSON.stringify(lines())).not.toMatch(SPOKEN);
  });
});
