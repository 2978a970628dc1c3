import { bareField, type Document } from '../../model/document.ts';
import type { Field, FieldType } from '../../model/field.ts';
import { PAGE_VARIABLES, type Paging, type Query, ROW_MEDIA_TYPES } from '../../model/query.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Answer, MediaMessage, Message } from '../../model/service.ts';
import { type Documents, documentOf } from '../document/documents.ts';
import { madeField } from '../document/field.ts';
import { derivedName, typeWords } from '../document/field-type.ts';
import { fitsSingle } from '../document/fit.ts';
import { type Linking, refuseBoth, resolveKey } from '../linking.ts';
import { defaultsOf } from '../schema/json-schema.ts';
import { type PagingDeclared, paging } from '../schema/operation.ts';
import { forms, isFormats, linkResponses } from './payload.ts';
import type { OperationSpot, PlacedTemplate } from './spot.ts';

/** A query that answers, with the request and reply of its operation. */
export interface QueryAnswer {
  readonly answer: Answer;
  readonly request: Message;
  readonly responses: readonly MediaMessage[];
  /** The response over SOAP, where it differs. */
  readonly soapResponses?: readonly MediaMessage[];
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
  const bare = declared.paging === undefined ? linkBareRows(documents, spot) : undefined;
  const isListed = isFormats(declared.response);
  for (const key of ['request', 'variables', 'body']) refuseBoth(linking, declared, 'query', key, reason);
  if (bare === undefined && !isListed)
    refuseBoth(linking, declared, 'query', 'response', `${reason}, whose forms are a list: \`response: [json, csv]\``);
  if (isListed)
    refuseBoth(linking, declared, 'paging', 'response', 'a page has its cursor beside its rows, in JSON and XML alone');
  const query = resolveKey(linking, 'query', queries, declared, 'query');
  if (query === undefined) return undefined;
  // Pages were meant, and what is wrong with them has been reported.
  if (linking.doubt.about(declared, 'paging')) return undefined;
  if (declared.paging !== undefined) return linkPagedAnswer(documents, spot, query, declared.paging, templates);
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
  return {
    answer: { kind: 'query', query, ...(maxrows === undefined ? {} : { maxrows }) },
    request: asked,
    ...linkRows(documents, spot, query),
  };
}

/** The forms of the reply: of its document, and the rows as files. Over SOAP it is always the document. */
function linkRows(documents: Documents, spot: OperationSpot, query: Query) {
  const listed = spot.inherited('response')?.value;
  const formats = isFormats(listed) ? listed : (['json', 'xml'] as const);
  const isWritten = formats.some((format) => format === 'json' || format === 'xml');
  const message = (): Message => {
    const fields = [rowsField(rowOf(documents, spot, query), query)];
    return { kind: 'document', document: documents.synthesize(derivedName(spot, 'RESPONSE'), fields, spot.at) };
  };
  const document = isWritten || spot.declared.soap !== undefined ? message() : undefined;
  const responses = formats.map((format): MediaMessage => {
    const file = format === 'csv' ? 'text' : format === 'xlsx' ? 'binary' : undefined;
    return {
      mediaType: ROW_MEDIA_TYPES[format],
      message: file === undefined ? (document as Message) : { kind: 'raw', raw: file },
    };
  });
  return { responses, ...(document === undefined ? {} : { soapResponses: forms(document) }) };
}

/** The document of a row. All operations that the query answers share it. */
function rowOf(documents: Documents, { declared }: OperationSpot, query: Query): Document {
  const rowId = `${query.id}_ROW`;
  const known = documents.byId.get(rowId);
  if (known?.fields === query.columns) return known;
  const at = documents.linking.places.value(declared, 'query');
  return documents.synthesize({ id: rowId, name: rowId }, query.columns, at, { xmlName: 'row' });
}

/** `query: NAME` with `paging`: the request has the variables of the pages too, and the reply the cursor of the next. */
function linkPagedAnswer(
  documents: Documents,
  spot: OperationSpot,
  query: Query,
  declared: PagingDeclared,
  templates: readonly PlacedTemplate[],
): QueryAnswer {
  const { linking } = documents;
  const paging = linkPaging(linking, query, declared);
  const counts =
    templates.length === 0 ||
    templates.some(({ template }) => template.variables.some(({ name }) => name === PAGE_VARIABLES.count));
  const variables = pageVariables(query, paging, counts);
  checkPageVariables(linking, query, variables, templates, spot);
  const request = documents.synthesize(derivedName(spot, 'REQUEST'), [...query.prompts, ...variables], spot.at);
  const next = madeField('next', { kind: 'text' }, query.at, {
    description: 'The value of `after` for the next page. Absent on the last one.',
  });
  const total = madeField('total', { kind: 'integer' }, query.at, {
    description: 'Rows of all pages, if `count` is true.',
  });
  const row = rowOf(documents, spot, query);
  const fields = [rowsField(row, query), next, ...(counts ? [total] : [])];
  const response = documents.synthesize(derivedName(spot, 'RESPONSE'), fields, spot.at);
  return {
    answer: { kind: 'query', query, paging },
    request: { kind: 'document', document: request },
    responses: forms({ kind: 'document', document: response }),
  };
}

