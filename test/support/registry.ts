import { emptyRegistry } from '../../src/kinds/kinds.ts';
import type { Position } from '../../src/model/definition.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field, FieldType, ScalarType } from '../../src/model/field.ts';
import { databaseBounds, type Gateway } from '../../src/model/gateway.ts';
import type { Registry } from '../../src/model/registry.ts';
import { type ScalarKind, traitsOf } from '../../src/model/scalar.ts';
import { BASIC } from '../../src/model/security.ts';
import type {
  Message,
  Method,
  NamedFault,
  Operation,
  OperationUri,
  RawKind,
  Service,
  SoapForm,
} from '../../src/model/service.ts';
import { decimalOf } from '../../src/wire/decimal.ts';
import { parseUriTemplate } from '../../src/wire/uri-template/uri-template.ts';

/** Registries from literals, for tests of the stages after the loader. */

const at: Position = { file: 'test.yaml', line: 1, column: 1 };

/** Options of a field, with the names of the model. */
export type FieldOptions = Partial<Omit<Field, 'name' | 'type' | 'at'>>;

/** `string(10)`, `decimal(10.2)`, `integer`, as in YAML. */
function scalar(word: string): ScalarType {
  const [, kind, length, scale] = /^([\w-]+)(?:\((\d+)(?:\.(\d+))?\))?$/.exec(word)!;
  return {
    kind: kind as ScalarKind,
    ...(length === undefined ? {} : { length: Number(length) }),
    ...(scale === undefined ? {} : { scale: Number(scale) }),
  };
}

/** A field as the loader produces it; a string is the name of a scalar type, and numbers are bounds as in YAML. */
export function field(name: string, word: string | FieldType = 'string', options: FieldOptions = {}): Field {
  const type = typeof word === 'string' ? scalar(word) : word;
  return {
    name,
    jsonName: name,
    xmlName: name,
    type,
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    at,
    ...(traitsOf(type)?.takes.bounds === 'value' ? ranged(options) : options),
  };
}

/** The bounds of values as the model has them. */
function ranged({ minimum, maximum, ...options }: FieldOptions): FieldOptions {
  if (minimum === undefined && maximum === undefined) return options;
  const textOf = (bound: number): string => (Number.isInteger(bound) ? String(BigInt(bound)) : decimalOf(bound));
  const least = minimum === undefined ? {} : { minimum: textOf(minimum) };
  const most = maximum === undefined ? {} : { maximum: textOf(maximum) };
  return { ...options, range: { ...least, ...most } };
}

export const string = (length: number): ScalarType => scalar(`string(${length})`);
export const decimal = (length: number, scale: number): ScalarType => scalar(`decimal(${length}.${scale})`);

export function compound(document: Document): FieldType {
  return { kind: 'document', document };
}

export function listOf(of: Document | string | ScalarType, flat = false): FieldType {
  const type = typeof of === 'string' ? scalar(of) : of;
  return { kind: 'list', item: 'fields' in type ? { kind: 'document', document: type } : type, flat };
}

export function document(
  id: string,
  fields: readonly Field[],
  options: Partial<Omit<Document, 'id' | 'fields' | 'at'>> = {},
): Document {
  return { id, xmlName: id, root: false, open: false, inPlace: false, fields, at, ...options };
}

/** The failure shape of specification 2.5, a fault document with a compound in place. */
export const FAILURE = document(
  'FAILURE',
  [
    field('status', 'string', { fixed: 'failure' }),
    field(
      'error',
      compound(
        document(
          'FAILURE_ERROR',
          [
            field('message', 'text', { default: '{fault.message}' }),
            field('detail', 'text', { default: '{fault.detail}' }),
          ],
          { inPlace: true },
        ),
      ),
    ),
  ],
  { namespace: '' },
);

/** An operation, given its differences from a GET with Basic credentials that answers JSON and XML with status 200. */
export interface OperationOptions
  extends Partial<Omit<Operation, 'id' | 'name' | 'service' | 'uris' | 'soap' | 'request' | 'responses' | 'at'>> {
  /** Without it, the operation is served over SOAP only. */
  readonly templates?: readonly string[];
  /** Served over SOAP too, under its own name. */
  readonly soap?: true;
  /** Its faults over SOAP. */
  readonly faults?: readonly NamedFault[];
  readonly request?: Document | RawKind;
  readonly response?: Document | RawKind | Readonly<Record<string, Document | RawKind>>;
}

export interface ServiceOptions
  extends Partial<Omit<Service, 'id' | 'name' | 'version' | 'operations' | 'consumers' | 'flows' | 'at'>> {
  readonly operations: Readonly<Record<string, OperationOptions>>;
}

/** A registry of services, by id (`Locations.v1`). */
export function registry(services: Readonly<Record<string, ServiceOptions>>, gateway: Partial<Gateway> = {}): Registry {
  const built = Object.entries(services).map(([id, options]) => service(id, options));
  const operations = built.flatMap((each) => each.operations);
  return {
    ...emptyRegistry({ ...defaultGateway, ...gateway }),
    services: new Map(built.map((each) => [each.id, each])),
    operations: new Map(operations.map((each) => [each.id, each])),
    schemes: new Map([[BASIC.id, BASIC]]),
  };
}

