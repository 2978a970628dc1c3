import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const wadl = (inside: string): string =>
  `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:b="urn:b">${inside}</application>`;

const BOOKS = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b" elementFormDefault="qualified">
<xs:element name="book"><xs:complexType><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

it('nested resources become templates: path, query, matrix and header parameters with their types', async () => {
  const text = wadl(`<resources base="https://shop.example.org/api/">
<resource path="shops/{shop}"><param name="shop" style="template" type="xs:int"/>
 <resource path="/items/{id: [0-9]{1,5}}/">
  <param name="shelf" style="matrix"/>
  <method name="GET" id="getItem"><doc>Finds an item.</doc><request>
   <param name="size" style="query" type="xs:int"/>
   <param name="colour" style="query" repeating="true"><option value="red"/><option value="blue"/></param>
   <param name="X-Region" style="header" required="true"/></request>
   <response status="200"><representation mediaType="application/json"/></response>
   <response status="404"/></method>
 </resource></resource></resources>`);
  const { declared, losses } = await declaredOf({ 'shop.wadl': text });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toBe(`service: shop.v1
target: PARTNER
permission: PARTNER
operations:
  getItem:
    description: Finds an item.
    get: shops/{shop}/items/{id}{;shelf}{?size,colour*}
    headers: { X-Region: "{X_Region}" }
    request:
      fields:
        shop: { type: int, required: true }
        id: { type: string, required: true, pattern: "[0-9]{1,5}" }
        shelf: string
        size: int
        colour: { type: list of string, enum: [ red, blue ] }
        X_Region: { type: string, required: true }
    response: { application/json: json }
`);
});

it('a body with an element is a document of the grammars, and variables are beside it', async () => {
  const text =
    wadl(`<grammars><include href="book.xsd"/></grammars><resources base="http://h/"><resource path="books/{title}">
<method name="PUT" id="put"><request><representation mediaType="application/xml" element="b:book"/></request>
<response status="204"/></method></resource></resources>`);
  const { declared, losses } = await declaredOf({ 'books.wadl': text, 'book.xsd': BOOKS });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  const { service } = yamlOf(declared);
  expect(service).toContain('    put: books/{title_2}\n');
  // Without it a call would send JSON.
  expect(service).toContain('    headers: { Content-Type: application/xml }\n');
  expect(service).toContain('    variables: { fields: { title_2: { type: string, required: true } } }\n');
});

it('methods, parameters and types are taken from where references lead, in other files too', async () => {
  const common = wadl(`<method name="DELETE" id="remove"/><param id="page" name="page" style="query" type="xs:int"/>
<resource_type id="list"><method name="GET" id="all"><request><param href="#page"/></request></method></resource_type>`);
  const text =
    wadl(`<resources base="http://h/"><resource path="a" type="common.wadl#list"><method href="common.wadl#remove"/></resource>
<resource path="b" type="common.wadl#list"/></resources>`);
  const { declared, losses } = await declaredOf({ 'shop.wadl': text, 'common.wadl': common });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  const { service = '' } = yamlOf(declared);
  expect(service.match(/\b(?:get|delete): [^ \n,]+/g)).toEqual(['delete: a', 'get: "a{?page}"', 'get: "b{?page}"']);
});

it('a reply without a status is that of errors beside one with success, and one of success by itself', async () => {
  const reply = (name: string): string => `<representation mediaType="application/xml" element="s:${name}"/>`;
  const text = wadl(`<resources xmlns:s="urn:s" base="http://h/"><resource path="a">
<method name="GET" id="get"><response status="200 203">${reply('item')}</response><response>${reply('problem')}</response></method>
<method name="POST" id="post"><response>${reply('item')}</response><response status="400">${reply('problem')}</response></method>
</resource></resources>`);
  const { declared } = await declaredOf({ 'shop.wadl': text });
  const { service = '' } = yamlOf(declared);
  // An element that no grammar declares is one document, wherever it is.
  expect(service.replaceAll('{ application/xml: ', '').match(/(?:response|fault): \w+/g)).toEqual([
    'fault: problem',
    'response: item',
    'response: item',
  ]);
});

it('what is not carried is told: other methods, references to nothing, headers of replies', async () => {
  const text = wadl(`<resources base="http://h/"><resource path="a"><method name="OPTIONS"/><method href="#gone"/>
<method name="GET" id="get"><response><param name="X-Count" style="header"/></response></method></resource></resources>`);
  const { losses } = await declaredOf({ 'shop.wadl': text });
  expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
    'the reference "#gone" leads nowhere: left out',
    'the header "X-Count" of replies: not read',
    'the operation OPTIONS "a": left out',
  ]);
});

it('the pattern of a variable in a path may contain braces', async () => {
  const text = wadl(String.raw`<resources base="http://h/">
<resource path="/{key: \{[0-9a-f]{8}-[0-9a-f]{4}\}}+{id}"><method name="GET" id="get"/></resource></resources>`);
  const { declared, losses } = await declaredOf({ 'keys.wadl': text });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  const { service } = yamlOf(declared);
  expect(service).toContain('    get: "{key}+{id}"\n');
  expect(service).toContain('pattern');
});

