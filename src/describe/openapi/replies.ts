import { STATUS_CODES } from 'node:http';
import { type Document, documentName } from '../../model/document.ts';
import { MAX_ERRORS } from '../../model/fault.ts';
import { finalAnswer, type Operation, type ReplyForm, replyStatus } from '../../model/service.ts';
import { problemJson, problemMediaType } from '../../wire/problem.ts';
import { wrapPsnonxml } from '../../wire/xml/text.ts';
import { exampleFault } from '../example/fault.ts';
import { exampleJson, exampleXml } from '../example/text.ts';
import { exampleDocument } from '../example/value.ts';
import {
  type DeliveredHeader,
  deliveredFacts,
  type FaultStatus,
  faultForms,
  faultStatuses,
  sentForms,
} from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import type { Scope } from '../scope.ts';
import type { Components } from './components.ts';
import { partsContent } from './parts.ts';
import { documentSchema, rawSchema } from './schema.ts';

/** What the parts of an OpenAPI description share. */
export interface Writing {
  readonly scope: Scope;
  readonly components: Components;
}

/** The responses of an operation by status: its own, then its faults. */
export function operationResponses(operation: Operation, context: Writing): [status: string, response: JsonObject][] {
  const status = replyStatus(operation);
  const forms = sentForms(operation);
  const content = jsonFirst(forms).map((form): [string, JsonObject] => [form.mediaType, formContent(form, context)]);
  const own = {
    description: status === 204 ? 'Done. The reply has no body.' : replyText(operation, forms),
    headers: {
      ...requestId,
      ...recordHeaders(operation, status),
      ...answerHeaders(operation),
      ...deprecationHeaders(operation),
    },
    content: content.length === 0 ? undefined : Object.fromEntries(content),
  };
  const faults = faultStatuses(operation, context.scope.gateway).map((fault): [string, JsonObject] => {
    return [String(fault.status), faultResponse(operation, fault, context)];
  });
  return [[String(status), own], ...otherStatuses(operation, status, own), ...faults];
}

/** Code generators type a reply by its first form, and read only JSON into the classes that they write. */
function jsonFirst(forms: readonly ReplyForm[]): readonly ReplyForm[] {
  return forms.toSorted((a, b) => Number(b.format === 'json') - Number(a.format === 'json'));
}

function replyText(operation: Operation, forms: readonly ReplyForm[]): string {
  const answer = finalAnswer(operation);
  if (answer.kind === 'queue') return 'Accepted: the message is stored, and is delivered afterwards.';
  const [byDefault] = forms;
  const [shown] = jsonFirst(forms);
  return byDefault === shown
    ? 'The reply.'
    : `The reply, as ${byDefault?.mediaType} unless the Accept header asks for another form.`;
}

/** Further replies of operations on records that are not faults. */
function otherStatuses(operation: Operation, own: number, reply: JsonObject): [string, JsonObject][] {
  const { status } = operation;
  const answer = finalAnswer(operation);
  const { content: _, ...bare } = reply;
  if (answer.kind === 'reply')
    return [['202', { ...bare, description: 'The reply is not there yet. Ask again after Retry-After seconds.' }]];
  if (answer.kind !== 'component') return [];
  if (answer.action === 'read')
    return [['304', { ...bare, description: 'The record matches If-None-Match and has not changed.' }]];
  const makes = answer.action === 'put' && status === 200 && own !== 201;
  return makes ? [['201', { ...reply, description: 'The record was created.' }]] : [];
}

/** Headers for a record that exists when the reply is sent. */
function recordHeaders(operation: Operation, status: number): JsonObject {
  const answer = finalAnswer(operation);
  if (answer.kind !== 'component' || answer.action === 'delete') return {};
  const text = { schema: { type: 'string' } };
  const tag = { ETag: { description: 'The state of the record (RFC 9110, section 8.8.3).', ...text } };
  return answer.action === 'create' && status === 201 ? { ...tag, Location: RECORD_ADDRESS } : tag;
}

