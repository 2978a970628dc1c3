import type { ConsumerOperation, RestConsumer } from '../model/consumer.ts';
import { everyField, isOneOfSeveral } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import type { Flow } from '../model/flow.ts';
import type { Query } from '../model/query.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Message, Operation } from '../model/service.ts';
import { fieldOfType, type SimpleType } from '../model/simple-type.ts';
import { HEADER } from './files.ts';
import {
  block,
  codeMustGive,
  type Face,
  facts,
  members,
  property,
  rawText,
  valueText,
  type Writing,
} from './members.ts';
import { code, comment, importLine, propertyName, quoted, sentence } from './typescript.ts';
import { isPresent, requestFields, responsesOf, type Vocabulary } from './vocabulary.ts';
import { messageWords } from './words.ts';

/**
 * Text of `types.ts`: documents, requests, the requests and replies of calls, the prompts and rows of queries, components and
 * parameters. These are type aliases since interfaces can't be assigned to a type with an index signature, such as
 * `DocumentValue` or `Row`.
 */
export function typesFile(vocabulary: Vocabulary): string {
  const words: Writing = { ...vocabulary, uses: new Set() };
  const body = [
    ...words.types.map((type) => simpleType(type, words)),
    ...words.documents.map((document) => documentType(document, words)),
    ...words.received.map((document) => receivedType(document, words)),
    ...words.operations.map((operation) => requestType(operation, words)),
    ...[...new Set(words.subscriptions.map(({ operation }) => operation))].map((each) => requestType(each, words)),
    ...callTypes(words),
    ...words.queries.flatMap((query) => [promptsType(query, words), rowType(query, words)]),
    ...recordTypes(words),
    ...parameterTypes(words),
    componentsType(words),
    programsType(words),
    queriesType(words),
    ...messagesType(words),
    ...settingsType(words),
  ].join('\n');
  return `// ${HEADER}\n\n${importLine([...words.uses], 'signalbox')}${words.uses.size === 0 ? '' : '\n'}${body}`;
}

function simpleType(type: SimpleType, words: Writing): string {
  const field = fieldOfType(type);
  const labels = Object.entries(type.labels ?? {}).map(([value, label]) => `- ${code(value)}: ${label}`);
  const title = comment('', [sentence(type.description) ?? `Type ${type.id}.`, facts(field), ...labels]);
  return `${title}${alias(words.names.type(type), `${valueText(field, 'received', words.names, words.uses)};\n`)}`;
}

function documentType(document: Document, words: Writing): string {
  const title = comment('', [sentence(document.description) ?? `Document ${document.id}.`]);
  return `${title}${alias(words.names.given(document), members(document, 'given', words))}`;
}

function receivedType(document: Document, words: Writing): string {
  const title = comment('', [`${document.id}, as code receives it.`, sentence(document.description)]);
  return `${title}${alias(words.names.received(document), members(document, 'received', words))}`;
}

/** A union is on lines of its own. */
function alias(name: string, type: string): string {
  return `export type ${name} =${type.startsWith('\n') ? '' : ' '}${type}`;
}

function requestType(operation: Operation, words: Writing): string {
  const fields = requestFields(operation);
  const lines = fields.map(({ field, present }) => property(field, 'received', present, words));
  const { request } = operation;
  if (request.kind === 'raw') {
    const type = rawText(request.raw, words.uses);
    lines.push(
      `${comment('  ', ['The body; absent if the caller sent none.'])}  readonly content?: ${type} | undefined;\n`,
    );
  }
  if (request.kind === 'document' && request.document.open) {
    words.uses.add('Value');
    lines.push('  readonly [field: string]: Value;\n');
  }
  const isDocument = request.kind === 'document';
  const title = isDocument
    ? `A request to ${operation.id}: ${messageWords(request)}.`
    : `A request to ${operation.id}.`;
  const isOne = request.kind === 'document' && isOneOfSeveral(request.document);
  const type = isOne ? members(request.document, 'received', words) : block(lines, 'never');
  return `${comment('', [title])}${alias(words.names.request(operation), type)}`;
}

function promptsType(query: Query, words: Writing): string {
  const lines = query.prompts.map((prompt) => property(prompt, 'given', codeMustGive(prompt), words));
  return `${comment('', [`Prompts of ${query.id}.`])}export type ${words.names.prompts(query)} = ${block(lines)}`;
}

