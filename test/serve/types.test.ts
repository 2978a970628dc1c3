import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { recordedIn } from '../support/recorded.ts';

const DEFINITIONS = `service: Types.v1
permission: EVERYTHING
operations:
  ECHO:
    post: Echo
    request: EVERY_TYPE
    response: EVERY_TYPE
  BY_KEY:
    get: Keys/{KEY}{?LINK,MARKS}
    request: { fields: { KEY: uuid, LINK: uri, MARKS: list of uuid } }
    response: { fields: { KEY: uuid, LINK: uri, MARKS: list of uuid } }
    handler: echo
  SHAPES:
    get: Shapes
    response: SHAPES
  STRICT:
    post: Strict/{ID}
    request:
      fields:
        ID: { type: integer, minimum: 1, maximum: 99 }
        KEY: { type: string(8), required: true, sensitive: true, pattern: "[a-z]+" }
    headers: { X-Key: "{KEY}" }
    response: { fields: { LENGTH: integer } }
  HIDDEN:
    get: Hidden/{CODE}{?PIN}
    request:
      fields:
        CODE: { type: string(12), sensitive: true }
        PIN: { type: integer, sensitive: true }
        TOKEN: { type: string, sensitive: true }
        WORDS: list of string(5)
    headers: { X-Token: "{TOKEN}", X-Words: "{WORDS}" }
    response: { fields: { LENGTH: integer, WORDS: list of string } }
  HIDDEN_PUT:
    put: Hidden/{CODE}
    request: { fields: { CODE: { type: string(12), sensitive: true } } }
    response: none
    handler: hidden
---
routing: LOUD
operation: HIDDEN
log: header
---
document: EVERY_TYPE
fields:
  S: string(5)
  T: text
  I: { type: integer, minimum: -10 }
  D: { type: decimal(20.4), maximum: 1000000000000000 }
  B: boolean
  F: flag
  DAY: date
  AT: time
  WHEN: datetime
  KEY: uuid
  LINK: { type: uri, maximum: 40 }
  BIN: binary
  ANY: json
  TREE: xml
  PEOPLE: { type: list of PERSON, minimum: 1, maximum: 3 }
  TAGS: { type: list of string(3), flat: true }
  BOSS: PERSON
  PLACE: { fields: { CITY: { type: string(10), required: true }, ZIP: { type: string, pattern: "[0-9]{5}" } } }
  KIND: { type: string, enum: [Fast, Slow], any-case: true }
  LEVEL: { type: integer, enum: [1, 2, 3], default: 2 }
  VERSION: { type: string, fixed: one }
  SECRET: { type: string(6), sensitive: true }
  NOTE: { type: string, json: "the note", xml: Note }
  EXTRA: { open: true, fields: { KNOWN: integer } }
---
document: PERSON
fields:
  NAME: { type: string(10), required: true }
  AGE: integer
---
document: SHAPES
namespace: urn:shapes
xml: shapes
root: true
fields:
  ID: { type: integer, attribute: true }
  CODE: { type: string, namespace: "urn:codes" }
  GIVEN: { type: list of PERSON }
  EMPTY: list of PERSON
  FLAT: { type: list of integer, flat: true }
  BLANK_LIST: { type: list of PERSON, absent: blank }
  BLANK_TEXT: { type: string, absent: blank }
  LEFT_OUT: string
  ROWS: { flat: true, list: { xml: row, fields: { N: { type: integer, attribute: true } } } }
`;

const handler = (body: string): string => `export default { ${body} };\n`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/types.yaml': DEFINITIONS,
      'src/handlers/echo.ts': handler('onRequest: ({ SECRET, ...rest }) => rest'),
      'src/handlers/shapes.ts': handler(`onRequest: () => ({
        ID: 9007199254740993n, CODE: 'a<b', GIVEN: [{ NAME: 'Ann', AGE: 3 }], EMPTY: [], FLAT: [1, 2], ROWS: [{ N: 1 }, { N: 2 }],
      })`),
      'src/handlers/hidden.ts': handler('onRequest: ({ CODE, WORDS }) => ({ LENGTH: CODE.length, WORDS })'),
      'src/handlers/strict.ts': handler('onRequest: ({ KEY }) => ({ LENGTH: KEY.length })'),
    },
  });
});
afterAll(() => gateway.stop());

const BASE = '/gateway/RESTListeningConnector/Types.v1';

function post(body: string, accept = 'application/json'): Promise<Reply> {
  return gateway.call(`${BASE}/Echo`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept },
  });
}

async function refused(body: string): Promise<string> {
  const reply = await post(body);
  expect(reply.status, reply.text).toBe(400);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  return (JSON.parse(reply.text) as { detail: string }).detail;
}

