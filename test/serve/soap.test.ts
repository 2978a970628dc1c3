import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  bodyOf,
  callSoap,
  envelope,
  faultOf,
  post,
  SERVICES,
  SOAP_11,
  SOAP_12,
  type SoapReply,
  send,
  TYPES,
  type Version,
  wrapped,
} from './soap-client.ts';
import { NS, soapProject } from './soap-project.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject() });
});
afterAll(async () => {
  expect((await callSoap(gateway, 'ECHO', '<S>at the end</S>')).status).toBe(200);
  await gateway.stop();
});

const BOTH: readonly Version[] = ['1.1', '1.2'];

const echoed = (fields: string): string => `<ECHOResponse xmlns="${NS}">${fields}</ECHOResponse>`;

const EVERY_TYPE =
  '<S>é &lt;&amp;</S><T>two\nlines</T><I>1234567890123456789</I><D>1.50</D><B>true</B><F>Y</F>' +
  '<DA>2026-02-28</DA><TI>23:59:59</TI><DT>2026-02-28T12:00:00Z</DT><U>0f8fad5b-d9cb-469f-a165-70867728950e</U><L>urn:a:b?c=d&amp;e</L><J>{"a":[1,null]}</J><X>&lt;a/&gt;</X><BIN>AAH/</BIN>' +
  '<NAMES><item>a</item><item/></NAMES><SUB><N>1</N><CONTENT>eA==</CONTENT></SUB><FLAT>x</FLAT><FLAT>y</FLAT>';

