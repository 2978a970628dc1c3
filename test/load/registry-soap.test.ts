import { describe, expect, it } from 'vitest';
import { compileSoap } from '../../src/binding/soap/soap.ts';
import { loadProject, loadTexts } from '../../src/load/index.ts';
import type { SoapConsumer } from '../../src/model/consumer.ts';
import type { Registry } from '../../src/model/registry.ts';
import { documentOf, load, names, operation } from './linked.ts';

function consumer(registry: Registry, id: string): SoapConsumer {
  const found = registry.consumers.get(id);
  if (found?.kind !== 'soap') throw new TypeError(id);
  return found;
}

describe('an operation over SOAP', () => {
  const registry = load(`
document: ORDER
fields: { NUMBER: integer, REGION: string(1) }
---
document: FAULT
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
service: Orders.v2
public: true
fault: FAULT
alias: Ord
headers: { X-Region: "{REGION}" }
variables: { fields: { TENANT: string } }
operations:
  ORDER_PUT: { soap: true, request: ORDER, response: ORDER }
  ORDER_SEND: { soap: true, request: ORDER }
  ORDER_NOTHING: { soap: true, response: text }
`);

  it('alone has no method, no URI and nothing that only REST has', () => {
    const put = operation(registry, 'ORDER_PUT');
    expect(put).not.toHaveProperty('method');
    expect(put).toMatchObject({ uris: [], requestHeaders: [], body: 'none', pathName: 'Ord', status: 200 });
    expect(put.fault).toBe(registry.documents.get('FAULT'));
    expect(put.answer).toEqual({ kind: 'handler', file: 'order-put' });
    expect(put.soap).toEqual({
      name: 'ORDER_PUT',
      action: 'ORDER_PUT.v2',
      request: { kind: 'document', document: registry.documents.get('ORDER') },
      response: { kind: 'document', document: registry.documents.get('ORDER') },
    });
  });

  it('without a response is one-way, and the fault of its service is not its own', () => {
    const send = operation(registry, 'ORDER_SEND');
    expect(send.soap?.response).toEqual({ kind: 'none' });
    expect(send).not.toHaveProperty('fault');
    expect(operation(registry, 'ORDER_NOTHING').soap?.request).toEqual({ kind: 'none' });
  });

  it('has a routing as any other', () => {
    expect(registry.routings.map(({ id }) => id)).toContain('~GENERATED~ORDER_SEND');
  });
});

