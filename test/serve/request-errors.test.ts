import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { envelope, HTTP, SERVICES } from './soap-client.ts';

const DEFINITIONS = `document: CAR
fields:
  REGION: { type: string(5), required: true, enum: [North, South] }
  PLATE: { type: string(8), required: true, json: plate/no }
  SEATS: { type: integer, minimum: 1, maximum: 9 }
  SINCE: date
  SECRET: { type: string(4), sensitive: true, pattern: "[0-9]*" }
  TRIPS: { list: { fields: { TO: { type: string(3), required: true }, KM: integer, STOPS: list of integer } } }
---
document: SAID
fields:
  MESSAGE: { type: text, default: "{fault.message}" }
  ALL: { type: text, default: "{fault.detail}" }
---
document: LABELLED
root: true
fields: { A: { type: integer, required: true }, B: integer }
---
service: Cars.v1
permission: EVERYTHING
operations:
  CAR_PUT:
    put: "cars/{REGION}{?maxrows,SEEN}"
    request: CAR
    variables: { fields: { maxrows: integer, SEEN: date } }
    headers: { X-Since: "{SINCE}" }
    response: json
    handler: echo
  CAR_SOAP: { soap: true, request: CAR, response: json, handler: echo }
  CAR_GET: { get: "find{?COLOUR,SEATS,MAKE}", soap: true, request: { fields: { COLOUR: string(3), SEATS: integer, MAKE: { type: string, required: true } } }, response: json, handler: echo }
  CAR_SAID: { post: said, soap: true, request: CAR, fault: SAID, response: json, handler: echo }
  LABELLED_POST: { post: labelled, request: LABELLED, response: json, handler: echo }
  FLAT_POST: { post: flat, request: { fields: { A: string(3), B: integer, C: date } }, response: json, handler: echo }
  OWN_POST: { post: own, request: { fields: { PIN: { type: string, sensitive: true } } }, response: json, handler: own }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/cars.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: (input) => input };\n',
      'src/handlers/own.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ PIN }) {
    throw Fault.custom('TAKEN', 409, 'Taken.', { errors: [{ pointer: '#/PIN', detail: 'It is ' + PIN + '.' }] });
  },
};
`,
    },
  });
});
afterAll(async () => {
  expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  await gateway.stop();
});

