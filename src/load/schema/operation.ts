import { callKeys, form } from './consumer.ts';
import { description, idItem, type JsonSchema, keys, reference } from './json-schema.ts';
import { limitsKey } from './limits.ts';

/** Grants. */
export const permission: JsonSchema = {
  title: 'a permission list or several',
  type: ['string', 'array'],
  minLength: 1,
  items: idItem('permission-list-id'),
  minItems: 1,
  description:
    'The permission list that grants it, or several. Without one, and without `public: true`, nobody may use it.',
  examples: ['LOCATIONS', ['LOCATIONS', 'PARTNERS']],
};

export const publicKey: JsonSchema = {
  type: 'boolean',
  description: 'Everybody may use it, without credentials.',
  default: false,
  examples: [true],
};

const templates = (method: string): JsonSchema => ({
  title: 'a URI template or a list of them',
  type: ['string', 'array'],
  items: { type: 'string', minLength: 1 },
  minLength: 1,
  minItems: 1,
  description: `HTTP ${method}: one URI template (RFC 6570), or several. Their order is the URI index, from 1: append only.`,
  examples:
    method === 'GET'
      ? ['Employees/{DEPTNAME}{?maxrows}', ['Locations/?region={REGION}']]
      : ['Locations/{REGION}/{LOCATION}'],
});

/** The keys that name a method, of which an operation has one at most. */
export const METHOD_KEYS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const;

const message = (what: string, examples: readonly unknown[]): JsonSchema => ({
  ...reference('message'),
  description: what,
  examples,
});