describe('an operation over REST and SOAP', () => {
  const registry = load(`
document: ORDER
namespace: urn:orders
open: true
fields: { NUMBER: integer, REGION: { type: string(1), default: N }, NOTE: { type: string, required: true }, CONTENT: binary }
---
document: TENANT
fields: { TENANT: string(8), TRACE: string, UNUSED: string }
---
query: PEOPLE
public: true
prompts: { DEPT: string(30), CITY: string }
columns: { NAME: string }
sql: select name from people where dept = :DEPT and city = :CITY
---
service: Orders.v1
public: true
variables: TENANT
operations:
  SAME: { post: Orders, soap: true, request: ORDER, response: ORDER }
  TWINNED: { put: Orders, soap: ORDER_WRITE, request: ORDER, response: none }
  NOT_SO: { patch: Orders, soap: false, request: ORDER }
  JOINED:
    post:
      - "{TENANT}/{NUMBER}/{REGION}"
      - "{TENANT}/Orders/{NUMBER}{?NOTE}"
    soap: true
    request: ORDER
    headers: { X-Trace: "{TRACE}" }
  RAW: { put: "Raw/{TENANT}", soap: true, request: binary, response: text }
  NONE: { get: "None/{TENANT}", soap: true, response: text }
  OWN: { get: "Own/{NAME}", soap: true, request: { fields: { NAME: string } }, response: text }
  ROWS: { get: "Rows/{DEPT}{?CITY,maxrows}", soap: true, query: PEOPLE }
  FORMS: { get: Forms, soap: true, response: { text/csv: text, application/xml: ORDER, application/json: TENANT } }
  TEXTS: { get: Texts, soap: true, response: { text/csv: text, application/xml: xml } }
`);
  const form = (id: string) => operation(registry, id).soap;
  const input = (id: string) =>
    documentOf(form(id)?.request).fields.map(({ name, required }) => `${name}${required ? '!' : ''}`);

  it('has one document where URIs and headers add nothing', () => {
    expect(documentOf(form('SAME')?.request)).toBe(registry.documents.get('ORDER'));
    expect(operation(registry, 'SAME').method).toBe('POST');
  });

  it('may have a twin: another name of the same operation', () => {
    expect(form('TWINNED')).toMatchObject({
      name: 'ORDER_WRITE',
      action: 'ORDER_WRITE.v1',
      response: { kind: 'none' },
    });
    expect(registry.operations.has('ORDER_WRITE')).toBe(false);
    expect(operation(registry, 'NOT_SO')).not.toHaveProperty('soap');
  });

  it('takes as body what URIs and headers say over REST, and requires what every URI requires', () => {
    expect(input('JOINED')).toEqual(['NUMBER!', 'REGION', 'NOTE!', 'CONTENT', 'TENANT!', 'TRACE']);
    const document = documentOf(form('JOINED')?.request);
    expect(document).toMatchObject({ id: 'JOINED_SOAP_REQUEST', inPlace: true, open: true, namespace: 'urn:orders' });
    expect(registry.documents.get('JOINED_SOAP_REQUEST')).toBe(document);
    // Over REST nothing has changed: a path has it anyway.
    expect(documentOf(operation(registry, 'JOINED').request).fields[0]).toMatchObject({
      name: 'NUMBER',
      required: false,
    });
    expect(input('OWN')).toEqual(['NAME!']);
    expect(input('NONE')).toEqual(['TENANT!']);
  });

  it('puts a message without a document beside what the URI says', () => {
    expect(input('RAW')).toEqual(['content', 'TENANT!']);
    expect(documentOf(form('RAW')?.request).fields[0]).toMatchObject({ xmlName: 'content', type: { kind: 'binary' } });
  });

  it('is answered by the same query', () => {
    expect(input('ROWS')).toEqual(['DEPT!', 'CITY', 'maxrows']);
    expect(form('ROWS')?.response).toBe(operation(registry, 'ROWS').responses[0]?.message);
  });

  it('answers the first document of several media types, or else the first form', () => {
    expect(documentOf(form('FORMS')?.response)).toBe(registry.documents.get('ORDER'));
    expect(form('TEXTS')?.response).toEqual({ kind: 'raw', raw: 'text' });
  });
});