const BASE = '/gateway/RESTListeningConnector/Cars.v1';
const send = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  gateway.call(`${BASE}/${path}`, {
    method: path.startsWith('cars') ? 'PUT' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const errorsOf = ({ text }: Reply): unknown => JSON.parse(text).errors;

const WRONG = {
  SECRET: 'hush',
  TRIPS: [{ TO: 'A' }, { TO: 'long', KM: 'x', STOPS: [1, 'b'] }, { KM: 1, 'a/~ü': 1 }],
  SEETS: 1,
};
const WRONG_ERRORS = [
  { pointer: '#/plate~1no', detail: 'PLATE is missing.' },
  { pointer: '#/SECRET', detail: 'SECRET does not match the pattern [0-9]*.' },
  { pointer: '#/TRIPS/1/TO', detail: 'TRIPS[1].TO is longer than 3 characters.' },
  { pointer: '#/TRIPS/1/KM', detail: 'TRIPS[1].KM is not an integer.' },
  { pointer: '#/TRIPS/1/STOPS/1', detail: 'TRIPS[1].STOPS[1] is not an integer.' },
  { pointer: '#/TRIPS/2/TO', detail: 'TRIPS[2].TO is missing.' },
  { pointer: '#/TRIPS/2/a~1~0%C3%BC', detail: 'TRIPS[2]."a/~ü" is not a field of CAR_TRIPS.' },
  { pointer: '#/SEETS', detail: 'SEETS is not a field of CAR (did you mean SEATS?).' },
];

describe('all errors of a request', () => {
  it('are reported at once: variables of path and query, headers and the body', async () => {
    const reply = await send('cars/W?maxrows=many&SEEN=soon', WRONG, { 'x-since': 'now' });
    const { detail, ...problem } = JSON.parse(reply.text);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(problem).toMatchObject({ type: 'about:blank', status: 400, code: 'BAD_PARAMETER' });
    expect(problem.errors).toEqual([
      { parameter: 'REGION', detail: 'REGION is "W", not one of North, South.' },
      { parameter: 'maxrows', detail: 'maxrows is not an integer.' },
      { parameter: 'SEEN', detail: 'SEEN is not a date (yyyy-MM-dd).' },
      { header: 'X-Since', detail: 'X-Since is not a date (yyyy-MM-dd).' },
      ...WRONG_ERRORS,
    ]);
    expect(detail).toBe(problem.errors.map((each: { detail: string }) => each.detail).join(' '));
    expect(reply.text).not.toContain('hush');
  });

  it('are all there where the members stand in the order of the fields, none of which needs another form', async () => {
    expect(errorsOf(await send('flat', { A: 'long', B: 'x', C: 'soon' }))).toEqual([
      { pointer: '#/A', detail: 'A is longer than 3 characters.' },
      { pointer: '#/B', detail: 'B is not an integer.' },
      { pointer: '#/C', detail: 'C is not a date (yyyy-MM-dd).' },
    ]);
  });

  it('leave one error in its words, with its place', async () => {
    const { text } = await send('cars/North', { 'plate/no': 'P', TRIPS: [{ TO: 'A', KM: 'x' }] });
    const { requestId: _, ...problem } = JSON.parse(text);
    expect(problem).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'TRIPS[0].KM is not an integer.',
      errors: [{ pointer: '#/TRIPS/0/KM', detail: 'TRIPS[0].KM is not an integer.' }],
      code: 'BAD_PARAMETER',
    });
  });

  it('in XML are those of JSON, with the same pointers', async () => {
    const body = `<CAR xmlns="urn:test:Cars.v1"><SECRET>hush</SECRET><TRIPS><item><TO>A</TO></item><item><TO>long</TO>
      <KM>x</KM><STOPS><item>1</item><item>b</item></STOPS></item></TRIPS><SEETS>1</SEETS></CAR>`;
    const reply = await send('cars/North', body, { 'content-type': 'application/xml' });
    expect(errorsOf(reply)).toEqual([
      WRONG_ERRORS[0],
      WRONG_ERRORS[1],
      WRONG_ERRORS[2],
      WRONG_ERRORS[3],
      WRONG_ERRORS[4],
      WRONG_ERRORS[7],
    ]);
  });

  it('in XML do not call a field missing that is there in a wrong place', async () => {
    const body =
      '<CAR xmlns="urn:test:Cars.v1">text<PLATE xmlns="urn:x">P</PLATE>text<SEATS>1</SEATS><SEATS>2</SEATS></CAR>';
    expect(errorsOf(await send('cars/North', body, { 'content-type': 'application/xml' }))).toEqual([
      { pointer: '#', detail: 'Invalid request body: it holds text outside of its elements.' },
      { pointer: '#/plate~1no', detail: 'PLATE is in namespace "urn:x", not "urn:test:Cars.v1".' },
      { pointer: '#/SEATS', detail: 'SEATS is given more than once.' },
    ]);
  });

  it('point below the label of a body that has one', async () => {
    expect(errorsOf(await send('labelled', { LABELLED: { B: 'x' } }))).toEqual([
      { pointer: '#/LABELLED/A', detail: 'A is missing.' },
      { pointer: '#/LABELLED/B', detail: 'B is not an integer.' },
    ]);
    expect(errorsOf(await send('labelled', { B: 'x' }))).toMatchObject([{ pointer: '#/A' }, { pointer: '#/B' }]);
  });

  it('of an object with single values only are reported at once too', async () => {
    expect(errorsOf(await send('labelled', { A: 'x', B: 'y', C: 1 }))).toMatchObject([
      { pointer: '#/A' },
      { pointer: '#/B' },
      { pointer: '#/C' },
    ]);
  });

  it('in a list of XML include entries by a wrong name', async () => {
    const trips =
      '<TRIPS><TRIP/><item><TO>long</TO></item><item xmlns="urn:x"/><item><TO>A</TO><KM>x</KM></item></TRIPS>';
    const body = `<CAR xmlns="urn:test:Cars.v1"><PLATE>P</PLATE>${trips}<SEATS>0</SEATS></CAR>`;
    expect(errorsOf(await send('cars/North', body, { 'content-type': 'application/xml' }))).toEqual([
      { pointer: '#/SEATS', detail: 'SEATS is less than 1.' },
      { pointer: '#/TRIPS/0', detail: 'TRIPS[0] holds an element "TRIP", and its entries are "item".' },
      { pointer: '#/TRIPS/1/TO', detail: 'TRIPS[1].TO is longer than 3 characters.' },
      { pointer: '#/TRIPS/2', detail: 'TRIPS[2] is in namespace "urn:x", not "urn:test:Cars.v1".' },
      { pointer: '#/TRIPS/3/KM', detail: 'TRIPS[3].KM is not an integer.' },
    ]);
  });

  it('are named without the body too, and with one that can not be read', async () => {
    expect(errorsOf(await send('cars/W', ''))).toEqual([
      { parameter: 'REGION', detail: 'REGION is "W", not one of North, South.' },
      { pointer: '#/plate~1no', detail: 'PLATE is missing.' },
    ]);
    expect(errorsOf(await send('cars/W', '{"PLATE"'))).toMatchObject([{ parameter: 'REGION' }, { pointer: '#' }]);
    const { status, text } = await send('cars/W', 'a', { 'content-type': 'text/plain' });
    expect([status, JSON.parse(text).errors]).toEqual([415, undefined]);
  });

  it('are all in the detail of a fault document, and its message is the first', async () => {
    const reply = await send('said', { REGION: 'North', 'plate/no': 'P', SEATS: 0, TRIPS: {} });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      400,
      { MESSAGE: 'SEATS is less than 1.', ALL: 'SEATS is less than 1. TRIPS is an object, not a list.' },
    ]);
  });

  it('are all in the detail over SOAP', async () => {
    const soap = async (operation: string): Promise<string> => {
      const fields = '<REGION>North</REGION><PLATE>P</PLATE><SEATS>0</SEATS><SEETS>1</SEETS>';
      const body = envelope(`<${operation} xmlns="urn:test:Cars.v1">${fields}</${operation}>`);
      const { text } = await gateway.call(SERVICES, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
      return text;
    };
    const first = 'SEATS is less than 1.';
    const all = `${first} SEETS is not a field of CAR (did you mean SEATS?).`;
    expect(await soap('CAR_SOAP')).toContain(`<faultstring>${first}</faultstring>`);
    expect(await soap('CAR_SOAP')).toContain(`<DefaultMessage>${all}</DefaultMessage>`);
    expect(await soap('CAR_SAID')).toContain(`<MESSAGE>${first}</MESSAGE><ALL>${all}</ALL>`);
  });

  it('of a form are those of its parameters', async () => {
    const { text } = await gateway.call(`${HTTP}?COLOUR=blue&SEATS=x`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'OperationName=CAR_GET',
    });
    const all = 'COLOUR is longer than 3 characters. SEATS is not an integer. MAKE is missing.';
    expect(text).toContain(`<DefaultMessage>${all}</DefaultMessage>`);
  });

  it('of a handler are sent without secrets', async () => {
    const { status, text } = await send('own', { PIN: 'pin7777Q' });
    expect([status, errorsOf({ status, text, headers: {} })]).toEqual([
      409,
      [{ pointer: '#/PIN', detail: 'It is ***.' }],
    ]);
  });
});

