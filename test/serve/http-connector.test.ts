import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  bodyOf,
  envelope,
  faultOf,
  HTTP,
  include,
  packed,
  part,
  partsOf,
  RELATED,
  root,
  type Sent,
  type SoapReply,
  send,
  TYPES,
  wrapped,
} from './soap-client.ts';
import { NS, soapProject } from './soap-project.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject() });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const XML = { 'content-type': 'text/xml' };
const JSON_TYPE = { 'content-type': 'application/json' };

const at = (sent: Sent & { readonly query?: string }): Promise<SoapReply> =>
  send(gateway, { ...sent, path: sent.query === undefined ? HTTP : `${HTTP}?${sent.query}` });

/** An IBRequest around a message. */
function ibRequest(said: Readonly<Record<string, string>>, data?: string): string {
  const { From, To, ...names } = said;
  const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;
  const node = (outer: string, inner: string, text?: string): string =>
    text === undefined ? '' : element(outer, element(inner, text));
  const sections =
    data === undefined
      ? ''
      : `<ContentSections><ContentSection><Data><![CDATA[${data}]]></Data></ContentSection></ContentSections>`;
  const named = Object.entries(names).map(([name, text]) => element(name, text));
  return `<?xml version="1.0"?><IBRequest>${named.join('')}${node('From', 'RequestingNode', From)}${node('To', 'DestinationNode', To)}${sections}</IBRequest>`;
}

const SUCCESS =
  /^<IBResponse type="success"><DefaultTitle>Integration Broker Response<\/DefaultTitle><StatusCode>0<\/StatusCode><TransactionID>([^<]+)<\/TransactionID><\/IBResponse>$/;

/** The error that an IBResponse tells. */
function errorOf({ headers, status, text }: SoapReply): { status: number; code: number; id: string; message: string } {
  const shape =
    /^<IBResponse type="error"><DefaultTitle>Integration Broker Response<\/DefaultTitle><StatusCode>(\d+)<\/StatusCode><MessageID>(\w+)<\/MessageID><DefaultMessage>(.*)<\/DefaultMessage><MessageParameters\/><\/IBResponse>$/;
  const found = shape.exec(text);
  if (found === null) throw new Error(`no error: ${status} ${text}`);
  expect(headers['content-type']).toBe('text/xml; charset=utf-8');
  return { status, code: Number(found[1]), id: found[2]!, message: found[3]! };
}

const plain = wrapped('ECHO', '<S>a</S>');
const document = `<ALL xmlns="${NS}"><S>a</S></ALL>`;

