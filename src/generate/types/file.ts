import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import type { Operation } from '../../model/service.ts';
import { comment, sentence } from '../comment.ts';
import { HEADER } from '../header.ts';
import { importLine, propertyName } from '../typescript.ts';
import { requestFields, type Vocabulary } from '../vocabulary.ts';
import { messageWords } from '../words.ts';
import { callTypes } from './calls.ts';
import { componentsType, recordTypes } from './components.ts';
import { facts } from './facts.ts';
import { block, codeMustGive, members, property, type Writing } from './members.ts';
import { parameterTypes } from './processes.ts';
import { rawText, valueText } from './type-text.ts';

/**
 * Text of `types.ts`: documents, requests, what calls take and give, and the prompts and rows of queries. Type aliases
 * rather than interfaces, since only they can be assigned to a type with an index signature such as `DocumentValue` or
 * `Row`.
 */
export function typesFile(vocabulary: Vocabulary): string {
  const words: Writing = { ...vocabulary, uses: new Set() };
  const body = [
    ...words.documents.map((document) => documentType(document, words)),
    ...words.received.map((document) => receivedType(document, words)),
    ...words.operations.map((operation) => requestType(operation, words)),
    ...callTypes(words),
    ...words.queries.flatMap((query) => [promptsType(query, words), rowType(query, words)]),
    ...recordTypes(words),
    ...parameterTypes(words),
    ...componentsType(words),
    queriesType(words),
  ].join('\n');
  return `// ${HEADER}\n\n${importLine([...words.uses], 'signalbox')}${words.uses.size === 0 ? '' : '\n'}${body}`;
}

function documentType(document: Document, words: Writing): string {
  const title = comment('', [sentence(document.description) ?? `Document ${document.id}.`]);
  return `${title}export type ${words.names.given(document)} = ${members(document, 'given', words)}`;
}

function receivedType(document: Document, words: Writing): string {
  const title = comment('', [`${document.id} as code receives it.`, sentence(document.description)]);
  return `${title}export type ${words.names.received(document)} = ${members(document, 'received', words)}`;
}

function requestType(operation: Operation, words: Writing): string {
  const fields = requestFields(operation);
  const lines = fields.map(({ field, present }) => property(field, 'received', present, words));
  const { request } = operation;
  if (request.kind === 'raw') {
    const type = rawText(request.raw, words.uses);
    lines.push(
      `${comment('  ', ['The body; absent where the caller sent none.'])}  readonly content?: ${type} | undefined;\n`,
    );
  }
  if (request.kind === 'document' && request.document.open) {
    words.uses.add('Value');
    lines.push('  readonly [field: string]: Value;\n');
  }
  const isDocument = request.kind === 'document';
  const title = isDocument
    ? `${messageWords(request)} as ${operation.id} receives it.`
    : `What ${operation.id} receives.`;
  return `${comment('', [title])}export type ${words.names.request(operation)} = ${block(lines, 'never')}`;
}

function promptsType(query: Query, words: Writing): string {
  const lines = query.prompts.map((prompt) => property(prompt, 'given', codeMustGive(prompt), words));
  return `${comment('', [`Prompts of ${query.id}.`])}export type ${words.names.prompts(query)} = ${block(lines)}`;
}

function rowType(query: Query, words: Writing): string {
  const lines = query.columns.map((column) => {
    const said = comment('  ', [sentence(column.description), facts(column)]);
    return `${said}  ${propertyName(column.name)}: ${columnText(column, words)} | null;\n`;
  });
  const title = comment('', [`A row of ${query.id}.`, sentence(query.description)]);
  return `${title}export type ${words.names.row(query)} = ${block(lines)}`;
}

/** Columns are taken at their declared word, as documents that they are put into are; JSON and bytes come as text. */
function columnText(column: Field, words: Writing): string {
  const { kind } = column.type;
  return kind === 'json' || kind === 'binary' ? 'string' : valueText(column, 'given', words.names, words.uses);
}

function queriesType(words: Writing): string {
  const lines = words.queries.map((query) => {
    const prompts = words.names.prompts(query);
    const optional = query.prompts.some(codeMustGive) ? '' : '?';
    const entry = `{ prompts: [prompts${optional}: ${prompts}]; row: ${words.names.row(query)} }`;
    return `${comment('  ', [sentence(query.description)])}  ${propertyName(query.id)}: ${entry};\n`;
  });
  return `${comment('', ['Every stored query: its prompts and its rows.'])}export type Queries = ${block(lines, 'never')}`;
}
