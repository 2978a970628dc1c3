import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { CallText, RestConsumer } from '../../src/model/consumer.ts';
import type { Registry } from '../../src/model/registry.ts';
import { documentOf, load, names } from './linked.ts';

function consumer(registry: Registry, id: string): RestConsumer {
  const found = registry.consumers.get(id);
  if (found?.kind !== 'rest') throw new TypeError(id);
  return found;
}

/** `A` may be left out, `A!` must be given, `A*` is masked. */
const input = ({ input }: RestConsumer): string[] =>
  input.fields.map(({ name, required, sensitive }) => `${name}${required ? '!' : ''}${sensitive ? '*' : ''}`);

/** A text as it was read: `<X>` a value, `<X.name>` what is known of content, `$X` configuration. */
const shown = ({ parts }: CallText): string =>
  parts
    .map((part) => {
      if (part.kind === 'literal') return part.text;
      if (part.kind !== 'value') return `$${part.name}`;
      return `<${part.field.name}${part.of === undefined ? '' : `.${part.of}`}>`;
    })
    .join('');

const filled = (of: RestConsumer): Record<string, string> =>
  Object.fromEntries([...of.filled].map(([name, text]) => [name, shown(text)]));

const headers = (of: RestConsumer): Record<string, string> =>
  Object.fromEntries(of.headers.map(({ name, text }) => [name, shown(text)]));

const NODES = `
node: PARTNER
base: https://example.org
---
node: LIBRARY
base: ["https://", "https://"]
---
document: ORDER
fields:
  NUMBER: { type: integer, required: true }
  REGION: { type: string(1), default: N }
  KIND: { type: text, fixed: order }
  LABEL: { type: text, default: "{FILE.name} of {NUMBER}" }
  NOTE: { type: text, required: true }
  FILE: binary
---
document: PLACE
fields: { TENANT: text, SITE: text, NUMBER: text }
---
document: FAULT
fields: { status: { type: text, fixed: failure }, code: { type: string, required: true } }
---
`;

