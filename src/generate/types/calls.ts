import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Flow } from '../../model/flow.ts';
import type { Message } from '../../model/service.ts';
import { code, comment } from '../comment.ts';
import { responsesOf } from '../vocabulary.ts';
import { block, codeMustGive, property, type Writing } from './members.ts';
import { type Face, rawText } from './type-text.ts';

/** What a body without a document is called among the fields of a call. */
const CONTENT = 'content';

/** What consumers and flows are called with, and what consumers answer: a type alias each. */
export function callTypes(words: Writing): string[] {
  return [
    ...words.consumers.flatMap((consumer) => [callType(consumer, words), replyType(consumer, words)]),
    ...words.flows.map((flow) => flowType(flow, words)),
  ];
}

function callType(consumer: ConsumerOperation, words: Writing): string {
  const title = comment('', [`What ${consumer.id} is called with.`]);
  const type =
    consumer.kind === 'soap'
      ? `${messageText(consumer.soap.request, 'given', words)};\n`
      : inputType(consumer.input, [consumer], words);
  return `${title}export type ${words.names.call(consumer)} = ${type}`;
}

function replyType(consumer: ConsumerOperation, words: Writing): string {
  const forms = new Set(responsesOf(consumer).map((message) => messageText(message, 'received', words)));
  const title = comment('', [`What ${consumer.id} answers.`]);
  return `${title}export type ${words.names.reply(consumer)} = ${[...forms].join(' | ')};\n`;
}

function flowType(flow: Flow, words: Writing): string {
  const operations = flow.steps.map(({ operation }) => operation);
  const title = comment('', [`What ${flow.id} is run with.`]);
  return `${title}export type ${words.names.call(flow)} = ${inputType(flow.input, operations, words)}`;
}

/** `operations`: those that the input goes to. */
function inputType(input: Document, operations: readonly ConsumerOperation[], words: Writing): string {
  return block(
    input.fields.map((field) => {
      const takers = operations.filter((operation) => fieldsOf(operation).some(({ name }) => name === field.name));
      const base64 = takers.length > 0 && takers.every((taker) => takesBase64(taker, field));
      if (base64) words.uses.add('Attachment');
      return property(field, 'given', codeMustGive(field), words, {
        ...(base64 ? { type: 'Attachment | string' } : {}),
        said: [
          base64 ? 'Base64 text of it is taken too.' : undefined,
          takers.some((taker) => isJsonBody(taker, field)) ? JSON_BODY : undefined,
          fillingOf(field, takers),
        ],
      });
    }),
  );
}

/** What the field holds where it is left out: `values:`, or a default made of other fields. */
function fillingOf({ name, required }: Field, takers: readonly ConsumerOperation[]): string | undefined {
  const sources = new Set(
    takers.flatMap((taker) => (taker.kind === 'rest' ? (taker.filled.get(name)?.source ?? []) : [])),
  );
  return required || sources.size === 0 ? undefined : `${[...sources].map(code).join(' or ')} where it is left out.`;
}

function fieldsOf(consumer: ConsumerOperation): readonly Field[] {
  if (consumer.kind === 'rest') return consumer.input.fields;
  const { request } = consumer.soap;
  return request.kind === 'document' ? request.document.fields : [];
}

/** Whether a field is the body, and may be given as Base64 text (`Base64toBinary`). */
function takesBase64(consumer: ConsumerOperation, { name, type }: Field): boolean {
  if (consumer.kind !== 'rest' || !consumer.properties.base64ToBinary || type.kind !== 'binary') return false;
  const { body } = consumer;
  return body.kind === 'field' ? body.field.name === name : body.kind === 'raw' && name === CONTENT;
}

const JSON_BODY = 'A string is JSON text, which is sent as it is; any other value is written as JSON.';

/** Whether a field is a body of JSON without a document. */
function isJsonBody(consumer: ConsumerOperation, { name }: Field): boolean {
  if (consumer.kind !== 'rest' || name !== CONTENT) return false;
  return consumer.body.kind === 'raw' && consumer.body.raw === 'json';
}

/** A message as a whole. One without a document has its text or content in `content`. */
function messageText(message: Message, face: Face, { names, uses }: Writing): string {
  if (message.kind === 'none') return face === 'given' ? 'Record<string, never>' : 'Record<never, never>';
  if (message.kind === 'document')
    return face === 'given' ? names.given(message.document) : names.received(message.document);
  return `{ ${face === 'given' ? '' : 'readonly '}content: ${rawText(message.raw, uses)} }`;
}
