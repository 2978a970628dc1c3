import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, post, type SoapReply, TYPES, type Version } from './soap-client.ts';

const WSA = 'http://www.w3.org/2005/08/addressing';
const WSA_2004 = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const SOAP = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

const FILES = {
  'definitions/orders.yaml': `document: LACK
fields: { WHAT: string }
---
service: Orders.v1
namespace: http://shop.example.org/orders
permission: EVERYTHING
operations:
  ORDER:
    soap: { action: "http://shop.example.org/ORDER" }
    request: { fields: { NUMBER: integer } }
    response: { fields: { NUMBER: integer } }
    faults: { Lack: LACK }
    handler: order
  NOTE: { soap: true, request: { fields: { NUMBER: integer } }, handler: note }
  READ: { soap: { action: "urn:read" }, wrapped: false, request: LACK, response: LACK, handler: named }
  DROP: { soap: { action: "urn:drop" }, wrapped: false, request: LACK, response: LACK, handler: other }
---
service: Strict.v1
permission: EVERYTHING
addressing: required
operations:
  STRICT: { soap: true, request: { fields: { NUMBER: integer } }, response: { fields: { NUMBER: integer } }, handler: order }
  STRICT_NOTE: { soap: true, request: { fields: { NUMBER: integer } }, handler: note }
`,
  'src/handlers/order.ts': `import { Fault } from 'signalbox';
export default {
  onRequest: ({ NUMBER }) => {
    if (NUMBER === 404) throw Fault.custom('Lack', 409, 'Number 404 is missing.', { document: { WHAT: 'it' } });
    return { NUMBER };
  },
};
`,
  'src/handlers/note.ts': 'export default { onRequest: () => undefined };\n',
  'src/handlers/named.ts': "export default { onRequest: () => ({ WHAT: 'read' }) };\n",
  'src/handlers/other.ts': "export default { onRequest: () => ({ WHAT: 'dropped' }) };\n",
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: FILES });
});
afterAll(() => gateway?.stop());

const order = (number = 1, name = 'ORDER', namespace = 'http://shop.example.org/orders'): string =>
  `<${name} xmlns="${namespace}"><NUMBER>${number}</NUMBER></${name}>`;
const strict = (name = 'STRICT'): string => order(1, name, 'urn:test:Strict.v1');

/** Header blocks of WS-Addressing, all of which must be understood. */
function blocks(given: Readonly<Record<string, string>>, version: Version = '1.1', namespace = WSA): string {
  return Object.entries(given)
    .map(([name, content]) => {
      const [local] = name.split('#');
      return `<a:${local} xmlns:a="${namespace}" xmlns:s="${SOAP[version]}" s:mustUnderstand="1">${content}</a:${local}>`;
    })
    .join('');
}
const at = (address: string, more = ''): string => `<a:Address>${address}</a:Address>${more}`;

const USUAL = {
  To: 'http://shop.example.org/somewhere',
  Action: 'http://shop.example.org/ORDER',
  MessageID: 'urn:uuid:1',
  ReplyTo: at(`${WSA}/anonymous`),
};

