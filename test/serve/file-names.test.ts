import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receivedFileName } from '../../src/wire/multipart/content-disposition.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';

const FILES = {
  'definitions/names.yaml': `service: Names.v1
permission: EVERYTHING
operations:
  FORM: { post: form, form: multipart, request: { fields: { FILE: { type: binary, required: true } } }, response: json }
  PART: { soap: true, request: { fields: { FILE: { type: binary, required: true } } }, response: { fields: { NAME: string, RAW: string } } }
`,
  'src/handlers/form.ts':
    'export default { onRequest: ({ FILE }) => ({ name: FILE.name ?? null, rawName: FILE.rawName ?? null }) };\n',
  'src/handlers/part.ts': 'export default { onRequest: ({ FILE }) => ({ NAME: FILE.name, RAW: FILE.rawName }) };\n',
};

it.each([
  ['new.txt', { name: 'new.txt' }],
  ['../../etc/passwd', { name: 'passwd', rawName: '../../etc/passwd' }],
  ['C:\\temp\\new.txt', { name: 'new.txt', rawName: 'C:\\temp\\new.txt' }],
  ['a/b\\c.d', { name: 'c.d', rawName: 'a/b\\c.d' }],
  ['..', { rawName: '..' }],
  ['dir/', { rawName: 'dir/' }],
  ['', { rawName: '' }],
  ['a\u0000.txt', { rawName: 'a\u0000.txt' }],
  ['a\r\nX: y', { rawName: 'a\r\nX: y' }],
  ['.profile', { name: '.profile' }],
  [undefined, {}],
])('of the file name %j a receiver gets %j', (raw, expected) => {
  expect(receivedFileName(raw)).toEqual(expected);
});

describe('a file that arrives', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: FILES });
  });
  afterAll(() => gateway.stop());

  const part = (disposition: string): Promise<unknown> =>
    gateway
      .call('/gateway/RESTListeningConnector/Names.v1/form', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: `--b\r\nContent-Disposition: form-data; name="FILE"; ${disposition}\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n`,
      })
      .then(({ text }) => JSON.parse(text));

  it.each([
    ['filename="../../etc/passwd"', { name: 'passwd', rawName: '../../etc/passwd' }],
    ['filename="C:\\\\temp\\\\new.txt"', { name: 'new.txt', rawName: 'C:\\temp\\new.txt' }],
    [`filename*=UTF-8''..%2Fgr%C3%BC%C3%9Fe.txt`, { name: 'grüße.txt', rawName: '../grüße.txt' }],
    ['filename="plain.txt"', { name: 'plain.txt', rawName: null }],
  ])('in a form with %s', async (disposition, expected) => {
    expect(await part(disposition)).toEqual(expected);
  });

  it('as a part of a message over SOAP', async () => {
    const envelope =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><PART xmlns="urn:test:Names.v1"><FILE><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:f"/></FILE></PART></s:Body></s:Envelope>';
    const type = 'application/xop+xml; type="text/xml"';
    const body = `--b\r\nContent-Type: ${type}\r\nContent-ID: <r>\r\n\r\n${envelope}\r\n--b\r\nContent-ID: <f>\r\nContent-Disposition: attachment; filename="../a/b.pdf"\r\nContent-Type: application/pdf\r\n\r\nx\r\n--b--\r\n`;
    const reply = await fetch(`http://127.0.0.1:${gateway.port}/gateway/PeopleSoftServiceListeningConnector`, {
      method: 'POST',
      headers: {
        authorization: DEMO,
        'content-type': 'multipart/related; boundary=b; type="application/xop+xml"; start="<r>"; start-info="text/xml"',
      },
      body,
    });
    const text = await reply.text();
    expect(text).toContain('<NAME>b.pdf</NAME>');
    expect(text).toContain('<RAW>../a/b.pdf</RAW>');
  });
});
