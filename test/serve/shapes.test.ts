import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { bodyOf, envelope, post as postSoap } from './soap-client.ts';

// Documents of the shapes that JSON has, through a provider and a consumer of it, in every form of a message.

const DOCUMENTS = `document: TAG
fields: { NAME: { type: string(10), required: true } }
---
document: NOTES
fields:
  ID: { type: integer, required: true }
  NOTE: { type: string(5), nullable: true }
  PRICE: { type: decimal(10.2), nullable: true, required: true }
  TAG: { type: TAG, nullable: true }
  TAGS: { type: list of TAG, nullable: true }
  BYTES: { type: binary, nullable: true }
---
document: PRICES
fields:
  PRICES: { type: map of decimal(10.2), required: true, maximum: 3 }
  TAGS: map of TAG
  SECRETS: { type: map of string, sensitive: true }
  INSIDE: map of HOLDER
---
document: HOLDER
fields: { PIN: { type: string, sensitive: true }, FILE: binary }
---
document: CARD
fields: { NUMBER: { type: string, required: true }, PIN: { type: string, sensitive: true }, FILE: binary }
---
document: TRANSFER
fields: { IBAN: { type: string, json: iban, required: true }, AMOUNT: decimal, KIND: { type: string, enum: [sepa, swift] } }
---
document: PAYMENT
one-of: { card: CARD, transfer: TRANSFER, refund: { type: TRANSFER, json: money back } }
by: kind
---
document: METHOD
one-of: { card: CARD, transfer: TRANSFER }
---
document: WAY
named: true
one-of:
  card: CARD
  code: { type: string, json: CODE, maximum: 3, sensitive: true }
  amount: { type: decimal, nullable: true }
  tags: { type: list of TAG, flat: true, xml: TAG }
  names: list of string
  prices: map of decimal
  method: METHOD
  inner: { fields: { A: integer, PAY: { one-of: { way: WAY, day: date }, named: true } } }
---
document: PARTY
by: kind
namespace: urn:test:Shapes.v1
fields: { ID: { type: integer, required: true }, NOTE: { type: string, json: note }, AT: { fields: { TOWN: string } } }
---
document: PERSON
extends: PARTY
fields: { BORN: date, PIN: { type: string, sensitive: true }, PARENTS: list of PARTY, SEX: { type: flag, attribute: true } }
---
document: EMPLOYEE
extends: PERSON
namespace: urn:test:staff
fields: { PAY: { type: PAYMENT, required: true }, PHOTO: binary, WORTH: decimal }
---
document: NUMBERED
restricts: PARTY
fields: { ID: { type: integer, minimum: 1, maximum: 9, required: true } }
---
document: THING
abstract: true
namespace: ""
fields: { NAME: { type: string, nullable: true } }
---
document: TOOL
extends: THING
root: true
fields: { WEIGHT: decimal }
---
document: HOUSE
extends: THING
fields: { OWNER: { type: PARTY, nullable: true }, THINGS: { type: list of THING, flat: true }, BY: map of THING }
---
document: ORDER
root: true
fields: { ID: integer, PAY: { type: PAYMENT, required: true }, WAYS: list of METHOD, BY: map of PAYMENT, BACK: { type: METHOD, nullable: true } }
---
`;

const OPERATIONS: Readonly<Record<string, string>> = {
  NOTES: 'NOTES',
  PRICES: 'PRICES',
  TOTALS: 'map of integer',
  PAYMENT: 'PAYMENT',
  METHOD: 'METHOD',
  ORDER: 'ORDER',
  PAYMENTS: 'list of PAYMENT',
  WAY: 'WAY',
  WAYS: 'list of WAY',
  HERE: '{ one-of: { card: CARD, here: { fields: { A: { type: integer, required: true } } } } }',
  HERE_NAMED: '{ named: true, one-of: { card: CARD, number: integer } }',
  PARTY: 'PARTY',
  PARTIES: 'list of PARTY',
  PERSON: 'PERSON',
  NUMBERED: 'NUMBERED',
  THING: 'THING',
  HOUSE: '{ fields: { THING: { type: THING, required: true }, PARTY: PARTY } }',
  INSIDE:
    '{ fields: { ONE: { one-of: { a: integer, b: string }, named: true, required: true }, MANY: { list: { one-of: { card: CARD, transfer: TRANSFER }, by: kind } } } }',
};