/** What a service may say for all of its operations. */
export const sharedKeys: Readonly<Record<string, JsonSchema>> = {
  permission,
  public: publicKey,
  requires: reference('requires'),
  limits: limitsKey,
  request: message(
    'Everything that a caller says: the id of a document, a document in place, `json`, `xml`, `text`, `binary` or `none`. What the URI or a header names travels there, the rest is the body.',
    ['LOC_REQUEST', { fields: { name: 'string(255)' } }, 'json'],
  ),
  response: {
    ...reference('response'),
    description: 'What is answered: as `request`, or a map of media types to such, the first being the default.',
    examples: ['LOC_RESPONSE', { 'application/json': 'LOC_RESPONSE', 'text/csv': 'text' }],
  },
  fault: {
    ...reference('document-or-fields'),
    description:
      'The document of replies that are errors. Its defaults name what went wrong: `{fault.message}`. Without one, errors are problem details (RFC 9457).',
    examples: ['LOC_FAULT'],
  },
  template: {
    ...reference('document-or-fields'),
    description: 'A document for URI variables that are not fields of the request.',
    examples: ['N_DOCLIB_URI_TEMPLATE'],
  },
  headers: {
    type: 'object',
    propertyNames: { title: 'a header name', pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", examples: ['X-Region'] },
    additionalProperties: { type: 'string' },
    description:
      'Request headers that fill fields of the request, each as `"{FIELD}"`. Of an operation with a `target`, headers of the call: over REST texts that may hold values of the call (`Bearer {ACCESS_TOKEN}`) and configuration, over SOAP texts that are sent as they are.',
    examples: [
      { 'X-Region': '{REGION}' },
      { Authorization: 'Bearer {ACCESS_TOKEN}', 'Content-Type': '{File.contentType}' },
    ],
  },
  alias: {
    title: 'a name for the path',
    type: 'string',
    pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
    description: "Replaces the service's name in the path.",
    examples: ['ExecuteQuery'],
  },
  ...callKeys,
};

/** One method, beside `soap` or without it; or `soap` alone. */
const ways: readonly JsonSchema[] = [
  ...METHOD_KEYS.map((method) => ({ required: [method] })),
  {
    required: ['soap'],
    properties: { soap: { not: { enum: [false] } } },
    not: { anyOf: METHOD_KEYS.map((method) => ({ required: [method] })) },
  },
];

export const operation = keys(
  {
    title: 'an operation',
    description:
      'One thing a caller can do: over REST a method with its URI templates, over SOAP a name, or both; and what answers it. With a `target` it is a call to another system.',
    oneOf: ways,
    examples: [
      { get: 'Employees/{DEPTNAME}{?maxrows}', query: 'EMPLOYEES_BY_DEPT' },
      { soap: true, request: 'LOC_REQUEST', response: 'LOC_RESPONSE' },
    ],
  },
  {
    description,
    ...Object.fromEntries(METHOD_KEYS.map((method) => [method, templates(method.toUpperCase())])),
    soap: {
      title: 'true or an operation name',
      type: ['boolean', 'string'],
      pattern: '^[A-Za-z][A-Za-z0-9_]*$',
      description:
        'Over SOAP 1.1 and 1.2 (document/literal wrapped) under its own id, or under that of its SOAP twin, which is the same operation under the same grant. Over SOAP everything that a caller says is body. Without a response it is one-way.',
      default: false,
      examples: [true, 'QAS_EXECUTEQRYSYNC_OPER'],
    },
    ...sharedKeys,
    body: {
      type: 'string',
      minLength: 1,
      description:
        '`none`, or the one field of the request that is the whole body. Without it, the fields that neither URI nor header names are the body, in JSON; GET, HEAD and DELETE have none.',
      examples: ['none', 'File'],
    },
    form,
    wrapper: {
      type: 'string',
      enum: ['psnonxml'],
      description:
        'Delivers the JSON inside an XML element `data`. A caller who asks for `application/json` by name gets the JSON itself.',
      examples: ['psnonxml'],
    },
    status: {
      type: 'integer',
      minimum: 200,
      maximum: 299,
      description: 'HTTP status of a reply over REST that is no fault.',
      default: 200,
      examples: [201],
    },
    handler: {
      title: 'the name of a handler file without its ending',
      type: 'string',
      pattern: '^(signalbox/)?[A-Za-z0-9][A-Za-z0-9_-]*$',
      description:
        "The file that answers, in the folder of handlers. Without `handler`, `query`, `save`, `read` and `call` it is the operation's id in small letters with dashes: `locations-get.ts`.",
      examples: ['locations-get'],
    },
    query: {
      title: 'a query, or a map of list fields to queries',
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: reference('query-id'),
      description:
        'A stored query that answers, without code: its prompts are the request, its columns the `rows` of the reply. Or a map of list fields of the response to queries.',
      examples: ['EMPLOYEES_BY_DEPT', { LOC_DATA: 'LOCATIONS_BY_REGION' }],
    },
    save: {
      ...reference('component-id'),
      description:
        'A component whose record is saved, without code: POST makes one, PUT makes or replaces it, PATCH changes fields of it (RFC 7396), DELETE removes it; over SOAP alone it is made or replaced. Its shape is the request and the reply.',
      examples: ['LOCATION_SETUP'],
    },
    read: {
      ...reference('component-id'),
      description:
        'A component whose record is read by GET, without code: its keys are the request, its shape the reply.',
      examples: ['LOCATION_SETUP'],
    },
    call: {
      ...reference('call-id'),
      description:
        'A call to another system that answers, without code: an operation with a `target`, or a flow (`N_DOCLIB.upload`). Its input is taken from the request and the reply from its own, by the names of fields.',
      examples: ['THIRD_PARTY_IMPORT_POST', 'N_DOCLIB.upload'],
    },
    as: {
      ...reference('role-id'),
      description:
        "A role in place of the caller's own: what answers the operation reaches calls, queries and components by the role's permission lists. Who may call the operation itself is not changed by it, and events and processes that follow keep the caller's name.",
      examples: ['PARTNER_CALLS'],
    },
    active: { type: 'boolean', description: 'Whether it is served.', default: true, examples: [false] },
  },
);