function rowType(query: Query, words: Writing): string {
  const lines = query.columns.map((column) => {
    const title = comment('  ', [sentence(column.description), facts(column)]);
    return `${title}  ${propertyName(column.name)}: ${columnText(column, words)}${column.required ? '' : ' | null'};\n`;
  });
  const title = comment('', [`A row of ${query.id}.`, sentence(query.description)]);
  return `${title}export type ${words.names.row(query)} = ${block(lines)}`;
}

/** Columns have their declared type, like the documents that they fill; JSON and bytes are text. */
function columnText(column: Field, words: Writing): string {
  const primitive = primitiveOf(column.type);
  return primitive === 'json' || primitive === 'binary'
    ? 'string'
    : valueText(column, 'given', words.names, words.uses);
}

function queriesType(words: Writing): string {
  const lines = words.queries.map((query) => {
    const prompts = words.names.prompts(query);
    const optional = query.prompts.some(codeMustGive) ? '' : '?';
    const entry = `{ prompts: [prompts${optional}: ${prompts}]; row: ${words.names.row(query)} }`;
    return `${comment('  ', [sentence(query.description)])}  ${propertyName(query.id)}: ${entry};\n`;
  });
  return `${comment('', ['Stored queries: the prompts and the row of each.'])}export type Queries = ${block(lines, 'never')}`;
}

/** Name of the field for a body without a document. */
const CONTENT = 'content';

/** The requests and replies of consumers, and the requests of flows. */
function callTypes(words: Writing): string[] {
  return [
    ...words.consumers.flatMap((consumer) => [callType(consumer, words), replyType(consumer, words)]),
    ...words.flows.map((flow) => flowType(flow, words)),
  ];
}

function callType(consumer: ConsumerOperation, words: Writing): string {
  const title = comment('', [`A call of ${consumer.id}.`]);
  const type =
    consumer.kind === 'soap'
      ? `${messageText(consumer.soap.request, 'given', words)};\n`
      : (choiceInput(consumer, words) ?? inputType(consumer.input, [consumer], words));
  return `${title}export type ${words.names.call(consumer)} = ${type}`;
}

/** The input of a call whose request is one of several things; `undefined` for other calls. */
function choiceInput({ body, input }: RestConsumer, words: Writing): string | undefined {
  if (body.kind !== 'document' || !isOneOfSeveral(body.document)) return undefined;
  const branches = new Set(everyField(body.document).map(({ name }) => name));
  const others = { ...input, fields: input.fields.filter(({ name }) => !branches.has(name)) };
  const choice = words.names.given(body.document);
  if (others.fields.length === 0) return `${choice};\n`;
  return `${choice} & ${inputType(others, [], words)}`;
}

function replyType(consumer: ConsumerOperation, words: Writing): string {
  const forms = new Set(responsesOf(consumer).map((message) => messageText(message, 'received', words)));
  const title = comment('', [`The reply of ${consumer.id}.`]);
  return `${title}export type ${words.names.reply(consumer)} = ${[...forms].join(' | ')};\n`;
}

function flowType(flow: Flow, words: Writing): string {
  const operations = flow.steps.map(({ operation }) => operation);
  const title = comment('', [`A run of ${flow.id}.`]);
  return `${title}export type ${words.names.call(flow)} = ${inputType(flow.input, operations, words)}`;
}

/** @param operations those that get the input */
function inputType(input: Document, operations: readonly ConsumerOperation[], words: Writing): string {
  return block(
    input.fields.map((field) => {
      const takers = operations.filter((operation) => fieldsOf(operation).some(({ name }) => name === field.name));
      const base64 = takers.length > 0 && takers.every((taker) => takesBase64(taker, field));
      if (base64) words.uses.add('Attachment');
      return property(field, 'given', codeMustGive(field), words, {
        ...(base64 ? { type: 'Attachment | string' } : {}),
        notes: [
          base64 ? 'May also be a text in Base64.' : undefined,
          takers.some((taker) => isJsonBody(taker, field)) ? JSON_BODY : undefined,
          fillingOf(field, takers),
        ],
      });
    }),
  );
}

/** The value of a field that the caller leaves out: from `values:`, or a default that uses other fields. */
function fillingOf({ name, required }: Field, takers: readonly ConsumerOperation[]): string | undefined {
  const sources = new Set(
    takers.flatMap((taker) => (taker.kind === 'rest' ? (taker.filled.get(name)?.source ?? []) : [])),
  );
  return required || sources.size === 0 ? undefined : `If absent: ${[...sources].map(code).join(' or ')}.`;
}

