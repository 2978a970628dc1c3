import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { bodyOf, envelope, post as postSoap } from './soap-client.ts';

/** Messages that are a list or a single value, as both sides declare them. */
const PETS = `document: PET
fields: { NAME: { type: string(10), required: true }, LEGS: { type: integer, maximum: 8 } }
---
`;

const PROVIDER = `${PETS}service: Pets.v1
public: true
operations:
  PETS_GET: { get: "Pets{?kind}", variables: { fields: { kind: string } }, response: list of PET, soap: PETS }
  NAMES_GET: { get: Names, response: list of string, soap: NAMES, handler: names }
  COUNT_GET: { get: Count, response: integer, soap: COUNT, handler: count }
  PRICE_GET: { get: Price, response: decimal(10.2), handler: price }
  REPLY_GET: { get: Reply, response: list of PET, handler: reply }
  PETS_PUT: { put: "Pets/{kind}", variables: { fields: { kind: string } }, request: list of PET, response: list of PET, soap: PETS_SAVE, handler: back }
  DATES_POST: { post: Dates, request: list of date, response: list of date, handler: back }
  DAY_POST: { post: Day, request: date, response: date, soap: DAY, handler: back }
  WRAPPED_GET: { get: Wrapped, response: list of string, wrapper: psnonxml, handler: names }
  CSV_GET: { get: Csv, response: { application/json: list of string, text/csv: text }, handler: csv }
  BAD_GET: { get: Bad, response: list of PET, handler: bad }
  ROWS_GET: { get: "Rows{?LEAST}", query: PETS, response: list of PET, soap: ROWS }
  QUERIES_GET: { get: "Queries{?LEAST}", request: { fields: { LEAST: integer } }, query: { content: PETS }, response: list of PET }
---
query: PETS
public: true
prompts: { LEAST: integer }
columns: { NAME: string(10), LEGS: integer, COLOUR: string }
sql: "with pets(NAME, LEGS, COLOUR) as (values ('Rex', 4, 'red'), ('Tweety', 2, 'blue'), ('Nemo', null, 'red')) select * from pets where :LEAST is null or LEGS >= :LEAST"
`;

const HANDLERS = {
  'src/handlers/pets-get.ts':
    "export default { onRequest: ({ kind }) => kind === 'none' ? [] : [{ NAME: 'Rex', LEGS: 4 }, { NAME: 'Nemo' }] };\n",
  'src/handlers/names.ts': "export default { onRequest: () => ['Rex', '<Nemo>'] };\n",
  'src/handlers/count.ts': 'export default { onRequest: () => 2 };\n',
  'src/handlers/price.ts': "export default { onRequest: () => '10.50' };\n",
  'src/handlers/reply.ts':
    "export default { onRequest: (_, context) => context.reply([{ NAME: 'Rex' }], { status: 201, headers: { 'X-Page': '1' } }) };\n",
  'src/handlers/back.ts': 'export default { onRequest: ({ content }) => content };\n',
  'src/handlers/csv.ts':
    "export default { onRequest: (_, context) => context.header('accept') === 'text/csv' ? 'a,b' : ['a', 'b'] };\n",
  'src/handlers/bad.ts': "export default { onRequest: () => [{ NAME: 'Rex' }, { NAME: 'too long for it' }] };\n",
};

const CONSUMER = `${PETS}node: UPSTREAM
base: \${env:UPSTREAM_URL}/gateway/RESTListeningConnector/Pets.v1
---
node: UPSTREAM_SOAP
base: \${env:UPSTREAM_URL}/gateway/PeopleSoftServiceListeningConnector
---
service: Upstream.v1
target: UPSTREAM
permission: EVERYTHING
operations:
  UP_PETS: { get: Pets, response: list of PET }
  UP_COUNT: { get: Count, response: integer }
  UP_SAVE: { put: "Pets/{kind}", variables: { fields: { kind: string } }, request: list of PET, response: list of PET }
  UP_DAY: { post: Day, request: date, response: date }
---
service: Pets.v1
namespace: urn:test:Pets.v1
target: UPSTREAM_SOAP
permission: EVERYTHING
operations:
  PETS: { soap: true, request: { fields: { kind: string } }, response: list of PET }
  DAY: { soap: true, request: date, response: date }
  PETS_PUT: { target: UPSTREAM, put: "Pets/{kind}", variables: { fields: { kind: string } }, request: list of PET, headers: { Content-Type: application/xml, Accept: application/xml }, response: { application/xml: list of PET, application/json: list of PET } }
---
service: Front.v1
permission: EVERYTHING
operations:
  PETS_GET: { get: Pets, call: UP_PETS, response: list of PET }
  COUNT_GET: { get: Count, call: UP_COUNT, response: integer }
  SAVE_PUT: { put: "Pets/{kind}", variables: { fields: { kind: string } }, request: list of PET, call: UP_SAVE, response: list of PET }
  XML_PUT: { put: "Xml/{kind}", variables: { fields: { kind: string } }, request: list of PET, call: PETS_PUT, response: list of PET }
  DAY_POST: { post: Day, request: date, call: UP_DAY, response: date }
  SOAP_GET: { get: Soap, call: PETS, response: list of PET }
  CODE_GET: { get: Code, response: list of string, handler: code }
`;