const PAGING = defaultsOf(paging);

/** Columns that are not known have been reported; they are left out. */
function linkPaging({ report, places }: Linking, query: Query, declared: PagingDeclared): Paging {
  const { limit = PAGING.limit, maximum = Math.max(PAGING.maximum, limit) } = declared;
  const find = (key: 'order' | 'sort' | 'filter', text: string, index: number): Field[] => {
    const at = places.value(declared[key] as readonly string[], index);
    const name = key === 'order' ? text.replace(/^-/, '') : text;
    const column = query.columns.find((each) => each.name === name);
    if (column === undefined) {
      report.raise(
        'unknown-column',
        { column: name, query: query.id, known: query.columns.map((each) => each.name) },
        at,
      );
      return [];
    }
    const primitive = primitiveOf(column.type);
    const refuse = (reason: string): void => report.raise('bad-query-answer', { reason }, at);
    if (primitive === undefined || primitive === 'binary' || primitive === 'json')
      refuse(`${name} of ${query.id} is ${typeWords(column.type)}, whose values have no order`);
    else if (column.sensitive) refuse(`${name} of ${query.id} is sensitive, and cursors and addresses would show it`);
    return [column];
  };
  const order = declared.order.flatMap((text, index) =>
    find('order', text, index).map((column) => ({ column, descending: text.startsWith('-') })),
  );
  const [sort, filter] = (['sort', 'filter'] as const).map((key) =>
    (declared[key] ?? []).flatMap((name, index) => find(key, name, index)),
  ) as [Field[], Field[]];
  if (limit > maximum) {
    const reason = `The limit of a page is ${limit}, more than its maximum, ${maximum}`;
    report.raise('bad-query-answer', { reason }, places.value(declared, 'limit'));
  }
  return { order, sort, filter, limit, maximum };
}

/** The fields of the request that are about pages. */
function pageVariables({ at }: Query, { sort, filter, limit, maximum }: Paging, counts: boolean): Field[] {
  const sorts = sort.flatMap(({ name }) => [name, `-${name}`]);
  const made = [
    {
      ...madeField(PAGE_VARIABLES.limit, { kind: 'integer' }, at, {
        description: `Rows of the page, at most ${maximum}.`,
        range: { minimum: '1', maximum: String(maximum) },
        example: limit,
      }),
      default: limit,
    },
    madeField(PAGE_VARIABLES.after, { kind: 'text' }, at, {
      description: 'The cursor `next` of the page before. Without it, the first page.',
    }),
    ...(sort.length === 0
      ? []
      : [
          madeField(PAGE_VARIABLES.sort, { kind: 'string' }, at, {
            description: 'The column to sort by; descending with `-`.',
            enum: sorts,
          }),
        ]),
    ...(counts
      ? [
          madeField(PAGE_VARIABLES.count, { kind: 'boolean' }, at, {
            description: 'Counts the rows of all pages: `total`.',
          }),
        ]
      : []),
  ];
  const filters = filter.map((column): Field => {
    const { default: _, fixed: __, nullable: ___, ...rest } = column;
    return { ...rest, required: false, absent: 'omit', attribute: false };
  });
  return [...made, ...filters];
}

/** Each URI has the variables of the pages, and no prompt has the name of one. */
function checkPageVariables(
  { report, places }: Linking,
  query: Query,
  variables: readonly Field[],
  templates: readonly PlacedTemplate[],
  { declared }: OperationSpot,
): void {
  const twice = variables.find(({ name }, index) =>
    [...query.prompts, ...variables.slice(0, index)].some((each) => each.name === name),
  );
  if (twice !== undefined) {
    const reason = `${twice.name} is a variable of the pages, and another prompt or filter of ${query.id} has this name`;
    report.raise('bad-query-answer', { reason }, places.key(declared, 'paging'));
  }
  for (const { template, at } of templates) {
    const known = new Set(template.variables.map(({ name }) => name));
    const lacking = variables.filter(({ name }) => !known.has(name)).map(({ name }) => name);
    if (lacking.length === 0) continue;
    const reason = `The URI has no place for ${lacking.join(', ')} of \`paging\`: add {?${lacking.join(',')}}, or & after the first ?`;
    report.raise('bad-query-answer', { reason }, at);
  }
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
  return madeField(MAXROWS, { kind: 'integer' }, at, { description, range: { minimum: '0' }, example: 100 });
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
  if (document.abstract) return `${document.id} is abstract, so that no row is one`;
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
  return primitiveOf(from) !== undefined && (primitiveOf(from) === 'boolean') === (primitiveOf(to) === 'boolean');
}
