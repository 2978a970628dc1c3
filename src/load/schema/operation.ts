import type { BodyForm, FormStyles } from '../../model/form.ts';
import type { RowFormat } from '../../model/query.ts';
import type { Method } from '../../model/service.ts';
import { type CallLimitsDeclared, limitsKey } from '../value/limits.ts';
import { type OnceDeclared, once } from '../value/once.ts';
import { type RetryDeclared, retry } from '../value/retry.ts';
import { callKeys, encoding, form, type PropertiesDeclared } from './consumer.ts';
import type { InPlaceDeclared } from './document.ts';
import {
  description,
  idItem,
  integer,
  type JsonSchema,
  keys,
  mapOr,
  matching,
  reference,
  refersTo,
  type TextsDeclared,
  TOKEN,
  text,
  texts,
  word,
  yesNo,
} from './json-schema.ts';
import { map, type VersionMapDeclared } from './mapping.ts';
import { type SoapDeclared, type SoapStyleDeclared, soapKey, soapKeys } from './soap.ts';

export const strict: JsonSchema = {
  type: 'boolean',
  description:
    'Refuses requests over REST whose query has parameters that their URI does not declare, with 400. Otherwise they are ignored. It is not applied to the delivered services.',
  examples: [true],
};

/** The id of a document, a document in place, or a word for a message without one. */
export type MessageDeclared = string | InPlaceDeclared;

export interface SharedDeclared extends SoapStyleDeclared {
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
  readonly requires?: string | readonly string[];
  readonly limits?: CallLimitsDeclared;
  readonly once?: OnceDeclared;
  readonly request?: MessageDeclared | Readonly<Record<string, MessageDeclared>>;
  readonly response?: MessageDeclared | Readonly<Record<string, MessageDeclared>> | readonly RowFormat[];
  readonly fault?: MessageDeclared | Readonly<Record<string, MessageDeclared>>;
  readonly variables?: MessageDeclared;
  readonly headers?: Readonly<Record<string, string>>;
  readonly alias?: string;
  readonly strict?: boolean;
  readonly tags?: readonly string[];
  readonly target?: string;
  readonly properties?: PropertiesDeclared;
  readonly values?: TextsDeclared;
  readonly timeout?: string;
  readonly lenient?: boolean;
  readonly retry?: RetryDeclared;
}

export interface PagingDeclared {
  readonly order: readonly string[];
  readonly sort?: readonly string[];
  readonly filter?: readonly string[];
  readonly limit?: number;
  readonly maximum?: number;
}

export interface ReplyToDeclared {
  readonly nodes: string | readonly string[];
  readonly field?: string;
  readonly retry?: RetryDeclared;
}

export type OperationDeclared = SharedDeclared & {
  readonly [method in Lowercase<Method>]?: string | readonly string[];
} & {
  readonly description?: string;
  readonly soap?: boolean | string | SoapDeclared;
  readonly body?: string;
  readonly form?: BodyForm | TextsDeclared;
  readonly encoding?: FormStyles;
  readonly wrapper?: 'psnonxml';
  readonly status?: number;
  readonly handler?: string;
  readonly query?: string | Readonly<Record<string, string>>;
  readonly paging?: PagingDeclared;
  readonly save?: string;
  readonly read?: string;
  readonly call?: string;
  readonly map?: VersionMapDeclared;
  readonly queue?: string;
  readonly 'reply-of'?: string;
  readonly 'reply-to'?: string | readonly string[] | ReplyToDeclared;
  readonly as?: string;
  readonly writes?: boolean | Readonly<Record<string, string>>;
  readonly active?: boolean;
};

export const permission: JsonSchema = {
  title: 'a permission list or several',
  type: ['string', 'array'],
  minLength: 1,
  items: idItem('permission-list-id'),
  minItems: 1,
  description:
    'The permission list that grants it, or a list of them. Without one, and without `public: true`, no one is permitted to use it.',
  examples: ['LOCATIONS', ['LOCATIONS', 'PARTNERS']],
};