const PROVIDER = `${DOCUMENTS}service: Shapes.v1
public: true
operations:
${Object.entries(OPERATIONS)
  .map(
    ([id, shape]) => `  ${id}_POST: { post: ${id}, request: ${shape}, response: ${shape}, soap: ${id}, handler: back }`,
  )
  .join('\n')}
  WRONG_GET: { get: "Wrong/{GIVEN}", request: { fields: { GIVEN: string } }, response: METHOD, handler: wrong }
  ROWS_GET: { get: Rows, query: PETS }
  LISTED_GET: { get: Listed, query: PETS, response: list of PET }
  RECORD_PUT: { put: "Records/{ID}", save: RECORDS }
  RECORD_PATCH: { patch: "Records/{ID}", save: RECORDS }
  RECORD_GET: { get: "Records/{ID}", read: RECORDS }
---
document: PET
fields: { NAME: string, LEGS: { type: integer, nullable: true }, COLOUR: string }
---
query: PETS
public: true
columns: { NAME: string, LEGS: { type: integer, nullable: true }, COLOUR: string }
sql: "select 'Nemo' as NAME, null as LEGS, null as COLOUR"
---
document: RECORD
fields: { ID: { type: string, required: true }, SIZE: { type: integer, nullable: true, required: true }, NOTE: { type: string, nullable: true }, OLD: string }
---
component: RECORDS
table: records
shape: RECORD
keys: [ID]
`;

const WRONG = `const replies = {
  none: { card: undefined, transfer: null },
  both: { card: { NUMBER: '1' }, transfer: { IBAN: 'x' } },
  other: { card: { NUMBER: '1' }, more: 1 },
};
export default { onRequest: ({ GIVEN }) => replies[GIVEN] };
`;

const CONSUMER = `${DOCUMENTS}node: UPSTREAM
base: \${env:UPSTREAM_URL}/gateway/RESTListeningConnector/Shapes.v1
---
node: UPSTREAM_SOAP
base: \${env:UPSTREAM_URL}/gateway/PeopleSoftServiceListeningConnector
---
service: Shapes.v1
namespace: urn:test:Shapes.v1
permission: EVERYTHING
operations:
${Object.entries(OPERATIONS)
  .map(([id, shape]) =>
    [
      `  UP_${id}: { target: UPSTREAM, post: ${id}, request: ${shape}, response: ${shape} }`,
      `  XML_${id}: { target: UPSTREAM, post: ${id}, request: ${shape}, headers: { Content-Type: application/xml, Accept: application/xml }, response: { application/xml: ${shape} } }`,
      `  ${id}: { target: UPSTREAM_SOAP, soap: true, request: ${shape}, response: ${shape} }`,
    ].join('\n'),
  )
  .join('\n')}
---
service: Front.v1
permission: EVERYTHING
operations:
${Object.entries(OPERATIONS)
  .flatMap(([id, shape]) =>
    [`UP_${id}`, `XML_${id}`, id].map(
      (call) => `  FRONT_${call}: { post: ${call}, request: ${shape}, call: ${call}, response: ${shape} }`,
    ),
  )
  .join('\n')}
`;

let provider: TestGateway;
let consumer: TestGateway;
beforeAll(async () => {
  provider = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/shapes.yaml': PROVIDER,
      'definitions/data/records.sql':
        'create table records (id text primary key, size integer, note text, old text);\n',
      'src/handlers/back.ts': 'export default { onRequest: (given) => given.content ?? given };\n',
      'src/handlers/wrong.ts': WRONG,
    },
  });
  consumer = await startTestGateway({
    files: { 'definitions/gateway.yaml': gatewayText(), 'definitions/shapes.yaml': CONSUMER },
    env: { UPSTREAM_URL: `http://127.0.0.1:${provider.port}` },
  });
});
afterAll(async () => {
  await consumer?.stop();
  await provider?.stop();
});

const call = (path: string, options?: Call): Promise<Reply> =>
  provider.call(`/gateway/RESTListeningConnector/Shapes.v1/${path}`, options);

const send = (body: string, type = 'json', accept = type, method = 'POST'): Call => ({
  method,
  body,
  headers: { 'content-type': `application/${type}`, accept: `application/${accept}` },
});

