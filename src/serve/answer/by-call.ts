import { CONTENT, type Format } from '../../binding/message.ts';
import { attachmentsIn, isAttachment } from '../../codec/binary.ts';
import { writeJsonMember, writeJsonText } from '../../codec/index.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import { setMember } from '../../codec/value.ts';
import { FlowError, SoapFault } from '../../invoke/error.ts';
import { fitted, type InputField, inputFields } from '../../invoke/options.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { everyField } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Flow } from '../../model/flow.ts';
import type { Outcome } from '../../model/handler.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import { type Message, type Operation, operationsOf, type RawKind, replyForms } from '../../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { empty } from '../../wire/measured.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { dispositionOf } from '../../wire/multipart/content-disposition.ts';
import { type Answerer, begun, type Call } from './call.ts';
import { faultOfCall } from './failed-call.ts';
import type { WorkPorts } from './work.ts';

/**
 * `call: NAME`: another system answers. Values are passed by name from the request to the call, and from its answer to the
 * reply.
 */
export function answerByCall(
  operation: Operation,
  callee: ConsumerOperation | Flow,
  { registry }: WorkPorts,
): Answerer {
  const { fields, open } = inputOf(callee);
  const inText = takesJsonText(callee);
  const needsContent = isContent(callee);
  return {
    async answer(input, call, as) {
      const given = open ? carryDigits(input, { ...input }) : handedOver(fields, input);
      if (inText && (typeof given[CONTENT] === 'string' || given[CONTENT] === null))
        given[CONTENT] = writeJsonText(given[CONTENT]);
      // A missing body is the caller's error, whether or not the call could have been made.
      if (needsContent && given[CONTENT] === undefined) throw Fault.of('BAD_BODY', { reason: 'it is missing' });
      try {
        const reply = await call.callOut(callee, given);
        return await outcomeOf(reply, messageFor(operation, as), as, callee, call);
      } catch (error) {
        throw passedOn(operation, error) ?? faultOfCall(error, registry, given);
      }
    },
  };
}

/** A fault with a name, if it is a fault of the operation too. */
function passedOn({ soap }: Operation, thrown: unknown): Fault | undefined {
  const error = thrown instanceof FlowError ? thrown.cause : thrown;
  if (!(error instanceof SoapFault) || error.faultName === undefined || error.detail === undefined) return undefined;
  const { faultName, code, reason, detail: document } = error;
  if (soap?.faults?.some(({ name }) => name === faultName) !== true) return undefined;
  return Fault.custom(faultName, code === 'Client' ? 400 : 500, reason || faultName, { document, cause: thrown });
}

interface CallInput {
  readonly fields: readonly InputField[];
  /** It accepts undeclared members. */
  readonly open: boolean;
}

function inputOf(callee: ConsumerOperation | Flow): CallInput {
  if ('steps' in callee) return callee.input;
  if (callee.kind === 'rest') return callee.input;
  const { request } = callee.soap;
  return { fields: inputFields(callee), open: request.kind === 'document' && request.document.open };
}

/** Whether a call sends nothing but its content. */
function isContent(callee: ConsumerOperation | Flow): boolean {
  if ('steps' in callee) return false;
  return callee.kind === 'rest' ? callee.body.kind === 'raw' : callee.soap.request.kind === 'raw';
}

/** Whether a text that is the whole body is sent as JSON text, rather than encoded as a JSON string. */
function takesJsonText(callee: ConsumerOperation | Flow): boolean {
  return operationsOf(callee).some(
    (each) => each.kind === 'rest' && each.body.kind === 'raw' && each.body.raw === 'json',
  );
}

function handedOver(fields: readonly InputField[], from: DocumentValue): Record<string, Value> {
  const given: Record<string, Value> = {};
  for (const { name, type } of fields) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value !== undefined) setMember(given, name, fitted(value, type));
  }
  return carryDigits(from, given);
}

/** The message of a reply in one form. */
export function messageFor(operation: Operation, as: Format): Message {
  if (as === 'soap' && operation.soap !== undefined) return operation.soap.response;
  const form = replyForms(operation).find(({ format }) => format === as);
  return form?.message ?? operation.responses[0]?.message ?? { kind: 'none' };
}

function outcomeOf(
  reply: InvokeReply,
  message: Message,
  as: Format,
  callee: ConsumerOperation | Flow,
  call: Call,
): Outcome | Promise<Outcome> {
  if (message.kind === 'raw' && message.raw === 'binary') return bytesOf(reply, call);
  const value = replyValue(reply, message, as, callee);
  // The rest of the reply is closed once its attachments are read.
  if (typeof value === 'string' || attachmentsIn(value).next().done) reply.close();
  return { kind: 'value', value };
}

function replyValue(
  { value }: InvokeReply,
  message: Message,
  as: Format,
  callee: ConsumerOperation | Flow,
): DocumentValue | string {
  if (message.kind === 'none') return {};
  if (message.kind === 'document') return documentOf(message.document, value, callee);
  return contentOf(message.raw, value, as, callee);
}

function documentOf(document: Document, value: DocumentValue, callee: ConsumerOperation | Flow): DocumentValue {
  const given = document.open ? value : handedOver(everyField(document), value);
  for (const { name, required, fixed, default: standard, absent } of document.fields) {
    const isMade = fixed !== undefined || standard !== undefined || absent === 'blank';
    if (required && !isMade && given[name] === undefined) throw lacking(callee, `its reply has no ${name}`);
  }
  return given;
}

function contentOf(
  raw: RawKind,
  value: DocumentValue,
  as: Format,
  callee: ConsumerOperation | Flow,
): DocumentValue | string {
  const { [CONTENT]: content } = value;
  if (raw !== 'json') return typeof content === 'string' ? content : '';
  if (content === undefined) throw lacking(callee, 'its reply is empty');
  // In an envelope the content is a value; elsewhere a text that is the whole reply is treated as JSON.
  return as === 'soap' ? (content as DocumentValue) : writeJsonMember(value, CONTENT);
}

function lacking({ id }: ConsumerOperation | Flow, detail: string): Fault {
  return Fault.of('UPSTREAM_FAILED', { operation: id }, { detail });
}

/** Content is passed on to the caller as it arrives. */
async function bytesOf(reply: InvokeReply, call: Call): Promise<Outcome> {
  const content = reply.value[CONTENT];
  const { contentType, length, stream, name } = isAttachment(content) ? described(content) : EMPTY;
  const headers = name === undefined ? {} : { headers: { 'Content-Disposition': dispositionOf(name) } };
  const dispose = (): void => reply.close();
  return { kind: 'bytes', bytes: await begun({ contentType, length, ...headers, body: stream, dispose }, call) };
}

const OCTETS = 'application/octet-stream';

const EMPTY = { contentType: OCTETS, length: 0, stream: empty, name: undefined };

function described(content: Attachment) {
  const { contentType, length, name } = content;
  const isType = parseMediaType(contentType) !== undefined;
  return {
    contentType: isType ? contentType : OCTETS,
    length,
    stream: () => content.stream(),
    name: name && fileName(name),
  };
}

/** The last part of a partner's path, without control characters (RFC 6266 section 4.3); `undefined` when nothing is left. */
function fileName(name: string): string | undefined {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const safe = last.replace(/\p{C}/gu, '_').trim();
  return safe === '' || safe === '.' || safe === '..' ? undefined : safe;
}