const replyNodes: JsonSchema = {
  title: 'a node or a list of nodes',
  type: ['string', 'array'],
  minLength: 1,
  items: idItem('node-id'),
  minItems: 1,
  uniqueItems: true,
  description:
    'The node below whose `base` an address for the reply must lie, or a list of nodes. Credential, TLS, timeouts, circuit breaker and rate of the node apply.',
  examples: [['SHOP', 'ERP']],
};

export const publicKey: JsonSchema = yesNo('Permits everyone to use it, without credentials.', false);

const templates = (method: string): JsonSchema => ({
  title: 'a URI template or a list of them',
  type: ['string', 'array'],
  items: { type: 'string', minLength: 1 },
  minLength: 1,
  minItems: 1,
  description: `HTTP ${method}: one URI template (RFC 6570) such as orders/{ID}{?limit}, or a list of them. The position of each, from 1, is its URI index, so new ones are added at the end.`,
  examples:
    method === 'GET'
      ? ['Employees/{DEPTNAME}{?maxrows}', ['Locations/?region={REGION}']]
      : ['Locations/{REGION}/{LOCATION}'],
});

/** Keys for methods. An operation has at most one. */
export const METHOD_KEYS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const;

/** Keys that a service may set for all of its operations. */
export const sharedKeys: Readonly<Record<keyof SharedDeclared, JsonSchema>> = {
  permission,
  public: publicKey,
  requires: reference('requires'),
  limits: limitsKey,
  once,
  request: {
    ...reference('request'),
    description:
      'The input: the id of a document, a document in place, a list (`list of PET`, `list of string`), a type (`integer`), `json`, `xml`, `text`, `binary` or `none`. Fields that the URI or a header refers to are sent there, all others in the body. Or a map from the media types of the body over REST to the same message: requests have one of these types, or application/json or application/xml in place of a special type of JSON or XML; any other is refused with 415. A call sends the only one.',
    examples: [
      'LOC_REQUEST',
      { fields: { name: 'string(255)' } },
      'list of LOC_DTL_VW',
      'json',
      { 'application/merge-patch+json': 'LOC_REQUEST' },
    ],
  },
  response: {
    ...reference('response'),
    description:
      'The reply: the same as for `request`, or a map from media types to these, the first being the default. With `query: NAME`, a list of the forms of its rows: `json`, `xml`, `csv` (RFC 4180) and `xlsx` (a workbook), the first being the default.',
    examples: [
      'LOC_RESPONSE',
      'list of LOC_DTL_VW',
      { 'application/json': 'LOC_RESPONSE', 'text/csv': 'text' },
      ['json', 'csv', 'xlsx'],
    ],
  },
  fault: {
    ...reference('fault'),
    description:
      'The document of error replies. Its defaults refer to the error: `{fault.message}`. Without it, errors are problem details (RFC 9457). Or a map from the media types of errors over REST to it: calls ask for these types too, and errors of an operation that is answered here have them. For a call, `json`, `xml` or `text` is an error without a document.',
    examples: ['LOC_FAULT', { 'application/problem+json': 'LOC_FAULT' }],
  },
  variables: refersTo(
    'document-or-fields',
    'A document for the variables of URIs and headers that are not fields of the request.',
    'N_DOCLIB_URI_TEMPLATE',
  ),
  headers: {
    type: 'object',
    propertyNames: { title: 'a header name', pattern: `^${TOKEN}$`, examples: ['X-Region'] },
    additionalProperties: { type: 'string' },
    description:
      'Request headers that fill fields of the request, each as `"{FIELD}"`. With a `target`, the headers of the call: over REST they may contain values of the call (`Bearer {ACCESS_TOKEN}`) and configuration, over SOAP they are sent unchanged.',
    examples: [
      { 'X-Region': '{REGION}' },
      { Authorization: 'Bearer {ACCESS_TOKEN}', 'Content-Type': '{File.contentType}' },
    ],
  },
  strict,
  tags: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    uniqueItems: true,
    description:
      'Its tags in the OpenAPI description, after which code generators name classes; the id of the service by default. An empty list is for none.',
    examples: [['orders', 'billing']],
  },
  alias: matching(
    'a name for the path',
    '^[A-Za-z][A-Za-z0-9_-]*$',
    'Replaces the name of the service in the path.',
    'ExecuteQuery',
  ),
  ...soapKeys,
  ...callKeys,
};

