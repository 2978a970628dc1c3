import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from '../wsdl/wsdl-text.ts';

/** What is written for a contract that is served here, and what it loses. */
async function served(name: string, text: string): Promise<{ service: string; losses: readonly string[] }> {
  const { declared, losses } = await declaredOf({ [name]: text }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  return {
    service: yamlOf(declared).service ?? '',
    losses: losses.map(({ what, instead }) => `${what}: ${instead}`),
  };
}

const pair = (name: string): string => message(name, `element="t:${name}"`);

describe('names of operations', () => {
  it('an operation keeps its name where its element has another one', async () => {
    const text = wsdl(
      types(wrapper('Hello', 'a') + wrapper('HelloResponse', 'b')) +
        pair('Hello') +
        pair('HelloResponse') +
        service({ hello: inOut('Hello', 'HelloResponse') }),
    );
    const { service: written, losses } = await served('a.wsdl', text);
    expect(losses).toEqual([]);
    expect(written).toContain(
      '  hello:\n    soap: { action: urn:t/hello }\n    wrapped: false\n    request: Hello\n    response: HelloResponse\n',
    );
  });

  it.each(['änderung', 'in-only'])('the name %s, which no id can be, is that of its WSDL', async (name) => {
    const messages = types(wrapper(name, 'a') + wrapper('other', 'b')) + pair(name) + pair('other');
    const wrapped = wsdl(
      types(wrapper(name, 'a') + wrapper(`${name}Response`, 'b')) +
        pair(name) +
        pair(`${name}Response`) +
        service({ [name]: inOut(name, `${name}Response`) }),
    );
    const bare = wsdl(messages + service({ [name]: inOut('other', 'other') }));
    for (const text of [wrapped, bare]) {
      const { service: written } = await served(
        'a.wsdl',
        text.replace(`soapAction="urn:t/${name}"`, 'soapAction="urn:a"'),
      );
      expect(written).toContain(`soap: { name: ${name}, action: urn:a }`);
    }
  });

  it('names that differ by punctuation alone are ids', async () => {
    const operations = { 'a-b': inOut('c', 'd'), a_b: inOut('e', 'd') };
    const text = wsdl(
      types(wrapper('c', 'x') + wrapper('d', 'x') + wrapper('e', 'x')) +
        ['c', 'd', 'e'].map(pair).join('') +
        service(operations),
    );
    const { service: written } = await served('a.wsdl', text);
    expect(written).toContain('  a_b: { soap: { action: urn:t/a-b }');
    expect(written).toContain('  a_b_2: { soap: { action: urn:t/a_b }');
  });

  it('an element with the name of another operation calls the one that it belongs to', async () => {
    const text = wsdl(
      types(wrapper('b', 'x') + wrapper('bResponse', 'x') + wrapper('c', 'x') + wrapper('cResponse', 'x')) +
        ['b', 'bResponse', 'c', 'cResponse'].map(pair).join('') +
        service({ b: inOut('c', 'cResponse'), a: inOut('b', 'bResponse') }),
    );
    const { service: written } = await served('a.wsdl', text);
    expect(written).toContain(`wrapped: false
operations:
  b: { soap: { action: urn:t/b }, request: c, response: cResponse }
  a: { soap: { action: urn:t/a }, request: b, response: bResponse }
`);
  });
});

describe('operations that one request would call', () => {
  const messages = types(wrapper('get', 'x') + wrapper('got', 'x')) + pair('get') + pair('got');

  it('two with one element are served by their actions', async () => {
    const text = wsdl(messages + service({ one: inOut('get', 'got'), two: inOut('get', 'got') }));
    const { service: written, losses } = await served('a.wsdl', text);
    expect(losses).toEqual([]);
    expect(written).toContain(`wrapped: false
operations:
  one: { soap: { action: urn:t/one }, request: get, response: got }
  two: { soap: { action: urn:t/two }, request: get, response: got }
`);
  });

  it('of two with one element and one action the first is served', async () => {
    const text = wsdl(messages + service({ one: inOut('get', 'got'), two: inOut('get', 'got') })).replace(
      'urn:t/two',
      'urn:t/one',
    );
    const { service: written, losses } = await served('a.wsdl', text);
    expect(written.match(/active: false/g)).toHaveLength(1);
    expect(losses).toEqual([
      'the operation "two" can\'t be served: its request has the element and the action of "one": declared with `active: false`',
    ]);
  });

  it('of overloaded operations of rpc, too', async () => {
    const text = wsdl(
      `<wsdl:message name="a"><wsdl:part name="a" type="xs:int"/></wsdl:message>${service(
        { add: inOut('a', 'a') },
        { style: 'rpc' },
      ).replace(/<wsdl:operation name="add">.*?<\/wsdl:operation>/gs, '$&$&')}`,
    );
    const { service: written, losses } = await served('a.wsdl', text);
    expect(written.match(/active: false/g)).toHaveLength(1);
    expect(losses).toEqual([expect.stringContaining('its request has the element and the action of "add"')]);
  });

  it('a port type that several services offer is served by each, at its own address', async () => {
    const text = wsdl(messages + service({ one: inOut('get', 'got') })).replace(
      '</wsdl:service>',
      '</wsdl:service><wsdl:service name="Again"><wsdl:port name="P" binding="t:Binding"/></wsdl:service>',
    );
    const { losses } = await served('a.wsdl', text);
    expect(losses).toEqual([]);
  });
});

describe('methods of WADL with one path', () => {
  const wadl = (inside: string): string =>
    `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:b="urn:b">
<grammars><xs:schema targetNamespace="urn:b" elementFormDefault="qualified">${['book', 'chapter'].map((name) => `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`).join('')}</xs:schema></grammars>
<resources base="http://h/"><resource path="books/{id}">${inside}</resource></resources></application>`;

  const method = (name: string, id: string, request: string, response = 'application/json'): string =>
    `<method name="${name}" id="${id}"><request>${request}</request><response><representation mediaType="${response}"/></response></method>`;

  const query = (name: string, required = false): string =>
    `<param name="${name}" style="query" required="${required}"/>`;

  it('take the queries of all, none of which is required then', async () => {
    const { service: written, losses } = await served(
      'a.wadl',
      wadl(
        method('GET', 'list', query('page') + query('both', true)) +
          method('GET', 'find', query('ids', true) + query('both', true)),
      ),
    );
    expect(losses).toEqual([
      'the operation "find" can\'t be served: "list" has its method and path, and takes its requests too: declared with `active: false`',
    ]);
    expect(written).toContain('    get: books/{id}{?page,both,ids}\n');
    expect(written).toContain(
      '        page: string\n        both: { type: string, required: true }\n        ids: string\n',
    );
  });

  it('tell that the replies of the others are those of the first', async () => {
    const { losses } = await served(
      'a.wadl',
      wadl(method('GET', 'list', query('a')) + method('GET', 'text', query('b'), 'text/plain')),
    );
    expect(losses[0]).toBe('the replies of "text": its callers get those of "list"');
  });

  it('take the JSON of all', async () => {
    const json = '<representation mediaType="application/json"/>';
    const { service: written, losses } = await served(
      'a.wadl',
      wadl(method('POST', 'reboot', json) + method('POST', 'resize', json) + method('POST', 'rename', json)),
    );
    expect(losses).toHaveLength(2);
    expect(losses[1]).toContain('"reboot" has its method and path, and takes its requests too');
    expect(written.match(/active: false/g)).toHaveLength(2);
  });

  it('take any XML where their bodies are of several elements', async () => {
    const body = (name: string): string => `<representation mediaType="application/xml" element="b:${name}"/>`;
    const { service: written, losses } = await served(
      'a.wadl',
      wadl(method('POST', 'addBook', body('book')) + method('POST', 'addChapter', body('chapter'))),
    );
    expect(losses[0]).toBe('the bodies of "addBook" and "addChapter", which are of two elements: taken as any XML');
    expect(written).toContain('    body: body\n');
    expect(written).toContain(
      '      fields: { id: { type: string, required: true }, body: { type: xml, required: true } }\n',
    );
  });

  it('are served by the first alone where one form does not have both', async () => {
    const { losses } = await served(
      'a.wadl',
      wadl(
        method('POST', 'json', '<representation mediaType="application/json"/>') +
          method('POST', 'xml', '<representation mediaType="application/xml" element="b:book"/>') +
          method('PUT', 'other', '<representation mediaType="application/json"/>'),
      ),
    );
    expect(losses).toEqual([
      'the operation "xml" can\'t be served: "json" has its method and path: declared with `active: false`',
    ]);
  });

  it('all stay where the contract is called', async () => {
    const { declared, losses } = await declaredOf({
      'a.wadl': wadl(method('GET', 'list', query('page')) + method('GET', 'find', query('ids'))),
    });
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toEqual([]);
  });
});

it('credentials in a header with another meaning are told', async () => {
  const { losses } = await served(
    'a.json',
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'T', version: '1' },
      paths: { '/a': { get: { responses: { 204: { description: 'd' } } } } },
      security: [{ k: [] }],
      components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'If-Match' } } },
    }),
  );
  expect(losses).toEqual([
    'the contract asks for an API key in the header, If-Match: the schemes of the gateway apply',
  ]);
});