describe('an operation with a target', () => {
  const registry = load(`
permission-list: PARTNERS
---
permission-list: OTHERS
operations: [Partner.*]
---
node: PARTNER
base: [https://a.example.org/soap, "https://\${env:HOST}"]
credential: { basic: { user: "\${env:PARTNER_USER:-signalbox}", password: "\${secret:PARTNER_PASSWORD}" } }
---
node: OTHER
base: https://other.example.org
---
document: ORDER
fields: { NUMBER: integer }
---
document: FAULT
fields: { code: { type: string, required: true } }
---
service: Partner.v3
target: PARTNER
permission: PARTNERS
fault: FAULT
headers: { Content-Type: text/xml, X-Sender: LOCAL }
properties: { METHOD: POST, MTOM: Y, SOAPUpContent: n, PRIMARYURL: "https://p.example.org/soap?op=1" }
operations:
  PLAIN: { soap: true, request: xml, response: xml, description: Sends it. }
  OWN:
    soap: THEIR_NAME
    target: OTHER
    request: ORDER
    response: { text/plain: text, application/xml: ORDER }
    public: true
    fault: none
    headers: { content-type: application/soap+xml }
    properties:
      Method: POST
      MTOM: false
      SOAPUpContent: true
      sendUncompressed: N
      PRIMARYURL: \${env:PARTNER_URL}
      SegmentContentType: text/plain; charset="utf-8"
      SegmentContentTransfer: base64
  ONE_WAY: { soap: true, request: text, active: false }
---
service: Mixed.v1
namespace: http://partner.example.org/orders
public: true
operations:
  MINE: { soap: true, request: ORDER, response: ORDER }
  THEIRS: { soap: MINE, target: OTHER, request: ORDER }
---
service: Off.v1
public: true
active: false
operations:
  SWITCHED_OFF: { soap: true, target: OTHER }
`);

  it('stands among the consumers, with the node that it calls', () => {
    expect([...registry.consumers.keys()]).toEqual(['ONE_WAY', 'OWN', 'PLAIN', 'SWITCHED_OFF', 'THEIRS']);
    expect([...registry.operations.keys()]).toEqual(['MINE']);
    expect(registry.services.get('Mixed.v1')).toMatchObject({
      operations: [registry.operations.get('MINE')],
      consumers: [registry.consumers.get('THEIRS')],
    });
    expect(consumer(registry, 'PLAIN')).toMatchObject({ description: 'Sends it.', public: false, active: true });
    expect(consumer(registry, 'PLAIN').target).toBe(registry.nodes.get('PARTNER'));
    expect(consumer(registry, 'PLAIN').service).toBe(registry.services.get('Partner.v3'));
    expect(consumer(registry, 'OWN').target).toBe(registry.nodes.get('OTHER'));
  });

  it('has the properties of its service where it says nothing, and the defaults where nobody does', () => {
    expect(consumer(registry, 'PLAIN').properties).toEqual({
      mtom: true,
      upContent: false,
      compress: false,
      segmentContentTransfer: 'binary',
      primaryUrl: {
        source: 'https://p.example.org/soap?op=1',
        parts: [{ kind: 'literal', text: 'https://p.example.org/soap?op=1' }],
      },
    });
    expect(consumer(registry, 'OWN').properties).toEqual({
      mtom: false,
      upContent: true,
      compress: true,
      segmentContentTransfer: 'base64',
      segmentContentType: 'text/plain; charset="utf-8"',
      primaryUrl: { source: '${env:PARTNER_URL}', parts: [{ kind: 'env', name: 'PARTNER_URL' }] },
    });
    const nothing = { mtom: false, upContent: true, compress: false, segmentContentTransfer: 'binary' };
    expect(consumer(registry, 'THEIRS').properties).toEqual(nothing);
  });

  it('has its messages and its name over SOAP', () => {
    expect(consumer(registry, 'PLAIN').soap).toEqual({
      name: 'PLAIN',
      action: 'PLAIN.v3',
      request: { kind: 'raw', raw: 'xml' },
      response: { kind: 'raw', raw: 'xml' },
    });
    const { soap } = consumer(registry, 'OWN');
    expect(soap).toMatchObject({ name: 'THEIR_NAME', action: 'THEIR_NAME.v3' });
    expect([soap.request, soap.response].map(documentOf)).toEqual([
      registry.documents.get('ORDER'),
      registry.documents.get('ORDER'),
    ]);
    expect(consumer(registry, 'ONE_WAY').soap.response).toEqual({ kind: 'none' });
  });

  it('is named by others: as an operation here, and in a namespace of theirs', () => {
    expect(consumer(registry, 'THEIRS').soap.name).toBe('MINE');
    const { soap } = consumer(registry, 'THEIRS');
    const binding = compileSoap({ ...consumer(registry, 'THEIRS'), soap }, registry.gateway.namespace);
    const [xml] = binding.writeRequest({ NUMBER: 1 });
    expect(xml).toBe('<MINE xmlns="http://partner.example.org/orders"><NUMBER>1</NUMBER></MINE>');
  });

  it('may require in a fault what the gateway could not fill by itself: it only reads it', () => {
    expect(consumer(registry, 'PLAIN').fault).toBe(registry.documents.get('FAULT'));
    for (const id of ['OWN', 'ONE_WAY']) expect(consumer(registry, id)).not.toHaveProperty('fault');
  });

  it('sends fixed headers, its own in place of those of its service in whatever case', () => {
    expect(consumer(registry, 'PLAIN').headers).toEqual([
      { name: 'Content-Type', value: 'text/xml' },
      { name: 'X-Sender', value: 'LOCAL' },
    ]);
    expect(consumer(registry, 'OWN').headers).toEqual([
      { name: 'content-type', value: 'application/soap+xml' },
      { name: 'X-Sender', value: 'LOCAL' },
    ]);
  });

  it('is granted like any other, by wildcards too', () => {
    const granted = (id: string) => consumer(registry, id).permissions.map((list) => list.id);
    expect(granted('PLAIN')).toEqual(['PARTNERS', 'OTHERS']);
    expect(granted('OWN')).toEqual([]);
    expect(consumer(registry, 'OWN').public).toBe(true);
  });

  it('has no routing but its target, and is switched off by itself or its service', () => {
    expect(registry.routings.map(({ id }) => id)).toEqual(['~GENERATED~MINE']);
    const off = [...registry.consumers.values()].filter(({ active }) => !active).map(({ id }) => id);
    expect(off).toEqual(['ONE_WAY', 'SWITCHED_OFF']);
  });

  it('finds at its node what calls show, as references', () => {
    expect(registry.nodes.get('PARTNER')?.credential).toEqual({
      kind: 'basic',
      user: {
        source: '${env:PARTNER_USER:-signalbox}',
        parts: [{ kind: 'env', name: 'PARTNER_USER', default: 'signalbox' }],
      },
      password: { source: '${secret:PARTNER_PASSWORD}', parts: [{ kind: 'secret', name: 'PARTNER_PASSWORD' }] },
    });
    expect(registry.nodes.get('OTHER')).not.toHaveProperty('credential');
  });
});

