import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/invoke/index.ts';
import type { Attachment, DocumentValue } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/index.ts';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { load } from '../load/linked.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { has, run } from './support.ts';

// HTTP bindings of WSDL 1.1 (section 4), imported: served for curl, as the section describes the requests, and called.

const part = (name: string, type: string): string => `<part name="${name}" type="xsd:${type}"/>`;
const content = (type: string, of = ''): string => `<mime:content ${of}type="${type}"/>`;
const XML = '<mime:mimeXml part="Body"/>';

/** An operation by its location, what its binding says about the request and the reply, and their messages. */
type Bound = readonly [location: string, input: string, output: string, request: string, reply: string];

const GETS: Readonly<Record<string, Bound>> = {
  replaced: ['o1/A(part1)B(part2)/(part3)', '<http:urlReplacement/>', XML, 'values', 'told'],
  encoded: ['/o2', '<http:urlEncoded/>', content('text/plain', 'part="Body" '), 'values', 'text'],
  drawn: ['o3', '<http:urlEncoded/>', content('image/gif'), 'values', 'image'],
};
const POSTS: Readonly<Record<string, Bound>> = {
  posted: ['o4', XML, XML, 'order', 'told'],
  written: ['/o5', content('text/xml'), content('text/xml'), 'order', 'told'],
  filled: ['o6', content('multipart/form-data'), XML, 'values', 'told'],
};
const FORMS: Readonly<Record<string, Bound>> = {
  submitted: ['o7', content('application/x-www-form-urlencoded'), XML, 'values', 'told'],
};

function port(name: string, verb: string, operations: Readonly<Record<string, Bound>>): string {
  const all = Object.entries(operations);
  const abstract = all.map(
    ([each, [, , , request, reply]]) =>
      `<operation name="${each}"><input message="t:${request}"/><output message="t:${reply}"/></operation>`,
  );
  const bound = all.map(
    ([each, [location, input, output]]) =>
      `<operation name="${each}"><http:operation location="${location}"/><input>${input}</input><output>${output}</output></operation>`,
  );
  return `<portType name="${name}">${abstract.join('')}</portType>
<binding name="${name}" type="t:${name}"><http:binding verb="${verb}"/>${bound.join('')}</binding>
<service name="${name}"><port name="${name}" binding="t:${name}"><http:address location="http://old.example.org/"/></port></service>`;
}

const wsdl = (
  ports: string,
): string => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/"
 xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