const NAMESPACE = 'urn:test:Shapes.v1';
const typed = (type: string, namespace = NAMESPACE): string =>
  `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="${namespace}" xsi:type="t:${type}"`;
const NIL = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"';
const element = (name: string, content: string, attributes = ''): string =>
  `<${name} xmlns="${NAMESPACE}"${attributes && ` ${attributes}`}>${content}</${name}>`;

/** The root elements of a request and a reply: those of a document, or of the operation. */
const rootsOf = (id: string): string[] =>
  OPERATIONS[id]?.includes(' ')
    ? [`${id}_POST_REQUEST`, `${id}_POST_RESPONSE`]
    : [OPERATIONS[id] as string, OPERATIONS[id] as string];

/** A value in JSON, and the content of its element. */
interface Sample {
  readonly id: string;
  readonly json: string;
  readonly xml: string;
  /** Attributes of the element around that. */
  readonly attributes?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    id: 'NOTES',
    json: '{"ID":1,"NOTE":null,"PRICE":null,"TAG":null,"TAGS":null,"BYTES":null}',
    xml: `<ID>1</ID><NOTE ${NIL}/><PRICE ${NIL}/><TAG ${NIL}/><TAGS ${NIL}/><BYTES ${NIL}/>`,
  },
  { id: 'NOTES', json: '{"ID":1,"PRICE":null,"TAGS":[]}', xml: `<ID>1</ID><PRICE ${NIL}/><TAGS/>` },
  {
    id: 'NOTES',
    json: '{"ID":1,"NOTE":"","PRICE":1.50,"TAG":{"NAME":"a"},"TAGS":[{"NAME":"b"}],"BYTES":"aGVsbG8="}',
    xml: '<ID>1</ID><NOTE/><PRICE>1.50</PRICE><TAG><NAME>a</NAME></TAG><TAGS><TAG><NAME>b</NAME></TAG></TAGS><BYTES>aGVsbG8=</BYTES>',
  },
  {
    id: 'PRICES',
    json: '{"PRICES":{"EUR":1.50,"__proto__":2,"a b":0},"TAGS":{"":{"NAME":"a"},"constructor":{"NAME":"b"}}}',
    xml: '<PRICES><entry key="EUR">1.50</entry><entry key="__proto__">2</entry><entry key="a b">0</entry></PRICES><TAGS><entry key=""><NAME>a</NAME></entry><entry key="constructor"><NAME>b</NAME></entry></TAGS>',
  },
  {
    id: 'PRICES',
    json: '{"PRICES":{},"INSIDE":{"<&\\"":{"PIN":"1","FILE":"aGVsbG8="}}}',
    xml: '<PRICES/><INSIDE><entry key="&lt;&amp;&quot;"><PIN>1</PIN><FILE>aGVsbG8=</FILE></entry></INSIDE>',
  },
  {
    id: 'TOTALS',
    json: '{"a":1,"b":9007199254740993}',
    xml: '<content><entry key="a">1</entry><entry key="b">9007199254740993</entry></content>',
  },
  {
    id: 'PAYMENT',
    json: '{"kind":"card","NUMBER":"1","FILE":"aGVsbG8="}',
    xml: '<card><NUMBER>1</NUMBER><FILE>aGVsbG8=</FILE></card>',
  },
  { id: 'PAYMENT', json: '{"kind":"money back","iban":"x"}', xml: '<refund><IBAN>x</IBAN></refund>' },
  { id: 'METHOD', json: '{"NUMBER":"1"}', xml: '<card><NUMBER>1</NUMBER></card>' },
  {
    id: 'METHOD',
    json: '{"iban":"x","AMOUNT":1.50,"KIND":"sepa"}',
    xml: '<transfer><IBAN>x</IBAN><AMOUNT>1.50</AMOUNT><KIND>sepa</KIND></transfer>',
  },
  {
    id: 'ORDER',
    json: '{"ORDER":{"PAY":{"kind":"transfer","iban":"x"},"WAYS":[{"iban":"y"},{"NUMBER":"1"}],"BY":{"a":{"kind":"card","NUMBER":"2"}},"BACK":null}}',
    xml: `<PAY><transfer><IBAN>x</IBAN></transfer></PAY><WAYS><METHOD><transfer><IBAN>y</IBAN></transfer></METHOD><METHOD><card><NUMBER>1</NUMBER></card></METHOD></WAYS><BY><entry key="a"><card><NUMBER>2</NUMBER></card></entry></BY><BACK ${NIL}/>`,
  },
  {
    id: 'PAYMENTS',
    json: '[{"kind":"card","NUMBER":"1"},{"kind":"transfer","iban":"x"}]',
    xml: '<PAYMENT><card><NUMBER>1</NUMBER></card></PAYMENT><PAYMENT><transfer><IBAN>x</IBAN></transfer></PAYMENT>',
  },
  {
    id: 'WAY',
    json: '{"card":{"NUMBER":"1","FILE":"aGVsbG8="}}',
    xml: '<card><NUMBER>1</NUMBER><FILE>aGVsbG8=</FILE></card>',
  },
  { id: 'WAY', json: '{"CODE":""}', xml: '<code/>' },
  { id: 'WAY', json: '{"amount":1.50}', xml: '<amount>1.50</amount>' },
  { id: 'WAY', json: '{"amount":null}', xml: `<amount ${NIL}/>` },
  {
    id: 'WAY',
    json: '{"tags":[{"NAME":"a"},{"NAME":"b"}]}',
    xml: '<TAG><NAME>a</NAME></TAG><TAG><NAME>b</NAME></TAG>',
  },
  { id: 'WAY', json: '{"names":[]}', xml: '<names/>' },
  { id: 'WAY', json: '{"prices":{"EUR":1.5}}', xml: '<prices><entry key="EUR">1.5</entry></prices>' },
  { id: 'WAY', json: '{"method":{"iban":"x"}}', xml: '<method><transfer><IBAN>x</IBAN></transfer></method>' },
  {
    id: 'WAY',
    json: '{"inner":{"A":1,"PAY":{"way":{"CODE":"x"}}}}',
    xml: '<inner><A>1</A><PAY><way><code>x</code></way></PAY></inner>',
  },
  {
    id: 'WAYS',
    json: '[{"CODE":"a"},{"inner":{"PAY":{"day":"2026-01-01"}}}]',
    xml: '<WAY><code>a</code></WAY><WAY><inner><PAY><day>2026-01-01</day></PAY></inner></WAY>',
  },
  { id: 'PARTY', json: '{"kind":"PARTY","ID":1,"note":"n"}', xml: '<ID>1</ID><NOTE>n</NOTE>' },
  {
    id: 'PARTY',
    json: '{"kind":"NUMBERED","ID":9}',
    xml: '<ID>9</ID>',
    attributes: typed('NUMBERED'),
  },
  {
    id: 'PARTY',
    json: '{"kind":"PERSON","ID":1,"BORN":"2000-01-01","PARENTS":[{"kind":"PARTY","ID":2},{"kind":"PERSON","ID":3,"SEX":"Y"}]}',
    xml: `<ID>1</ID><BORN>2000-01-01</BORN><PARENTS><PARTY><ID>2</ID></PARTY><PARTY ${typed('PERSON')} SEX="Y"><ID>3</ID></PARTY></PARENTS>`,
    attributes: typed('PERSON'),
  },
  {
    id: 'PARTY',
    json: '{"kind":"EMPLOYEE","ID":1,"AT":{"TOWN":"Rome"},"PAY":{"kind":"card","NUMBER":"1"},"PHOTO":"aGVsbG8=","WORTH":1.50}',
    xml: `<ID>1</ID><AT><TOWN>Rome</TOWN></AT><PAY xmlns="urn:test:staff"><card xmlns="${NAMESPACE}"><NUMBER>1</NUMBER></card></PAY><PHOTO xmlns="urn:test:staff">aGVsbG8=</PHOTO><WORTH xmlns="urn:test:staff">1.50</WORTH>`,
    attributes: typed('EMPLOYEE', 'urn:test:staff'),
  },
  {
    id: 'PARTIES',
    json: '[{"kind":"PARTY","ID":1},{"kind":"PERSON","ID":2}]',
    xml: `<PARTY><ID>1</ID></PARTY><PARTY ${typed('PERSON')}><ID>2</ID></PARTY>`,
  },
  { id: 'PERSON', json: '{"kind":"PERSON","ID":1}', xml: '<ID>1</ID>' },
  {
    id: 'PERSON',
    json: '{"kind":"EMPLOYEE","ID":1,"PAY":{"kind":"card","NUMBER":"1"}}',
    xml: `<ID>1</ID><PAY xmlns="urn:test:staff"><card xmlns="${NAMESPACE}"><NUMBER>1</NUMBER></card></PAY>`,
    attributes: typed('EMPLOYEE', 'urn:test:staff'),
  },
  { id: 'NUMBERED', json: '{"kind":"NUMBERED","ID":1}', xml: '<ID>1</ID>' },
  { id: 'HERE', json: '{"A":1}', xml: '<here><A>1</A></here>' },
  { id: 'HERE_NAMED', json: '{"number":1}', xml: '<number>1</number>' },
  {
    id: 'INSIDE',
    json: '{"ONE":{"b":"x"},"MANY":[{"kind":"card","NUMBER":"1"}]}',
    xml: '<ONE><b>x</b></ONE><MANY><item><card><NUMBER>1</NUMBER></card></item></MANY>',
  },
];

