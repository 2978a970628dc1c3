import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callSoap,
  envelope,
  HTTP,
  include,
  part,
  post,
  postParts,
  root,
  send,
  wrapped,
  XOP,
} from '../serve/soap-client.ts';
import { soapProject } from '../serve/soap-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
/** Whoever follows an address in a message is seen here. */
let canary: Server;
const seen: string[] = [];
let away: string;
beforeAll(async () => {
  canary = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('<!ENTITY x "followed">');
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  away = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/x`;
  gateway = await startTestGateway({ files: soapProject('limits: { body: 1 MiB }') });
});
afterAll(async () => {
  expect(seen).toEqual([]);
  expect((await callSoap(gateway, 'ECHO', '<S>after</S>')).text).toContain('<S>after</S>');
  expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  await gateway.stop();
  canary.close();
});

const LAUGHS = Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
const hostile = (): readonly (readonly [string, string, string])[] => [
  ['an external entity of a file', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>', '&x;'],
  ['an external entity over http', `<!DOCTYPE d [<!ENTITY x SYSTEM "${away}">]>`, '&x;'],
  ['an external entity by PUBLIC', `<!DOCTYPE d [<!ENTITY x PUBLIC "a" "${away}">]>`, '&x;'],
  ['a parameter entity', `<!DOCTYPE d [<!ENTITY % x SYSTEM "${away}"> %x;]>`, ''],
  ['a parameter entity that makes others', `<!DOCTYPE d [<!ENTITY % a "<!ENTITY x SYSTEM '${away}'>"> %a;]>`, '&x;'],
  ['an external document type', `<!DOCTYPE d SYSTEM "${away}">`, ''],
  ['a billion laughs', `<!DOCTYPE d [<!ENTITY l0 "ha">${LAUGHS}]>`, '&l12;'],
  ['quadratic expansion', `<!DOCTYPE d [<!ENTITY x "${'x'.repeat(20_000)}">]>`, '&x;'.repeat(5_000)],
  ['an entity that holds itself', '<!DOCTYPE d [<!ENTITY x "&y;"><!ENTITY y "&x;">]>', '&x;'],
  ['an attribute default', '<!DOCTYPE d [<!ATTLIST S x CDATA "y">]>', ''],
  [
    'an external general entity as a notation',
    `<!DOCTYPE d [<!NOTATION n SYSTEM "${away}"><!ENTITY x SYSTEM "${away}" NDATA n>]>`,
    '',
  ],
];

describe.each(hostile().map(([name]) => name))('%s', (name) => {
  const at = (): readonly [string, string] =>
    hostile()
      .find(([each]) => each === name)!
      .slice(1) as [string, string];

  it('is refused over SOAP, in parts, and over plain HTTP, in every encoding', async () => {
    const [prolog, text] = at();
    const xml = envelope(wrapped('ECHO', `<T>${text}</T>`)).replace('\n', prolog);
    const undeclared = xml.replace(/<\?xml[^>]*\?>/, '');
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(undeclared, 'utf16le')]);
    const big = Buffer.from(wide).swap16();
    const utf7 = xml.replace('version="1.0"', 'version="1.0" encoding="UTF-7"').replaceAll('<!', '+ADwAIQ-');
    const replies = [
      await post(gateway, xml),
      await post(gateway, wide),
      await post(gateway, big),
      await post(gateway, wide, '1.1', { 'content-type': 'text/xml; charset=utf-16' }),
      await post(gateway, utf7),
      await post(gateway, utf7, '1.1', { 'content-type': 'text/xml; charset=utf-7' }),
      await postParts(gateway, [root(xml)]),
      await send(gateway, {
        path: `${HTTP}?OperationName=ECHO`,
        body: xml.replace(/<\/?s:[^>]*>/g, ''),
        headers: { 'content-type': 'text/xml' },
      }),
    ];
    for (const { status, text: said } of replies) {
      expect([400, 415, 500]).toContain(status);
      expect(said).toMatch(/Client|Sender|"code":"BAD|"code":"UNSUPPORTED|[Ff]ault|MESSAGE/);
      expect(said).not.toMatch(/root:|followed|hahaha|INTERNAL/);
      expect(said.length).toBeLessThan(8192);
    }
  });
});

it.each([
  [
    'a schema location',
    (url: string) => `xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:x ${url}"`,
  ],
  [
    'one without a namespace',
    (url: string) => `xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:noNamespaceSchemaLocation="${url}"`,
  ],
  ['a base', (url: string) => `xml:base="${url}"`],
  ['a namespace that is an address', (url: string) => `xmlns:n="${url}"`],
])('%s is not looked at', async (_, attribute) => {
  const xml = envelope(wrapped('ECHO', '<S>said</S>')).replace('<ECHO', `<ECHO ${attribute(away)}`);
  const { text } = await post(gateway, xml);
  expect(text).not.toContain('followed');
});

it.each([
  '',
  'xml-stylesheet href="HREF" type="text/xsl"',
  'x SYSTEM "HREF"',
])('a processing instruction %j is not followed', async (text) => {
  const xml = envelope(wrapped('ECHO', '<S>said</S>')).replace('\n', `\n<?${text.replace('HREF', away)}?>`);
  await post(gateway, xml);
});

it('an XInclude is an element like others', async () => {
  const inside = `<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="${away}" parse="text"/>`;
  const reply = await callSoap(gateway, 'ECHO', `<X>${inside}</X>`);
  expect(reply.text).not.toContain('followed');
});

describe('an Include of XOP', () => {
  it.each([
    'AWAY',
    'file:///etc/passwd',
    '//127.0.0.1/x',
    '/etc/passwd',
    'cid:other@message',
    'cid:../../etc/passwd',
    'cid:%2e%2e%2fpasswd',
    'ftp://127.0.0.1/x',
    'jar:file:///x!/y',
    'data:text/plain,x',
    'CID:a',
    'cid:A',
    ' cid:a',
    'cid:a#AWAY',
    'mid:a@b',
  ])('of %s fetches nothing', async (href) => {
    const xml = `<i:Include xmlns:i="${XOP}" href="${href.replace('AWAY', away)}"/>`;
    const message = envelope(wrapped('PUT', `<NAME>got</NAME><CONTENT>${xml}</CONTENT>`));
    const reply = await postParts(gateway, [root(message), part('a', 'own')]);
    if (!/^ ?cid:a$/i.test(href)) expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.text).not.toMatch(/root:|followed/);
  });

  it('reaches no part of another message', async () => {
    const held = envelope(wrapped('PUT', `<NAME>one</NAME><CONTENT>${include('mine')}</CONTENT>`));
    const stolen = envelope(wrapped('PUT', `<NAME>two</NAME><CONTENT>${include('mine')}</CONTENT>`));
    const [first, second] = await Promise.all([
      postParts(gateway, [root(held), part('mine', 'of the first')]),
      postParts(gateway, [root(stolen), part('other', 'of the second')]),
    ]);
    expect(first.status).toBe(200);
    expect(second.status).toBe(500);
    expect((await callSoap(gateway, 'GET', '<NAME>two</NAME>')).status).toBeGreaterThanOrEqual(400);
  });
});
