import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileProvided } from '../../src/invoke/provided.ts';
import { loadTexts } from '../../src/load/index.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const DEFINITIONS = `service: Forms.v1
permission: EVERYTHING
operations:
  ORDER:
    post: orders/{ID}
    request: ORDER
    form: urlencoded
    encoding: { CODES: comma, WORDS: space, MARKS: pipe, ADDRESS: brackets, LINES: brackets, LABELS: brackets }
    response: { fields: { GIVEN: json } }
    handler: echo
  COUNTS:
    post: counts
    request: { fields: { NUMBERS: list of integer, SCORES: map of integer, HOUSES: { list: { fields: { CITY: string } } }, HOUSE: { fields: { CITY: string, ANY: json } } } }
    form: urlencoded
    encoding: { NUMBERS: brackets, SCORES: brackets, HOUSES: brackets, HOUSE: brackets }
    response: { fields: { GIVEN: json } }
    handler: echo
  NEEDED:
    post: needed
    request: { fields: { TAGS: { type: list of string, required: true }, LIST: { type: list of string, required: true } } }
    form: urlencoded
    encoding: { LIST: brackets }
    response: { fields: { GIVEN: json } }
    handler: echo
  OPEN:
    post: open
    request: { open: true, fields: { N: { type: integer, json: num } } }
    form: urlencoded
    response: { fields: { GIVEN: json } }
    handler: echo
  ORDER_ON: { post: "on/{ID}", request: ORDER, form: urlencoded, encoding: { CODES: comma, WORDS: space, MARKS: pipe, ADDRESS: brackets, LINES: brackets, LABELS: brackets }, response: { fields: { GIVEN: json } }, call: FAR_ORDER }
---
service: Far.v1
permission: EVERYTHING
target: FAR
operations:
  FAR_ORDER:
    post: orders/{ID}
    request: ORDER
    form: urlencoded
    encoding: { CODES: comma, WORDS: space, MARKS: pipe, ADDRESS: brackets, LINES: brackets, LABELS: brackets }
    response: { fields: { GIVEN: json } }
---
node: FAR
base: "\${env:FAR_URL}/gateway/RESTListeningConnector/Forms.v1"
credential: { basic: { user: demo, password: "\${secret:FAR_PASSWORD}" } }
---
document: ORDER
fields:
  ID: integer
  NAME: { type: string(10), json: "customer name" }
  COUNT: { type: integer, maximum: 10 }
  PRICE: decimal(10.2)
  GIFT: boolean
  DAY: date
  TAGS: { type: list of string(3), maximum: 3 }
  CODES: list of integer
  WORDS: list of string
  MARKS: list of string
  ADDRESS: { fields: { CITY: { type: string(5), required: true }, FLAT: boolean } }
  LINES: { list: { fields: { SKU: { type: string, required: true }, QTY: integer } } }
  LABELS: map of string
  NOTE: { fields: { TEXT: string } }
  FILE: binary