it('a variable of a path that takes slashes is a segment, and patterns of numbers are not checked, which is listed', async () => {
  const text = wadl(`<resources base="http://h/">
<resource path="/files/{rest: .+}"><method name="GET" id="get"/></resource>
<resource path="/numbers/{n: [1-9]+}"><param name="n" style="template" type="xs:int"/><method name="GET" id="number"/></resource></resources>`);
  const { declared, losses } = await declaredOf({ 'files.wadl': text });
  expect(errorsOf(declared)).toEqual([]);
  expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
    'the pattern ".+" of the variable "rest" in a path: a single segment, without slashes',
    'the pattern "[1-9]+" of the variable "n" in a path: not checked',
  ]);
});

describe('xi:include', () => {
  const XI = 'xmlns:xi="http://www.w3.org/2001/XInclude"';
  const NS = 'xmlns="http://wadl.dev.java.net/2009/02"';
  const namesOf = (declared: Awaited<ReturnType<typeof declaredOf>>['declared']): string[] =>
    declared.flatMap(({ kind, keys }) => (kind === 'service' ? Object.keys(keys.operations as object) : []));

  it('stands for a part of another file, wherever it is', async () => {
    const files = {
      'shop.wadl': `<application ${NS} ${XI}><grammars><xi:include href="types/a.xsd"/></grammars>
<xi:include href="parts/resources.xml"/></application>`,
      'parts/resources.xml': `<resources ${NS} ${XI} base="http://h/"><resource path="a"><xi:include href="params.xml" xpointer="key"/>
<method name="GET" id="read"><response><representation mediaType="application/xml" element="t:item" xmlns:t="urn:t"/></response></method>
<xi:include href="gone.xml"><xi:fallback><method name="PUT" id="write"/></xi:fallback></xi:include></resource></resources>`,
      'parts/params.xml': `<params ${NS}><param id="key" name="key" style="query" type="xs:int" xmlns:xs="http://www.w3.org/2001/XMLSchema"/></params>`,
      'types/a.xsd':
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xs:element name="item"><xs:complexType><xs:sequence><xs:element name="number" type="xs:int"/></xs:sequence></xs:complexType></xs:element></xs:schema>',
    };
    const { declared, losses } = await declaredOf(files);
    expect(errorsOf(declared)).toEqual([]);
    expect(namesOf(declared)).toEqual(['read', 'write']);
    const yaml = Object.values(yamlOf(declared)).join('\n');
    expect(yaml).toContain('get: a{?key}');
    expect(yaml).toContain('number: { type: int, required: true }');
    expect(losses.map(({ what }) => what)).toEqual(['the part "gone.xml" does not exist']);
  });

  it('that leads back to itself from many places is listed for each, and followed once', async () => {
    const back = '<xi:include href="gone.xml" xpointer="x"/><xi:include href="" xpointer="i"/>'.repeat(30);
    const { losses } = await declaredOf({
      'shop.wadl': `<application ${NS} ${XI}><resources base="http://h/"><resource path="a"><method name="GET" id="a"/>
<xi:include id="i" href="gone.xml"><xi:fallback>${back}</xi:fallback></xi:include></resource></resources></application>`,
    });
    expect(losses.filter(({ what }) => what === '"gone.xml" includes itself')).toHaveLength(1);
  });

  const doubled = (levels: number, each: (level: number) => string): string =>
    Array.from({ length: levels }, (_, level) => each(level)).join('');

  it.each([
    [
      'inclusions',
      `<xi:include href="" xpointer="i0"/></resource></resources>${doubled(
        19,
        (level) =>
          `<xi:include id="i${level}" href="gone.xml"><xi:fallback>${`<xi:include href="" xpointer="i${level + 1}"/>`.repeat(20)}</xi:fallback></xi:include>`,
      )}`,
    ],
    [
      'references',
      `${'<method href="#m"/>'.repeat(400)}</resource></resources><method name="GET" id="m"><request>${'<representation href="#r"/>'.repeat(400)}</request></method>
<representation id="r" mediaType="application/x-www-form-urlencoded">${'<param href="#p"/>'.repeat(400)}</representation><param id="p" name="p" style="query"/>`,
    ],
  ])('%s that lead to too many elements are refused', async (_, inside) => {
    const text = `<application ${NS} ${XI}><resources base="http://h/"><resource path="a">${inside}</application>`;
    await expect(declaredOf({ 'shop.wadl': text })).rejects.toThrow(
      /^shop\.wadl:\d+:\d+: references and inclusions lead to more than 200000 elements$/,
    );
  });

  it('that includes itself is listed', async () => {
    const files = {
      'shop.wadl': `<application ${NS} ${XI}><resources base="http://h/"><resource path="a"><method name="GET" id="read"/>
<xi:include href="a.xml"/></resource></resources></application>`,
      'a.xml': `<xi:include ${XI} href="b.xml"/>`,
      'b.xml': `<xi:include ${XI} href="a.xml"/>`,
    };
    const { declared, losses } = await declaredOf(files);
    expect(namesOf(declared)).toEqual(['read']);
    expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
      expect.stringMatching(/^"[ab]\.xml" includes itself: left out$/),
    ]);
  });
});
