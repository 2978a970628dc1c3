import { Fault, type FaultCode, type FaultParameters } from '../model/fault.ts';
import type { CallLimits } from '../model/gateway.ts';
import { traitsOf } from '../model/scalar.ts';
import {
  hasXmlBody,
  type Message,
  type Operation,
  type OperationUri,
  type RawKind,
  type ReplyForm,
  replyForms,
  takesBody,
} from '../model/service.ts';
import { problemMediaType } from '../wire/problem.ts';

/** The forms of an operation's reply, the default first; none where nothing is sent. */
export function sentForms(operation: Operation): readonly ReplyForm[] {
  return replyForms(operation).filter(({ message }) => message.kind !== 'none');
}

/** Status of a reply that is no fault: 204 where nothing is sent and nothing else is declared. */
export function replyStatus(operation: Operation): number {
  return operation.status === 200 && sentForms(operation).length === 0 ? 204 : operation.status;
}

/** The forms of an operation's faults, those of its replies; problem details (RFC 9457) where it has no fault document. */
export function faultForms(operation: Operation): readonly ReplyForm[] {
  if (operation.fault === undefined)
    return [{ mediaType: problemMediaType, format: 'json', message: { kind: 'raw', raw: 'json' } }];
  const message: Message = { kind: 'document', document: operation.fault };
  const inJson: ReplyForm = { mediaType: 'application/json', format: 'json', message };
  const forms = sentForms(operation).map(({ format }): ReplyForm => {
    return format === 'json' || format === 'raw' ? inJson : { mediaType: 'application/xml', format, message };
  });
  const unique = new Map(forms.map((form) => [form.mediaType, form]));
  return unique.size > 0 ? [...unique.values()] : [inJson];
}

const MEDIA_TYPES: Readonly<Record<RawKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

/** Media type of a request's body: JSON for a document's fields, by its kind for a body that is one field or a raw message. */
export function requestMediaType(operation: Operation, uri: OperationUri): string {
  if (operation.body !== 'raw') return 'application/json';
  const [field] = uri.body;
  if (operation.request.kind === 'raw') return MEDIA_TYPES[operation.request.raw];
  return MEDIA_TYPES[field === undefined ? 'text' : (traitsOf(field.type)?.body ?? 'json')];
}

/** All media types of a request's body, {@link requestMediaType} first. */
export function requestMediaTypes(operation: Operation, uri: OperationUri): readonly string[] {
  const { body, request } = operation;
  const isXml = body === 'document' && request.kind === 'document' && hasXmlBody(request.document);
  return [requestMediaType(operation, uri), ...(isXml ? ['application/xml'] : [])];
}

/** A status that an operation may answer beside its own. */
export interface FaultStatus {
  readonly status: number;
  readonly code: FaultCode;
  readonly meaning: string;
  /** A message of it, in the gateway's own words. */
  readonly message: string;
}

/** What the operations of a service can answer beside their own status, each status once. */
export function faultMeanings(operations: readonly Operation[], limits: CallLimits): readonly FaultStatus[] {
  const used = new Set(operations.flatMap((operation) => faultStatuses(operation, limits)));
  return faultStatusList.filter((each) => used.has(each));
}