describe.each(BOTH)('SOAP %s', (version) => {
  it('carries every type of field there and back', async () => {
    const request = `<ECHO xmlns="${NS}" AT="at">${EVERY_TYPE}</ECHO>`;
    const reply = await post(gateway, envelope(request, version), version);
    expect(reply.headers['content-type']).toBe(TYPES[version]);
    expect(bodyOf(reply, version)).toBe(`<ECHOResponse xmlns="${NS}" AT="at">${EVERY_TYPE}</ECHOResponse>`);
    expect(reply.status).toBe(200);
  });

  it('takes any prefixes for the right namespaces, comments, and headers that need not be understood', async () => {
    const namespace = version === '1.1' ? SOAP_11 : SOAP_12;
    const xml = `<!-- a --><Envelope xmlns="${namespace}"><Header><h xmlns="urn:h" xmlns:e="${namespace}" e:mustUnderstand="0"/></Header>
      <Body><!-- b --><soap:ECHO xmlns:soap="${NS}"><soap:S>a</soap:S><x:I xmlns:x="${NS}"><!-- c -->1</x:I></soap:ECHO>\n</Body></Envelope>`;
    expect(bodyOf(await post(gateway, xml, version), version)).toBe(echoed('<S>a</S><I>1</I>'));
  });

  it('answers a one-way operation with 202 and nothing', async () => {
    const reply = await callSoap(gateway, 'NOTIFY', `<TEXT>in ${version}</TEXT>`, version);
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([202, '', undefined]);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ msg: 'notified', text: `in ${version}` }));
    const failed = await callSoap(gateway, 'NOTIFY', '<TEXT>throw</TEXT>', version);
    expect(faultOf(failed, version)).toMatchObject({ status: 500, code: version === '1.1' ? 'Server' : 'Receiver' });
    expect(failed.text).not.toContain('secret');
  });

  it('tells a fault with the fault document', async () => {
    const reply = await callSoap(gateway, 'FAILS', '<KIND>OWN_CODE 409</KIND>', version);
    expect(reply.headers['retry-after']).toBe('7');
    const said = 'It said &lt;OWN_CODE&gt; &amp; failed.';
    expect(faultOf(reply, version)).toEqual({
      status: version === '1.1' ? 500 : 400,
      code: version === '1.1' ? 'Client' : 'Sender',
      reason: said,
      detail: `<SAID xmlns="${NS}"><MESSAGE>${said}</MESSAGE><CODE>OWN_CODE</CODE></SAID>`,
    });
  });

  it("or in the broker's own words, where there is no such document", async () => {
    const told = async (kind: string): Promise<string | undefined> =>
      faultOf(await callSoap(gateway, 'BARE_FAILS', `<KIND>${kind}</KIND>`, version), version).detail;
    const said = (code: number, id: string, message: string): string =>
      `<IBResponse type="error"><DefaultTitle>Integration Broker Response</DefaultTitle><StatusCode>${code}</StatusCode>` +
      `<MessageID>${id}</MessageID><DefaultMessage>${message}</DefaultMessage><MessageParameters/></IBResponse>`;
    expect(await told('OWN 409')).toBe(said(20, 'OWN', 'It said &lt;OWN&gt; &amp; failed.'));
    expect(await told('LATER 503')).toBe(said(10, 'LATER', 'It said &lt;LATER&gt; &amp; failed.'));
    expect(await told('ERROR')).toBe(said(20, 'INTERNAL', 'BARE_FAILS failed because of an internal error.'));
    expect(await told('MISFIT')).toBe(said(20, 'INTERNAL', 'BARE_FAILS failed because of an internal error.'));
  });

  it.each([400, 401, 403, 404, 409, 413, 415, 429, 500, 502, 503, 504])('a fault of status %i', async (status) => {
    const kept = [401, 413, 415, 429, 503].includes(status);
    const client = status < 500;
    const reply = await callSoap(gateway, 'FAILS', `<KIND>X ${status}</KIND>`, version);
    const codes = version === '1.1' ? ['Client', 'Server'] : ['Sender', 'Receiver'];
    expect(faultOf(reply, version)).toMatchObject({
      status: kept ? status : client && version === '1.2' ? 400 : 500,
      code: client ? codes[0] : codes[1],
    });
  });

  it.each<[string, string, string]>([
    ['of a field that is wrong', '<I>x</I>', 'I is not an integer.'],
    ['of a UUID that is none', '<U>7</U>', 'U is not a UUID (8-4-4-4-12 hexadecimal digits).'],
    ['of a URI without a scheme', '<L>a</L>', 'L is not a URI with a scheme (RFC 3986).'],
    ['of a field inside another', '<SUB><N>1</N><CONTENT>-</CONTENT></SUB>', 'SUB.CONTENT is not base64.'],
    ['of a field that is missing', '<SUB/>', 'SUB.N is missing.'],
    ['of an element nobody knows', '<Y/>', 'Y'],
    ['of an element in no namespace', '<S xmlns="">a</S>', 'S '],
    [
      'of a part that is not there',
      '<BIN><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:a"/></BIN>',
      'BIN is an attachment, and the message has none.',
    ],
  ])('a fault %s', async (_, fields, words) => {
    const reply = await callSoap(gateway, 'ECHO', fields, version);
    const { status, code, reason, detail } = faultOf(reply, version);
    expect([status, code]).toEqual(version === '1.1' ? [500, 'Client'] : [400, 'Sender']);
    expect(reason).toContain(words);
    expect(detail).toMatch(/<CODE>BAD_(PARAMETER|BODY)<\/CODE>/);
  });

  it('a header that has to be understood', async () => {
    const namespace = version === '1.1' ? SOAP_11 : SOAP_12;
    const role = version === '1.1' ? 'actor' : 'role';
    const next = version === '1.1' ? 'http://schemas.xmlsoap.org/soap/actor/next' : `${SOAP_12}/role/next`;
    const header = (who: string): string =>
      `<h:Security xmlns:h="urn:h" xmlns:e="${namespace}" e:mustUnderstand="1"${who}/>`;
    const asked = async (who: string): Promise<SoapReply> =>
      post(gateway, envelope(wrapped('ECHO', '<S>a</S>'), version, header(who)), version);
    for (const who of ['', ` e:${role}=""`, ` e:${role}="${next}"`]) {
      const reply = await asked(who);
      const { status, code, reason, detail } = faultOf(reply, version);
      expect([status, code, detail]).toEqual([500, 'MustUnderstand', undefined]);
      expect(reason).toBe('The gateway does not understand the mandatory headers: {urn:h}Security.');
      const named = '<env:NotUnderstood qname="q:Security" xmlns:q="urn:h"/>';
      expect(reply.text.includes(named)).toBe(version === '1.2');
    }
    expect((await asked(` e:${role}="urn:somebody-else"`)).status).toBe(200);
  });
});

