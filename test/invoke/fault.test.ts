import { describe, expect, it } from 'vitest';
import { InvokeError, SoapFault } from '../../src/invoke/index.ts';
import {
  type Answer,
  client,
  envelope,
  FILE,
  node,
  partner,
  reply,
  SERVICE_NAMESPACE,
  SOAP_12,
  SUM,
  TROUBLE,
  target,
  thrown,
} from './support.ts';

async function fault(answer: Answer): Promise<unknown> {
  const { url } = await target(answer);
  const registry = partner(node('PARTNER', [url]), { request: FILE, response: SUM, fault: TROUBLE });
  return thrown(client(registry).call('FILE_SEND', { name: 'a' }));
}

const DETAIL = `<t:TROUBLE xmlns:t="${SERVICE_NAMESPACE}"><t:message>no &lt;room&gt;</t:message><t:line>7</t:line></t:TROUBLE>`;
const fault11 = (detail: string, code = 'SOAP-ENV:Server'): string =>
  `<SOAP-ENV:Fault><faultcode>${code}</faultcode><faultstring>It went wrong</faultstring>${detail}</SOAP-ENV:Fault>`;

describe('a SOAP fault is a typed error', () => {
  it('SOAP 1.1, with the fault document', async () => {
    const error = await fault(reply(fault11(`<detail>${DETAIL}</detail>`), 500));
    expect(error).toBeInstanceOf(SoapFault);
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({
      name: 'SoapFault',
      message: 'FILE_SEND: It went wrong',
      code: 'Server',
      subcodes: [],
      reason: 'It went wrong',
      httpResponseCode: 500,
      responseStatus: 20,
      detail: { message: 'no <room>', line: 7 },
      called: { operation: 'FILE_SEND' },
    });
    expect((error as SoapFault).detailXml).toContain('<t:line>7</t:line>');
  });

  it('SOAP 1.2, with subcodes', async () => {
    const body = envelope(
      '<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value xmlns:a="urn:a">a:Quota</SOAP-ENV:Value></SOAP-ENV:Subcode></SOAP-ENV:Code>' +
        '<SOAP-ENV:Reason><SOAP-ENV:Text xml:lang="de">Falsch</SOAP-ENV:Text><SOAP-ENV:Text xml:lang="en">Wrong</SOAP-ENV:Text></SOAP-ENV:Reason>' +
        `<SOAP-ENV:Detail>${DETAIL}</SOAP-ENV:Detail></SOAP-ENV:Fault>`,
      SOAP_12,
    );
    expect(await fault({ status: 400, headers: { 'Content-Type': 'application/soap+xml' }, body })).toMatchObject({
      code: 'Client',
      subcodes: ['{urn:a}Quota'],
      reason: 'Wrong',
      detail: { message: 'no <room>', line: 7 },
    });
  });

  it.each([
    [
      'the status 200',
      reply(fault11(''), 200),
      { code: 'Server', httpResponseCode: 200, detail: undefined, detailXml: '' },
    ],
    ['the status 503', reply(fault11(''), 503), { responseStatus: 10 }],
    ['a code of its own', reply(fault11('', 'SOAP-ENV:Client.Auth')), { code: 'Client', subcodes: ['Auth'] }],
    [
      'another detail',
      reply(fault11('<detail><a>1</a><b/></detail>'), 500),
      { detail: undefined, detailXml: '<a>1</a><b/>' },
    ],
    [
      'a detail that is no fault document after all',
      reply(fault11(`<detail><t:TROUBLE xmlns:t="${SERVICE_NAMESPACE}"><t:line>x</t:line></t:TROUBLE></detail>`), 500),
      { detail: undefined, reason: 'It went wrong' },
    ],
    [
      'no reason',
      reply('<SOAP-ENV:Fault><faultcode>SOAP-ENV:Client</faultcode></SOAP-ENV:Fault>', 500),
      { message: 'FILE_SEND: the target answered with a Client fault', reason: '' },
    ],
  ])('with %s', async (_, answer, expected) => {
    const error = await fault(answer);
    expect(error).toBeInstanceOf(SoapFault);
    expect(error).toMatchObject(expected);
  });

  it('of a one-way operation too', async () => {
    const { url } = await target(reply(fault11(''), 500));
    expect(
      await thrown(client(partner(node('PARTNER', [url]), { request: FILE })).call('FILE_SEND', {})),
    ).toBeInstanceOf(SoapFault);
  });

  it('in a multipart message', async () => {
    const body = `--b\r\nContent-Type: text/xml\r\n\r\n${envelope(fault11(''))}\r\n--b--\r\n`;
    expect(
      await fault({ status: 500, headers: { 'Content-Type': 'multipart/related; boundary=b' }, body }),
    ).toBeInstanceOf(SoapFault);
  });
});

describe('a status that is no success, without a fault', () => {
  it.each([
    [
      'a page',
      { status: 500, headers: { 'Content-Type': 'text/html' }, body: '<h1>Oh\n\x1b[31mno</h1>' },
      '<h1>Oh [31mno</h1>',
    ],
    ['JSON', { status: 404, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' }, '{"a":1}'],
    ['nothing', { status: 403 }, undefined],
    ['bytes', { status: 500, headers: { 'Content-Type': 'image/png' }, body: 'x' }, undefined],
    ['other XML', { status: 500, headers: { 'Content-Type': 'text/xml' }, body: '<a>\n<b/></a>' }, '<a> <b/></a>'],
    ['broken XML', { status: 500, headers: { 'Content-Type': 'text/xml' }, body: '<a>\n<b' }, '<a> <b'],
    ['words that are called XML', { status: 500, headers: { 'Content-Type': 'text/xml' }, body: 'Oh no' }, 'Oh no'],
    [
      'broken parts',
      { status: 500, headers: { 'Content-Type': 'multipart/related; boundary=b' }, body: 'x' },
      undefined,
    ],
    ['a reply that is no fault', reply('<r/>', 500), expect.stringContaining('<r/>')],
    ['no type', { status: 500, body: 'plain words' }, 'plain words'],
    [
      'much text',
      { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'x'.repeat(100_000) },
      'x'.repeat(2048),
    ],
  ])('%s', async (_, answer: Answer, body) => {
    const error = await fault(answer);
    expect(error).not.toBeInstanceOf(SoapFault);
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      httpResponseCode: answer.status,
      message: `FILE_SEND: the target answered with the status ${answer.status}`,
      body,
    });
  });

  it('says where credentials stand', async () => {
    expect(await fault({ status: 401 })).toMatchObject({ hint: expect.stringContaining('credential:') });
  });
});