`;

const HANDLERS = {
  'src/handlers/echo.ts': `export default {
  async onRequest({ FILE, ...given }) {
    const file = FILE === undefined ? {} : { FILE: Buffer.concat(await Array.fromAsync(FILE.stream())).toString() };
    return { GIVEN: { ...given, ...file } };
  },
};
`,
};

let far: TestGateway;
let gateway: TestGateway;
beforeAll(async () => {
  const files = {
    'definitions/gateway.yaml': gatewayText('limits: { body: 4 KiB, parameters: 20 }'),
    'definitions/forms.yaml': DEFINITIONS,
    ...HANDLERS,
  };
  far = await startTestGateway({ files, env: { FAR_URL: 'http://127.0.0.1:1', FAR_PASSWORD: 'demo' } });
  gateway = await startTestGateway({ files, env: { FAR_URL: far.gateway.address, FAR_PASSWORD: 'demo' } });
});
afterAll(async () => {
  await gateway.stop();
  await far.stop();
});

const TYPE = 'application/x-www-form-urlencoded';

function send(body: string | Buffer, { path = 'orders/7', type = TYPE }: { path?: string; type?: string } = {}) {
  return gateway.call(`/gateway/RESTListeningConnector/Forms.v1/${path}`, {
    ...{ method: 'POST', body },
    headers: { 'Content-Type': type },
  });
}

async function given(body: string | Buffer, options?: Parameters<typeof send>[1]): Promise<unknown> {
  const { status, text } = await send(body, options);
  expect(status, text).toBe(200);
  return (JSON.parse(text) as { GIVEN: unknown }).GIVEN;
}

async function refused(body: string, options?: Parameters<typeof send>[1]): Promise<unknown> {
  const { status, text } = await send(body, options);
  const { detail, errors } = JSON.parse(text) as { detail: string; errors?: { pointer: string; detail: string }[] };
  return [status, ...(errors?.map((each) => `${each.pointer} ${each.detail}`) ?? [detail])];
}

describe('a urlencoded form', () => {
  it('is described with the styles of its fields, with an example that is accepted', async () => {
    const service = 'Forms.v1';
    const text = (await gateway.call(`/gateway/RESTListeningConnector/${service}.openapi.json`)).text;
    const { requestBody } = JSON.parse(text).paths[`/${service}/orders/{ID}`].post;
    const { schema, encoding } = requestBody.content[TYPE];
    expect(Object.keys(requestBody.content)).toEqual([TYPE]);
    expect(encoding).toEqual({
      CODES: { style: 'form', explode: false },
      WORDS: { style: 'spaceDelimited', explode: false },
      MARKS: { style: 'pipeDelimited', explode: false },
      ADDRESS: { style: 'deepObject', explode: true },
      LABELS: { style: 'deepObject', explode: true },
      NOTE: { contentType: 'application/json' },
    });
    expect(JSON.stringify(schema)).toContain('customer name');
    const wadl = (await gateway.call(`/gateway/RESTListeningConnector/${service}.wadl`)).text;
    expect(wadl).toContain('<representation mediaType="application/x-www-form-urlencoded">');
    expect(schema.properties.LINES.description).toBe('Written as a field for each member or entry: LINES[0][SKU].');
    for (const name of ['LINES[0][SKU]', 'ADDRESS[CITY]', 'LABELS[key]'])
      expect(wadl).toContain(`Written as a field for each member or entry: ${name}.`);
    expect(wadl).toContain('Written as one text, with spaces between the entries.');
    expect(/<param name="(?:CODES|WORDS|LINES)"[^>]*repeating/.test(wadl)).toBe(false);
    expect(wadl).toMatch(/<param name="TAGS"[^>]*repeating="true"/);
  });

  it('is sent by a call as it is read', async () => {
    const order = 'COUNT=2&customer+name=A%26B&GIFT=false&PRICE=1.50&TAGS=a&TAGS=%2C&CODES=1,2&WORDS=a+b&MARKS=a|b';
    const form = `${order}&ADDRESS[CITY]=Ulm&LINES[0][SKU]=x&LINES[0][QTY]=2&LINES[1][SKU]=y&LABELS[a]=1&NOTE={"TEXT":"t"}`;
    expect(await given(form)).toEqual(await given(form, { path: 'on/7' }));
  });

  it('has a field for each field, in any order', async () => {
    expect(await given('COUNT=2&customer+name=A%26B+%C3%A9&PRICE=1.50&GIFT=true&DAY=2026-01-31')).toEqual({
      ...{ ID: 7, NAME: 'A&B é', COUNT: 2, PRICE: '1.50', GIFT: true, DAY: '2026-01-31' },
    });
    expect(await given('COUNT=&customer+name=&&')).toEqual({ ID: 7, NAME: '' });
    expect(await given('FILE=aGVsbG8%3D')).toEqual({ ID: 7, FILE: 'hello' });
  });

  it('has lists in the declared styles', async () => {
    expect(await given('TAGS=a&TAGS=b%2C&TAGS=&CODES=1%2C2,3&WORDS=a+b%20c&MARKS=a%7Cb|c')).toEqual({
      ...{ ID: 7, TAGS: ['a', 'b,', ''], CODES: [1, 2, 3], WORDS: ['a', 'b', 'c'], MARKS: ['a', 'b', 'c'] },
    });
    expect(await given('CODES=')).toEqual({ ID: 7, CODES: [] });
  });

  it('has members and entries in brackets, and others in JSON', async () => {
    const lines = 'LINES[0][SKU]=x&LINES[0][QTY]=2&LINES[1][SKU]=y';
    const form = `ADDRESS[CITY]=Ulm&ADDRESS%5BFLAT%5D=false&${lines}&LABELS[a+b]=1&LABELS[c]=&NOTE={"TEXT":"t"}`;
    expect(await given(form)).toEqual({
      ID: 7,
      ADDRESS: { CITY: 'Ulm', FLAT: false },
      LINES: [{ SKU: 'x', QTY: 2 }, { SKU: 'y' }],
      LABELS: { 'a b': '1', c: '' },
      NOTE: { TEXT: 't' },
    });
    expect(await given('LINES[][SKU]=x&LINES[][SKU]=y')).toMatchObject({ LINES: [{ SKU: 'x' }, { SKU: 'y' }] });
  });

  it('has entries of lists in brackets in the order of their indexes, those without one last', async () => {
    const counts = { path: 'counts' };
    expect(await given('NUMBERS[10]=1&NUMBERS[2]=3&NUMBERS[]=7&NUMBERS=9', counts)).toEqual({ NUMBERS: [9, 3, 1, 7] });
    expect(await given('NUMBERS=', counts)).toEqual({ NUMBERS: [] });
    expect(await given('HOUSES[1][CITY]=X&HOUSES[][CITY]=Y', counts)).toEqual({
      HOUSES: [{ CITY: 'X' }, { CITY: 'Y' }],
    });
    expect(await given('HOUSE[ANY][]=1&HOUSE[ANY][]=2', counts)).toEqual({ HOUSE: { ANY: ['1', '2'] } });
  });

  it.each([
    ['NUMBERS[0]=&NUMBERS[1]=5', /^#\/NUMBERS\/0 NUMBERS\[0\] is /],
    ['SCORES[a]=', /^#\/SCORES\/a SCORES\.a is /],
    ['SCORES[__proto__]=1', /^#\/SCORES SCORES holds a key "__proto__"/],
    ['HOUSE[ANY][__proto__]=x', /^#\/HOUSE\/ANY HOUSE\.ANY holds a key "__proto__"/],
    ['HOUSE=lost&HOUSE[CITY]=X', /^#\/HOUSE HOUSE has a text as well as members\.$/],
    ['HOUSES[0]=lost&HOUSES[0][CITY]=X', /^#\/HOUSES\/0 HOUSES\[0\] has a text as well as members\.$/],
    ['HOUSE[CITY]=X&HOUSE[CITY]=Y', /^#\/HOUSE\/CITY HOUSE\.CITY is there more than once\.$/],
    ['NUMBERS[x]=1', /^#\/NUMBERS\/x NUMBERS\.x is not the index of an entry\.$/],
    ['SCORES[]=1', /^#\/SCORES SCORES is not a list, and has \[\] in its name\.$/],
  ])('whose brackets do not fit is refused, and loses no value: %s', async (form, error) => {
    expect(await refused(form, { path: 'counts' })).toEqual([400, expect.stringMatching(error)]);
  });

  it('is read in the charset of its type', async () => {
    expect(await given('customer+name=%E9%80', { type: `${TYPE}; charset=iso-8859-1` })).toEqual({ ID: 7, NAME: 'é€' });
    expect(await given(Buffer.from('customer+name=\xe9', 'latin1'), { type: `${TYPE};charset=windows-1252` })).toEqual({
      ...{ ID: 7, NAME: 'é' },
    });
    expect(await given('_charset_=utf-8&customer+name=%C3%A9')).toEqual({ ID: 7, NAME: 'é' });
    expect(await refused('COUNT=1', { type: `${TYPE}; charset=utf-16` })).toEqual([
      ...[415, expect.stringContaining('supported: application/x-www-form-urlencoded')],
    ]);
    expect(await refused('{}', { type: 'application/json' })).toEqual([415, expect.stringContaining(TYPE)]);
  });

  it.each([
    ['COUNT=x', ['#/COUNT COUNT is not an integer.']],
    ['COUNT=11&DAY=today', ['#/COUNT COUNT is greater than 10.', expect.stringMatching(/^#\/DAY DAY is not a date/)]],
    ['COUNT=1&COUNT=2', ['#/COUNT COUNT is there more than once.']],
    ['customer+name=%zz', [expect.stringMatching(/^#\/customer%20name .*% without two hexadecimal digits/)]],
    ['customer+name=%ff', [expect.stringMatching(/^#\/customer%20name .*not text in utf-8/)]],
    ['customer+nam=x', [expect.stringMatching(/is not a field of ORDER \(did you mean customer name\?\)\.$/)]],
    ['TAGS=a&TAGS=abcd', [expect.stringMatching(/^#\/TAGS/)]],
    ['TAGS=a&TAGS=b&TAGS=c&TAGS=d', [expect.stringMatching(/^#\/TAGS/)]],
    ['ADDRESS[CITY]=Stuttgart', [expect.stringMatching(/^#\/ADDRESS\/CITY/)]],
    ['ADDRESS[TOWN]=Ulm', [expect.stringMatching(/^#\/ADDRESS/)]],
    ['LINES[0][SKU]=a&LINES[1][QTY]=x', [expect.stringMatching(/^#\/LINES\/1/)]],
    ['NOTE={', [expect.stringMatching(/^#\/NOTE/)]],
  ])('that is wrong is refused with the names of its fields: %s', async (form, errors) => {
    const [status, ...found] = (await refused(form)) as [number, ...string[]];
    expect(status).toBe(400);
    expect(found.slice(0, errors.length)).toEqual(errors);
  });

  it('that is open takes any name once, but not the own name of a field in place of its checked value', async () => {
    const open = { path: 'open' };
    expect(await given('num=1&other=x', open)).toEqual({ N: 1, other: 'x' });
    expect(await refused('N=abc', open)).toEqual([400, expect.stringMatching(/^#\/N N is not a field of /)]);
    expect(await refused('__proto__=x', open)).toEqual([400, expect.stringContaining('is not a field of ')]);
    expect(await refused('b=1&b=2', open)).toEqual([400, '#/b b is there more than once.']);
    expect(await refused('b=%zz', open)).toEqual([400, expect.stringMatching(/^#\/b b .*hexadecimal/)]);
  });

  it('has limits: bytes, and fields', async () => {
    expect((await send(`customer+name=${'x'.repeat(5000)}`)).status).toBe(413);
    const fields = (count: number): string => Array.from({ length: count }, (_, n) => `f${n}=1`).join('&');
    expect(await given(fields(20), { path: 'open' })).toHaveProperty('f19', '1');
    expect(await refused(fields(21), { path: 'open' })).toEqual([400, expect.stringContaining('20')]);
    const entries = (count: number): string => Array.from({ length: count }, () => '1').join();
    expect(await given(`CODES=${entries(20)}`)).toHaveProperty('CODES.length', 20);
    for (const form of [`CODES=${entries(21)}`, `COUNT=1&CODES=${entries(20)}`, `WORDS=${'+'.repeat(20)}`])
      expect(await refused(form)).toEqual([400, expect.stringContaining('20')]);
    expect(await given(`customer+name=${entries(3)}&WORDS=${entries(30)}`)).toHaveProperty('WORDS.length', 1);
    expect(await refused(`ADDRESS${'[a]'.repeat(33)}=1`)).toEqual([400, expect.stringContaining('is not a field')]);
  });
});

function loaded() {
  return loadTexts(
    new Map([
      ['definitions/gateway.yaml', gatewayText('')],
      ['definitions/forms.yaml', DEFINITIONS],
      ['definitions/users.yaml', USERS],
    ]),
  );
}

function writerOf(name: string) {
  const { registry, diagnostics } = loaded();
  const operation = registry?.services.get('Forms.v1')?.operations.find((each) => each.name === name);
  if (registry === undefined || operation === undefined)
    throw new Error(diagnostics.map(({ message }) => message).join());
  return compileProvided(registry, operation, { kind: 'rest', uriIndex: 1 });
}

it('is written for a call of an operation that is served as the operation reads it: console and callers of tests', () => {
  const call = writerOf('ORDER');
  const { body, headers } = call.write({ ID: 7, NAME: 'A&B', CODES: [1, 2], ADDRESS: { CITY: 'Ulm' } });
  expect(headers).toMatchObject({ 'Content-Type': TYPE });
  expect(body).toBe('customer%20name=A%26B&CODES=1%2C2&ADDRESS%5BCITY%5D=Ulm');
});

it.each([
  ['ORDER', { LABELS: { 'a[b': '1' } }, /: LABELS\..* has a name that can not be written in brackets$/],
  ['ORDER', { LABELS: { '': '1' } }, /has a name that can not be written in brackets$/],
  ['ORDER', { WORDS: [''] }, /: WORDS has an empty text for its only entry/],
  ['COUNTS', { HOUSES: [{}] }, /: HOUSES\[0\] is empty/],
  ['COUNTS', { HOUSE: { ANY: { a: [] } } }, /: HOUSE\.ANY\.a is empty/],
  ['COUNTS', { HOUSE: { ANY: null } }, /: HOUSE\.ANY is null/],
  ['NEEDED', { TAGS: [], LIST: ['a'] }, /: TAGS is empty/],
  ['NEEDED', { TAGS: ['a'], LIST: [] }, /: LIST is empty/],
])('is not written with another value than is given: %s %j', (name, value, error) => {
  expect(() => writerOf(name).write({ ...(name === 'ORDER' ? { ID: 7 } : {}), ...value })).toThrow(error);
});

it('has no brackets for JSON, whose numbers would become texts', () => {
  const text = DEFINITIONS.replace('NUMBERS: list of integer', 'NUMBERS: list of json');
  const { diagnostics } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', gatewayText('')],
      ['definitions/forms.yaml', text],
      ['definitions/users.yaml', USERS],
    ]),
  );
  expect(diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/NUMBERS is .*json, which can't be written as `brackets`/),
  );
});