export const paging = keys(
  {
    title: 'paging',
    description:
      'Returns the rows of `query: NAME` in pages: from a place in their order, not by counting rows, so that rows which come and go meanwhile do not move the others. The URI has the variables `limit`, `after`, `sort`, `count` and those of the filters.',
    required: ['order'],
    examples: [{ order: ['PLATE'], sort: ['MAKE', 'SOLD'], filter: ['STATUS'], limit: 50, maximum: 500 }],
  },
  {
    order: texts(
      'Columns that identify a row: unique together, and never NULL. They are the order of the pages, descending with `-`, and decide among rows with equal values of `sort`.',
      'PLATE',
      '-CREATED',
    ),
    sort: texts('Columns by which callers may sort instead: `sort=MAKE`, or `sort=-MAKE` for descending.', 'MAKE'),
    filter: texts('Columns whose values callers may ask for: `STATUS=A`.', 'STATUS'),
    limit: integer('Rows of a page if the caller gives no `limit`.', { minimum: 1, maximum: 10_000, default: 50 }, 50),
    maximum: integer(
      'Most rows of a page. A larger `limit` is refused with 400.',
      { minimum: 1, maximum: 10_000, default: 500 },
      500,
    ),
  } satisfies Record<keyof PagingDeclared, JsonSchema>,
);

/** A method, with or without `soap`; or `soap` alone. */
const ways: readonly JsonSchema[] = [
  ...METHOD_KEYS.map((method) => ({ required: [method] })),
  {
    required: ['soap'],
    properties: { soap: { not: { enum: [false] } } },
    not: { anyOf: METHOD_KEYS.map((method) => ({ required: [method] })) },
  },
];

