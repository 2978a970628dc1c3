import { randomUUID } from 'node:crypto';
import { CodecError } from '../codec/index.ts';
import { madeField } from '../load/document/field.ts';
import type { Spool } from '../model/blob.ts';
import type { CallBody, RestConsumer, SoapConsumer } from '../model/consumer.ts';
import { everyField } from '../model/derivation.ts';
import type { Field } from '../model/field.ts';
import type { Limits } from '../model/gateway.ts';
import { NODE_DEFAULTS } from '../model/node.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import { ANONYMOUS } from '../wire/soap/addressing.ts';
import { SOAP_CONTENT_TYPES, type SoapVersion } from '../wire/soap/version.ts';
import type { Callable } from './callable.ts';
import { type Called, InvokeError, ReplyFault, SoapFault } from './error.ts';
import { asConsumer } from './find.ts';
import { inOne } from './http/body.ts';
import { compileRestCall } from './rest/call.ts';
import { compileSoapCall } from './soap/call.ts';

/** A provided operation as one to call over REST; its target is set by the call. */
export function asRestConsumer(operation: Operation, { id: gateway, at }: Registry['gateway']): RestConsumer {
  const { id, name, service, method = 'GET', uris, request, requestHeaders, responses, fault } = operation;
  const content = request.kind === 'raw' ? [madeField('content', { kind: request.raw }, at, { required: true })] : [];
  const fields = new Set<Field>([
    ...(request.kind === 'document' ? everyField(request.document) : []),
    ...uris.flatMap(({ variables }) => variables.map(({ field }) => field)),
    ...requestHeaders.map(({ field }) => field),
    ...content,
  ]);
  return {
    ...{ kind: 'rest', id, name, service, method, uris, host: false, responses, at: operation.at },
    accepts: responses.filter(({ message }) => message.kind !== 'none').map(({ mediaType }) => mediaType),
    target: { ...NODE_DEFAULTS, id: gateway, base: [], at },
    input: {
      ...{ id: `${id}_INPUT`, xmlName: id, root: false, inPlace: true, at: operation.at, fields: [...fields] },
      open: request.kind === 'document' && request.document.open,
    },
    filled: new Map(),
    headers: requestHeaders.map(({ header, field }) => ({
      name: header,
      text: { source: `{${field.name}}`, parts: [{ kind: 'value', field }] },
    })),
    body: bodyOf(operation),
    properties: { base64ToBinary: false, bodyAsBuilt: true, compress: false, acceptCompressed: true },
    permissions: operation.permissions,
    public: operation.public,
    active: operation.active,
    ...(fault === undefined ? {} : { fault }),
  };
}

function bodyOf({ body, request, uris, form, formStyles }: Operation): CallBody {
  if (request.kind === 'raw') return { kind: 'raw', raw: request.raw };
  if (body === 'none' || request.kind === 'none') return { kind: 'none' };
  const [field] = uris[0]?.body ?? [];
  return body === 'raw' && field !== undefined
    ? { kind: 'field', field }
    : {
        ...{ kind: 'document', document: request.document },
        ...(form === undefined ? {} : { form }),
        ...(formStyles === undefined ? {} : { formStyles }),
      };
}

/** How a provided operation is called: by one of its URIs, or over one version of SOAP. */
export type ProvidedForm =
  | {
      readonly kind: 'rest';
      /** From 1. */
      readonly uriIndex: number;
      /** That of the body, of those that the operation takes; its first one by default. */
      readonly contentType?: string | undefined;
      /** That of the reply; any by default. */
      readonly accept?: string | undefined;
      /** The body is written by someone else: the input has the values of the URI and the headers alone. */
      readonly bodyless?: boolean;
    }
  | {
      readonly kind: 'soap';
      readonly version: SoapVersion;
      /** Binary content is in the document; otherwise it is sent as attachments. */
      readonly inline?: boolean;
    };

/** A request for a gateway, without credentials. */
export interface ProvidedRequest {
  readonly method: string;
  /** Raw path and query below the gateway's address with its context, with a slash in front. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body where it is a text; a stream, which can be read once, where it has content. */
  readonly body: string | AsyncIterable<Uint8Array> | undefined;
  /** In bytes, if known. */
  readonly length: number | undefined;
}