interface Sending {
  readonly body?: string;
  readonly version?: Version;
  readonly namespace?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(
  given: Readonly<Record<string, string>>,
  { body = order(), version = '1.1', namespace = WSA, headers = {} }: Sending = {},
): Promise<SoapReply> {
  return post(gateway, envelope(body, version, blocks(given, version, namespace)), version, headers);
}

/** A header block of a reply; `undefined` where there is none. */
const block = ({ text }: SoapReply, name: string, namespace = WSA): string | undefined =>
  new RegExp(`<wsa:${name} xmlns:wsa="${namespace}">([^<]*)</wsa:${name}>`).exec(text)?.[1];

describe.each(['1.1', '1.2'] as const)('a request with WS-Addressing over SOAP %s', (version) => {
  it('is understood, and answered with the action and the id that it relates to', async () => {
    const more = {
      From: at('http://me.example.org'),
      FaultTo: at(`${WSA}/anonymous`),
      RelatesTo: 'urn:a',
      'RelatesTo#2': 'urn:b',
    };
    const reply = await ask({ ...USUAL, ...more }, { version });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('<NUMBER>1</NUMBER>');
    expect(block(reply, 'RelatesTo')).toBe('urn:uuid:1');
    expect(block(reply, 'Action')).toBe('http://shop.example.org/orders/ORDERResponse');
    expect(block(reply, 'To')).toBe(`${WSA}/anonymous`);
    const { text } = await gateway.call('/gateway/PeopleSoftServiceListeningConnector/Orders.v1.wsdl');
    expect(text).toContain('wsam:Action="http://shop.example.org/orders/ORDERResponse"');
  });

  it('gets the reference parameters of its ReplyTo back', async () => {
    const reference = '<a:ReferenceParameters><k:Key xmlns:k="urn:k">7</k:Key></a:ReferenceParameters>';
    const reply = await ask({ ...USUAL, ReplyTo: at(`${WSA}/anonymous`, reference) }, { version });
    expect(reply.text).toMatch(/:Header>.*<k:Key [^>]*IsReferenceParameter="true"[^>]*>7<\/k:Key>.*:Header>/s);
  });

  it('gets a fault that relates to it', async () => {
    const reply = await ask(USUAL, { version, body: order(404) });
    expect(reply.text).toContain('Number 404 is missing.');
    expect(block(reply, 'RelatesTo')).toBe('urn:uuid:1');
    expect(block(reply, 'Action')).toBe(`${WSA}/soap/fault`);
  });

  it('gets no envelope where its replies are to be discarded', async () => {
    const none = { ...USUAL, ReplyTo: at(`${WSA}/none`) };
    expect(await ask(none, { version })).toMatchObject({ status: 202, text: '' });
    const failed = await ask(none, { version, body: order(404) });
    expect([failed.status >= 400, failed.text]).toEqual([true, '']);
    const told = await ask({ ...none, FaultTo: at(`${WSA}/anonymous`) }, { version, body: order(404) });
    expect(told.text).toContain('Number 404 is missing.');
  });

  it.each([
    ['InvalidCardinality', 'MessageID', { ...USUAL, 'MessageID#2': 'urn:uuid:2' }],
    ['InvalidCardinality', 'To', { ...USUAL, 'To#2': 'urn:x' }],
    ['InvalidCardinality', 'From', { ...USUAL, From: at('urn:x'), 'From#2': at('urn:x') }],
    ['MissingAddressInEPR', 'ReplyTo', { ...USUAL, ReplyTo: '' }],
    ['InvalidEPR', 'FaultTo', { ...USUAL, FaultTo: at('urn:x') + at('urn:y') }],
    ['OnlyAnonymousAddressSupported', 'ReplyTo', { ...USUAL, ReplyTo: at('http://me.example.org/in') }],
    ['OnlyAnonymousAddressSupported', 'FaultTo', { ...USUAL, FaultTo: at('http://me.example.org/in') }],
    ['ActionMismatch', 'Action', { ...USUAL, Action: 'http://shop.example.org/OTHER' }],
  ])('is refused with %s for %s', async (problem, name, given) => {
    const reply = await ask(given, { version });
    expect(reply.status).toBe(version === '1.1' ? 500 : 400);
    expect(block(reply, 'Action')).toBe(`${WSA}/fault`);
    expect(block(reply, 'RelatesTo')).toBe('urn:uuid:1');
    const detail = `<wsa:ProblemHeaderQName xmlns:wsa="${WSA}">wsa:${name}</wsa:ProblemHeaderQName>`;
    if (version === '1.1') {
      expect(reply.text).toContain(`<faultcode xmlns:q="${WSA}">q:${problem}</faultcode>`);
      expect(reply.text).toContain(`<wsa:FaultDetail xmlns:wsa="${WSA}">${detail}</wsa:FaultDetail></soap:Header>`);
    } else {
      const codes = [...reply.text.matchAll(/<env:Value[^>]*>([^<]*)</g)].map(([, code]) => code);
      expect(codes).toEqual(['env:Sender', 'q:InvalidAddressingHeader', `q:${problem}`]);
      expect(reply.text).toContain(`<env:Detail>${detail}</env:Detail>`);
    }
  });

  it('is refused when its action is not SOAPAction', async () => {
    const action = 'http://shop.example.org/ORDER';
    const headers = {
      '1.1': { soapaction: `"${action}"` },
      '1.2': { 'content-type': `${TYPES['1.2']}; action="${action}"` },
    }[version];
    expect((await ask(USUAL, { version, headers })).status).toBe(200);
    const reply = await ask({ ...USUAL, Action: 'http://shop.example.org/READ' }, { version, headers });
    expect(reply.text).toContain('ActionMismatch<');
    expect(reply.text).toContain(
      'and SOAPAction is &quot;http://shop.example.org/ORDER&quot;'.replaceAll('&quot;', '"'),
    );
  });

  it('chooses the operation by its action where SOAPAction is empty', async () => {
    const body = '<LACK xmlns="http://shop.example.org/orders"><WHAT>x</WHAT></LACK>';
    for (const [action, answer] of [
      ['urn:read', 'read'],
      ['urn:drop', 'dropped'],
    ] as const) {
      const headers = version === '1.1' ? { soapaction: '""' } : {};
      const reply = await ask({ ...USUAL, Action: action }, { version, body, headers });
      expect(reply.text).toContain(`<WHAT>${answer}</WHAT>`);
    }
  });

  it('of August 2004 is answered in its namespace', async () => {
    const given = { ...USUAL, ReplyTo: at(`${WSA_2004}/role/anonymous`) };
    const reply = await ask(given, { version, namespace: WSA_2004 });
    expect(reply.status).toBe(200);
    expect(block(reply, 'RelatesTo', WSA_2004)).toBe('urn:uuid:1');
    expect(block(reply, 'To', WSA_2004)).toBe(`${WSA_2004}/role/anonymous`);
  });
});

it('answers a message without header blocks with none', async () => {
  const reply = await post(gateway, envelope(order()));
  expect(reply.status).toBe(200);
  expect(reply.text).not.toContain(':Header');
});

it('does not understand a block of WS-Addressing that has no meaning', async () => {
  const reply = await ask({ ...USUAL, Unheard: 'x' });
  expect(reply.text).toMatch(/MustUnderstand<.*\{http:\/\/www.w3.org\/2005\/08\/addressing\}Unheard/s);
});

it('takes a one-way message', async () => {
  const reply = await ask({ ...USUAL, Action: 'NOTE.v1' }, { body: order(1, 'NOTE') });
  expect(reply).toMatchObject({ status: 202, text: '' });
});

describe('a service with `addressing: required`', () => {
  it.each([
    ['Action', {}],
    ['Action', { MessageID: 'urn:uuid:1' }],
    ['MessageID', { Action: 'STRICT.v1' }],
  ])('refuses a request without %s', async (name, given) => {
    const reply = await ask(given, { body: strict() });
    expect(reply.text).toContain(`<faultcode xmlns:q="${WSA}">q:MessageAddressingHeaderRequired</faultcode>`);
    expect(reply.text).toContain(`wsa:${name} is missing, and Strict.v1 requires WS-Addressing`);
    expect(reply.text).toContain(`>wsa:${name}</wsa:ProblemHeaderQName>`);
  });

  it('answers one with both, and takes a one-way message without an id', async () => {
    expect((await ask({ Action: 'STRICT.v1', MessageID: 'urn:uuid:1' }, { body: strict() })).status).toBe(200);
    expect((await ask({ Action: 'STRICT_NOTE.v1' }, { body: strict('STRICT_NOTE') })).status).toBe(202);
  });

  it('states that in its WSDL, with the actions of its messages', async () => {
    const { text } = await gateway.call('/gateway/PeopleSoftServiceListeningConnector/Strict.v1.wsdl');
    expect(text).toMatch(/<wsp:Policy [^>]*>\s*<wsam:Addressing>\s*<wsp:Policy>\s*<wsam:AnonymousResponses\/>/);
    expect(text).toContain('wsam:Action="STRICT.v1"');
    expect(text).toContain('wsam:Action="urn:test:Strict.v1:STRICTResponse"');
  });
});