export const operation = keys<keyof OperationDeclared>(
  {
    title: 'an operation',
    description:
      'One function of a service: a method with URI templates over REST, a name over SOAP, or both; and what answers it. With a `target` it is a call to another system.',
    oneOf: ways,
    examples: [
      { get: 'Employees/{DEPTNAME}{?maxrows}', query: 'EMPLOYEES_BY_DEPT' },
      { soap: true, request: 'LOC_REQUEST', response: 'LOC_RESPONSE' },
    ],
  },
  {
    description,
    get: templates('GET'),
    post: templates('POST'),
    put: templates('PUT'),
    patch: templates('PATCH'),
    delete: templates('DELETE'),
    head: templates('HEAD'),
    soap: soapKey,
    ...sharedKeys,
    body: text(
      '`none`, or the one field of the request that is the whole body. By default, the body consists of the fields that neither URI nor headers refer to, in JSON; GET, HEAD and DELETE have no body.',
      'none',
      'File',
    ),
    form,
    encoding,
    wrapper: word(
      ['psnonxml'],
      'Wraps the JSON in an XML element `data`. Callers that request `application/json` explicitly get plain JSON.',
      { examples: ['psnonxml'] },
    ),
    status: integer(
      'HTTP status of successful replies over REST. Where none is declared, replies without a body have 204.',
      { minimum: 200, maximum: 299, default: 200 },
      201,
    ),
    handler: matching(
      'the name of a handler file without its ending',
      '^(signalbox/)?[A-Za-z0-9][A-Za-z0-9_-]*(\\.v[0-9][A-Za-z0-9_-]*)?$',
      'The file that answers, in the handlers folder. Without `handler`, `query`, `save`, `read`, `call`, `queue` and `reply-of`, it is the id of the operation in lower case with hyphens: `orders-get.ts`, or `orders.v2-orders-get.ts` for a second version. Operations may share a file.',
      'locations-get',
    ),
    query: {
      title: 'a query, or a map of list fields to queries',
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: reference('query-id'),
      description:
        'A stored query that answers without code: its prompts are the request, its columns the `rows` of the reply. Or a map from list fields of the response to queries.',
      examples: ['EMPLOYEES_BY_DEPT', { LOC_DATA: 'LOCATIONS_BY_REGION' }],
    },
    paging,
    save: refersTo(
      'component-id',
      'A component whose record is saved without code: POST creates it, PUT creates or replaces it, PATCH changes some of its fields (RFC 7396), DELETE deletes it; SOAP alone creates or replaces it. Its shape is the request and the reply.',
      'LOCATION_SETUP',
    ),
    read: refersTo(
      'component-id',
      'A component whose record GET reads without code: its keys are the request, its shape is the reply.',
      'LOCATION_SETUP',
    ),
    call: refersTo(
      'answer-call-id',
      'A call that answers without code. It leads to another system: an operation with a `target`, or a flow (`Bank.pay`). Or to an operation of this gateway, such as that of a later version: `Orders.v2` is the operation of the same name there. Its input is taken from the request and the reply from its reply, by the names of fields, or as `map` says.',
      'THIRD_PARTY_IMPORT_POST',
      'N_DOCLIB.upload',
      'Locations.v2',
    ),
    map,
    queue: refersTo(
      'queue-id',
      'A queue that takes the request as a message. The caller gets 202 with the id of the message at once, over SOAP an empty reply; subscriptions deliver the message afterwards. With `response`, the subscription with `gives-reply: true` answers it later.',
      'LOCATION_EVENTS',
    ),
    'reply-of': refersTo(
      'operation-id',
      'An operation with `queue:` and `response:`, whose replies callers get here: by GET, with the id of the message in the path. `response` is the same document.',
      'ORDER_PLACE',
    ),
    'reply-to': {
      title: 'a node, a list of nodes or a map',
      type: ['string', 'array', 'object'],
      description:
        'With `queue` and `response`, the nodes to whose addresses callers may have the reply sent. Over REST, a field of the request carries the address; over SOAP, `ReplyTo` of WS-Addressing. Without an address the reply is only kept.',
      ...mapOr(
        keys<keyof ReplyToDeclared>(
          {
            description: 'Where callers may have the reply sent.',
            required: ['nodes'],
            examples: [{ nodes: ['SHOP'], field: 'CALLBACK' }],
          },
          {
            nodes: replyNodes,
            field: {
              type: 'string',
              minLength: 1,
              description:
                'The field of the request with the address for a reply over REST, in the body, a header or the query, as the operation declares it. It is a text.',
              examples: ['CALLBACK'],
            },
            retry,
          },
        ),
        replyNodes,
      ),
      examples: [['SHOP', 'ERP'], { nodes: ['SHOP'], field: 'CALLBACK', retry: { for: '1 d' } }],
    },
    as: refersTo(
      'role-id',
      "A role that replaces the caller's own for what the operation uses: its calls, queries and components are permitted by the permission lists of this role. It does not affect who may call the operation, and later events and processes keep the caller's name.",
      'PARTNER_CALLS',
    ),
    writes: {
      title: 'true or false, or a map of a field to the value at which it writes',
      type: ['boolean', 'object'],
      minProperties: 1,
      additionalProperties: { type: 'string', minLength: 1 },
      description:
        "Whether a call changes stored data or starts work. By default, GET, HEAD, `query` and `read` do not, and everything else does. Use `true` for a GET that does, `false` for a POST or a SOAP operation that only reads, or a field of the request with the value for which it writes. A writing operation can't be called by GET over the HTTP connector, or by a page of another site with credentials that the browser adds.",
      examples: [true, { OutResultFormat: 'FILE' }],
    },
    active: yesNo('Whether it is served.', true),
  },
);