describe('the sample', () => {
  const { registry } = loadProject({ root: new URL('../../', import.meta.url).pathname });
  const sample = registry as Registry;

  it('takes and gives attachments over SOAP alone', () => {
    const put = operation(sample, 'ATTACHMENT_PUT');
    expect(put).not.toHaveProperty('method');
    expect(names(documentOf(put.soap?.request).fields)).toEqual(['name', 'contentType', 'content']);
    expect(names(documentOf(put.soap?.response).fields)).toEqual(['name', 'length', 'sha256']);
    expect(put.fault?.id).toBe('ATTACHMENT_FAULT');
    const get = operation(sample, 'ATTACHMENT_GET');
    expect(names(documentOf(get.soap?.response).fields)).toEqual(['name', 'contentType', 'content']);
  });

  it('looks locations up over both', () => {
    const { method, soap } = operation(sample, 'LOCATIONS_GET');
    expect(method).toBe('GET');
    const fields = documentOf(soap?.request).fields.map(({ name, required }) => [name, required]);
    expect(fields).toEqual([
      ['REGION', true],
      ['LOCATION', false],
    ]);
    expect(documentOf(soap?.response)).toBe(sample.documents.get('LOC_RESPONSE'));
  });

  it('calls a partner, with an envelope of the caller or of the gateway', () => {
    const properties = ['N_BINARY_RECEIVE', 'N_BINARY_SEND'].map((id) => {
      const { mtom, upContent } = consumer(sample, id).properties;
      return [id, mtom, upContent];
    });
    expect(properties).toEqual([
      ['N_BINARY_RECEIVE', false, true],
      ['N_BINARY_SEND', true, false],
    ]);
    expect(sample.gateway.mtom).toEqual({ services: true, http: true });
    expect(sample.gateway.limits).toMatchObject({ attachment: 1024 ** 3, attachments: 50 });
  });
});

describe('elements around messages without a namespace', () => {
  const errorsWith = (style: string): readonly string[] => {
    const text = `service: Short.v1
public: true
operations:
  SEND: { soap: { namespace: "" }, ${style}request: { fields: { TO: string } }, response: { fields: { ID: string } } }
`;
    const { diagnostics } = loadTexts(
      new Map([
        ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
        ['definitions/short.yaml', text],
      ]),
    );
    return diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
  };

  it('are those of rpc', () => {
    expect(errorsWith('style: rpc, ')).toEqual([]);
  });

  it('are refused elsewhere: WSDL can not refer to them', () => {
    expect(errorsWith('')).toEqual([expect.stringContaining('an empty `namespace` of `soap` needs `style: rpc`')]);
  });
});