describe('what an envelope is for', () => {
  const asked = (version: Version, headers: Record<string, string>): Promise<SoapReply> =>
    post(gateway, envelope(wrapped('ECHO', '<S>a</S>'), version), version, headers);
  const type12 = (action: string): Record<string, string> => ({
    'content-type': `application/soap+xml; charset=utf-8; action=${action}`,
  });

  it.each<[string, Version, Record<string, string>]>([
    ['no SOAPAction', '1.1', {}],
    ['an empty one', '1.1', { SOAPAction: '' }],
    ['an empty one in quotes', '1.1', { SOAPAction: '""' }],
    ['one that agrees', '1.1', { SOAPAction: '"ECHO.v1"' }],
    ['one that agrees without quotes', '1.1', { SOAPAction: 'ECHO.v1' }],
    ['no action', '1.2', {}],
    ['an empty action', '1.2', type12('""')],
    ['an action that agrees', '1.2', type12('"ECHO.v1"')],
    ['an action without quotes', '1.2', type12('ECHO.v1')],
    ['a SOAPAction that agrees', '1.2', { SOAPAction: '"ECHO.v1"' }],
  ])('%s, in SOAP %s', async (_, version, headers) => {
    expect((await asked(version, headers)).status).toBe(200);
  });

  it.each<[Version, Record<string, string>]>([
    ['1.1', { SOAPAction: '"PUT.v1"' }],
    ['1.1', { SOAPAction: 'ECHO.v2' }],
    ['1.1', { SOAPAction: '"echo.v1"' }],
    ['1.2', type12('"PUT.v1"')],
    ['1.2', { SOAPAction: '"PUT.v1"' }],
  ])('an action that contradicts the body, in SOAP %s: %o', async (version, headers) => {
    const { status, code, reason } = faultOf(await asked(version, headers), version);
    expect([status, code]).toEqual(version === '1.1' ? [500, 'Client'] : [400, 'Sender']);
    expect(reason).toMatch(/its action is "(PUT|ECHO|echo)\.v[12]", but the action of ECHO is ECHO\.v1/);
  });

  it.each([
    ['an unknown operation', `<NO_SUCH xmlns="${NS}"/>`, `operation for the element "{${NS}}NO_SUCH"`],
    ['another namespace', '<ECHO xmlns="urn:test:Soap.v2"/>', `ECHO is in the namespace ${NS}`],
    ['no namespace', '<ECHO/>', `ECHO is in the namespace ${NS}`],
    ['another letter case', `<echo xmlns="${NS}"/>`, 'There is no operation'],
    ['one that is over REST alone by this name', `<TWINNED xmlns="${NS}"/>`, 'There is no operation'],
    ['one that is switched off', `<SWITCHED_OFF xmlns="${NS}"/>`, 'There is no operation'],
    ['the reply', `<ECHOResponse xmlns="${NS}"/>`, 'There is no operation'],
  ])('%s', async (_, body, words) => {
    const { status, code, reason } = faultOf(await post(gateway, envelope(body)));
    expect([status, code]).toEqual([500, 'Client']);
    expect(reason).toContain(words);
  });

  it('a SOAP twin answers under its own name', async () => {
    expect(bodyOf(await callSoap(gateway, 'TWIN', '<S>a</S>'))).toBe(
      `<TWINResponse xmlns="${NS}"><S>a</S></TWINResponse>`,
    );
  });

  it('an envelope of no known version', async () => {
    const reply = await post(gateway, envelope(wrapped('ECHO')).replace(SOAP_11, 'urn:soap:3'), '1.2');
    const { status, code, reason, detail } = faultOf(reply);
    expect([status, code, detail]).toEqual([500, 'VersionMismatch', undefined]);
    expect(reason).toContain('urn:soap:3');
    expect(reply.text).toContain('SupportedEnvelope');
  });

  it('the version is that of the envelope, whatever the Content-Type says', async () => {
    const reply = await post(gateway, envelope(wrapped('ECHO', '<S>a</S>'), '1.1'), '1.2');
    expect(bodyOf(reply, '1.1')).toBe(echoed('<S>a</S>'));
    const other = await post(gateway, envelope(wrapped('ECHO', '<I>x</I>'), '1.2'), '1.1');
    expect(faultOf(other, '1.2').code).toBe('Sender');
  });
});

