import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { conversationProject } from './conversations/project.ts';
import { bodyOf, envelope, faultOf, HTTP, type SoapReply, send } from './soap-client.ts';

const run = promisify(execFile);
const clients = fileURLToPath(new URL('./conversations/', import.meta.url));

const SERVICES = '/PSIGW/PeopleSoftServiceListeningConnector';
const S = 'http://xmlns.oracle.com/Enterprise/Tools/schemas';
const OWN = 'urn:test:QAS_QRY_SERVICE.v1';

let gateway: TestGateway;
beforeAll(async () => {
  const files = conversationProject();
  const more = 'user: guest';
  const list =
    'permission-list: READS\noperations: [QAS_LISTQUERY_REST_GET]\n---\nrole: READER\npermission-lists: [READS]\n---\n';
  const users = files['definitions/users.yaml']!.replace(more, `${list}${more}\nroles: [READER]`);
  gateway = await startTestGateway({ files: { ...files, 'definitions/users.yaml': users } });
});
afterAll(() => gateway.stop());

interface Asked {
  readonly action?: string;
  readonly authorization?: string;
  readonly path?: string;
}

const ask = (body: string, { action, authorization, path = SERVICES }: Asked = {}): Promise<SoapReply> =>
  send(gateway, {
    path,
    body: envelope(body),
    headers: { 'content-type': 'text/xml', ...(action === undefined ? {} : { SOAPAction: action }) },
    ...(authorization === undefined ? {} : { authorization }),
  });

const list = (inside = ''): string =>
  `<QAS_LISTQUERY_REQ_MSG xmlns="${S}/QAS_LISTQUERY_REQ_MSG.VERSION_1"><QAS_LISTQUERY_REQ><PTQASWRK>${inside}</PTQASWRK></QAS_LISTQUERY_REQ></QAS_LISTQUERY_REQ_MSG>`;
const execute = (inside: string): string =>
  `<QAS_EXEQRY_SYNC_REQ_MSG><QAS_EXEQRY_SYNC_REQ><QueryName>COURSES</QueryName><OutResultType>XMLP</OutResultType><OutResultFormat>NONFILE</OutResultFormat>${inside}</QAS_EXEQRY_SYNC_REQ></QAS_EXEQRY_SYNC_REQ_MSG>`;