describe('a call over REST', () => {
  const registry = load(`${NODES}
service: Partner.v2
public: true
target: PARTNER
request: ORDER
variables: PLACE
fault: FAULT
timeout: 1 m
retry: { attempts: 2 }
headers: { Accept: application/json, X-Trace: "{TENANT}" }
operations:
  DOCUMENT_POST: { post: "Orders/{NUMBER}" }
  NAMED_POST: { post: "Orders/{NUMBER}", headers: { X-Trace: "{FILE.name}", X-Note: "{NOTE}" } }
  SEVERAL_PUT: { put: ["Orders/{NUMBER}/{NOTE}", "Orders/?n={NUMBER}", "Orders{?NUMBER,SITE}"], headers: { x-trace: none } }
  OPTIONAL_GET: { get: "Orders{?NUMBER,SITE}{&REGION}" }
  FIELD_POST: { post: "Orders/{LABEL}", body: FILE, timeout: 2 s, retry: { attempts: 5, on: 503 }, fault: none }
  NOTHING_POST: { post: Orders, body: none, response: { text/csv: text, application/json: ORDER } }
  FORM_POST:
    post: Orders
    form: { number: "{NUMBER}", file: "{FILE.name};{FILE.length}", key: "\${secret:KEY}", fixed: "a=b&{}" }
    active: false
    headers: { Accept: text/plain }
  RAW_POST: { post: "Orders/{SITE}", request: json, response: text }
  RAW_DELETE: { delete: Orders, request: binary }
  DELETE: { delete: "Orders/{NUMBER}" }
  OPEN_POST: { post: Open, request: { fields: { A: text }, open: true } }
  OPEN_GET: { get: Open, request: { fields: { A: text }, open: true } }
  LEFT_OUT_POST:
    post: Orders
    headers: { X-A: "{A}", X-B: "b{B}" }
    form: { c: "{C}", d: "{D}" }
    request: { fields: { A: { type: text, required: false }, B: { type: text, required: false }, C: { type: text, required: false }, D: text } }
---
service: Off.v1
public: true
active: false
operations:
  OFF_GET: { get: Orders, target: PARTNER }
`);
  const of = (id: string) => consumer(registry, id);
  const body = (id: string) => of(id).uris.map((uri) => names(uri.body));

  it('stands among the consumers, with method, node, time and repetition', () => {
    expect([...registry.operations.keys()]).toEqual([]);
    expect(of('DOCUMENT_POST')).toMatchObject({ method: 'POST', host: false, timeout: 60_000, public: true });
    expect(of('DOCUMENT_POST').target).toBe(registry.nodes.get('PARTNER'));
    expect(of('DOCUMENT_POST').retry).toMatchObject({ attempts: 2, first: 200, longest: 5000 });
    expect(of('FIELD_POST')).toMatchObject({ timeout: 2_000, retry: { attempts: 5, on: new Set([503]) } });
    expect(of('OFF_GET')).not.toHaveProperty('timeout');
  });

  it('needs what headers and a form name, but for a field that may be left out with the whole text', () => {
    const { fields } = of('LEFT_OUT_POST').input;
    expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(['B', 'D', 'TENANT']);
  });

  it('is switched off by itself or its service', () => {
    expect(['DOCUMENT_POST', 'FORM_POST', 'OFF_GET'].map((id) => of(id).active)).toEqual([true, false, false]);
  });

  it('has in its body what neither URI nor headers carry', () => {
    expect(of('DOCUMENT_POST').body).toEqual({ kind: 'document', document: registry.documents.get('ORDER') });
    expect(body('DOCUMENT_POST')).toEqual([['REGION', 'KIND', 'LABEL', 'NOTE', 'FILE']]);
    expect(body('SEVERAL_PUT').map((fields) => fields.includes('NOTE'))).toEqual([false, true, true]);
    expect(body('NAMED_POST')).toEqual([['REGION', 'KIND', 'LABEL', 'FILE']]);
    expect(of('FIELD_POST').body).toMatchObject({ kind: 'field', field: { name: 'FILE' } });
    expect(of('RAW_DELETE').body).toEqual({ kind: 'raw', raw: 'binary' });
    for (const id of ['NOTHING_POST', 'OPTIONAL_GET', 'DELETE']) expect(of(id).body).toEqual({ kind: 'none' });
  });

  it('takes what it uses and nothing else, required where every URI needs it and nothing fills it', () => {
    expect(input(of('DOCUMENT_POST'))).toEqual(['NUMBER!', 'REGION', 'KIND', 'LABEL', 'NOTE!', 'FILE', 'TENANT!']);
    expect(input(of('SEVERAL_PUT'))).toEqual(['NUMBER!', 'REGION', 'KIND', 'LABEL', 'NOTE!', 'FILE', 'SITE']);
    expect(input(of('OPTIONAL_GET'))).toEqual(['NUMBER!', 'REGION', 'TENANT!', 'SITE']);
    expect(input(of('NOTHING_POST'))).toEqual(['TENANT!']);
    expect(input(of('FORM_POST'))).toEqual(['NUMBER!', 'FILE!', 'TENANT!']);
    expect(input(of('RAW_POST'))).toEqual(['content!', 'TENANT!', 'SITE!']);
    expect(of('RAW_POST').input.fields[0]?.type).toEqual({ kind: 'json' });
    expect(input(of('OFF_GET'))).toEqual([]);
  });

  it('fills a field from others where its default is made of them', () => {
    expect(input(of('FIELD_POST'))).toEqual(['NUMBER', 'LABEL', 'FILE', 'TENANT!']);
    expect(filled(of('FIELD_POST'))).toEqual({ LABEL: '<FILE.name> of <NUMBER>' });
    const label = of('FIELD_POST').input.fields.find(({ name }) => name === 'LABEL');
    expect(label).not.toHaveProperty('default');
    expect(filled(of('OPTIONAL_GET'))).toEqual({});
    expect(of('OPTIONAL_GET').input.fields.find(({ name }) => name === 'REGION')?.default).toBe('N');
  });

  it('fills a field from configuration where its default refers to it, and masks what is secret', () => {
    const made = load(`${NODES}
service: Partner.v1
public: true
target: PARTNER
operations:
  MADE_POST:
    post: "Orders/{SHORT}{?REGION,PIN}"
    request:
      fields:
        SHORT: { type: string(4), pattern: "[a-z]+", default: "{FILE.name}" }
        REGION: { type: string(1), default: "\${env:REGION}" }
        PIN: { type: text, default: "x\${secret:PIN}" }
        FILE: binary
    body: FILE
`);
    const of = consumer(made, 'MADE_POST');
    expect(filled(of)).toEqual({ SHORT: '<FILE.name>', REGION: '$REGION', PIN: 'x$PIN' });
    expect(input(of)).toEqual(['SHORT', 'REGION', 'PIN*', 'FILE']);
    expect(of.input.fields.filter((field) => 'default' in field)).toEqual([]);
  });

  it('has the headers of its service, and its own in place of those in whatever case', () => {
    expect(headers(of('DOCUMENT_POST'))).toEqual({ Accept: 'application/json', 'X-Trace': '<TENANT>' });
    expect(headers(of('SEVERAL_PUT'))).toEqual({ Accept: 'application/json', 'x-trace': 'none' });
    expect(headers(of('FORM_POST'))).toEqual({ Accept: 'text/plain', 'X-Trace': '<TENANT>' });
  });

  it('has a form of texts, in which braces that name nothing are text', () => {
    const { body } = of('FORM_POST');
    const fields = body.kind === 'form' ? body.fields.map(({ name, text }) => [name, shown(text)]) : [];
    expect(fields).toEqual([
      ['number', '<NUMBER>'],
      ['file', '<FILE.name>;<FILE.length>'],
      ['key', '$KEY'],
      ['fixed', 'a=b&{}'],
    ]);
    expect(of('FORM_POST').properties.bodyAsBuilt).toBe(true);
    expect(of('NOTHING_POST').properties.bodyAsBuilt).toBe(false);
  });

  it('may hold what nobody declared where the document of its body is open', () => {
    expect(of('OPEN_POST').input.open).toBe(true);
    expect(of('OPEN_GET').input.open).toBe(false);
  });

  it('has replies and faults, which it only reads', () => {
    expect(of('NOTHING_POST').responses.map(({ mediaType }) => mediaType)).toEqual(['text/csv', 'application/json']);
    expect(documentOf(of('NOTHING_POST').responses[1]?.message)).toBe(registry.documents.get('ORDER'));
    expect(of('DOCUMENT_POST').fault).toBe(registry.documents.get('FAULT'));
    expect(of('FIELD_POST')).not.toHaveProperty('fault');
  });
});