<types><xsd:schema targetNamespace="urn:t" elementFormDefault="qualified">${['order', 'told'].map((name) => `<xsd:element name="${name}"><xsd:complexType><xsd:sequence><xsd:element name="text" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>`).join('')}</xsd:schema></types>
<message name="values">${part('part1', 'string') + part('part2', 'int') + part('part3', 'string')}</message>
<message name="image">${part('image', 'base64Binary')}</message><message name="text">${part('Body', 'string')}</message>
${['order', 'told'].map((name) => `<message name="${name}"><part name="Body" element="t:${name}"/></message>`).join('')}${ports}</definitions>`;

const HANDLERS = {
  ...Object.fromEntries(
    ['replaced', 'filled'].map((name) => [
      `src/handlers/${name}.ts`,
      'export default { onRequest: (all) => ({ text: [all.part1, all.part2, all.part3].join("|") }) };\n',
    ]),
  ),
  'src/handlers/encoded.ts': 'export default { onRequest: (all) => [all.part1, all.part2, all.part3].join("|") };\n',
  'src/handlers/drawn.ts':
    "export default { onRequest: ({ part1 }, { bytes }) => bytes({ contentType: 'image/gif', length: 3, body: Buffer.from(part1) }) };\n",
  'src/handlers/posted.ts': 'export default { onRequest: ({ text }) => ({ text: `posted ${text}` }) };\n',
  'src/handlers/written.ts': 'export default { onRequest: ({ text }) => ({ text: `written ${text}` }) };\n',
};

async function imported(text: string, as: 'provider' | 'consumer'): Promise<Readonly<Record<string, string>>> {
  const { declared, losses } = await declaredOf({ 'old.wsdl': text }, { as });
  expect(errorsOf(declared)).toEqual([]);
  expect(losses).toEqual([]);
  return yamlOf(declared);
}

const told = (text: string): string => `<told xmlns="urn:t"><text>${text}</text></told>`;
const order = (text: string): string => `<order xmlns="urn:t"><text>${text}</text></order>`;

describe.skipIf(!has('curl'))('served for curl (needs curl)', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const written = await imported(wsdl(port('Gets', 'GET', GETS) + port('Posts', 'POST', POSTS)), 'provider');
    const files = Object.entries(written).map(([name, text]) => [
      `definitions/${name}.yaml`,
      text.replaceAll('permission: PARTNER', 'permission: EVERYTHING'),
    ]);
    gateway = await startTestGateway({ files: { ...Object.fromEntries(files), ...HANDLERS } });
  });
  afterAll(() => gateway?.stop());

  const asked = async (service: string, path: string, ...args: string[]): Promise<string> => {
    const address = `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/${service}.v1/${path}`;
    const { stdout, stderr } = await run('curl', [
      '-sS',
      '-m',
      '20',
      '-u',
      'demo:demo',
      '-w',
      '|%{http_code}|%{content_type}',
      ...args,
      address,
    ]);
    return stdout + stderr;
  };
  const XML_REPLY = /^(<\?xml[^>]*\?>)?(.*)\|200\|text\/xml(; charset=utf-8)?$/s;

  test('http:urlReplacement: each part in its place of the path', async () => {
    const [, , body] = XML_REPLY.exec(await asked('Gets', 'o1/AGr%C3%BC%C3%9FeB7/a%2Fb')) ?? [];
    expect(body).toBe(told('Grüße|7|a/b'));
  });

  test('http:urlEncoded: parts in the query', async () => {
    const query = ['-G', '--data-urlencode', 'part1=a&b=c', '-d', 'part2=-1', '--data-urlencode', 'part3=ü ö'];
    expect(await asked('Gets', 'o2', ...query)).toMatch(/^a&b=c\|-1\|ü ö\|200\|text\/plain/);
    expect(await asked('Gets', 'o3', '-G', '-d', 'part1=GIF')).toBe('GIF|200|image/gif');
    expect(await asked('Gets', 'o2', '-G', '-d', 'part2=x')).toMatch(/\|400\|/);
  });

  test.each([
    ['mime:mimeXml', 'o4', 'posted'],
    ['mime:content with text/xml', 'o5', 'written'],
  ])('%s: an element as the body', async (_, path, what) => {
    const said = await asked('Posts', path, '-H', 'Content-Type: text/xml', '--data-binary', order('a'));
    expect(XML_REPLY.exec(said)?.[2]).toBe(told(`${what} a`));
  });

  test('multipart/form-data: a part of the form for each', async () => {
    const said = await asked('Posts', 'o6', '-F', 'part1=a', '-F', 'part2=2', '-F', 'part3=ü');
    expect(XML_REPLY.exec(said)?.[2]).toBe(told('a|2|ü'));
  });
});

describe('called', () => {
  const seen: string[] = [];
  let server: Server;
  let reply = { type: 'text/xml', body: told('t') };
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const type = request.headers['content-type'] ?? '-';
      seen.push(`${request.method} ${request.url} ${type} ${Buffer.concat(chunks)}`);
      response.writeHead(200, { 'content-type': reply.type });
      response.end(reply.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close().closeAllConnections());

  async function called(operation: string, input: DocumentValue): Promise<{ sent: string; value: DocumentValue }> {
    const ports = port('Gets', 'GET', GETS) + port('Posts', 'POST', POSTS) + port('Forms', 'POST', FORMS);
    const files = await imported(wsdl(ports), 'consumer');
    const registry = load(Object.values(files).join('\n---\n'));
    const { port: at } = server.address() as AddressInfo;
    const spool = createSpool({ folder: join(tmpdir(), 'signalbox-wsdl-http') });
    const client = createClient(registry, { env: { PARTNER_URL: `http://127.0.0.1:${at}` }, spool });
    try {
      const { value } = await client.call(operation, input);
      const read = Object.entries(value as Readonly<Record<string, Attachment | string>>).map(async ([name, each]) => {
        const isText = typeof each === 'string';
        return [name, isText ? each : Buffer.concat(await Array.fromAsync(each.stream())).toString()] as const;
      });
      return { sent: seen.at(-1) ?? '', value: Object.fromEntries(await Promise.all(read)) };
    } finally {
      await client.close();
    }
  }
  const values = { part1: 'a/b', part2: 7, part3: 'ü & ö' };

  test('http:urlReplacement puts each part in its place', async () => {
    reply = { type: 'text/xml', body: told('got') };
    const { sent, value } = await called('replaced', values);
    expect(sent).toBe('GET /o1/Aa%2FbB7/%C3%BC%20%26%20%C3%B6 - ');
    expect(value).toEqual({ text: 'got' });
  });

  test('http:urlEncoded puts them into the query, and content is of its media type', async () => {
    reply = { type: 'text/plain; charset=utf-8', body: 'plain' };
    const encoded = await called('encoded', values);
    expect(encoded.sent).toBe('GET /o2?part1=a%2Fb&part2=7&part3=%C3%BC%20%26%20%C3%B6 - ');
    expect(encoded.value).toEqual({ content: 'plain' });
    reply = { type: 'image/gif', body: 'GIF' };
    expect((await called('drawn', values)).value).toEqual({ content: 'GIF' });
  });

  test('mime:mimeXml, mime:content and forms are bodies', async () => {
    reply = { type: 'text/xml', body: told('got') };
    for (const [operation, path] of [
      ['posted', 'o4'],
      ['written', 'o5'],
    ] as const) {
      const { sent } = await called(operation, { text: 'a' });
      expect(sent.replace(/<\?xml[^>]*\?>\s*/, '').replace('; charset=utf-8', '')).toBe(
        `POST /${path} text/xml ${order('a')}`,
      );
    }
    expect((await called('submitted', values)).sent).toMatch(
      /^POST \/o7 application\/x-www-form-urlencoded\S* part1=a%2Fb&part2=7&part3=%C3%BC(%20|\+)%26(%20|\+)%C3%B6$/,
    );
    const { sent } = await called('filled', values);
    expect(sent).toMatch(/^POST \/o6 multipart\/form-data; boundary=/);
    expect(sent).toMatch(/name="part3"\r\n(.*\r\n)*\r\nü & ö\r\n/);
  });
});