/** Headers of the reply that depend on what answers the operation. */
function answerHeaders(operation: Operation): JsonObject {
  const answer = finalAnswer(operation);
  const { kind } = answer;
  // Handlers may run queries too.
  const runsQueries = kind === 'query' || kind === 'queries' || kind === 'handler';
  const names: readonly DeliveredHeader[] = runsQueries
    ? ['Rows-Truncated']
    : (deliveredFacts(operation).headers ?? []);
  const link = answer.kind === 'query' && answer.paging !== undefined ? { Link: NEXT_PAGE } : {};
  if (answer.kind === 'queue') return { Location: MESSAGE_ADDRESS };
  return { ...link, ...Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}

const HEADERS: Readonly<Record<DeliveredHeader, JsonObject>> = {
  Location: {
    description: 'The address of the created resource (RFC 9110, section 10.2.2).',
    schema: { type: 'string', format: 'uri' },
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266).',
    schema: { type: 'string' },
  },
  'Rows-Truncated': {
    description: 'Present if a row limit truncated the result.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Query-Status': {
    description: 'The status of the run, as in its reply in JSON and XML.',
    schema: { type: 'string' },
  },
};

const RECORD_ADDRESS = { ...HEADERS.Location, description: 'The address of the record, if an operation reads it.' };

const MESSAGE_ADDRESS = {
  ...HEADERS.Location,
  description: 'The address of the message, if the gateway shows messages.',
};

const NEXT_PAGE = {
  description: 'The address of the next page, with `rel="next"` (RFC 8288). Absent on the last one.',
  schema: { type: 'string' },
};

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

const traceId = { 'X-Trace-Id': { $ref: '#/components/headers/X-Trace-Id' } };

function deprecationHeaders({ service }: Operation): JsonObject {
  const { since, sunset } = service.deprecated ?? {};
  return {
    ...(since && {
      Deprecation: { description: 'When the version was deprecated (RFC 9745).', schema: { type: 'string' } },
    }),
    ...(sunset && { Sunset: { description: 'When the version ends (RFC 8594).', schema: { type: 'string' } } }),
  };
}

const faultHeaders: Readonly<Partial<Record<number, JsonObject>>> = {
  401: { 'WWW-Authenticate': { description: 'The required scheme (RFC 9110).', schema: { type: 'string' } } },
  405: { Allow: { description: 'The supported methods (RFC 9110).', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds to wait before the next request (RFC 9110).', schema: { type: 'integer' } },
  },
};

function faultResponse(operation: Operation, fault: FaultStatus, context: Writing): JsonObject {
  const forms = faultForms(operation);
  const content = Object.fromEntries(
    jsonFirst(forms).map((form): [string, JsonObject] => {
      if (form.mediaType === problemMediaType) return [form.mediaType, problemContent(fault, context)];
      return [form.mediaType, formContent(form, context, fault)];
    }),
  );
  // Faults of an address that does not belong to a single operation have no fault document.
  const early = fault.status === 404 || fault.status === 405;
  const wanted = `${operation.fault === undefined ? 'Problem' : documentName(operation.fault)}_${fault.status}`;
  return context.components.response(wanted, {
    description: fault.meaning,
    headers: { ...requestId, ...traceId, ...faultHeaders[fault.status] },
    content: early ? { ...content, [problemMediaType]: problemContent(fault, context) } : content,
  });
}

function problemContent(fault: FaultStatus, { components }: Writing): JsonObject {
  const { status, message, code } = fault;
  const title = STATUS_CODES[status] ?? String(status);
  const text = problemJson({ status, title, detail: message, code, requestId: '3f2c8a1e' });
  return { schema: components.schema('Problem', problemSchema), example: JSON.parse(text) as JsonObject };
}

export const problemSchema: JsonObject = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    errors: {
      type: 'array',
      maxItems: MAX_ERRORS,
      description: 'What is wrong in the request, one by one; left out for faults that are not about its values.',
      items: {
        type: 'object',
        properties: {
          pointer: {
            type: 'string',
            format: 'uri-reference',
            description: 'A place in the body: a JSON Pointer as URI fragment (RFC 6901, section 6).',
          },
          parameter: { type: 'string', description: 'A variable of the path or the query.' },
          header: { type: 'string', description: 'A header.' },
          detail: { type: 'string' },
        },
        required: ['detail'],
      },
    },
    code: { type: 'string', description: "The gateway's word for the fault." },
    requestId: { type: 'string', description: 'Identifies the request in the log of the gateway.' },
  },
  required: ['type', 'title', 'status'],
};

/** Schema and example of one form of a message. @param fault for the example of a fault */
export function formContent(
  { format, mediaType, message }: ReplyForm,
  context: Writing,
  fault?: FaultStatus,
): JsonObject {
  if (message.kind === 'none') return {};
  if (message.kind === 'raw') return { schema: rawSchema(message.raw, mediaType) };
  const { document } = message;
  const { components, scope } = context;
  if (format === 'multipart')
    return partsContent(document.fields, documentSchema(document, document.fields, components), () => {
      const parts = exampleDocument(document);
      return parts && exampleJson(document, parts);
    });
  const value = fault === undefined ? exampleDocument(document) : exampleFault(document, fault);
  const json = value === undefined ? undefined : exampleJson(document, value);
  if (format === 'json') return { schema: components.message(document), example: json };
  if (format === 'psnonxml') {
    return {
      schema: xmlSchema(`${wrapperWords} ${documentName(document)}.`),
      example: json === undefined ? undefined : wrapPsnonxml(JSON.stringify(json)),
    };
  }
  return {
    schema: xmlSchema(xmlWords(document, scope)),
    example: value === undefined ? undefined : exampleXml(document, value, scope.documents),
  };
}

const wrapperWords =
  "XML around JSON: the element data with the attribute psnonxml='Yes', whose content is a CDATA section with the JSON text of";

/** A description of a document's element. */
export function xmlWords(document: Document, { documents }: Scope): string {
  const namespace = documents.namespaceOf(document);
  const where = namespace === '' ? 'without a namespace' : `of the namespace ${namespace}`;
  return `The element ${document.xmlName} ${where}, declared in the XML Schema of the service.`;
}

/** The schema of XML, which JSON Schema can't describe. */
export function xmlSchema(description: string): JsonObject {
  return { type: 'string', contentMediaType: 'application/xml', description };
}