const faultStatusList: readonly FaultStatus[] = [
  status('BAD_PARAMETER', 'The request is wrong: a parameter, the body or the address. The message names it.', {
    name: 'The parameter',
    reason: 'is not acceptable',
  }),
  status('UNAUTHENTICATED', 'Credentials are missing or wrong.', { scheme: 'basic' }),
  status('FORBIDDEN', 'The caller has no grant for this.', { user: 'guest', what: 'this operation' }),
  status('NOT_FOUND', 'There is no such thing, or nothing at this address.', { what: 'such resource' }),
  status('METHOD_NOT_ALLOWED', 'The address has other methods, which the header Allow names.', {
    method: 'TRACE',
    allowed: 'GET, HEAD, OPTIONS',
  }),
  status('NOT_ACCEPTABLE', 'None of the media types that the header Accept names can be had.', {
    offered: 'application/json',
  }),
  status('CONFLICT', 'The record is there already, has changed since it was read, or breaks a rule of its table.', {
    what: 'The record',
    reason: 'has changed since it was read',
  }),
  status('PRECONDITION_FAILED', 'The record is not the one that If-Match or If-None-Match expects.', {
    what: 'The record',
  }),
  status('BODY_TOO_LARGE', 'The body is larger than the gateway takes.', { limit: 10_485_760 }),
  status('UNSUPPORTED_MEDIA_TYPE', 'The media type or the encoding of the body is not supported.', {
    given: 'Content-Type text/plain',
    supported: 'application/json',
  }),
  status('TOO_MANY_REQUESTS', 'Too many requests; the header Retry-After says when the next is taken.', {
    what: 'the operation',
    seconds: 7,
  }),
  status('INTERNAL', 'The request could not be answered.', { operation: 'The operation' }),
  status('UPSTREAM_FAILED', 'The system that answers this could not be reached, or failed.', {
    operation: 'the operation',
  }),
  status('UNAVAILABLE', 'Not available now; try again later.', { reason: 'the gateway is stopping' }),
  status('TIMEOUT', 'The answer took too long and was given up.', { what: 'The operation', seconds: 30 }),
];

function status<C extends FaultCode>(code: C, meaning: string, parameters: FaultParameters<C>): FaultStatus {
  const fault = Fault.of(code, parameters);
  return { status: fault.status, code, meaning, message: fault.message };
}

/**
 * The faults that can occur in an operation, in the order of their statuses.
 * @param limits those of the gateway, for an operation without its own
 */
export function faultStatuses(operation: Operation, limits: CallLimits): readonly FaultStatus[] {
  const absent = new Set<FaultCode>();
  if (operation.public) absent.add('UNAUTHENTICATED').add('FORBIDDEN');
  if ((operation.limits.rate ?? limits.rate) === undefined) absent.add('TOO_MANY_REQUESTS');
  if (sentForms(operation).length === 0) absent.add('NOT_ACCEPTABLE');
  if (!operation.uris.some((uri) => takesBody(operation, uri)))
    absent.add('BODY_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (operation.answer.kind !== 'call') absent.add('UPSTREAM_FAILED');
  const { answer } = operation;
  if (answer.kind !== 'component') absent.add('PRECONDITION_FAILED');
  if (answer.kind !== 'component' || answer.action === 'read') absent.add('CONFLICT');
  for (const code of deliveredFacts(operation).faults ?? []) absent.delete(code);
  return faultStatusList.filter(({ code }) => !absent.has(code));
}

/** What a handler of the package adds to what is said of every operation. */
interface DeliveredFacts {
  /** Headers of its reply. */
  readonly headers?: readonly DeliveredHeader[];
  /** Faults that no operation without it has. */
  readonly faults?: readonly FaultCode[];
  /** What the JSON of its body is, where the definition of the operation has no document for it. */
  readonly body?: 'private-query';
}

/** A header that a handler of the package sends. */
export type DeliveredHeader = 'Location' | 'Content-Disposition' | 'Rows-Truncated' | 'Query-Status';

const NONE: DeliveredFacts = {};

/** By the name in `handler:`. A private query may be acceptable no longer, which is a conflict wherever one is named. */
export const DELIVERED_FACTS: Readonly<Record<string, DeliveredFacts>> = {
  'signalbox/process-schedule': { headers: ['Location'], faults: ['CONFLICT'] },
  'signalbox/process-update': { faults: ['CONFLICT'] },
  'signalbox/process-report-file': { headers: ['Content-Disposition'] },
  'signalbox/query-execute': { headers: ['Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-fields': { faults: ['CONFLICT'] },
  'signalbox/query-file': { headers: ['Content-Disposition', 'Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-poll': { faults: ['CONFLICT'] },
  'signalbox/query-prompts': { faults: ['CONFLICT'] },
  'signalbox/query-results': { headers: ['Rows-Truncated', 'Query-Status'], faults: ['CONFLICT'] },
  'signalbox/query-save': { body: 'private-query' },
};

/** The facts of the handler that answers an operation; empty unless it is of the package. */
export function deliveredFacts({ answer }: Operation): DeliveredFacts {
  return answer.kind === 'delivered' ? (DELIVERED_FACTS[answer.name] ?? NONE) : NONE;
}