describe('which operation is called', () => {
  it.each([
    'QAS_LISTQUERY_OPER.VERSION_1',
    '"QAS_LISTQUERY_OPER.VERSION_1"',
    'QAS_LISTQUERY_OPER.v1',
    'QAS_LISTQUERY_OPER',
    '""',
  ])('as SOAPAction says: %s', async (action) => {
    expect(bodyOf(await ask(list(), { action }))).toMatch(/^<QAS_LISTQUERY_RESP_MSG /);
  });

  it('whatever the namespace of the body is', async () => {
    for (const body of [list(), list().replaceAll(S, 'urn:another'), list().replace(/ xmlns="[^"]*"/, '')])
      expect(bodyOf(await ask(body, { action: 'QAS_LISTQUERY_OPER.VERSION_1' }))).toMatch(/^<QAS_LISTQUERY_RESP_MSG /);
  });

  it.each([
    'QAS_LISTQUERY_OPER.VERSION_99',
    'QAS_LISTQUERY_OPER.v2',
    'NO_SUCH.VERSION_1',
  ])('and is none for an action that is none: %s', async (action) => {
    expect(faultOf(await ask(list(), { action })).reason).toContain(`There is no operation for the action "${action}"`);
  });

  it('is what the caller is permitted to call: the one that SOAPAction names, before the body is interpreted', async () => {
    // A body that guest might send, under an action that guest may not use; and one that can't be read, whose error is not told.
    for (const body of [list(), '<QAS_LISTQUERY_REQ_MSG><NONSENSE/></QAS_LISTQUERY_REQ_MSG>']) {
      const fault = faultOf(await ask(body, { action: 'QAS_CANCELQUERY_OPER.VERSION_1', authorization: GUEST }));
      expect(fault.detail).toContain('<MessageID>FORBIDDEN</MessageID>');
      expect(fault.reason).toContain('QAS_CANCELQUERY_REST_GET');
    }
    const allowed = await ask(list(), { action: 'QAS_LISTQUERY_OPER.VERSION_1', authorization: GUEST });
    expect(allowed.status).toBe(200);
    // The other way round, the body's own name opens nothing.
    const cancel = '<QAS_CANCELQUERY_REQ_MSG><QueryInstanceID>x</QueryInstanceID></QAS_CANCELQUERY_REQ_MSG>';
    const under = faultOf(await ask(cancel, { action: 'QAS_LISTQUERY_OPER', authorization: GUEST }));
    expect(under.reason).toBe(
      'QueryInstanceID is not an element of this request, which has: SearchString, OwnerType, MaxRows, MaxRow, isConnectedQry, isConnectedQuery.',
    );
  });

  it('of other services only where action and body agree, under each of their names', async () => {
    const body = '<GET_ENROLLMENTS xmlns="http://xmlns.oracle.com/Enterprise/Tools/schemas/STUDENT.v1"/>';
    for (const action of ['GET_ENROLLMENTS.v1', '"GET_ENROLLMENTS.VERSION_1"', 'GET_ENROLLMENTS', '""'])
      expect((await ask(body, { action })).status, action).toBe(200);
    for (const action of [
      'GET_ENROLLMENTS.VERSION_99',
      'GET_ENROLLMENTS.VERSION_2',
      'LEASE_UPDATE.v1',
      'QAS_LISTQUERY_OPER',
    ])
      expect(faultOf(await ask(body, { action })).reason, action).toContain(
        'but the action of GET_ENROLLMENTS is GET_ENROLLMENTS.v1',
      );
  });
});

it('callers of the own WSDL are answered by that, whichever version their action names', async () => {
  for (const action of ['QAS_LISTQUERY_OPER.v1', 'QAS_LISTQUERY_OPER.VERSION_1', '""']) {
    const reply = await ask(`<QAS_LISTQUERY_OPER xmlns="${OWN}"><OwnerType>PUBLIC</OwnerType></QAS_LISTQUERY_OPER>`, {
      action,
    });
    expect(bodyOf(reply), action).toMatch(new RegExp(`^<QAS_LISTQUERY_OPERResponse xmlns="${OWN}">`));
  }
  const mixed = await ask(`<QAS_LISTQUERY_REQ_MSG xmlns="${OWN}"/>`, { action: 'QAS_LISTQUERY_OPER.v1' });
  expect(faultOf(mixed).reason).toContain('There is no operation for the element');
});

describe('a request in the shape of the original that is wrong says so by the names of its elements', () => {
  it.each([
    ['<MaxRow>many</MaxRow>', 'MaxRow is not an integer.'],
    ['<MaxRow>1</MaxRow><MaxRows>2</MaxRows>', 'MaxRows is given more than once.'],
    ['<OwnerType>NOBODY</OwnerType>', 'OwnerType is "NOBODY", not one of PUBLIC, PRIVATE'],
    ['<Colour>red</Colour>', 'Colour is not an element of this request, which has: QueryName,'],
    ['<StartRow>5</StartRow>', 'StartRow is not supported: a result begins with its first row.'],
    ['<XMLString>x</XMLString>', 'XMLString is not supported: name a stored query in QueryName.'],
    ['<MaxRow><b>1</b></MaxRow>', 'MaxRow holds the element b, and is a single value.'],
    [
      '<Prompts><PROMPT><Name>X</Name></PROMPT></Prompts>',
      'PROMPT.Name is not an element of PROMPT, which has: PSQueryName,',
    ],
    [
      '<Prompts><PROMPT><UniquePromptName>NONE</UniquePromptName></PROMPT></Prompts>',
      'names "NONE", which COURSES does not have',
    ],
    ['stray', 'there is text right inside QAS_EXEQRY_SYNC_REQ'],
  ])('%s', async (inside, reason) => {
    const fault = faultOf(await ask(execute(inside), { action: 'QAS_EXECUTEQRYSYNC_OPER.VERSION_1' }));
    expect([fault.code, fault.status]).toEqual(['Client', 500]);
    expect(fault.reason).toContain(reason);
    expect(fault.detail).toMatch(/^<IBResponse type="error">.*<DefaultMessage>.*<\/DefaultMessage>/);
  });

  it('and of all errors at once', async () => {
    const wrong =
      'stray<MaxRow>many</MaxRow><MaxRow>1</MaxRow><OwnerType>NOBODY</OwnerType><Colour/><Prompts><PROMPT><Name>X</Name></PROMPT></Prompts>';
    const fault = faultOf(
      await ask(execute(wrong).replace(/<QueryName>.*?<\/QueryName>/, ''), {
        action: 'QAS_EXECUTEQRYSYNC_OPER.VERSION_1',
      }),
    );
    const all = /<DefaultMessage>(.*)<\/DefaultMessage>/.exec(fault.detail ?? '')?.[1];
    const expected = [
      'there is text right inside',
      'MaxRow is given more than once.',
      'Colour is not an element of this request',
      'PROMPT.Name is not an element of PROMPT',
      'MaxRow is not an integer.',
      'OwnerType is ',
      'QueryName is missing.',
    ];
    expect(expected.filter((each) => all?.includes(each) !== true)).toEqual([]);
    expect(all?.match(/MaxRow is/g)).toHaveLength(2);
  });

  it('and what is missing', async () => {
    const status =
      '<QAS_QUERYSTATUS_REQ_MSG><QAS_QUERYSTATUS_REQ><PTQASWRK class="R"/></QAS_QUERYSTATUS_REQ></QAS_QUERYSTATUS_REQ_MSG>';
    expect(faultOf(await ask(status)).reason).toBe('QueryInstanceID is missing.');
  });
});

it('an entry of a prompt that nobody has filled in, and values with commas, mean what they say', async () => {
  const prompts = (value: string): string =>
    `<Prompts><PROMPT><PSQueryName/><UniquePromptName>INSTITUTION</UniquePromptName><FieldValue> ${value} </FieldValue></PROMPT><PROMPT><PSQueryName/><UniquePromptName/><FieldValue/></PROMPT></Prompts>`;
  const rows = async (value: string): Promise<string> =>
    /numrows="(\d+)"/.exec(bodyOf(await ask(execute(prompts(value)), { action: 'QAS_EXECUTEQRYSYNC_OPER' })))![1]!;
  expect([await rows('UMNTC'), await rows('U,M'), await rows('')]).toEqual(['2', '0', '2']);
});

describe('output types and formats over REST', () => {
  it.each(['webrowset/nonfile', 'WebRowSet/NonFile', 'WEBROWSET/NONFILE'])('%s in any case', async (kind) => {
    const { status, text } = await gateway.call(
      `/PSIGW/RESTListeningConnector/ExecuteQuery.v1/Public/COURSES/${kind}?isconnectedquery=n`,
    );
    expect(status).toBe(200);
    expect(text).toMatch(
      /^<\?xml [^>]*\?><QAS_GETQUERYRESULTS_RESP_MSG><webRowSet xmlns="http:\/\/java\.sun\.com\/xml\/ns\/jdbc">.*<\/webRowSet><\/QAS_GETQUERYRESULTS_RESP_MSG>$/s,
    );
  });

  it('lists of queries are JSON at the path of the original where that is asked for', async () => {
    const at = (query: string, accept?: string) =>
      gateway.call(
        `/PSIGW/RESTListeningConnector/ListQuery.v1/public/listquery${query}`,
        accept === undefined ? {} : { headers: { accept } },
      );
    for (const reply of [await at('?json_resp=true'), await at('', 'application/json')])
      expect(JSON.parse(reply.text).queries[0].QueryName).toBe('COURSES');
    for (const reply of [
      await at('?json_resp=false', 'application/json'),
      await at('', '*/*'),
      await at('', 'application/xml'),
    ])
      expect(reply.headers['content-type']).toBe('text/xml; charset=utf-8');
    const own = await gateway.call('/PSIGW/RESTListeningConnector/ListQuery.v1/public?json_resp=false');
    expect(own.text).toMatch(/^<QAS_QUERIES>/);
  });
});

describe('contracts', () => {
  it('are had by what the original calls them', async () => {
    const text = async (path: string): Promise<string> => {
      const { status, text: found } = await gateway.call(SERVICES + path, { anonymous: true });
      expect(status, path).toBe(200);
      return found;
    };
    const wsdl = await text('/Student.v1.wsdl');
    for (const path of [
      '?Operation=GetWSDL&wsdl=Student.1',
      '/LOCAL/Student.1.wsdl',
      '/LOCAL/GET_ENROLLMENTS.1.wsdl',
      '/GET_ENROLLMENTS.VERSION_1.wsdl',
    ])
      expect(await text(path), path).toBe(wsdl);
    expect(await text('?Operation=GetSchema&xsd=Student.1')).toBe(await text('/Student.v1.xsd'));
    for (const path of ['?Operation=GetWSIL', '/LOCAL/inspection.wsil'])
      expect(await text(path)).toContain(`location="http://127.0.0.1:${gateway.port}${SERVICES}/Student.v1.wsdl"`);
    for (const path of ['?Operation=GetWSDL', '?Operation=GetWSDL&wsdl=Nothing.1'])
      expect((await gateway.call(SERVICES + path)).status, path).toBeGreaterThanOrEqual(400);
  });
});

it('the HTTP connector takes JSON under every name of an operation, and answers its own document', async () => {
  for (const name of ['QAS_QUERYSTATUS.VERSION_1', 'QAS_QUERYSTATUS_OPER', 'QAS_QUERYSTATUS_OPER.VERSION_1']) {
    const headers = { 'content-type': 'application/json', OperationName: name };
    const reply = await send(gateway, { path: '/PSIGW/HttpListeningConnector', body: '{"instanceid":"x"}', headers });
    expect(JSON.parse(reply.text).status, name).toBe('idNotFound');
  }
});

describe('a form', () => {
  const form = (
    body: string,
    headers: Record<string, string> = {},
    authorization: string | null = null,
  ): Promise<SoapReply> =>
    send(gateway, {
      path: `${HTTP.replace('/gateway', '/PSIGW')}?emplid=1`,
      body,
      authorization,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const NAMED = 'Operation=GET_ENROLLMENTS.v1';

  it("is nobody's without a user, and may come with Basic", async () => {
    expect((await form(NAMED)).status).toBe(401);
    expect((await form(NAMED, {}, DEMO)).status).toBe(200);
  });

  it('of another site does nothing with a password that the browser keeps', async () => {
    const reply = await form(NAMED, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, DEMO);
    expect(reply.status).toBe(403);
  });

  it('that says two operations, or a wrong type, is refused', async () => {
    expect((await form(`${NAMED}&OperationName=LEASE_UPDATE.v1`, {}, DEMO)).status).toBe(400);
    expect((await form(`${NAMED}&OperationType=Later`, {}, DEMO)).status).toBe(400);
  });
});

it('an Expect without a value is passed over, and no reply is compressed', async () => {
  const body = envelope(list());
  const raw = await gateway.raw(
    `POST ${SERVICES} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Basic ZGVtbzpkZW1v\r\nSOAPAction: QAS_LISTQUERY_OPER.VERSION_1\r\nContent-Type: text/xml;charset=UTF-8\r\nAccept-Encoding: gzip,deflate\r\nExpect: \r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  expect(raw).toMatch(/^HTTP\/1\.1 200 /);
  expect(raw.toLowerCase()).not.toContain('content-encoding');
});

/** Clients that share nothing with the gateway, and read as the public ones do. */
describe.skipIf(process.env.SIGNALBOX_NO_PYTHON === 'yes')('readers', () => {
  it('by full names, with ElementTree', async () => {
    const { stdout } = await run('python3', [`${clients}full-names.py`, `http://127.0.0.1:${gateway.port}${SERVICES}`]);
    expect(JSON.parse(stdout)).toEqual({
      status: 'finalBlockRetrieved',
      last: true,
      rows: [
        ['001234', '3.5', '2014-09-02', 'R & D'],
        ['005678', '4', '2014-09-03', null],
      ],
    });
  });

  it('by the names as they stand, without namespaces', async () => {
    const { stdout } = await run('python3', [
      `${clients}plain-names.py`,
      `http://127.0.0.1:${gateway.port}/PSIGW/RESTListeningConnector/LOCAL/`,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      queries: ['COURSES-Courses of a campus', 'NO_ROWS-'],
      rows: [
        { A_CRSE_ID: '001234', A_UNITS: '3.5', A_START_DT: '2014-09-02', EXPR4_4: 'R & D' },
        { A_CRSE_ID: '005678', A_UNITS: '4', A_START_DT: '2014-09-03', EXPR4_4: '' },
      ],
    });
  });
});