/** The default limits of a gateway. */
export const LIMITS: Gateway['limits'] = {
  body: 10 * 1024 * 1024,
  timeout: 30_000,
  rows: 100_000,
  target: 65_536,
  parameters: 1000,
  attachment: 1024 ** 3,
  attachments: 50,
  processes: 4,
  temporary: 512 * 1024 ** 2,
  slowest: 240,
  unknown: 3_600_000,
};

/** The default retention of a gateway. */
const RETENTION: Gateway['retention'] = {
  results: 7 * 86_400_000,
  'process-requests': 90 * 86_400_000,
  'process-logs': 30 * 86_400_000,
  calls: 7 * 86_400_000,
  statistics: 8 * 86_400_000,
  'failed-jobs': 90 * 86_400_000,
  callers: 90 * 86_400_000,
  sessions: 30 * 86_400_000,
  audit: 365 * 86_400_000,
};

const defaultGateway: Gateway = {
  id: 'LOCAL',
  settings: [],
  context: 'gateway',
  listen: { source: '127.0.0.1:8080', parts: [{ kind: 'literal', text: '127.0.0.1:8080' }] },
  database: {
    url: { source: 'sqlite::memory:', parts: [{ kind: 'literal', text: 'sqlite::memory:' }] },
    engine: 'postgresql',
    migrate: true,
    connections: 20,
    bounds: databaseBounds(30_000),
  },
  handlers: 'src/handlers',
  namespace: 'urn:signalbox:test',
  timezone: 'UTC',
  requires: [BASIC],
  proxies: [],
  delivered: [],
  contracts: 'public',
  metrics: [],
  cors: [],
  strict: false,
  compress: { rest: true, soap: false },
  requestEncodings: [],
  drain: { ready: 5_000, work: 30_000 },
  limits: LIMITS,
  retention: RETENTION,
  mtom: { services: true, http: true },
  domainNames: [],
  at,
};

function service(id: string, options: ServiceOptions): Service {
  const [name = '', version = ''] = id.split('.');
  const { operations, ...rest } = options;
  const built: { -readonly [K in keyof Service]: Service[K] } = {
    id,
    name,
    version,
    default: true,
    active: true,
    operations: [],
    consumers: [],
    flows: [],
    delivered: false,
    at,
    ...rest,
  };
  built.operations = Object.entries(operations).map(([key, each]) => operation(key, built, each));
  return built;
}

function operation(name: string, owner: Service, options: OperationOptions): Operation {
  const { templates = [], request, response, soap, faults, ...rest } = options;
  const message = messageOf(request);
  const responses = responsesOf(response);
  const requestHeaders = rest.requestHeaders ?? [];
  const elsewhere = requestHeaders.map((binding) => binding.field);
  return {
    id: name,
    name,
    service: owner,
    ...(templates.length === 0 ? {} : { method: 'GET' }),
    ...(soap === undefined
      ? {}
      : { soap: { ...soapForm(name, owner, message, responses[0]!.message), ...(faults && { faults }) } }),
    uris: templates.map((text, index) => operationUri(text, index + 1, message, elsewhere)),
    pathName: owner.name,
    request: message,
    requestHeaders,
    body: bodyOf(rest.method ?? 'GET', message),
    responses,
    status: 200,
    answer: { kind: 'handler', file: name.toLowerCase().replaceAll('_', '-') },
    writes: (rest.method ?? 'GET') !== 'GET',
    permissions: [],
    public: false,
    requires: [BASIC],
    limits: {},
    active: true,
    at,
    ...rest,
  };
}

function soapForm(name: string, { version }: Service, request: Message, response: Message): SoapForm {
  return { name, action: `${name}.${version}`, request, response };
}

function bodyOf(method: Method, message: Message): Operation['body'] {
  if (method === 'GET' || method === 'HEAD' || method === 'DELETE' || message.kind === 'none') return 'none';
  return message.kind;
}

function messageOf(given: Document | RawKind | undefined): Message {
  if (given === undefined) return { kind: 'none' };
  return typeof given === 'string' ? { kind: 'raw', raw: given } : { kind: 'document', document: given };
}

function responsesOf(given: OperationOptions['response']): Operation['responses'] {
  if (typeof given === 'object' && !isDocument(given)) {
    return Object.entries(given).map(([mediaType, each]) => ({ mediaType, message: messageOf(each) }));
  }
  const message = messageOf(given);
  return mediaTypes[message.kind === 'raw' ? message.raw : message.kind].map((mediaType) => ({ mediaType, message }));
}

const mediaTypes = {
  none: ['text/plain'],
  document: ['application/json', 'application/xml'],
  json: ['application/json'],
  xml: ['application/xml'],
  text: ['text/plain'],
  binary: ['application/octet-stream'],
} as const;

function isDocument(given: object): given is Document {
  return 'fields' in given;
}

function operationUri(text: string, index: number, message: Message, elsewhere: readonly Field[]): OperationUri {
  const template = parseUriTemplate(text);
  const fields = message.kind === 'document' ? message.document.fields : [];
  const variables = template.variables.map((variable) => ({
    field: fields.find((each) => each.name === variable.name) ?? field(variable.name),
    place: variable.place,
    wireName: variable.wireName,
    required: variable.required,
  }));
  const named = new Set([...variables.map((variable) => variable.field), ...elsewhere]);
  return { index, template, variables, body: fields.filter((each) => !named.has(each)), repeats: [], at };
}