describe('the operation is named', () => {
  it.each<[string, Sent & { readonly query?: string }]>([
    ['by a header', { body: plain, headers: { ...XML, OperationName: 'ECHO' } }],
    ['by a header with the version', { body: plain, headers: { ...XML, operationname: 'ECHO.v1' } }],
    ['in the query string', { query: 'OperationName=ECHO', body: plain, headers: XML }],
    ['in the query string, encoded', { query: 'OperationName=ECHO%2Ev1&x=1', body: plain, headers: XML }],
    ['in both', { query: 'OperationName=ECHO', body: plain, headers: { ...XML, OperationName: 'ECHO' } }],
    ['in both, empty in one', { query: 'OperationName=', body: plain, headers: { ...XML, OperationName: 'ECHO' } }],
    ['by the element alone', { body: plain, headers: XML }],
    ['without a Content-Type', { body: plain }],
    ['by an IBRequest', { body: ibRequest({ OperationName: 'ECHO' }, plain), headers: XML }],
    [
      'by an IBRequest, as an external name',
      { body: ibRequest({ ExternalOperationName: 'ECHO.v1' }, plain), headers: XML },
    ],
    ['by the element in an IBRequest', { body: ibRequest({}, `<?xml version="1.0"?>\n${plain}`), headers: XML }],
    [
      'by header and IBRequest',
      { body: ibRequest({ OperationName: 'ECHO' }, plain), headers: { ...XML, OperationName: 'ECHO' } },
    ],
    ['and the message is its document', { body: document, headers: { ...XML, OperationName: 'ECHO' } }],
    ['with nodes and type', { query: 'OperationType=Sync&From=PARTNER&To=LOCAL', body: plain, headers: XML }],
    ['with type in other letters', { body: plain, headers: { ...XML, OperationType: 'sync' } }],
  ])('%s', async (_, sent) => {
    const reply = await at(sent);
    expect(reply.text).toBe(document);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/xml']);
  });

  it('for JSON, which is answered in JSON', async () => {
    const reply = await at({ body: '{"S":"a","BIN":"eA=="}', headers: { ...JSON_TYPE, OperationName: 'ECHO' } });
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([
      200,
      'application/json',
      '{"S":"a","BIN":"eA=="}',
    ]);
    const raw = await at({ body: '[1]', headers: { ...JSON_TYPE, OperationName: 'JSON' } });
    expect(raw.text).toBe('[1]');
  });

  it('for JSON in an IBRequest', async () => {
    const reply = await at({ body: ibRequest({ OperationName: 'ECHO' }, ' {"S":"a"}'), headers: XML });
    expect(reply.text).toBe(document);
  });

  it('for XML without a document, which needs no wrapper', async () => {
    const headers = { ...XML, OperationName: 'RAW' };
    expect((await at({ body: '<own><a/></own>', headers })).text).toBe('<seen><own><a/></own></seen>');
    expect((await at({ body: wrapped('RAW', '<a xmlns=""/>'), headers })).text).toBe('<seen><a/></seen>');
  });

  describe('by GET', () => {
    it.each<[string, string, string]>([
      ['a stored query', 'ALL_ROWS', '<NAME>row &lt;1&gt; &amp; more</NAME>'],
      ['code that is called by GET over REST too', 'FACTS', 'FACTS'],
      ['code that only reads, as its operation says', 'BYTES', 'abcdef'],
    ])('%s', async (_, operation, content) => {
      const reply = await at({ method: 'GET', query: `OperationName=${operation}` });
      expect([reply.status, reply.text]).toEqual([200, expect.stringContaining(content)]);
      const named = await at({ method: 'GET', headers: { OperationName: operation } });
      expect([named.status, named.text]).toEqual([200, reply.text]);
      const head = await at({ method: 'HEAD', query: `OperationName=${operation}` });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-type']).toBe(reply.headers['content-type']);
    });

    it.each(['NOTIFY', 'BINARY', 'RAW', 'ECHO', 'PUT'])('nothing that may write: %s', async (operation) => {
      for (const method of ['GET', 'HEAD'])
        for (const sent of [{ query: `OperationName=${operation}` }, { headers: { OperationName: operation } }]) {
          const reply = await at({ method, ...sent });
          expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS']);
        }
      const answered = gateway.log().filter(({ method, status }) => method !== 'POST' && status === 200);
      expect(answered.filter(({ operation: id }) => id === operation)).toEqual([]);
    });

    it('nothing that may write, in an envelope or an IBRequest either', async () => {
      const sent = { method: 'GET', query: 'x', headers: XML };
      expect((await at({ ...sent, body: envelope(wrapped('NOTIFY', '<TEXT>a</TEXT>')) })).status).toBe(405);
      expect((await at({ ...sent, body: ibRequest({ OperationName: 'NOTIFY' }) })).status).toBe(405);
    });

    it('nothing that has to be given more than a name', async () => {
      const { status, id } = errorOf(await at({ method: 'GET', query: 'OperationName=ROWS' }));
      expect([status, id]).toEqual([400, 'BAD_PARAMETER']);
    });

    it('nothing that writes for what its request says', async () => {
      const get = { method: 'GET', query: 'OperationName=KEEPS', headers: JSON_TYPE };
      expect((await at({ ...get, body: '{"FORM":"PAGE"}' })).text).toBe('{"FORM":"PAGE"}');
      const reply = await at({ ...get, body: '{"FORM":"FILE"}' });
      expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS']);
      expect((await at({ ...get, method: 'POST', body: '{"FORM":"FILE"}' })).status).toBe(200);
    });
  });

  it('for a stored query', async () => {
    const reply = await at({ body: '{"N":1}', headers: { ...JSON_TYPE, OperationName: 'ROWS' } });
    expect(JSON.parse(reply.text)).toEqual({ rows: [{ N: 1, NAME: 'row <1> & more' }] });
    const xml = await at({ body: wrapped('ROWS', '<N>1</N>'), headers: XML });
    expect(xml.text).toContain('<N>1</N>');
    expect(xml.headers['content-type']).toBe('application/xml');
  });
});

