import { expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { inOut, service as serviceOf, wsdl } from '../import/wsdl/wsdl-text.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { bodyOf, envelope, faultOf, post, SERVICES } from './soap-client.ts';

// Contracts that are served here as they were imported, whose own WSDL is imported again by who calls.

const CONTRACT = '/gateway/PeopleSoftServiceListeningConnector/';

const CREDENTIAL = 'credential: { basic: { user: demo, password: "${secret:AGAIN_PASSWORD}" } }';

interface Pair {
  readonly served: TestGateway;
  /** The definitions that were imported from the WSDL of the served gateway. */
  readonly again: string;
  readonly losses: readonly string[];
  /** Sends JSON through a gateway that calls the served one by these definitions. */
  through(operation: string, body: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

async function both(
  text: string,
  name: string,
  operations: readonly string[],
  handlers: Readonly<Record<string, string>>,
) {
  const { declared, losses } = await declaredOf({ 'contract.wsdl': text }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  const files = Object.entries(yamlOf(declared)).map(([file, yaml]) => [
    `definitions/${file}.yaml`,
    yaml.replace('permission: PARTNER', 'permission: EVERYTHING'),
  ]);
  const served = await startTestGateway({ files: { ...Object.fromEntries(files), ...handlers } });
  const described = (await served.call(`${CONTRACT}${name}.wsdl`)).text;
  const called = await declaredOf({ 'again.wsdl': described }, { name: 'AGAIN' });
  expect(errorsOf(called.declared)).toEqual([]);
  const yaml = yamlOf(called.declared);
  const fronts = operations.map(
    (id) => `  FRONT_${id}: { post: ${id}, request: json, response: json, handler: front-${id.toLowerCase()} }`,
  );
  const calling = await startTestGateway({
    files: {
      ...Object.fromEntries(
        Object.entries(yaml).map(([file, each]) => [
          `definitions/${file}.yaml`,
          each
            .replace('permission: AGAIN', 'permission: EVERYTHING')
            .replace(/^base: .*$/m, (base) => `${base}\n${CREDENTIAL}`),
        ]),
      ),
      'definitions/front.yaml': `service: Front.v1\npermission: EVERYTHING\noperations:\n${fronts.join('\n')}\n`,
      ...Object.fromEntries(
        operations.map((id) => [
          `src/handlers/front-${id.toLowerCase()}.ts`,
          `export default { onRequest: async ({ content }, context) => (await context.call('${id}', content)).value };\n`,
        ]),
      ),
    },
    env: { AGAIN_URL: `http://127.0.0.1:${served.port}${SERVICES}`, AGAIN_PASSWORD: 'demo' },
  });
  const again = Object.values(yaml).join('\n');
  const pair: Pair = {
    served,
    again,
    losses: losses.map(({ what, instead }) => `${what}: ${instead}`),
    async through(operation, body) {
      const reply = await calling.call(`/gateway/RESTListeningConnector/Front.v1/${operation}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return JSON.parse(reply.text);
    },
    async stop() {
      await calling.stop();
      await served.stop();
    },
  };
  return pair;
}

it('rpc/literal whose replies have another namespace than requests is served, described and called so', async () => {
  const messages = `<wsdl:message name="add"><wsdl:part name="a" type="xs:int"/></wsdl:message>
<wsdl:message name="addReply"><wsdl:part name="sum" type="xs:long"/></wsdl:message>`;
  const bodies = serviceOf({ add: inOut('add', 'addReply') }, { style: 'rpc' })
    .replace('<wsdl:input><soap:body', '<wsdl:input><soap:body namespace="urn:asked"')
    .replace('<wsdl:output><soap:body', '<wsdl:output><soap:body namespace="urn:answered"');
  const pair = await both(wsdl(messages + bodies), 'Orders.v1', ['add'], {
    'src/handlers/add.ts': 'export default { onRequest: ({ a }) => ({ sum: a + 1 }) };\n',
  });
  try {
    expect(pair.losses).toEqual([]);
    const reply = await post(pair.served, envelope('<q:add xmlns:q="urn:asked"><a>1</a></q:add>'), '1.1', {
      soapaction: '"urn:t/add"',
    });
    expect(bodyOf(reply)).toBe('<addResponse xmlns="urn:answered"><sum xmlns="">2</sum></addResponse>');
    expect(pair.again).toContain('reply-namespace: urn:answered');
    expect(await pair.through('add', { a: 4 })).toEqual({ sum: 5 });
  } finally {
    await pair.stop();
  }
});

const NOTE = `<xs:complexType name="Thing" abstract="true"><xs:attribute name="flag" type="xs:string"/></xs:complexType>
<xs:complexType name="Text" mixed="true"><xs:complexContent><xs:extension base="t:Thing"><xs:attribute name="language" type="xs:string"/></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Part" mixed="true"><xs:complexContent><xs:restriction base="t:Text"><xs:attribute name="language" type="xs:string" fixed="en"/></xs:restriction></xs:complexContent></xs:complexType>
<xs:element name="Put"><xs:complexType><xs:sequence><xs:element name="title" type="t:Text"/><xs:element name="part" type="t:Part" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="PutResponse"><xs:complexType><xs:sequence><xs:element name="title" type="t:Text"/></xs:sequence></xs:complexType></xs:element>`;

it('mixed text of types with attributes alone is a text in both roles, and again after a description', async () => {
  const text = wsdl(
    `<wsdl:types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${NOTE}</xs:schema></wsdl:types>
<wsdl:message name="put"><wsdl:part name="parameters" element="t:Put"/></wsdl:message><wsdl:message name="putReply"><wsdl:part name="parameters" element="t:PutResponse"/></wsdl:message>${serviceOf({ Put: inOut('put', 'putReply') })}`,
  );
  const pair = await both(text, 'Orders.v1', ['Put'], {
    'src/handlers/put.ts':
      'export default { onRequest: ({ title, part }) => ({ title: { ...title, value: `${title.value} & ${part?.value ?? "none"}` } }) };\n',
  });
  try {
    expect(pair.losses).toEqual([]);
    const title = '<title flag="f" language="de">A &lt; B</title>';
    const ask = (inside: string) =>
      post(pair.served, envelope(`<Put xmlns="urn:t">${inside}</Put>`), '1.1', { soapaction: '"urn:t/Put"' });
    expect(bodyOf(await ask(`${title}<part language="en">end</part>`))).toMatch(
      /^<PutResponse xmlns="urn:t"><title [^>]*flag="f" language="de"[^>]*>A &lt; B &amp; end<\/title><\/PutResponse>$/,
    );
    expect(faultOf(await ask('<title>A<b/></title>')).reason).toContain('holds an element "b"');
    const wsdlText = (await pair.served.call(`${CONTRACT}Orders.v1.wsdl`)).text;
    expect(wsdlText).toMatch(
      /<xs:complexType name="Text" mixed="true">\s*<xs:complexContent>\s*<xs:extension base="[^"]*Thing">/,
    );
    expect(wsdlText).toMatch(
      /<xs:complexType name="Part" mixed="true">\s*<xs:complexContent>\s*<xs:restriction base="[^"]*Text">/,
    );
    expect(await pair.through('Put', { title: { value: 'T', language: 'de' }, part: { value: 'p' } })).toMatchObject({
      title: { value: 'T & p', language: 'de' },
    });
  } finally {
    await pair.stop();
  }
});

it('mixed content with elements is markup, which the import reports', async () => {
  const more = NOTE.replace(
    '<xs:element name="Put">',
    '<xs:complexType name="Rich" mixed="true"><xs:complexContent><xs:extension base="t:Text"><xs:sequence><xs:element name="b" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType><xs:element name="Put">',
  ).replace('name="part" type="t:Part"', 'name="part" type="t:Rich"');
  const text = wsdl(
    `<wsdl:types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${more}</xs:schema></wsdl:types>
<wsdl:message name="put"><wsdl:part name="parameters" element="t:Put"/></wsdl:message><wsdl:message name="putReply"><wsdl:part name="parameters" element="t:PutResponse"/></wsdl:message>${serviceOf({ Put: inOut('put', 'putReply') })}`,
  );
  const { declared, losses } = await declaredOf({ 'contract.wsdl': text }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  expect(Object.values(yamlOf(declared)).join('\n')).toMatch(/content: \{ type: xml, content: true \}/);
  expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
    'elements in the mixed content of "Rich": kept as markup, not checked',
  ]);
});