const WHOLE = [
  '"S":"five!"',
  '"T":"line 1\\nline <2> & \\"3\\" é 😀"',
  '"I":9007199254740993',
  '"D":12345678901234.5600',
  '"B":false',
  '"F":"Y"',
  '"DAY":"2024-02-29"',
  '"AT":"23:59:59"',
  '"WHEN":"2026-03-01T06:00:00+01:00"',
  '"KEY":"0f8fad5b-d9cb-469f-a165-70867728950e"',
  '"LINK":"https://example.com/a?b=%20&c#d"',
  '"BIN":"AAECAw=="',
  '"ANY":{"a":[1,null,12345678901234567890],"b":"x"}',
  '"TREE":"<t a=\'1\'/>"',
  '"PEOPLE":[{"NAME":"Ann","AGE":30},{"NAME":"Bo"}]',
  '"TAGS":["a","b"]',
  '"BOSS":{"NAME":"Cy"}',
  '"PLACE":{"CITY":"Rome","ZIP":"00100"}',
  '"KIND":"Fast"',
  '"LEVEL":3',
  '"VERSION":"one"',
  '"the note":"n"',
  '"EXTRA":{"KNOWN":1,"other":[true]}',
];

describe('every type, in and out', () => {
  it('is the same text in JSON, digits and order included', async () => {
    const reply = await post(`{${WHOLE.join(',')}}`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.text).toBe(`{${WHOLE.join(',')}}`);
  });

  it('takes members in any order and writes them in declared order', async () => {
    const reply = await post(`{${WHOLE.toReversed().join(',')}}`);
    expect(reply.text).toBe(`{${WHOLE.join(',')}}`);
  });

  it('has one XML form', async () => {
    const reply = await post(`{${WHOLE.join(',')}}`, 'application/xml');
    expect(reply.headers['content-type']).toBe('application/xml');
    expect(reply.text).toBe(
      [
        '<EVERY_TYPE xmlns="urn:test:Types.v1"><S>five!</S>',
        '<T>line 1\nline &lt;2&gt; &amp; "3" é 😀</T>',
        '<I>9007199254740993</I><D>12345678901234.5600</D><B>false</B><F>Y</F>',
        '<DAY>2024-02-29</DAY><AT>23:59:59</AT><WHEN>2026-03-01T06:00:00+01:00</WHEN>',
        '<KEY>0f8fad5b-d9cb-469f-a165-70867728950e</KEY><LINK>https://example.com/a?b=%20&amp;c#d</LINK>',
        '<BIN>AAECAw==</BIN>',
        '<ANY>{"a":[1,null,12345678901234567890],"b":"x"}</ANY><TREE>&lt;t a=\'1\'/&gt;</TREE>',
        '<PEOPLE><PERSON><NAME>Ann</NAME><AGE>30</AGE></PERSON><PERSON><NAME>Bo</NAME></PERSON></PEOPLE>',
        '<TAGS>a</TAGS><TAGS>b</TAGS><BOSS><NAME>Cy</NAME></BOSS><PLACE><CITY>Rome</CITY><ZIP>00100</ZIP></PLACE>',
        '<KIND>Fast</KIND><LEVEL>3</LEVEL><VERSION>one</VERSION><Note>n</Note>',
        '<EXTRA><KNOWN>1</KNOWN><other xmlns="">true</other></EXTRA></EVERY_TYPE>',
      ].join(''),
    );
  });

  it('fills in defaults and fixed values, takes any case of an enum and other spellings of values', async () => {
    const reply = await post('{"KIND":"sLOW","F":"n","B":true,"D":"1.50","I":"7"}');
    expect(reply.text).toBe('{"I":7,"D":1.50,"B":true,"F":"N","KIND":"Slow","LEVEL":2,"VERSION":"one"}');
    const key = '{"KEY":"0F8FAD5B-D9CB-469F-A165-70867728950E"}';
    expect((await post(key)).text).toContain('"KEY":"0f8fad5b-d9cb-469f-a165-70867728950e"');
    expect((await post('{}')).text).toBe('{"LEVEL":2,"VERSION":"one"}');
    expect((await post('{"S":null,"PEOPLE":null}')).text).toBe('{"LEVEL":2,"VERSION":"one"}');
  });
});

