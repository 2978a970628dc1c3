import type { CallPart, CallText, ConsumerOperation, RestConsumer, SoapConsumer } from '../../src/model/consumer.ts';
import type { ConfigText } from '../../src/model/definition.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Flow } from '../../src/model/flow.ts';
import { NODE_DEFAULTS, type Node } from '../../src/model/node.ts';
import type { PermissionList } from '../../src/model/security.ts';
import type { Message, OperationUri, RawKind, Service } from '../../src/model/service.ts';
import { parseUriTemplate } from '../../src/wire/uri-template/uri-template.ts';
import { compound, document, field, listOf, string } from '../support/registry.ts';

// What the full registry calls elsewhere: a partner over SOAP, a library over REST, and flows.

const at = { file: 'test.yaml', line: 1, column: 1 };

export const config = (source: string, parts: ConfigText['parts']): ConfigText => ({ source, parts });
const text = (source: string, parts: readonly CallPart[] = [{ kind: 'literal', text: source }]): CallText => ({
  source,
  parts,
});

export const PARTNER: Node = {
  id: 'PARTNER',
  base: [config('https://${secret:PARTNER_HOST}', [{ kind: 'secret', name: 'PARTNER_HOST' }])],
  ...NODE_DEFAULTS,
  credential: {
    kind: 'basic',
    user: config('me', [{ kind: 'literal', text: 'me' }]),
    password: config('${secret:PARTNER_PASSWORD}', [{ kind: 'secret', name: 'PARTNER_PASSWORD' }]),
  },
  at,
};

/** Says all that a node can say. */
export const LIBRARY: Node = {
  id: 'LIBRARY',
  description: 'Keeps files',
  base: [config('https://', [{ kind: 'literal', text: 'https://' }])],
  credential: {
    kind: 'client-credentials',
    tokenUrl: config('https://login.invalid/token', [{ kind: 'literal', text: 'https://login.invalid/token' }]),
    clientId: config('${env:LIBRARY_ID}', [{ kind: 'env', name: 'LIBRARY_ID' }]),
    clientSecret: config('${secret:LIBRARY_SECRET}', [{ kind: 'secret', name: 'LIBRARY_SECRET' }]),
    scope: config('files', [{ kind: 'literal', text: 'files' }]),
    parameters: new Map([['resource', config('library', [{ kind: 'literal', text: 'library' }])]]),
    authentication: 'body',
  },
  caFile: config('${env:LIBRARY_CA:-}', [{ kind: 'env', name: 'LIBRARY_CA', default: '' }]),
  certificate: {
    file: config('client.pem', [{ kind: 'literal', text: 'client.pem' }]),
    keyFile: config('client.key', [{ kind: 'literal', text: 'client.key' }]),
    passphrase: config('${secret:LIBRARY_KEY}', [{ kind: 'secret', name: 'LIBRARY_KEY' }]),
  },
  resolve: new Map([['files.invalid', config('192.0.2.1', [{ kind: 'literal', text: '192.0.2.1' }])]]),
  timeouts: { connect: 1000, call: 60_000 },
  retry: { attempts: 4, on: new Set([429, 503]), first: 200, longest: 5000 },
  circuit: { failures: 3, reset: 10_000 },
  rate: { requests: 50, per: 1000 },
  concurrency: 4,
  redirects: 2,
  at,
};

/** Documents of the full registry that travel here too. */
interface Shapes {
  readonly FILE: Document;
  readonly KINDS: Document;
  readonly LOC_FAULT: Document;
  readonly ORDER: Document;
}

/** Consumers over SOAP: FILE_FETCH says all that one can say, PARTNER_PING as little as it must. */
export function partner(service: Service, { FILE, LOC_FAULT }: Shapes, lists: readonly PermissionList[]) {
  const shared = { kind: 'soap' as const, service, target: PARTNER, active: true, at };
  const none = { kind: 'none' } as const;
  const fetch: SoapConsumer = {
    ...shared,
    id: 'FILE_FETCH',
    name: 'FILE_FETCH',
    description: 'Fetches a file',
    soap: soap('FILE_FETCH', { kind: 'raw', raw: 'xml' }, { kind: 'document', document: FILE }),
    headers: [{ name: 'Content-Type', value: 'text/xml' }],
    properties: {
      mtom: true,
      upContent: false,
      compress: true,
      primaryUrl: config('${env:FILES_URL}', [{ kind: 'env', name: 'FILES_URL' }]),
      segmentContentType: 'application/xml',
      segmentContentTransfer: 'base64',
    },
    fault: LOC_FAULT,
    timeout: 5000,
    retry: { attempts: 2, on: new Set([503]), first: 200, longest: 5000 },
    permissions: lists,
    public: false,
    routing: 'FILES_ELSEWHERE',
  };
  const ping: SoapConsumer = {
    ...shared,
    id: 'PARTNER_PING',
    name: 'PARTNER_PING',
    soap: soap('PARTNER_PING', none, none),
    headers: [],
    properties: { mtom: false, upContent: true, compress: false, segmentContentTransfer: 'binary' },
    permissions: [],
    public: true,
  };
  const keep: SoapConsumer = {
    ...ping,
    id: 'FILE_KEEP',
    name: 'FILE_KEEP',
    soap: soap('FILE_KEEP', { kind: 'document', document: FILE }, { kind: 'raw', raw: 'xml' }),
  };
  return adopted(service, [fetch, ping, keep], []);
}