describe.each(SAMPLES)('$json', ({ id, json, xml, attributes }) => {
  it('is the same over REST in JSON and XML, and over SOAP', async () => {
    const [request, response] = rootsOf(id).map((name) => element(name, xml, attributes)) as [string, string];
    expect((await call(id, send(json))).text).toBe(json);
    expect((await call(id, send(json, 'json', 'xml'))).text).toBe(response);
    expect((await call(id, send(request, 'xml'))).text).toBe(response);
    expect((await call(id, send(request, 'xml', 'json'))).text).toBe(json);
    const reply = await postSoap(provider, envelope(element(id, xml, attributes)));
    expect(bodyOf(reply)).toBe(element(`${id}Response`, xml, attributes));
  });

  it('is the same through calls over REST in JSON and XML, and over SOAP', async () => {
    // The element of a message without a document is called after the operation.
    const inXml = rootsOf(id)[0] === OPERATIONS[id] ? [`XML_${id}`] : [];
    for (const name of [`UP_${id}`, ...inXml, id]) {
      const reply = await consumer.call(`/gateway/RESTListeningConnector/Front.v1/${name}`, send(json));
      expect([name, reply.text]).toEqual([name, json]);
    }
  });
});

describe('a map', () => {
  it.each([
    ['PRICES', '{"PRICES":{"a":1,"a":2}}', 'json', 'holds the name \\"a\\" twice'],
    ['PRICES', '{"PRICES":{"a":1,"b":2,"c":3,"d":4}}', 'json', 'PRICES has more than 3 entries'],
    ['PRICES', '{"PRICES":{"a":null}}', 'json', 'PRICES.a is null, not a decimal'],
    ['PRICES', '{"PRICES":{"a b":"x"}}', 'json', 'PRICES.\\"a b\\" is not a decimal'],
    ['PRICES', '{"PRICES":[]}', 'json', 'PRICES is a list, not an object'],
    ['PRICES', '{"PRICES":{},"TAGS":{"x":{}}}', 'json', 'TAGS.x.NAME is missing'],
    [
      'PRICES',
      element('PRICES', '<PRICES><entry key="a">1</entry><entry key="a">2</entry></PRICES>'),
      'xml',
      'PRICES.a is given more than once',
    ],
    ['PRICES', element('PRICES', '<PRICES><entry>1</entry></PRICES>'), 'xml', 'PRICES[0] has no key'],
    ['PRICES', element('PRICES', '<PRICES><price key="a">1</price></PRICES>'), 'xml', 'its entries are \\"entry\\"'],
    ['PRICES', element('PRICES', `<PRICES><entry key="a" ${NIL}/></PRICES>`), 'xml', 'PRICES.a is nil'],
  ])('%s refuses %s', async (id, body, type, reason) => {
    const reply = await call(id, send(body, type, 'json'));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('has errors whose pointers go through its keys', async () => {
    const reply = await call('PRICES', send('{"PRICES":{"a/b":"x"},"TAGS":{"c":{}}}'));
    expect(JSON.parse(reply.text).errors).toMatchObject([{ pointer: '#/PRICES/a~1b' }, { pointer: '#/TAGS/c/NAME' }]);
  });

  it('has an order, but for keys that are whole numbers, and pollutes no object', async () => {
    expect((await call('TOTALS', send('{"b":1,"a":2,"1":3}'))).text).toBe('{"1":3,"b":1,"a":2}');
    expect((await call('TOTALS', send('{"__proto__":1}'))).text).toBe('{"__proto__":1}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('a nullable field', () => {
  it.each([
    ['NOTES', '{"ID":1}', 'PRICE is missing.'],
    ['NOTES', '{"ID":null,"PRICE":null}', 'ID is missing.'],
    ['NOTES', '{"ID":1,"PRICE":null,"TAGS":[null]}', 'TAGS[0] is null, not an object'],
  ])('%s refuses %s', async (id, json, reason) => {
    const reply = await call(id, send(json));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('is null where the column of a query is NULL, and others are left out', async () => {
    expect((await call('Rows')).text).toBe('{"rows":[{"NAME":"Nemo","LEGS":null}]}');
    expect((await call('Rows', { headers: { accept: 'application/xml' } })).text).toContain(
      `<row><NAME>Nemo</NAME><LEGS ${NIL}/></row>`,
    );
    expect((await call('Listed')).text).toBe('[{"NAME":"Nemo","LEGS":null}]');
  });

  it('of a record is null where its column is NULL, and null in a change clears it', async () => {
    const put = (body: string): Promise<Reply> => call('Records/a', send(body, 'json', 'json', 'PUT'));
    const change = (body: string): Promise<Reply> => call('Records/a', send(body, 'json', 'json', 'PATCH'));
    expect((await put('{"OLD":"x"}')).text).toContain('SIZE is missing');
    expect((await put('{"SIZE":null,"OLD":"x"}')).status).toBe(201);
    expect((await call('Records/a')).text).toBe('{"ID":"a","SIZE":null,"NOTE":null,"OLD":"x"}');
    expect((await change('{"SIZE":5,"NOTE":"n"}')).text).toBe('{"ID":"a","SIZE":5,"NOTE":"n","OLD":"x"}');
    expect((await change('{"SIZE":null,"NOTE":null,"OLD":null}')).text).toBe('{"ID":"a","SIZE":null,"NOTE":null}');
  });
});

describe('a choice', () => {
  it.each([
    [
      'PAYMENT',
      '{"kind":"crd","NUMBER":"1"}',
      'kind is \\"crd\\", not one of card, transfer, money back (did you mean card?)',
    ],
    ['PAYMENT', '{"NUMBER":"1"}', 'kind is missing, and says which it is: card, transfer, money back'],
    ['PAYMENT', '{"kind":1,"NUMBER":"1"}', 'kind is a number, not one of card, transfer, money back'],
    ['PAYMENT', '{"kind":"card","kind":"transfer"}', 'holds the name \\"kind\\" twice'],
    ['PAYMENT', '{"kind":"card"}', 'card.NUMBER is missing'],
    ['PAYMENT', '{"kind":"card","NUMBER":"1","iban":"x"}', 'card.iban is not a field of CARD'],
    ['PAYMENT', '{"kind":"toString"}', 'kind is \\"toString\\", not one of'],
    ['WAY', '{}', 'it has none of card, code, amount, tags, names, prices, method, inner, and needs one of them'],
    ['WAY', '{"card":null}', 'it has none of card, code, amount'],
    ['WAY', '{"CODE":"a","names":[]}', 'it has code and names, and can have only one of card, code, amount'],
    ['WAY', '{"code":"a"}', 'code is not a field of WAY'],
    ['WAY', '{"CODE":"abcd"}', 'code is longer than 3 characters'],
    ['WAY', '{"tags":[]}', 'tags has fewer than 1 entry'],
    ['WAY', '{"inner":{"PAY":{}}}', 'inner.PAY has none of way, day, and needs one of them'],
    ['WAY', '"x"', 'it is a string, not an object'],
    ['PAYMENT', '[]', 'it is a list, not an object'],
    ['PAYMENT', '', 'it has none of card, transfer, refund, and needs one of them'],
    ['METHOD', '{"NUMBR":"1","PIN":"2"}', 'card.NUMBER is missing'],
    ['METHOD', '{"iban":"1","KIND":"cash"}', 'transfer.KIND is \\"cash\\", not one of sepa, swift'],
    ['METHOD', '{"NUMBER":"1","iban":"x"}', 'has members that do not tell which it is: card, transfer'],
    ['METHOD', '{}', 'has members that do not tell which it is: card, transfer'],
    ['ORDER', '{"PAY":null}', 'PAY is missing'],
    ['PAYMENTS', '[{"kind":"card","NUMBER":"1"},{}]', 'content[1].kind is missing'],
    ['METHOD', element('METHOD', ''), 'it has none of card, transfer, and needs one of them'],
    [
      'METHOD',
      element('METHOD', '<card><NUMBER>1</NUMBER></card><transfer><IBAN>x</IBAN></transfer>'),
      'it has card and transfer, and can have only one of card, transfer',
    ],
    [
      'METHOD',
      element('METHOD', '<card><NUMBER>1</NUMBER></card><card><NUMBER>1</NUMBER></card>'),
      'card is given more than once',
    ],
    ['METHOD', element('METHOD', '<crd><NUMBER>1</NUMBER></crd>'), 'crd is not a field of METHOD (did you mean card?)'],
    ['ORDER', element('ORDER', '<PAY/>'), 'PAY has none of card, transfer, refund'],
  ])('%s refuses %s', async (id, body, reason) => {
    const reply = await call(id, send(body, body.startsWith('<') ? 'xml' : 'json', 'json'));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('has errors whose pointers are those of its JSON', async () => {
    const body = '{"PAY":{"kind":"transfer","AMOUNT":"x"},"WAYS":[{"NUMBER":1}],"BY":{"a":{"kind":"b"}}}';
    const reply = await call('ORDER', send(body));
    expect(JSON.parse(reply.text).errors).toMatchObject([
      { pointer: '#/PAY/iban' },
      { pointer: '#/PAY/AMOUNT' },
      { pointer: '#/WAYS/0/NUMBER' },
      { pointer: '#/BY/a/kind' },
    ]);
  });

  it('is refused in a reply without exactly one of its documents', async () => {
    for (const given of ['none', 'both', 'other']) {
      const reply = await call(`Wrong/${given}`);
      expect([given, reply.status]).toEqual([given, 500]);
    }
  });
});

describe('a document that others derive from', () => {
  const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

  it.each([
    [
      'PARTY',
      '{"kind":"PERSN","ID":1}',
      'kind is \\"PERSN\\", not one of PARTY, PERSON, EMPLOYEE, NUMBERED (did you mean PERSON?)',
    ],
    ['PARTY', '{"kind":1,"ID":1}', 'kind is a number, not one of PARTY, PERSON'],
    ['PARTY', '{"kind":"toString"}', 'kind is \\"toString\\", not one of'],
    ['PARTY', '{"kind":"NUMBERED","ID":10}', 'ID is greater than 9'],
    ['PARTY', '{"kind":"NUMBERED","ID":1,"note":"n"}', 'note is not a field of NUMBERED'],
    ['PARTY', '{"ID":1,"BORN":"2000-01-01"}', 'BORN is not a field of PARTY'],
    ['PARTY', '{"kind":"PERSON"}', 'ID is missing'],
    ['PARTY', '', 'ID is missing'],
    ['PARTY', '[]', 'it is a list, not an object'],
    ['PERSON', '{"kind":"PARTY","ID":1}', 'kind is \\"PARTY\\", not one of PERSON, EMPLOYEE'],
    ['NUMBERED', '{"kind":"PERSON","ID":1}', 'kind is not a field of NUMBERED'],
    ['PARTIES', '[{"ID":1},{"kind":"CAR","ID":2}]', 'content[1].kind is \\"CAR\\", not one of'],
    ['THING', '{"NAME":"x"}', 'type is missing, and says which it is: TOOL, HOUSE'],
    ['THING', '{"type":"THING"}', 'type is \\"THING\\", not one of TOOL, HOUSE'],
    ['THING', '', 'type is missing'],
    [
      'PARTY',
      element('PARTY', '<ID>1</ID>', typed('CAR')),
      'it has the xsi:type \\"t:CAR\\", which is not one of PARTY, PERSON, EMPLOYEE, NUMBERED',
    ],
    ['PARTY', element('PARTY', '<ID>1</ID>', typed('PERSON', 'urn:x')), 'it has the xsi:type \\"t:PERSON\\"'],
    ['PARTY', element('PARTY', '<ID>1</ID>', `${XSI} xsi:type="t:PERSON"`), 'whose prefix \\"t\\" is not declared'],
    ['PERSON', element('PERSON', '<ID>1</ID>', typed('PARTY')), 'which is not one of PERSON, EMPLOYEE'],
    ['THING', '<THING><NAME>x</NAME></THING>', 'it has no xsi:type, and is one of TOOL, HOUSE'],
  ])('%s refuses %s', async (id, body, reason) => {
    const reply = await call(id, send(body, body.startsWith('<') ? 'xml' : 'json', 'json'));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('may name itself, and single values their built-in types', async () => {
    const content = `<ID ${XSI} xmlns:xs="http://www.w3.org/2001/XMLSchema" xsi:type="xs:int">1</ID>`;
    for (const type of [typed('PARTY'), `${XSI} xsi:type=" PARTY "`]) {
      const reply = await call('PARTY', send(element('PARTY', content, type), 'xml', 'json'));
      expect(reply.text).toBe('{"kind":"PARTY","ID":1}');
    }
    // What nothing derives from does not look at the type that it is given.
    const other = await call('NUMBERED', send(element('NUMBERED', content, typed('ANY', 'urn:x')), 'xml', 'json'));
    expect(other.text).toBe('{"kind":"NUMBERED","ID":1}');
  });

  it('has errors whose pointers are those of its JSON', async () => {
    const reply = await call('PARTY', send('{"kind":"PERSON","PARENTS":[{"kind":"PERSON","BORN":"x"},{"kind":"a"}]}'));
    expect(JSON.parse(reply.text).errors).toMatchObject([
      { pointer: '#/ID' },
      { pointer: '#/PARENTS/0/ID' },
      { pointer: '#/PARENTS/0/BORN' },
      { pointer: '#/PARENTS/1/kind' },
    ]);
  });

  it('has no default namespace around a type without a namespace', async () => {
    const json =
      '{"type":"HOUSE","NAME":null,"OWNER":{"kind":"PERSON","ID":1},"THINGS":[{"type":"TOOL","WEIGHT":1.5}],"BY":{"a":{"type":"TOOL"}}}';
    const xml = `<THING ${XSI} xsi:type="HOUSE"><NAME ${NIL}/><OWNER ${typed('PERSON')}><ID xmlns="${NAMESPACE}">1</ID></OWNER><THINGS ${XSI} xsi:type="TOOL"><WEIGHT>1.5</WEIGHT></THINGS><BY><entry key="a" ${XSI} xsi:type="TOOL"/></BY></THING>`;
    expect((await call('THING', send(json))).text).toBe(json);
    expect((await call('THING', send(json, 'json', 'xml'))).text).toBe(xml);
    expect((await call('THING', send(xml, 'xml', 'json'))).text).toBe(json);
    const inside = '{"THING":{"type":"TOOL","NAME":"x"}}';
    const around = `<HOUSE_POST_RESPONSE xmlns="${NAMESPACE}"><e:THING xmlns:e="${NAMESPACE}" xmlns="" ${XSI} xsi:type="TOOL"><NAME>x</NAME></e:THING></HOUSE_POST_RESPONSE>`;
    expect((await call('HOUSE', send(inside, 'json', 'xml'))).text).toBe(around);
    expect((await call('HOUSE', send(around.replaceAll('RESPONSE', 'REQUEST'), 'xml', 'json'))).text).toBe(inside);
    const reply = await postSoap(
      provider,
      envelope(element('HOUSE', `<THING ${typed('TOOL')}><NAME xmlns="">x</NAME></THING>`)),
    );
    expect(bodyOf(reply)).toBe(element('HOUSEResponse', `<THING ${typed('TOOL')}><NAME xmlns="">x</NAME></THING>`));
    for (const name of ['UP_HOUSE', 'HOUSE', 'UP_THING', 'THING', 'XML_THING']) {
      const given = name.endsWith('THING') ? json : inside;
      const back = await consumer.call(`/gateway/RESTListeningConnector/Front.v1/${name}`, send(given));
      expect([name, back.text]).toEqual([name, given]);
    }
  });
});