function fieldsOf(consumer: ConsumerOperation): readonly Field[] {
  if (consumer.kind === 'rest') return consumer.input.fields;
  const { request } = consumer.soap;
  return request.kind === 'document' ? request.document.fields : [];
}

/** Whether a field is the body and accepts Base64 text (`Base64toBinary`). */
function takesBase64(consumer: ConsumerOperation, { name, type }: Field): boolean {
  if (consumer.kind !== 'rest' || !consumer.properties.base64ToBinary || primitiveOf(type) !== 'binary') return false;
  const { body } = consumer;
  return body.kind === 'field' ? body.field.name === name : body.kind === 'raw' && name === CONTENT;
}

const JSON_BODY = 'A string is sent as it is and must be JSON; any other value is written as JSON.';

/** Whether a field is a JSON body without a document. */
function isJsonBody(consumer: ConsumerOperation, { name }: Field): boolean {
  if (consumer.kind !== 'rest' || name !== CONTENT) return false;
  return consumer.body.kind === 'raw' && consumer.body.raw === 'json';
}

/** The type of a message. A message without a document has its text or content in `content`. */
function messageText(message: Message, face: Face, { names, uses }: Writing): string {
  if (message.kind === 'none') return face === 'given' ? 'Record<string, never>' : 'Record<never, never>';
  if (message.kind === 'document')
    return face === 'given' ? names.given(message.document) : names.received(message.document);
  return `{ ${face === 'given' ? '' : 'readonly '}content: ${rawText(message.raw, uses)} }`;
}

/** The types of components' records: columns that are NULL are absent, required fields are present. */
function recordTypes(words: Writing): string[] {
  return words.components.map((component) => {
    const lines = component.shape.fields.map((field) => property(field, 'received', field.required, words));
    const title = comment('', [`A record of ${component.id}.`, sentence(component.description)]);
    return `${title}export type ${words.names.record(component)} = ${block(lines, 'never')}`;
  });
}

/** The map of components. */
function componentsType({ components, names }: Vocabulary): string {
  const lines = components.map((component) => {
    const given = names.given(component.shape);
    const keys = component.keys.map(({ name }) => quoted(name)).join(' | ');
    const entry = `{ keys: Pick<${given}, ${keys}>; given: ${given}; record: ${names.record(component)} }`;
    return `${comment('  ', [sentence(component.description)])}  ${propertyName(component.id)}: ${entry};\n`;
  });
  const title = comment('', [
    'Components: the keys of a record, a record that code saves, and a record that code reads.',
  ]);
  return `${title}export type Components = ${block(lines, 'never')}`;
}

/** The map of all processes, which code can schedule, with their parameters as code gives them. */
function programsType(words: Writing): string {
  const lines = words.programs.map((process) => {
    const given = process.parameters.map((field) => property(field, 'given', codeMustGive(field), words));
    const members = given.length === 0 ? 'Record<never, never>' : `{\n${indented(given.join(''))}  }`;
    return `${comment('  ', [sentence(process.description)])}  ${propertyName(process.id)}: ${members};\n`;
  });
  return `${comment('', ['Processes that code can schedule: the parameters of each.'])}export type Programs = ${block(lines, 'never')}`;
}

/** The map of operations that publish messages; none when there are no such operations. */
function messagesType(words: Writing): string[] {
  if (words.published.length === 0) return [];
  const lines = words.published.map((operation) => {
    const entry = messageText(operation.request, 'given', words);
    return `${comment('  ', [sentence(operation.description)])}  ${propertyName(operation.id)}: ${entry};\n`;
  });
  const title = comment('', ['Messages that code can publish, by the id of their operation.']);
  return [`${title}export type Messages = ${block(lines)}`];
}

/** The settings of the project; none when it has none. */
function settingsType(words: Writing): string[] {
  if (words.settings.length === 0) return [];
  const lines = words.settings.map(({ field, value, isSecret }) =>
    property(field, 'received', isPresent(field), words, {
      notes: [`From ${code(value.source)}${isSecret ? ': a secret' : ''}.`],
    }),
  );
  return [
    `${comment('', ['Settings, as `context.settings` has them.'])}export type Settings = ${block(lines, 'never')}`,
  ];
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** The types of processes' parameters, after checks and with defaults; absent if the request does not have them. */
function parameterTypes(words: Writing): string[] {
  return words.processes.map((process) => {
    const lines = process.parameters.map((field) => property(field, 'received', isPresent(field), words));
    const title = comment('', [`Parameters of ${process.id}.`]);
    return `${title}export type ${words.names.parameters(process)} = ${block(lines, 'never')}`;
  });
}