function soap(name: string, request: Message, response: Message): SoapConsumer['soap'] {
  return { name, action: `${name}.v1`, request, response };
}

const TOKEN = document('LIBRARY_TOKEN', [
  field('access_token', 'text', { sensitive: true, required: true }),
  field('expires_in', 'integer'),
]);
const WORDS = document(
  'LIBRARY_FAULT.error',
  [field('message', 'text', { default: '{fault.message}' }), field('detail', 'text', { default: '{fault.detail}' })],
  { inPlace: true },
);
const FAULT = document('LIBRARY_FAULT', [
  field('status', 'string', { fixed: 'failure' }),
  field('error', compound(WORDS)),
]);
/** Written in place, and met by callers alone. */
const ENTRY = document(
  'FOLDER_GET_RESPONSE.entries',
  [field('name', 'text', { required: true }), field('size', 'integer')],
  {
    inPlace: true,
  },
);
const FOLDER = document(
  'FOLDER_GET_RESPONSE',
  [field('entries', listOf(ENTRY)), field('more', 'boolean', { default: false })],
  {
    inPlace: true,
  },
);

const secret = field('CLIENT_SECRET', 'text', { sensitive: true });
const token = field('ACCESS_TOKEN', 'text', { sensitive: true, required: true });
const site = field('SITE', 'text', { description: 'The site that the folder belongs to' });
const folder = field('FOLDER', string(80), { required: true, url: 'odata-path' });
const file = field('FILE', 'binary', { required: true });
const name = field('NAME', 'text', { url: 'odata' });
const bearer = {
  name: 'Authorization',
  text: text('Bearer {ACCESS_TOKEN}', [
    { kind: 'literal', text: 'Bearer ' },
    { kind: 'value', field: token },
  ]),
};
const siteText = text('${env:LIBRARY_SITE:-main}', [{ kind: 'env', name: 'LIBRARY_SITE', default: 'main' }]);

/** A consumer over REST, by what differs from one that gives and gets JSON documents. */
function rest(id: string, service: Service, options: RestOptions): RestConsumer {
  const { templates, fields, response = 'none', ...more } = options;
  const input = document(`${id}_INPUT`, fields, { inPlace: true });
  return {
    kind: 'rest',
    id,
    name: id,
    service,
    target: LIBRARY,
    method: 'POST',
    uris: templates.map((each, index) => uri(each, index + 1, fields)),
    host: true,
    input,
    filled: new Map(),
    headers: [],
    body: { kind: 'none' },
    responses: responsesOf(response),
    accepts: [],
    properties: { base64ToBinary: false, bodyAsBuilt: false, compress: false, acceptCompressed: true },
    permissions: [],
    public: true,
    active: true,
    at,
    ...more,
  };
}

type Reply = Document | RawKind | 'none';

interface RestOptions extends Partial<Omit<RestConsumer, 'id' | 'service' | 'kind' | 'uris' | 'input' | 'responses'>> {
  readonly templates: readonly string[];
  readonly fields: readonly Field[];
  readonly response?: Reply | Readonly<Record<string, Reply>>;
}

function responsesOf(given: Reply | Readonly<Record<string, Reply>>): RestConsumer['responses'] {
  if (typeof given === 'string' || 'fields' in given)
    return [{ mediaType: 'application/json', message: messageOf(given as Reply) }];
  return Object.entries(given).map(([mediaType, each]) => ({ mediaType, message: messageOf(each) }));
}

function messageOf(reply: Reply): Message {
  if (reply === 'none') return { kind: 'none' };
  return typeof reply === 'string' ? { kind: 'raw', raw: reply } : { kind: 'document', document: reply };
}

function uri(source: string, index: number, fields: readonly Field[]): OperationUri {
  const template = parseUriTemplate(source);
  const variables = template.variables.map(({ name, place, wireName, required }) => ({
    field: fields.find((each) => each.name === name) as Field,
    place,
    wireName,
    required,
  }));
  return { index, template, variables, body: [], repeats: [], at };
}