describe('who may call', () => {
  const asked = (operation: string, authorization: string | null): Promise<SoapReply> =>
    send(gateway, {
      body: envelope(wrapped(operation, '<S>a</S>')),
      headers: { 'content-type': TYPES['1.1'] },
      authorization,
    });

  it.each([
    ['nobody', null],
    ['somebody unknown', `Basic ${Buffer.from('demo:wrong').toString('base64')}`],
  ])('%s gets a fault with 401', async (_, authorization) => {
    const reply = await asked('ECHO', authorization);
    expect(faultOf(reply)).toMatchObject({ status: 401, code: 'Client', reason: 'Credentials are missing or wrong.' });
    expect(reply.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('a caller without the grant gets a fault that every client reads: 500 in SOAP 1.1, 400 in 1.2', async () => {
    expect(faultOf(await asked('ECHO', GUEST))).toMatchObject({
      status: 500,
      code: 'Client',
      detail: expect.stringContaining('<CODE>FORBIDDEN</CODE>'),
    });
    expect(faultOf(await callSoap(gateway, 'GUARDED', '', '1.2'), '1.2')).toMatchObject({
      status: 400,
      code: 'Sender',
    });
  });

  it('everybody may call what is public', async () => {
    expect((await asked('OPEN', null)).status).toBe(200);
    expect((await asked('OPEN', 'Basic wrong')).status).toBe(200);
  });
});

describe('the path', () => {
  const at = (path: string, method = 'POST'): Promise<SoapReply> =>
    send(gateway, {
      path,
      method,
      body: method === 'POST' ? envelope(wrapped('ECHO')) : '',
      headers: { 'content-type': TYPES['1.1'] },
    });

  it.each([
    SERVICES,
    `${SERVICES}/`,
    `${SERVICES}/LOCAL`,
    `${SERVICES}/LOCAL/`,
    `${SERVICES}/Soap.v1`,
    `${SERVICES}/LOCAL/Soap.v1`,
    `${SERVICES}?x=1`,
  ])('%s', async (path) => {
    expect((await at(path)).status).toBe(200);
  });

  it.each([
    [`${SERVICES}/PARTNER`, 'node PARTNER here: this gateway is node LOCAL'],
    [`${SERVICES}/NOBODY`, 'NOBODY'],
    [`${SERVICES}/LOCAL/Other.v9`, 'Other.v9'],
    [`${SERVICES}X`, 'path'],
  ])('%s is 404', async (path, words) => {
    const reply = await at(path);
    expect(reply.status).toBe(404);
    expect(reply.text).toContain(words);
  });

  it.each(['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH'])('%s is 405', async (method) => {
    const reply = await at(SERVICES, method);
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });

  it('OPTIONS says what there is', async () => {
    const reply = await at(SERVICES, 'OPTIONS');
    expect([reply.status, reply.headers.allow]).toEqual([204, 'POST, OPTIONS']);
  });

  it.each([
    ['/Soap.v1.wsdl', 'wsdl:definitions'],
    ['/LOCAL/Soap.v1.wsdl', 'wsdl:definitions'],
    ['/SOAP.1.wsdl', 'wsdl:definitions'],
    ['/Soap.v1?wsdl', 'wsdl:definitions'],
    ['/LOCAL/Soap.v1?WSDL', 'wsdl:definitions'],
    ['?wsdl', 'wsdl:definitions'],
    ['/Soap.v1.xsd', 'schema'],
    ['?xsd', 'schema'],
  ])('the contract at %s', async (rest, root) => {
    const reply = await send(gateway, { path: SERVICES + rest, method: 'GET', authorization: null });
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(new RegExp(`^(<\\?xml.*?\\?>)?\\s*<(\\w+:)?${root.replace('wsdl:', '')}\\b`));
    expect((await at(SERVICES + rest, 'PUT')).status).toBe(405);
  });

  it.each([
    'Soap.v1?wsdl=1',
    'Soap.v1?singleWsdl',
    'Soap.v1/?wsdl',
    'Soap.v1/?WSDL=1',
  ])('the WSDL at /%s', async (rest) => {
    const reply = await send(gateway, { path: `${SERVICES}/${rest}`, method: 'GET' });
    const own = await send(gateway, { path: `${SERVICES}/Soap.v1?wsdl`, method: 'GET' });
    expect([reply.status, reply.text === own.text]).toEqual([200, true]);
  });

  it('and messages are taken at the address of a service with a slash at its end', async () => {
    const body = envelope(wrapped('ECHO', '<S>a</S>'));
    const headers = { 'content-type': 'text/xml', SOAPAction: '""' };
    expect(bodyOf(await send(gateway, { path: `${SERVICES}/Soap.v1/`, body, headers }))).toContain('<S>a</S>');
  });

  it.each(['/Nothing.v1?wsdl', '/Nothing.v1.wsdl', '/Soap.v1.txt', '/Soap.v1'])('no contract at %s', async (rest) => {
    expect((await send(gateway, { path: SERVICES + rest, method: 'GET' })).status).toBe(404);
  });
});

it.each<[string, string, string | undefined]>([
  ['a form', 'application/x-www-form-urlencoded', undefined],
  ['JSON', 'application/json', undefined],
  ['a form with attachments', 'multipart/form-data; boundary=x', undefined],
  ['no media type', 'xml', undefined],
  ['an unknown charset', 'text/xml; charset=x-none', undefined],
  ['compressed XML', 'text/xml', 'gzip'],
])('%s is refused with 415', async (_, type, coding) => {
  const headers = { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) };
  const { status, code } = faultOf(await post(gateway, envelope(wrapped('ECHO')), '1.1', headers));
  expect([status, code]).toEqual([415, 'Client']);
});

it.each<[string, string, BufferEncoding]>([
  ['text/xml; charset=ISO-8859-1', 'UTF-8', 'latin1'],
  ['text/xml; charset=windows-1252', 'UTF-8', 'latin1'],
  ['text/xml; charset=utf-8', 'ISO-8859-1', 'utf8'],
  ['text/xml', 'ISO-8859-1', 'latin1'],
])('%s with a declaration of %s is read as %s', async (type, declared, encoding) => {
  const xml = envelope(wrapped('ECHO', '<S>é</S>')).replace('?>', ` encoding="${declared}"?>`);
  const headers = { 'content-type': type, SOAPAction: '""' };
  const reply = await send(gateway, { body: Buffer.from(xml, encoding), headers });
  expect(bodyOf(reply)).toContain('<S>é</S>');
});

it('a body that is not there is refused', async () => {
  for (const body of ['', envelope('')]) {
    const { status, reason } = faultOf(await post(gateway, body));
    expect([status, reason]).toEqual([500, expect.stringContaining('Invalid request body')]);
  }
});

it('the log has one line a call, with its operation', async () => {
  const headers = { 'x-request-id': 'for-the-log' };
  await post(gateway, envelope(wrapped('ECHO', '<S>a</S>')), '1.1', headers);
  await post(gateway, envelope(wrapped('ECHO', '<I>x</I>')), '1.1', headers);
  expect(gateway.log().filter(({ requestId }) => requestId === 'for-the-log')).toEqual([
    expect.objectContaining({
      level: 'info',
      method: 'POST',
      path: SERVICES,
      operation: 'ECHO',
      user: 'demo',
      status: 200,
    }),
    expect.objectContaining({ operation: 'ECHO', user: 'demo', status: 500, fault: 'BAD_PARAMETER' }),
  ]);
});