const CODE = `export default {
  async onRequest(_, context) {
    const pets = await context.call('UP_PETS', {});
    const day = await context.call('DAY', { content: '2026-02-03' });
    return [...pets.value.content.map(({ NAME }) => NAME), day.value.content];
  },
};
`;

let provider: TestGateway;
let consumer: TestGateway;
beforeAll(async () => {
  provider = await startTestGateway({
    files: { 'definitions/gateway.yaml': gatewayText(), 'definitions/pets.yaml': PROVIDER, ...HANDLERS },
  });
  consumer = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/pets.yaml': CONSUMER,
      'src/handlers/code.ts': CODE,
    },
    env: { UPSTREAM_URL: `http://127.0.0.1:${provider.port}` },
  });
});
afterAll(async () => {
  await consumer?.stop();
  await provider?.stop();
});

const call = (path: string, options?: Call): Promise<Reply> =>
  provider.call(`/gateway/RESTListeningConnector/Pets.v1/${path}`, options);

const front = (path: string, options?: Call): Promise<Reply> =>
  consumer.call(`/gateway/RESTListeningConnector/Front.v1/${path}`, options);

const send = (method: string, body: string, type = 'application/json', accept = 'application/json'): Call => ({
  method,
  body,
  headers: { 'content-type': type, accept },
});

const textOf = async (reply: Promise<Reply>): Promise<[number, string]> => {
  const { status, text } = await reply;
  return [status, text];
};

const xml = { headers: { accept: 'application/xml' } };
const root = (name: string, content: string): string => `<${name} xmlns="urn:test:Pets.v1">${content}</${name}>`;

describe('a reply that is a list or a single value', () => {
  it.each([
    [
      'Pets',
      '[{"NAME":"Rex","LEGS":4},{"NAME":"Nemo"}]',
      'PETS_GET',
      '<PET><NAME>Rex</NAME><LEGS>4</LEGS></PET><PET><NAME>Nemo</NAME></PET>',
    ],
    ['Names', '["Rex","<Nemo>"]', 'NAMES_GET', '<item>Rex</item><item>&lt;Nemo&gt;</item>'],
    ['Count', '2', 'COUNT_GET', '<content>2</content>'],
    ['Price', '10.50', 'PRICE_GET', '<content>10.50</content>'],
  ])('%s is that in JSON, and stands in the element of the message in XML', async (path, json, name, content) => {
    expect(await textOf(call(path))).toEqual([200, json]);
    expect(await textOf(call(path, xml))).toEqual([200, root(`${name}_RESPONSE`, content)]);
  });

  it('may be empty', async () => {
    expect(await textOf(call('Pets?kind=none'))).toEqual([200, '[]']);
    expect(await textOf(call('Pets?kind=none', xml))).toEqual([200, '<PETS_GET_RESPONSE xmlns="urn:test:Pets.v1"/>']);
  });

  it('takes a status and headers with it', async () => {
    const reply = await call('Reply');
    expect([reply.status, reply.headers['x-page'], reply.text]).toEqual([201, '1', '[{"NAME":"Rex"}]']);
  });

  it('is JSON in the wrapper psnonxml, and one form beside a text', async () => {
    const wrapped = await call('Wrapped');
    expect(wrapped.text).toContain('<![CDATA[["Rex","<Nemo>"]]]>');
    expect(await textOf(call('Csv'))).toEqual([200, '["a","b"]']);
    expect(await textOf(call('Csv', { headers: { accept: 'text/csv' } }))).toEqual([200, 'a,b']);
  });

  it('is checked entry by entry', async () => {
    expect((await call('Bad')).status).toBe(500);
    const line = provider.log().find((each) => each.level === 'error' && JSON.stringify(each).includes('content['));
    expect(JSON.stringify(line)).toContain('content[1].NAME is longer than 10 characters');
  });

  it.each(['Rows', 'Queries'])('has the rows of a query: %s', async (path) => {
    expect(await textOf(call(path))).toEqual([
      200,
      '[{"NAME":"Rex","LEGS":4},{"NAME":"Tweety","LEGS":2},{"NAME":"Nemo"}]',
    ]);
    expect(await textOf(call(`${path}?LEAST=3`))).toEqual([200, '[{"NAME":"Rex","LEGS":4}]']);
    expect(await textOf(call(`${path}?LEAST=9`))).toEqual([200, '[]']);
  });

  it('stands over SOAP in the element of the reply', async () => {
    const soap = async (name: string): Promise<string> => bodyOf(await postSoap(provider, envelope(root(name, ''))));
    expect(await soap('PETS')).toBe(
      root('PETSResponse', '<PET><NAME>Rex</NAME><LEGS>4</LEGS></PET><PET><NAME>Nemo</NAME></PET>'),
    );
    expect(await soap('NAMES')).toBe(root('NAMESResponse', '<item>Rex</item><item>&lt;Nemo&gt;</item>'));
    expect(await soap('COUNT')).toBe(root('COUNTResponse', '<content>2</content>'));
    expect(await soap('ROWS')).toContain('<PET><NAME>Nemo</NAME></PET></ROWSResponse>');
  });
});