/** Consumers over REST with each kind of body and reply, and the flows that they are steps of. */
export function library(service: Service, { KINDS, ORDER }: Shapes, lists: readonly PermissionList[]) {
  const fetchToken = rest('TOKEN_FETCH', service, {
    templates: ['login.invalid/token'],
    fields: [secret],
    filled: new Map([
      ['CLIENT_SECRET', text('${secret:LIBRARY_SECRET}', [{ kind: 'secret', name: 'LIBRARY_SECRET' }])],
    ]),
    body: {
      kind: 'form',
      fields: [
        { name: 'grant_type', text: text('client_credentials') },
        { name: 'client_secret', text: text('{CLIENT_SECRET}', [{ kind: 'value', field: secret }]) },
      ],
    },
    response: TOKEN,
    properties: { base64ToBinary: false, bodyAsBuilt: true, compress: false, acceptCompressed: false },
  });
  const upload = rest('FILE_UPLOAD', service, {
    description: 'Puts a file into a folder',
    templates: ["files.invalid/{SITE}/folder('{FOLDER}')/add('{NAME}')"],
    fields: [token, site, folder, file, name],
    filled: new Map([
      ['SITE', siteText],
      ['NAME', text('{FILE.name}', [{ kind: 'value', field: file, of: 'name' }])],
    ]),
    headers: [bearer],
    body: { kind: 'field', field: file },
    response: document('LIBRARY_FILE', [field('Name', 'text', { required: true }), field('Length', 'integer')]),
    fault: FAULT,
    properties: {
      base64ToBinary: true,
      bodyAsBuilt: false,
      compress: true,
      acceptCompressed: true,
      primaryUrl: config('${env:LIBRARY_URL}', [{ kind: 'env', name: 'LIBRARY_URL' }]),
    },
    timeout: 90_000,
    retry: { attempts: 2, on: new Set([503]), first: 200, longest: 5000 },
    permissions: lists,
    public: false,
  });
  const raw = { kind: 'raw' as const };
  const consumers = [
    fetchToken,
    upload,
    rest('FOLDER_GET', service, {
      method: 'GET',
      templates: ['files.invalid/{SITE}/{FOLDER}', 'files.invalid/{SITE}{?NAME}'],
      fields: [site, { ...folder, required: false }, name],
      filled: new Map([['SITE', siteText]]),
      response: { 'application/json': FOLDER, 'application/xml': FOLDER, 'text/csv': 'text' },
      active: false,
    }),
    rest('CONTENT_PUT', service, {
      method: 'PUT',
      templates: ['files.invalid/{SITE}'],
      fields: [{ ...site, required: true }, field('content', 'binary', { required: true })],
      body: { ...raw, raw: 'binary' },
      properties: { base64ToBinary: true, bodyAsBuilt: false, compress: false, acceptCompressed: true },
    }),
    rest('CONTENT_GET', service, {
      method: 'GET',
      templates: ['files.invalid/content'],
      fields: [],
      response: { 'application/octet-stream': 'binary' },
    }),
    rest('IMPORT_POST', service, {
      templates: ['files.invalid/import'],
      fields: [field('content', 'json', { required: true })],
      body: { ...raw, raw: 'json' },
      response: 'json',
    }),
    rest('ORDER_SEND', service, {
      templates: ['files.invalid/orders'],
      fields: ORDER.fields,
      body: { kind: 'document', document: ORDER },
      response: KINDS,
    }),
  ];
  return {
    ...adopted(service, consumers, [flow(service, fetchToken, upload)]),
    documents: [TOKEN, FAULT, WORDS, FOLDER, ENTRY],
  };
}

/** Fetches a token, which holds as long as the reply says, then uploads. */
function flow(service: Service, fetchToken: RestConsumer, upload: RestConsumer): Flow {
  const [value, holds] = TOKEN.fields as readonly [Field, Field];
  const given = upload.input.fields.filter((each) => each.name !== 'ACCESS_TOKEN');
  return {
    id: `${service.id}.upload`,
    name: 'upload',
    service,
    description: 'Uploads a file',
    steps: [
      {
        operation: fetchToken,
        keep: [{ name: 'ACCESS_TOKEN', from: { path: ['access_token'], field: value } }],
        holds: { path: ['expires_in'], field: holds },
        renewOn: [401],
        timeout: 10_000,
      },
      { operation: upload, keep: [], renewOn: [] },
    ],
    input: document('UPLOAD_INPUT', [secret, ...given], { inPlace: true }),
    active: true,
    at,
  };
}

/** Flows of a version that is not the default one have no short id. */
export function laterLibrary(service: Service, consumers: readonly ConsumerOperation[]) {
  const [fetchToken, upload] = consumers as readonly [RestConsumer, RestConsumer];
  return adopted(service, [], [flow(service, fetchToken, upload)]);
}

function adopted<C extends ConsumerOperation>(service: Service, consumers: readonly C[], flows: readonly Flow[]) {
  Object.assign(service, { consumers, flows });
  return { consumers, flows };
}
