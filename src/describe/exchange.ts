import { Fault, type FaultCode, type FaultParameters } from '../model/fault.ts';
import type { Gateway, Once } from '../model/gateway.ts';
import { requestForms } from '../model/request-form.ts';
import {
  faultType,
  finalAnswer,
  type Message,
  type Operation,
  type OperationUri,
  onceOf,
  type ReplyForm,
  replyForms,
  takesBody,
} from '../model/service.ts';
import { duration } from '../wire/duration.ts';
import { problemMediaType } from '../wire/problem.ts';

/** The forms of an operation's reply, the default first; empty when nothing is sent. */
export function sentForms(operation: Operation): readonly ReplyForm[] {
  return replyForms(operation).filter(({ message }) => message.kind !== 'none');
}

/** The forms of an operation's faults: those of its replies, or problem details (RFC 9457) if it has no fault document. */
export function faultForms(operation: Operation): readonly ReplyForm[] {
  if (operation.fault === undefined)
    return [{ mediaType: problemMediaType, format: 'json', message: { kind: 'raw', raw: 'json' } }];
  const message: Message = { kind: 'document', document: operation.fault };
  const inJson: ReplyForm = { mediaType: faultType(operation, 'json'), format: 'json', message };
  const forms = sentForms(operation).map(({ format }): ReplyForm => {
    return format !== 'xml' && format !== 'psnonxml'
      ? inJson
      : { mediaType: format === 'xml' ? faultType(operation, 'xml') : 'application/xml', format, message };
  });
  const unique = new Map(forms.map((form) => [form.mediaType, form]));
  return unique.size > 0 ? [...unique.values()] : [inJson];
}

/** All media types of a request's body, the usual one first. */
export function requestMediaTypes(operation: Operation, uri: OperationUri): readonly string[] {
  return requestForms(operation, uri).map(({ mediaType }) => mediaType);
}

/** A status of faults that an operation may answer with. */
export interface FaultStatus {
  readonly status: number;
  readonly code: FaultCode;
  readonly meaning: string;
  /** An example of its message, as the gateway writes it. */
  readonly message: string;
}

/** The faults of the operations of a service, each status once. */
export function faultMeanings(
  operations: readonly Operation[],
  gateway: Pick<Gateway, 'limits' | 'once'>,
): readonly FaultStatus[] {
  const used = new Set(operations.flatMap((operation) => faultStatuses(operation, gateway)));
  return faultStatusList.filter((each) => used.has(each));
}

const faultStatusList: readonly FaultStatus[] = [
  status(
    'BAD_PARAMETER',
    'The request is not valid. The message names the parameter, or the part of the body or address.',
    {
      name: 'The parameter',
      reason: 'is not acceptable',
    },
  ),
  status('UNAUTHENTICATED', 'Credentials are missing or wrong.', { scheme: 'basic' }),
  status('FORBIDDEN', 'The caller is not permitted to do this.', { user: 'guest', what: 'this operation' }),
  status('NOT_FOUND', 'The requested resource or address does not exist.', { what: 'such resource' }),
  status('METHOD_NOT_ALLOWED', 'The address supports other methods, which the Allow header lists.', {
    method: 'TRACE',
    allowed: 'GET, HEAD, OPTIONS',
  }),
  status('NOT_ACCEPTABLE', 'None of the media types in the Accept header is available.', {
    offered: 'application/json',
  }),
  status(
    'CONFLICT',
    'The record already exists, has changed since it was read, or violates a constraint of its table.',
    {
      what: 'The record',
      reason: 'has changed since it was read',
    },
  ),
  status('CALL_RUNNING', 'The first call with the same key is still running. Try again.', {}),
  status('PRECONDITION_FAILED', 'The record does not match the condition in If-Match or If-None-Match.', {
    what: 'The record',
  }),
  status('BODY_TOO_LARGE', 'The body is larger than the gateway accepts.', { limit: 10_485_760 }),
  status('UNSUPPORTED_MEDIA_TYPE', 'The media type or the encoding of the body is not supported.', {
    given: 'Content-Type text/plain',
    supported: 'application/json',
  }),
  status('KEY_REUSED', 'The first call with the same key had another content. Use a new key.', {}),
  status('TOO_MANY_REQUESTS', 'Too many requests. The Retry-After header states when to try again.', {
    what: 'the operation',
    time: '7 s',
  }),
  status('INTERNAL', 'The request could not be answered.', { operation: 'The operation' }),
  status('UPSTREAM_FAILED', 'The system behind this operation could not be reached, or failed.', {
    operation: 'the operation',
  }),
  status('UNAVAILABLE', 'Temporarily not available. Try again later.', { reason: 'the gateway is stopping' }),
  status('TIMEOUT', 'The operation took too long and was cancelled.', { what: 'The operation', time: '30 s' }),
];