describe('a request that is a list or a single value', () => {
  const pets = '[{"NAME":"Rex","LEGS":4},{"NAME":"Nemo"}]';

  it('is its body, in JSON and in XML', async () => {
    expect(await textOf(call('Pets/dogs', send('PUT', pets)))).toEqual([200, pets]);
    expect(await textOf(call('Pets/dogs', send('PUT', '[]')))).toEqual([200, '[]']);
    const content = '<PET><NAME>Rex</NAME><LEGS>4</LEGS></PET><PET><NAME>Nemo</NAME></PET>';
    expect(await textOf(call('Pets/dogs', send('PUT', root('PETS_PUT_REQUEST', content), 'text/xml')))).toEqual([
      200,
      pets,
    ]);
    expect(await textOf(call('Pets/dogs', send('PUT', root('PETS_PUT_REQUEST', ''), 'text/xml')))).toEqual([200, '[]']);
    expect(await textOf(call('Dates', send('POST', '["2026-01-02"]')))).toEqual([200, '["2026-01-02"]']);
    expect(await textOf(call('Day', send('POST', '"2026-01-02"')))).toEqual([200, '"2026-01-02"']);
    expect(
      await textOf(call('Day', send('POST', root('DAY_POST_REQUEST', '<content>2026-01-02</content>'), 'text/xml'))),
    ).toEqual([200, '"2026-01-02"']);
  });

  it('comes over SOAP with the variables of the URI', async () => {
    const given = '<PET><NAME>Rex</NAME></PET><PET><NAME>Nemo</NAME></PET><kind>dogs</kind>';
    const reply = await postSoap(provider, envelope(root('PETS_SAVE', given)));
    expect(bodyOf(reply)).toBe(root('PETS_SAVEResponse', '<PET><NAME>Rex</NAME></PET><PET><NAME>Nemo</NAME></PET>'));
  });

  it.each([
    ['an object', 'Pets/dogs', '{"NAME":"Rex"}', 'application/json', 'content is an object, not a list.'],
    ['null', 'Pets/dogs', 'null', 'application/json', 'content is missing.'],
    ['nothing', 'Pets/dogs', '', 'application/json', 'content is missing.'],
    ['a wrong entry', 'Pets/dogs', '[{"NAME":"Rex"},{"LEGS":9}]', 'application/json', 'content[1].NAME is missing.'],
    [
      'a wrong value',
      'Pets/dogs',
      '[{"NAME":"Rex","LEGS":9}]',
      'application/json',
      'content[0].LEGS is greater than 8.',
    ],
    ['another element', 'Pets/dogs', root('PETS', ''), 'application/xml', 'not {urn:test:Pets.v1}PETS_PUT_REQUEST.'],
    [
      'another entry',
      'Pets/dogs',
      root('PETS_PUT_REQUEST', '<DOG/>'),
      'application/xml',
      'DOG is not a field of PETS_PUT_REQUEST',
    ],
  ])('is refused as %s', async (_, path, body, type, reason) => {
    const reply = await call(path, send('PUT', body, type));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(reason);
  });

  it('has errors whose pointers are those of the JSON that was sent', async () => {
    const reply = await call('Pets/dogs', send('PUT', '[{"NAME":"Rex","LEGS":9},{}]'));
    expect(JSON.parse(reply.text).errors).toMatchObject([{ pointer: '#/0/LEGS' }, { pointer: '#/1/NAME' }]);
  });
});

describe('a call of another system', () => {
  const pets = '[{"NAME":"Rex","LEGS":4},{"NAME":"Nemo"}]';

  it('takes and sends lists and single values, over REST and over SOAP', async () => {
    expect(await textOf(front('Pets'))).toEqual([200, pets]);
    expect(await textOf(front('Count'))).toEqual([200, '2']);
    expect(await textOf(front('Soap'))).toEqual([200, pets]);
    expect(await textOf(front('Pets/dogs', send('PUT', pets)))).toEqual([200, pets]);
    expect(await textOf(front('Xml/dogs', send('PUT', pets)))).toEqual([200, pets]);
    expect(await textOf(front('Xml/dogs', send('PUT', '[]')))).toEqual([200, '[]']);
    expect(await textOf(front('Day', send('POST', '"2026-01-02"')))).toEqual([200, '"2026-01-02"']);
    expect(await textOf(front('Code'))).toEqual([200, '["Rex","Nemo","2026-02-03"]']);
  });
});