describe('a UUID and a URI in the address', () => {
  it('are read as in a body', async () => {
    const link = encodeURIComponent('urn:a:%C3%A9?=b');
    const { text } = await gateway.call(
      `${BASE}/Keys/0F8FAD5B-D9CB-469F-A165-70867728950E?LINK=${link}&MARKS=00000000-0000-0000-0000-00000000000A`,
    );
    expect(JSON.parse(text)).toEqual({
      KEY: '0f8fad5b-d9cb-469f-a165-70867728950e',
      LINK: 'urn:a:%C3%A9?=b',
      MARKS: ['00000000-0000-0000-0000-00000000000a'],
    });
  });

  it('are refused as in a body', async () => {
    const detail = async (path: string) => JSON.parse((await gateway.call(`${BASE}/Keys/${path}`)).text).detail;
    expect(await detail('7')).toBe('KEY is not a UUID (8-4-4-4-12 hexadecimal digits).');
    expect(await detail('0f8fad5b-d9cb-469f-a165-70867728950e?LINK=a')).toBe(
      'LINK is not a URI with a scheme (RFC 3986).',
    );
  });
});

describe('the options that shape a reply', () => {
  it('in JSON: root label, lists that are empty, blank or left out', async () => {
    const { text } = await gateway.call(`${BASE}/Shapes`);
    expect(text).toBe(
      '{"SHAPES":{"ID":9007199254740993,"CODE":"a<b","GIVEN":[{"NAME":"Ann","AGE":3}],"EMPTY":[],"FLAT":[1,2],' +
        '"BLANK_LIST":{"NAME":"","AGE":null},"BLANK_TEXT":"","ROWS":[{"N":1},{"N":2}]}}',
    );
  });

  it('in XML: root name, namespaces, attributes, flat lists and names of entries', async () => {
    const { text } = await gateway.call(`${BASE}/Shapes`, { headers: { accept: 'text/html, application/xml' } });
    expect(text).toBe(
      '<shapes xmlns="urn:shapes" ID="9007199254740993"><CODE xmlns="urn:codes">a&lt;b</CODE>' +
        '<GIVEN><PERSON><NAME xmlns="urn:test:Types.v1">Ann</NAME><AGE xmlns="urn:test:Types.v1">3</AGE></PERSON></GIVEN>' +
        '<EMPTY/><FLAT>1</FLAT><FLAT>2</FLAT>' +
        '<BLANK_LIST><PERSON><NAME xmlns="urn:test:Types.v1"/></PERSON></BLANK_LIST><BLANK_TEXT/>' +
        '<ROWS N="1"/><ROWS N="2"/></shapes>',
    );
  });
});

