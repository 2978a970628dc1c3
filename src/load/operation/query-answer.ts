import { bareField, type Document } from '../../model/document.ts';
import type { Field, FieldType } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Answer, MediaMessage, Message } from '../../model/service.ts';
import { type Documents, documentOf, madeField } from '../document/documents.ts';
import { derivedName, typeWords } from '../document/field-type.ts';
import { fitsSingle } from '../document/fit.ts';
import { refuseBoth, resolveKey } from '../linking.ts';
import { forms, linkResponses } from './message.ts';
import type { OperationSpot, PlacedTemplate } from './spot.ts';

/** A query that answers, with the request and reply of its operation. */
export interface QueryAnswer {
  readonly answer: Answer;
  readonly request: Message;
  readonly responses: readonly MediaMessage[];
}

const MAXROWS = 'maxrows';

/** `query: NAME`: prompts are the request, columns the rows of the reply; `undefined` when the query does not exist. */
export function linkQueryAnswer(
  documents: Documents,
  spot: OperationSpot,
  queries: ReadonlyMap<string, Query>,
  templates: readonly PlacedTemplate[],
): QueryAnswer | undefined {
  const { linking } = documents;
  const { places } = linking;
  const { declared, at } = spot;
  const reason = 'the prompts of the query are the request, and its columns the reply';
  const bare = linkBareRows(documents, spot);
  for (const key of ['request', ...(bare === undefined ? ['response'] : []), 'template', 'body'])
    refuseBoth(linking, declared, 'query', key, reason);
  const query = resolveKey(linking, 'query', queries, declared, 'query');
  if (query === undefined) return undefined;
  const prompted = query.prompts.some((prompt) => prompt.name === MAXROWS);
  const named = templates.some(({ template }) => template.variables.some((variable) => variable.name === MAXROWS));
  const maxrows = named && !prompted ? maxrowsField(query) : undefined;
  const requestFields = maxrows === undefined ? query.prompts : [...query.prompts, maxrows];
  const request = documents.synthesize(derivedName(spot, 'REQUEST'), requestFields, at);
  const asked: Message = { kind: 'document', document: request };
  if (bare !== undefined) {
    const [{ document, field }, limit] = [bare, maxrows === undefined ? {} : { maxrows }];
    const broken = linking.doubt.about(document) ? undefined : whyNotFilled(field, query);
    if (broken !== undefined)
      linking.report.raise('bad-query-answer', { reason: broken }, places.value(declared, 'response'));
    const responses = forms({ kind: 'document', document });
    return { answer: { kind: 'queries', lists: [{ field, query }], ...limit }, request: asked, responses };
  }
  const rowId = `${query.id}_ROW`;
  // All operations that the query answers share one row document.
  const known = documents.byId.get(rowId);
  const row =
    known?.fields === query.columns
      ? known
      : documents.synthesize({ id: rowId, name: rowId }, query.columns, places.value(declared, 'query'), {
          xmlName: 'row',
        });
  const response = documents.synthesize(derivedName(spot, 'RESPONSE'), [rowsField(row, query)], at);
  return {
    answer: { kind: 'query', query, ...(maxrows === undefined ? {} : { maxrows }) },
    request: asked,
    responses: forms({ kind: 'document', document: response }),
  };
}

/** `response: list of PET`: the rows are the whole reply, as entries of that list. */
function linkBareRows(documents: Documents, spot: OperationSpot) {
  const { response } = spot.declared;
  if (typeof response !== 'string' || !/^list\s+of\s/.test(response.trim())) return undefined;
  const document = documentOf(linkResponses(documents, spot)[0]?.message);
  const field = document && bareField(document);
  return document && field && { document, field };
}

function maxrowsField({ at }: Query): Field {
  const description = "Most rows to return. 0 means no limit of the caller's own.";
  return madeField(MAXROWS, { kind: 'integer' }, at, { description, minimum: 0, example: 100 });
}

function rowsField(row: Document, { at }: Query): Field {
  const type: FieldType = { kind: 'list', item: { kind: 'document', document: row }, flat: false };
  return madeField('rows', type, at, { description: 'The rows found.', required: true });
}