describe('the number of errors', () => {
  const many = (count: number): unknown => ({
    'plate/no': 'P',
    TRIPS: Array.from({ length: count }, () => ({ TO: 'long' })),
  });

  it.each([
    [31, 31, false],
    [32, 32, true],
    [5000, 32, true],
  ])('of %i that there are is %i', async (there, listed, more) => {
    const { detail, errors } = JSON.parse((await send('cars/North', many(there))).text);
    expect([errors.length, detail.endsWith('There may be more errors.')]).toEqual([listed, more]);
  });

  it('is limited over all parts together', async () => {
    const { errors } = JSON.parse((await send('cars/W', many(40))).text);
    expect([errors.length, errors[0].parameter]).toEqual([32, 'REGION']);
  });

  it.each<[string, string, string]>([
    ['unknown members', `{${Array.from({ length: 20_000 }, (_, i) => `"SEET${i}":1`).join()}}`, 'application/json'],
    [
      'keys of a megabyte',
      `{"plate/no":"P","${'k'.repeat(500_000)}":1,"${'l'.repeat(400_000)}":1}`,
      'application/json',
    ],
    [
      'wrong entries in wrong entries',
      `{"TRIPS":[${'{"STOPS":["a","b","c","d"]},'.repeat(20_000)}1]}`,
      'application/json',
    ],
    ['unknown elements', `<CAR xmlns="urn:test:Cars.v1">${'<SEETS/>'.repeat(50_000)}</CAR>`, 'application/xml'],
    ['texts between elements', `<CAR xmlns="urn:test:Cars.v1">${'x<SEATS/>'.repeat(50_000)}</CAR>`, 'application/xml'],
  ])('keeps replies to %s small', async (_name, body, type) => {
    const { status, text } = await send('cars/North', body, { 'content-type': type });
    expect([status, JSON.parse(text).errors.length <= 32]).toEqual([400, true]);
    expect(text.length).toBeLessThan(16_384);
  });
});