function status<C extends FaultCode>(code: C, meaning: string, parameters: FaultParameters<C>): FaultStatus {
  const fault = Fault.of(code, parameters);
  return { status: fault.status, code, meaning, message: fault.message };
}

/**
 * The faults that can occur in an operation, in the order of their statuses.
 * @param gateway whose settings apply to an operation without its own
 */
export function faultStatuses(operation: Operation, gateway: Pick<Gateway, 'limits' | 'once'>): readonly FaultStatus[] {
  const absent = new Set<FaultCode>();
  if (operation.public) absent.add('UNAUTHENTICATED').add('FORBIDDEN');
  if ((operation.limits.rate ?? gateway.limits.rate) === undefined) absent.add('TOO_MANY_REQUESTS');
  if (sentForms(operation).length === 0) absent.add('NOT_ACCEPTABLE');
  if (!operation.uris.some((uri) => takesBody(operation, uri)))
    absent.add('BODY_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  const answer = finalAnswer(operation);
  if (answer.kind !== 'call') absent.add('UPSTREAM_FAILED');
  if (answer.kind !== 'component') absent.add('PRECONDITION_FAILED');
  if (answer.kind !== 'component' || answer.action === 'read') absent.add('CONFLICT');
  for (const code of deliveredFacts(operation).faults ?? []) absent.delete(code);
  const repeats = onceOf(operation, gateway) !== undefined;
  if (!repeats) absent.add('KEY_REUSED');
  // Contracts have one text for each status.
  if (!repeats || !absent.has('CONFLICT')) absent.add('CALL_RUNNING');
  return faultStatusList.filter(({ code }) => !absent.has(code));
}

/** What contracts state about an operation because of the delivered handler that answers it. */
interface DeliveredFacts {
  /** Headers of the reply. */
  readonly headers?: readonly DeliveredHeader[];
  /** Faults that other operations don't have. */
  readonly faults?: readonly FaultCode[];
  /** The contents of its JSON body, if the definition of the operation has no document for it. */
  readonly body?: 'private-query';
}

/** A header that a delivered handler sends. */
export type DeliveredHeader = 'Location' | 'Content-Disposition' | 'Rows-Truncated' | 'Query-Status';

const NONE: DeliveredFacts = {};

/** By the name in `handler:`. A private query may have become invalid, which is a conflict for its caller. */
export const DELIVERED_FACTS: Readonly<Record<string, DeliveredFacts>> = {
  'signalbox/process-schedule': { headers: ['Location'], faults: ['CONFLICT'] },
  'signalbox/process-update': { faults: ['CONFLICT'] },
  'signalbox/process-report-file': { headers: ['Content-Disposition'] },
  'signalbox/query-execute': { headers: ['Content-Disposition', 'Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-fields': { faults: ['CONFLICT'] },
  'signalbox/query-file': { headers: ['Content-Disposition', 'Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-poll': { faults: ['CONFLICT'] },
  'signalbox/query-prompts': { faults: ['CONFLICT'] },
  'signalbox/query-results': { headers: ['Rows-Truncated', 'Query-Status'], faults: ['CONFLICT'] },
  'signalbox/query-save': { body: 'private-query' },
  'signalbox/queue-cancel': { faults: ['CONFLICT'] },
  'signalbox/queue-resubmit': { faults: ['CONFLICT'] },
};

/** The facts of the delivered handler that answers an operation; empty for any other operation. */
export function deliveredFacts({ answer }: Operation): DeliveredFacts {
  return answer.kind === 'delivered' ? (DELIVERED_FACTS[answer.name] ?? NONE) : NONE;
}

/** Whether a call over REST without a key is refused. */
export function isKeyNeeded({ method }: Operation, { required }: Once): boolean {
  return required && (method === 'POST' || method === 'PATCH');
}

/** What the header Idempotency-Key does. */
export function keyWords({ for: time }: Once): string {
  return `Identifies the call: 1 to 255 visible ASCII characters, such as a UUID. For ${duration(time)}, a call with the same key and content gets the first answer and does not run again.`;
}