describe('envelopes', () => {
  it.each(['1.1', '1.2'] as const)('of SOAP %s are answered by such', async (version) => {
    const headers = { 'content-type': TYPES[version], OperationName: 'ECHO', To: 'LOCAL' };
    const reply = await at({ body: envelope(plain, version), headers });
    expect(bodyOf(reply, version)).toBe(`<ECHOResponse xmlns="${NS}"><S>a</S></ECHOResponse>`);
    const wrong = await at({ body: envelope(wrapped('ECHO', '<I>x</I>'), version), headers });
    expect(faultOf(wrong, version).reason).toBe('I is not an integer.');
  });

  it('may come with attachments, and in an IBRequest', async () => {
    const xml = envelope(wrapped('ECHO', `<BIN>${include('a')}</BIN>`));
    const reply = await at({ body: packed([root(xml), part('a', 'content')]), headers: { 'content-type': RELATED } });
    expect(partsOf(reply)[1]!.body).toBe('content');
    const inside = await at({ body: ibRequest({ OperationName: 'ECHO.v1' }, envelope(plain)), headers: XML });
    expect(bodyOf(inside)).toContain('<S>a</S>');
  });

  it.each<[string, string, Record<string, string>]>([
    ['another operation', 'OperationName=PUT', {}],
    ['another action', '', { SOAPAction: '"PUT.v1"' }],
    ['another node', 'To=PARTNER', {}],
    ['an exchange that is not one-way', 'OperationType=Async', {}],
  ])('that contradict what is said beside them are faults: %s', async (_, query, headers) => {
    const reply = await at({ query, body: envelope(plain), headers: { ...XML, SOAPAction: '""', ...headers } });
    expect(faultOf(reply)).toMatchObject({ status: 500, code: 'Client' });
  });

  it('the ways into the gateway share their faults', async () => {
    const unknown = await at({ body: envelope('<X/>'), headers: { 'content-type': TYPES['1.2'] } });
    expect(faultOf(unknown).code).toBe('Client');
    const unread = await at({ body: '<', headers: { 'content-type': TYPES['1.2'] } });
    expect(faultOf(unread, '1.2')).toMatchObject({ status: 400, code: 'Sender' });
    const anonymous = await at({ body: envelope(plain), headers: { ...XML, SOAPAction: '""' }, authorization: null });
    expect(faultOf(anonymous).status).toBe(401);
  });
});

describe('Async and Ping', () => {
  it.each<[string, Sent & { readonly query?: string }]>([
    ['XML', { body: wrapped('NOTIFY', '<TEXT>xml</TEXT>'), headers: { ...XML, OperationType: 'Async' } }],
    ['JSON', { query: 'OperationName=NOTIFY&OperationType=Async', body: '{"TEXT":"json"}', headers: JSON_TYPE }],
    ['IBRequest', { body: ibRequest({ OperationType: 'Async' }, wrapped('NOTIFY', '<TEXT>ib</TEXT>')), headers: XML }],
    ['no OperationType', { body: wrapped('NOTIFY', '<TEXT>sync</TEXT>'), headers: XML }],
  ])('a one-way operation is taken over, from %s', async (_, sent) => {
    const before = gateway.log().length;
    const reply = await at(sent);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8']);
    expect(SUCCESS.exec(reply.text)?.[1]).toBe(reply.headers['x-request-id']);
    expect(gateway.log().slice(before)).toContainEqual(expect.objectContaining({ msg: 'notified' }));
  });

  it('a one-way operation in an envelope is 202', async () => {
    const body = envelope(wrapped('NOTIFY', '<TEXT>soap</TEXT>'));
    const reply = await at({ query: 'OperationType=Async', body, headers: XML });
    expect([reply.status, reply.text]).toEqual([202, '']);
  });

  it.each<[string, Sent & { readonly query?: string }]>([
    ['GET', { method: 'GET', query: 'OperationType=Ping' }],
    ['a header', { headers: { OperationType: 'ping' } }],
    ['an IBRequest', { body: ibRequest({ OperationType: 'Ping', From: 'PARTNER', To: 'LOCAL' }), headers: XML }],
    [
      'a package',
      {
        body: packed([part('a', 'x'), root(ibRequest({ OperationType: 'Ping' }))]),
        headers: { 'content-type': `${RELATED}; start="<root>"` },
      },
    ],
  ])('Ping is answered, from %s', async (_, sent) => {
    const reply = await at(sent);
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(SUCCESS);
  });
});