/** A whole reply. */
interface WholeReply {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Whether a reply is what the contract says: `differences` is empty then. */
export interface Verdict {
  readonly kind: 'reply' | 'fault';
  /** Sentences: `LOCATIONS[0].EFFDT is missing`. */
  readonly differences: readonly string[];
}

interface VerdictPorts {
  readonly limits: Limits;
  readonly spool: Spool;
  readonly redactor: Redactor;
}

/** Calls of a provided operation, for a caller that has its definition. */
export interface ProvidedCall {
  /** @throws InvokeError BAD_INPUT, whose cause names the field */
  write(input: DocumentValue): ProvidedRequest;
  compare(reply: WholeReply, ports: VerdictPorts): Promise<Verdict>;
}

/** @param keyed the request has an Idempotency-Key */
export function compileProvided(
  { gateway }: Pick<Registry, 'gateway'>,
  operation: Operation,
  form: ProvidedForm,
  keyed = false,
): ProvidedCall {
  const requestId = randomUUID();
  const called: Called = { operation: operation.id, requestId, messageId: keyed ? requestId : undefined };
  const callable = (input: DocumentValue): Callable =>
    form.kind === 'rest'
      ? compileRestCall(formed(asRestConsumer(operation, gateway), typed(operation, form)), gateway.namespace)
      : compileSoapCall(versioned(asConsumer(operation, nowhere(gateway), input), form), gateway.namespace);
  const segment = `${operation.pathName}.${operation.service.version}`;
  return {
    write(input) {
      const { method, uri, headers, length, text, bytes } = callable(input).write(input, {
        ...{ called, segments: [], uriIndex: form.kind === 'rest' ? form.uriIndex : 1, redactor: PLAIN },
        resolve: () => '',
        address: () => ({ sent: ANONYMOUS, shown: ANONYMOUS, secrets: [] }),
      });
      const target =
        form.kind === 'rest' ? `/RESTListeningConnector/${segment}/${uri}` : '/PeopleSoftServiceListeningConnector';
      const body = length === 0 ? undefined : (text ?? bytes());
      return { method, target, headers, body, length };
    },
    compare: (reply, ports) => compare(operation, callable({}), reply, { ...ports, called }),
  };
}

/** Nothing is shown of these requests but what their own sender has entered. */
const PLAIN = { text: (text: string) => text, headers: (all: object) => ({ ...all }) } as Redactor;

const nowhere = ({ id, at }: Registry['gateway']) => ({ ...NODE_DEFAULTS, id, base: [], at });

const literalHeader = (name: string, text: string) => ({
  name,
  text: { source: text, parts: [{ kind: 'literal' as const, text }] },
});

/** The form with the media type that the body is declared to have, if none is chosen. */
function typed(
  { requestTypes, body }: Operation,
  form: ProvidedForm & { kind: 'rest' },
): ProvidedForm & { kind: 'rest' } {
  return body === 'none' || form.contentType !== undefined ? form : { ...form, contentType: requestTypes?.[0] };
}

function formed(
  consumer: RestConsumer,
  { contentType, accept, bodyless }: ProvidedForm & { kind: 'rest' },
): RestConsumer {
  const { body, headers } = consumer;
  // The type of a form has its boundary.
  const isForm = body.kind === 'document' && body.form !== undefined;
  const more = [
    ...(accept === undefined ? [] : [literalHeader('Accept', accept)]),
    ...(contentType === undefined || bodyless === true || isForm ? [] : [literalHeader('Content-Type', contentType)]),
  ];
  return { ...consumer, headers: [...more, ...headers], body: bodyless === true ? { kind: 'none' } : body };
}

function versioned(consumer: SoapConsumer, { version, inline }: ProvidedForm & { kind: 'soap' }): SoapConsumer {
  const headers = [{ name: 'Content-Type', value: SOAP_CONTENT_TYPES[version] }];
  const { properties } = consumer;
  return { ...consumer, headers, properties: { ...properties, mtom: properties.mtom && inline !== true } };
}

/** Reads a reply as a caller does, and reports everything that does not fit. */
async function compare(
  { fault }: Operation,
  callable: Callable,
  { status, headers, bytes }: WholeReply,
  { called, redactor, ...ports }: VerdictPorts & { readonly called: Called },
): Promise<Verdict> {
  const raw = {
    ...{ called, status, headers, redactor, hint: undefined, attempts: 1, discard: () => {} },
    ...{ whole: bytes.length === 0 ? undefined : bytes, bytes: inOne(bytes) },
    timings: { connected: undefined, sent: 0, head: 0 },
    sent: { signature: undefined },
  };
  try {
    const { content } = await callable.read(raw, ports);
    await content?.finish();
    content?.close();
    return { kind: 'reply', differences: [] };
  } catch (error) {
    if (!(error instanceof InvokeError)) throw error;
    if (error instanceof SoapFault || error instanceof ReplyFault || error.code === 'HTTP_STATUS') {
      const found = error instanceof SoapFault ? error.detail : error instanceof ReplyFault ? error.fault : undefined;
      const fits = fault === undefined || found !== undefined;
      return { kind: 'fault', differences: fits ? [] : [`the fault is not the document ${fault.id}`] };
    }
    const { cause } = error;
    const all = cause instanceof CodecError ? [cause, ...cause.others] : [error];
    return { kind: 'reply', differences: all.map(({ message }) => message.replace(`${called.operation}: `, '')) };
  }
}