describe('what does not fit is 400 and names its place', () => {
  it.each([
    ['{"S":"longer"}', 'S is longer than 5 characters.'],
    ['{"S":"😀😀😀😀😀😀"}', 'S is longer than 5 characters.'],
    ['{"S":5}', 'S is a number, not a string.'],
    ['{"T":"\\u0000"}', 'T '],
    ['{"T":"\\ud800"}', 'T '],
    ['{"I":1.5}', 'I is not an integer.'],
    ['{"I":"x"}', 'I is not an integer.'],
    ['{"I":-11}', 'I is less than -10.'],
    ['{"D":1.23456}', 'D has more than 4 digits after the point.'],
    ['{"D":1000000000000000.5}', 'D is greater than 1000000000000000.'],
    ['{"D":"abc"}', 'D is not a decimal.'],
    ['{"B":"yes"}', 'B is a string, not true or false.'],
    ['{"F":"J"}', 'F '],
    ['{"DAY":"2023-02-29"}', 'DAY '],
    ['{"AT":"24:00"}', 'AT '],
    ['{"WHEN":"yesterday"}', 'WHEN '],
    ['{"KEY":"0f8fad5b"}', 'KEY is not a UUID (8-4-4-4-12 hexadecimal digits).'],
    ['{"KEY":7}', 'KEY is a number, not a string.'],
    ['{"LINK":"/a"}', 'LINK is not a URI with a scheme (RFC 3986).'],
    ['{"LINK":"https://example.com/a/path/that/is/too/long"}', 'LINK is longer than 40 characters.'],
    ['{"BIN":"***"}', 'BIN '],
    ['{"PEOPLE":[]}', 'PEOPLE has fewer than 1 entry.'],
    ['{"PEOPLE":[{"NAME":"a"},{"NAME":"b"},{"NAME":"c"},{"NAME":"d"}]}', 'PEOPLE has more than 3 entries.'],
    ['{"PEOPLE":[{"NAME":"a"},{"AGE":1}]}', 'PEOPLE[1].NAME is missing.'],
    ['{"PEOPLE":{"NAME":"a"}}', 'PEOPLE is an object, not a list.'],
    ['{"TAGS":["ok","long"]}', 'TAGS[1] is longer than 3 characters.'],
    ['{"BOSS":{"NAME":"ann","agE":1}}', 'BOSS.agE is not a field of PERSON (did you mean AGE?).'],
    ['{"PLACE":{"ZIP":"00100"}}', 'PLACE.CITY is missing.'],
    ['{"PLACE":{"CITY":"Rome","ZIP":"100"}}', 'PLACE.ZIP does not match the pattern [0-9]{5}.'],
    ['{"KIND":"Fasst"}', 'KIND is "Fasst", not one of Fast, Slow (did you mean Fast?).'],
    ['{"LEVEL":4}', 'LEVEL is "4", not one of 1, 2, 3.'],
    ['{"VERSION":"two"}', 'VERSION is not "one", its only value.'],
    ['{"NOTE":"x"}', 'NOTE is not a field of EVERY_TYPE'],
    ['{"EXTRA":{"KNOWN":"x"}}', 'EXTRA.KNOWN is not an integer.'],
    ['{"UNKNOWN":1}', 'UNKNOWN is not a field of EVERY_TYPE'],
    ['{"__proto__":{"S":"x"}}', '__proto__'],
    ['[]', 'Invalid request body: it is a list, not an object.'],
    ['{"S":', 'Invalid request body: it is not JSON'],
  ])('%s', async (body, words) => {
    expect(await refused(body)).toContain(words);
  });

  it('deep nesting is refused rather than followed', async () => {
    expect(await refused(`{"ANY":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toContain('levels deep');
  });
});

describe('a sensitive value', () => {
  const strict = (id: string, key: string): Promise<Reply> =>
    gateway.call(`${BASE}/Strict/${id}`, { method: 'POST', headers: { 'x-key': key } });

  it('works, and is in no reply and no line of the log, right or wrong', async () => {
    expect((await strict('5', 'hushhush')).text).toBe('{"LENGTH":8}');
    const wrong = await strict('5', 'HUSH-2');
    expect(JSON.parse(wrong.text)).toMatchObject({ status: 400, detail: 'X-Key does not match the pattern [a-z]+.' });
    expect(await refused('{"SECRET":"hush-hush-hush"}')).toBe('SECRET is longer than 6 characters.');
    expect((await post('{"SECRET":"hushy"}')).text).not.toContain('hush');
    expect(JSON.stringify(gateway.log())).not.toMatch(/hush/i);
  });

  it('is masked in paths and headers that the log and the message store keep', async () => {
    const sent = { 'x-token': 'hush-token', 'x-words': 'one, two', 'x-request-id': 'hidden' };
    for (const base of [BASE, BASE.replace('.v1', ''), BASE.replace('Types', 'LOCAL/Types')]) {
      const reply = await gateway.call(`${base}/Hidden/hush.hush%2F1?PIN=987654321`, { headers: sent });
      expect(reply.text).toBe('{"LENGTH":11,"WORDS":["one","two"]}');
      expect((await gateway.call(`${base}/Hidden/hush.hush.hush?PIN=987654321x`, { headers: sent })).status).toBe(400);
    }
    // Where two operations share a path, neither answers for what fits none of them.
    for (const [method, path, status] of [
      ['OPTIONS', 'Hidden/hush', 204],
      ['DELETE', 'Hidden/hush', 405],
      ['GET', 'Hidden/hush/hush', 404],
    ] as const) {
      expect((await gateway.call(`${BASE}/${path}`, { method })).status).toBe(status);
      expect(gateway.log().at(-1)).toMatchObject({ method, status, path: `${BASE}/***` });
    }
    expect((await gateway.call(`${BASE}.wadl`)).status).toBe(200);
    expect(gateway.log().at(-1)).toMatchObject({ path: `${BASE}.wadl` });
    const lines = gateway.log().filter(({ requestId }) => requestId === 'hidden');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({ path: `${BASE}/***` });
    const recorded = await eventually('the records', () => {
      const own = recordedIn(gateway).filter(({ request_id }) => request_id === 'hidden');
      return own.length === 6 ? own : undefined;
    });
    const headers = expect.objectContaining({ 'x-token': '***', 'x-words': 'one, two' });
    for (const { parts } of recorded)
      expect(parts.call).toMatchObject({ path: expect.stringMatching(/\/\*\*\*$/), headers });
    expect(JSON.stringify([gateway.log(), recordedIn(gateway)])).not.toMatch(/hush|987654321/);
  });

  it('is required where it is said to be, wherever it travels', async () => {
    const reply = await gateway.call(`${BASE}/Strict/5`, { method: 'POST' });
    expect(JSON.parse(reply.text)).toMatchObject({ status: 400, detail: 'KEY is missing.' });
    expect(JSON.parse((await strict('100', 'abc')).text)).toMatchObject({ detail: 'ID is greater than 99.' });
    expect(JSON.parse((await strict('1e1', 'abc')).text)).toMatchObject({ detail: 'ID is not an integer.' });
  });
});