describe('what takes the place of what a caller leaves out', () => {
  const registry = load(`${NODES}
service: Partner.v1
public: true
target: LIBRARY
variables: PLACE
request: ORDER
values: { TENANT: "\${env:TENANT:-contoso}", zone: "\${env:ZONE}", NUMBER: "7" }
operations:
  SITE_GET:
    get: "{TENANT}.{zone}/sites/{SITE}{?NUMBER,NOTE}"
    values: { SITE: "\${secret:SITE}", NOTE: home }
  OWN_GET: { get: "{TENANT}.example.org:8443/x/{zone}", values: { TENANT: fabrikam } }
  BODY_POST: { post: example.org/x, properties: { PRIMARYURL: "https://" } }
  ELSEWHERE_GET: { get: "x/{SITE}", properties: { PRIMARYURL: "\${env:URL:-https://example.org}" } }
`);
  const of = (id: string) => consumer(registry, id);

  it('is configuration, the operation above its service', () => {
    expect(filled(of('SITE_GET'))).toEqual({
      TENANT: '$TENANT',
      zone: '$ZONE',
      NUMBER: '7',
      SITE: '$SITE',
      NOTE: 'home',
    });
    expect(filled(of('OWN_GET'))).toEqual({ TENANT: 'fabrikam', zone: '$ZONE' });
  });

  it('is a field of its own where no document has one, and is masked where it is a secret', () => {
    expect(input(of('SITE_GET'))).toEqual(['NUMBER', 'NOTE', 'TENANT', 'SITE*', 'zone']);
    expect(of('SITE_GET').input.fields.at(-1)).toMatchObject({ name: 'zone', type: { kind: 'text' } });
  });

  it('fills the body too, in place of a default', () => {
    expect(filled(of('BODY_POST'))).toEqual({ NUMBER: '7', LABEL: '<FILE.name> of <NUMBER>' });
    expect(of('BODY_POST').uris[0]?.body.map(({ name }) => name)).toContain('NUMBER');
  });

  it('leaves the host to the templates where the address is a scheme alone', () => {
    expect(['SITE_GET', 'OWN_GET', 'BODY_POST', 'ELSEWHERE_GET'].map((id) => of(id).host)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('connector properties of a call over REST', () => {
  const registry = load(`${NODES}
service: Partner.v1
public: true
target: PARTNER
request: ORDER
properties: { MTOM: Y, Base64toBinary: Y, SegmentContentTransfer: base64, sendUncompressed: N }
operations:
  OF_SERVICE: { post: Orders }
  FILE_POST: { post: Orders, body: FILE, properties: { METHOD: POST, sendUncompressed: y, SegmentContentType: application/pdf } }
  WORD_POST: { post: Orders, body: FILE, headers: { content-type: "{FILE.contentType}" }, properties: { SegmentContentType: image/png } }
  BINARY_POST: { post: Orders, request: binary, properties: { SegmentContentType: binary, PRIMARYURL: "\${env:URL}" } }
  TEXT_POST:
    post: Orders
    request: text
    properties: { SegmentContentType: application/x-www-form-urlencoded, Disable_URLEncodingBody: "TRUE" }
---
service: Plain.v1
public: true
operations:
  PLAIN_GET: { get: Orders, target: PARTNER }
`);
  const properties = (id: string) => consumer(registry, id).properties;

  it('hold where they have a use, those of the service too', () => {
    expect(properties('OF_SERVICE')).toEqual({
      base64ToBinary: false,
      bodyAsBuilt: false,
      compress: true,
      acceptCompressed: true,
    });
    expect(properties('FILE_POST')).toMatchObject({ base64ToBinary: true, compress: false, acceptCompressed: false });
    expect(properties('BINARY_POST')).toMatchObject({ base64ToBinary: true, primaryUrl: { source: '${env:URL}' } });
    expect(properties('TEXT_POST')).toMatchObject({ bodyAsBuilt: true, base64ToBinary: false });
  });

  it('are nothing where nobody says any', () => {
    const nothing = { base64ToBinary: false, bodyAsBuilt: false, compress: false, acceptCompressed: true };
    expect(properties('PLAIN_GET')).toEqual(nothing);
  });

  it('say the media type of binary content of unknown type, which is no header', () => {
    expect(headers(consumer(registry, 'FILE_POST'))).toEqual({});
    expect(properties('FILE_POST')).toMatchObject({ segmentContentType: 'application/pdf' });
    expect(headers(consumer(registry, 'WORD_POST'))).toEqual({ 'content-type': '<FILE.contentType>' });
    expect(headers(consumer(registry, 'BINARY_POST'))).toEqual({});
  });
});

describe('a call whose routing is overridden', () => {
  const registry = load(`${NODES}
service: Partner.v1
public: true
target: PARTNER
headers: { X-System: test, X-Sender: LOCAL }
properties: { sendUncompressed: Y }
operations:
  ORDER_POST: { post: example.org/Orders, request: ORDER, headers: { X-Sender: mine } }
  ORDER_SEND: { soap: true, request: ORDER, headers: { X-Sender: mine } }
  ORDER_OFF: { get: Orders }
---
routing: ORDERS_ELSEWHERE
operation: ORDER_POST
target: LIBRARY
headers: { x-sender: "\${env:SENDER}" }
properties: { sendUncompressed: N }
---
routing: SENT_ELSEWHERE
operation: ORDER_SEND
headers: { X-Sender: routing }
---
routing: SWITCHED_OFF
operation: ORDER_OFF
active: false
`);

  it('goes where that says, with its headers and properties above all others', () => {
    const order = consumer(registry, 'ORDER_POST');
    expect(order).toMatchObject({ routing: 'ORDERS_ELSEWHERE', host: true, properties: { compress: true } });
    expect(order.target).toBe(registry.nodes.get('LIBRARY'));
    expect(headers(order)).toEqual({ 'X-System': 'test', 'x-sender': '$SENDER' });
  });

  it('may be one over SOAP', () => {
    const sent = registry.consumers.get('ORDER_SEND');
    expect(sent?.kind === 'soap' && sent.headers.map(({ value }) => value)).toEqual(['test', 'routing']);
    expect(sent).toMatchObject({ routing: 'SENT_ELSEWHERE' });
  });

  it('is switched off by that', () => {
    expect(consumer(registry, 'ORDER_OFF').active).toBe(false);
  });
});

describe('the document library of the sample (specification 4.3)', () => {
  const { registry, diagnostics } = loadProject({ root: new URL('../../', import.meta.url).pathname });
  const of = (id: string) => consumer(registry as Registry, id);

  it('is declared without a mistake', () => {
    expect(diagnostics).toEqual([]);
  });

  it('needs nothing for a token but configuration', () => {
    const token = of('N_DOCLIB_ACCESSTOKEN_POST');
    expect(input(token)).toEqual([
      'TenantID',
      'TenantName',
      'document_host',
      'ApplicationID',
      'ClientID',
      'ClientSecret*',
    ]);
    expect(token.properties.bodyAsBuilt).toBe(true);
    expect(token.body.kind === 'form' && token.body.fields.map(({ name, text }) => `${name}=${shown(text)}`)).toEqual([
      'grant_type=client_credentials',
      'client_id=<ClientID>@<TenantID>',
      'client_secret=<ClientSecret>',
      'resource=<ApplicationID>/<TenantName>.<document_host>@<TenantID>',
    ]);
  });

  it('needs the token for a digest, and both for an upload', () => {
    expect(input(of('N_DOCLIB_FORMDIGEST_POST'))).toEqual([
      'ACCESS_TOKEN!*',
      'TenantName',
      'SiteName!',
      'document_host',
    ]);
    const upload = of('N_DOCLIB_UPLOADFILES_POST');
    expect(input(upload).filter((name) => name.includes('!'))).toEqual([
      'ACCESS_TOKEN!*',
      'FORM_DIGEST!*',
      'File!',
      'SiteName!',
      'DocFolder!',
    ]);
    expect(upload).toMatchObject({ host: true, properties: { base64ToBinary: true } });
    expect(filled(upload)).toMatchObject({ FileName: '<File.name>' });
    expect(headers(upload)).toMatchObject({
      'Content-Type': '<File.contentType>',
      Authorization: 'Bearer <ACCESS_TOKEN>',
    });
  });
});