/** `query: { FIELD: NAME }`: the rows of each query fill a list field of the response. */
export function linkQueriesAnswer(
  documents: Documents,
  spot: OperationSpot,
  queries: ReadonlyMap<string, Query>,
  request: Message,
  response: Message,
): Answer | undefined {
  const { linking } = documents;
  const { report, places, doubt } = linking;
  const map = spot.declared.query as Readonly<Record<string, string>>;
  if (response.kind !== 'document') {
    const reason = 'The rows of a query fill a field of the response, but the response is not a document';
    report.raise('bad-query-answer', { reason }, places.key(spot.declared, 'query'));
    return undefined;
  }
  const document = documentOf(request);
  const inputs = document?.fields ?? [];
  const complete = !doubt.about(document);
  const lists = Object.keys(map).flatMap((name) => {
    const query = resolveKey(linking, 'query', queries, map, name);
    const field = response.document.fields.find((each) => each.name === name);
    if (query === undefined) return [];
    if (field === undefined && doubt.about(response.document)) return [];
    const at = places.key(map, name);
    const reason =
      field === undefined
        ? `${name} is not a field of ${response.document.id}`
        : (whyNotFilled(field, query) ?? whyNotPrompted(query, inputs, complete));
    if (reason !== undefined) report.raise('bad-query-answer', { reason }, at);
    return field === undefined ? [] : { field, query };
  });
  for (const { name, required, fixed, absent } of response.document.fields) {
    if (!required || fixed !== undefined || absent === 'blank' || name in map || spot.lacks('query')) continue;
    const reason = `${name} of ${response.document.id} is required, but no query fills it`;
    report.raise('bad-query-answer', { reason }, places.key(spot.declared, 'query'));
  }
  const maxrows = inputs.find((field) => field.name === MAXROWS && primitiveOf(field.type) === 'integer');
  const prompted = lists.some(({ query }) => query.prompts.some((prompt) => prompt.name === MAXROWS));
  return { kind: 'queries', lists, ...(maxrows === undefined || prompted ? {} : { maxrows }) };
}

function whyNotFilled({ name, type }: Field, query: Query): string | undefined {
  if (type.kind !== 'list' || type.item.kind !== 'document')
    return `${name} is ${typeWords(type)}, not a list of documents, so it can't contain rows`;
  const { document } = type.item;
  const columns = new Map(query.columns.map((column) => [column.name, column]));
  for (const field of document.fields) {
    const column = columns.get(field.name);
    if (column === undefined) {
      if (field.required) return `${field.name} of ${document.id} is required, but ${query.id} has no such column`;
    } else if (!fitsSingle(column.type, field.type)) {
      return `the column ${column.name} is ${column.type.kind}, but the field of that name in ${document.id} is ${field.type.kind}`;
    }
  }
  const any = document.fields.some((field) => columns.has(field.name));
  return any || document.open ? undefined : `no column of ${query.id} has the name of a field of ${document.id}`;
}

function whyNotPrompted(query: Query, inputs: readonly Field[], complete: boolean): string | undefined {
  for (const { name, type, required } of query.prompts) {
    const input = inputs.find((field) => field.name === name);
    if (input === undefined) {
      if (required && complete) return `${query.id} requires ${name}, which is not a field of the request`;
    } else if (!binds(input.type, type)) {
      return `the prompt ${name} is ${typeWords(type)}, but the field of that name in the request is ${typeWords(input.type)}`;
    }
  }
  return undefined;
}

/** Whether any value of a field can be bound to a prompt: JSON accepts everything except bytes, other types a single value. */
function binds(from: FieldType, to: FieldType): boolean {
  if (primitiveOf(from) === 'binary') return false;
  if (primitiveOf(to) === 'json') return true;
  return (
    from.kind !== 'list' &&
    from.kind !== 'document' &&
    (primitiveOf(from) === 'boolean') === (primitiveOf(to) === 'boolean')
  );
}