describe('errors are told with a truthful status', () => {
  it.each<[string, Sent & { readonly query?: string }, number, number, string]>([
    ['nothing named', { headers: XML }, 400, 20, 'OperationName is missing.'],
    ['an unknown name', { body: plain, headers: { ...XML, OperationName: 'NO_SUCH' } }, 404, 20, 'NO_SUCH'],
    ['a name of REST alone', { body: plain, headers: { ...XML, OperationName: 'TWINNED' } }, 404, 20, 'TWINNED'],
    ['an unknown element', { body: '<X/>', headers: XML }, 404, 20, 'X'],
    ['another element', { body: '<X/>', headers: { ...XML, OperationName: 'ECHO' } }, 400, 20, 'its element is'],
    ['no body', { headers: { ...XML, OperationName: 'ECHO' } }, 400, 20, 'ECHO needs its request'],
    ['a wrong field', { body: wrapped('ECHO', '<I>x</I>'), headers: XML }, 400, 20, 'I is not an integer.'],
    ['no XML', { body: 'x', headers: XML }, 400, 20, 'its XML is wrong'],
    [
      'no XML in an IBRequest',
      { body: ibRequest({ OperationName: 'ECHO' }, '<a>'), headers: XML },
      400,
      20,
      'its XML is wrong',
    ],
    ['another type', { body: 'a,b', headers: { 'content-type': 'text/csv' } }, 415, 20, 'supported'],
    ['JSON that it can not be', { body: ibRequest({ OperationName: 'TEXT' }, '[]'), headers: XML }, 415, 20, 'TEXT'],
    ['no credentials', { body: plain, headers: XML, authorization: null }, 401, 20, 'Credentials'],
    ['no grant', { body: wrapped('GUARDED'), headers: XML }, 403, 20, 'demo may not use'],
    ['a fault to try again', { body: wrapped('FAILS', '<KIND>LATER 503</KIND>'), headers: XML }, 503, 10, 'LATER'],
    ['a fault of its own', { body: wrapped('FAILS', '<KIND>OWN 409</KIND>'), headers: XML }, 409, 20, 'OWN'],
    ['too large', { body: wrapped('ECHO', `<T>${'x'.repeat(70_000)}</T>`), headers: XML }, 413, 20, '65536'],
    ['another node', { query: 'To=PARTNER', body: plain, headers: XML }, 400, 20, 'this node is LOCAL'],
    [
      'no such type',
      { query: 'OperationType=Later', body: plain, headers: XML },
      400,
      20,
      'is not Sync, Async or Ping',
    ],
    [
      'Async of what is answered at once',
      { query: 'OperationType=Async', body: plain, headers: XML },
      400,
      20,
      'ECHO is answered at once',
    ],
    [
      'two names',
      { query: 'OperationName=PUT', body: plain, headers: { ...XML, OperationName: 'ECHO' } },
      400,
      20,
      'two different values for OperationName',
    ],
    [
      'two in the query',
      { query: 'OperationName=ECHO&OperationName=PUT', body: plain, headers: XML },
      400,
      20,
      'two different values',
    ],
    [
      'two nodes',
      { query: 'From=A', body: ibRequest({ From: 'B' }, plain), headers: XML },
      400,
      20,
      'two different values for From',
    ],
    [
      'a query string that is none',
      { query: '%gg=1', body: plain, headers: XML },
      400,
      20,
      'The query string is not valid',
    ],
    ['a name that is none', { query: 'OperationName=%ff', body: plain, headers: XML }, 400, 20, 'not valid'],
    ['many parameters', { query: 'a&'.repeat(1001), body: plain, headers: XML }, 400, 20, 'more than 1000 parameters'],
    [
      'segments',
      { body: wrapped('MARKED', '<COUNT>1</COUNT>'), headers: XML },
      406,
      20,
      'multipart/related, in an envelope',
    ],
  ])('%s', async (_, sent, status, code, words) => {
    const error = errorOf(await at(sent));
    expect(error).toMatchObject({ status, code });
    expect(error.message).toContain(words);
  });

  it('in JSON for callers who speak it: the fault document, or problem details', async () => {
    const headers = { ...JSON_TYPE, OperationName: 'FAILS' };
    const own = await at({ body: '{"KIND":"OWN 409"}', headers });
    expect([own.status, JSON.parse(own.text)]).toEqual([409, { MESSAGE: 'It said <OWN> & failed.', CODE: 'OWN' }]);
    const unnamed = await at({ body: '{}', headers: JSON_TYPE });
    expect([unnamed.status, unnamed.headers['content-type']]).toEqual([400, 'application/problem+json']);
    expect((await at({ body: '{', headers })).status).toBe(400);
  });
});

it('takes POST, and GET that asks for something', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const reply = await at({ method });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS']);
  }
  expect((await at({ method: 'OPTIONS' })).headers.allow).toBe('POST, OPTIONS');
  for (const method of ['PUT', 'OPTIONS'])
    expect((await at({ method, query: 'OperationName=ECHO' })).headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  const nodes = await Promise.all(
    ['/LOCAL', '/PARTNER'].map((node) => send(gateway, { path: HTTP + node, body: plain, headers: XML })),
  );
  expect(nodes.map(({ status }) => status)).toEqual([200, 404]);
});

it('keeps a line of the log for each, with its operation', async () => {
  const headers = { ...XML, 'x-request-id': 'http-log' };
  await at({ body: plain, headers });
  await at({ body: ibRequest({ OperationType: 'Ping' }), headers });
  expect(gateway.log().filter(({ requestId }) => requestId === 'http-log')).toEqual([
    expect.objectContaining({ operation: 'ECHO', user: 'demo', status: 200 }),
    expect.objectContaining({ path: HTTP, status: 200 }),
  ]);
});
