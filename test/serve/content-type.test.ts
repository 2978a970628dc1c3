import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, SERVICES, wrapped } from './soap-client.ts';
import { soapProject } from './soap-project.ts';

// Content-Type as deployed clients send it. One reader reads it in each role.

const TYPED = `service: Typed.v1
public: true
operations:
  TYPED_JSON: { post: json, request: { fields: { S: string } }, response: { fields: { S: string } }, handler: same }
  TYPED_FILE: { post: file, request: binary, response: text, handler: type-of }
  TYPED_FORM: { post: form, form: multipart, request: { fields: { S: string, F: binary } }, response: text, handler: type-of }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      ...soapProject(),
      'definitions/typed.yaml': TYPED,
      'src/handlers/same.ts': 'export default { onRequest: ({ S }) => ({ S }) };\n',
      'src/handlers/type-of.ts':
        'export default { onRequest: ({ content, F }) => `type ${(content ?? F)?.contentType}` };\n',
    },
  });
});
afterAll(() => gateway.stop());

/** The status and the body of the reply to a request with these lines of Content-Type. */
async function posted(path: string, types: readonly string[], body: string, more: readonly string[] = []) {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Authorization: ${DEMO}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...types.map((type) => `Content-Type: ${type}`),
    ...more,
  ];
  const { received, closed } = openConnection(gateway.port, `${head.join('\r\n')}\r\n\r\n${body}`);
  await closed;
  return `${/^HTTP\/1\.1 (\d+)/.exec(received())?.[1]} ${received().split('\r\n\r\n').slice(1).join('\r\n\r\n')}`;
}

const REST = '/gateway/RESTListeningConnector/Typed.v1';

describe('over REST', () => {
  it.each<[string, ...string[]]>([
    ["application/json; charset='utf-8'"],
    ["application/json; charset=''"],
    ['application/json; charset='],
    ['application/json; profile=urn:x/y'],
    ['application/json, application/json'],
    ['application/json', 'application/json'],
  ])('JSON as %s is taken', async (...types) => {
    expect(await posted(`${REST}/json`, types, '{"S":"a"}')).toBe('200 {"S":"a"}');
  });

  it.each<[string, string[]]>([
    ['it has two different values, \\"application/json\\" and \\"text/xml\\"', ['application/json, text/xml']],
    ['it has two different values, \\"application/json\\" and \\"text/xml\\"', ['application/json', 'text/xml']],
    ['its parameter \\"charset\\" has no closing quote', ['application/json; charset="utf-8']],
  ])('where it is not clear, 415 says so: %s', async (reason, types) => {
    const reply = await posted(`${REST}/json`, types, '{"S":"a"}');
    expect(reply).toContain('415 ');
    expect(reply).toContain(reason);
  });

  it('content has the one type that was sent, and none of two', async () => {
    expect(await posted(`${REST}/file`, ['image/png', 'image/png'], 'x')).toBe('200 type image/png');
    expect(await posted(`${REST}/file`, ['image/png', 'image/gif'], 'x')).toContain(
      '415 {"type":"about:blank","title":"Unsupported Media Type"',
    );
  });

  it('parts of a form are read in the same way', async () => {
    const form = (...lines: readonly string[]): string =>
      ['--b', 'Content-Disposition: form-data; name="F"; filename="a"', ...lines, '', 'x', '--b--', ''].join('\r\n');
    const multipart = ['multipart/form-data; boundary=b'];
    expect(await posted(`${REST}/form`, multipart, form('Content-Type: image/png; name=a/b'))).toBe(
      '200 type image/png; name="a/b"',
    );
    expect(await posted(`${REST}/form`, multipart, form('Content-Type: image/png', 'Content-Type: image/png'))).toBe(
      '200 type image/png',
    );
    expect(
      await posted(`${REST}/form`, multipart, form('Content-Type: image/png', 'Content-Type: image/gif')),
    ).toContain('content-type twice, as \\"image/png\\" and \\"image/gif\\"');
    expect(await posted(`${REST}/form`, ['multipart/form-data, multipart/form-data'], form())).toContain('no boundary');
  });
});

describe('over SOAP', () => {
  const xml = envelope(wrapped('ECHO', '<S>a</S>'));
  const xml12 = envelope(wrapped('ECHO', '<S>a</S>'), '1.2');

  it.each<[string, ...string[]]>([
    ["text/xml; charset='utf-8'"],
    ["text/xml; charset=''"],
    ['text/xml; charset=utf-8, text/xml; charset=utf-8'],
    ['text/xml', 'text/xml'],
  ])('%s is taken', async (...types) => {
    expect(await posted(SERVICES, types, xml)).toMatch(/^200 [\s\S]*<S>a<\/S>/);
  });

  it.each([
    'action=ECHO.v1',
    "action='ECHO.v1'",
    'charset=utf-8;action=ECHO.v1',
  ])('of SOAP 1.2 with %s is taken', async (more) => {
    expect(await posted(SERVICES, [`application/soap+xml; ${more}`], xml12)).toMatch(/^200 [\s\S]*<S>a<\/S>/);
  });

  it('an action with a colon and a slash is compared as it is', async () => {
    expect(await posted(SERVICES, ['application/soap+xml; action=urn:other/Op'], xml12)).toContain('urn:other/Op');
  });

  it("a package says type='application/xop+xml'", async () => {
    const type = "multipart/related; type='application/xop+xml'; start-info='text/xml'; boundary=b";
    const parts = ['--b', "Content-Type: application/xop+xml; charset='utf-8'; type='text/xml'", '', xml, '--b--', ''];
    expect(await posted(SERVICES, [type], parts.join('\r\n'))).toMatch(/^200 [\s\S]*<S>a<\/S>/);
  });

  it.each<[string, string[]]>([
    ['it has two different values, "text/xml" and "application/soap+xml"', ['text/xml', 'application/soap+xml']],
    ['its parameter "charset" has no closing quote', ['text/xml; charset="utf-8']],
  ])('where it is not clear, the fault says so: %s', async (reason, types) => {
    const reply = (await posted(SERVICES, types, xml)).replaceAll('&quot;', '"');
    expect(reply).toContain(reason);
  });
});
