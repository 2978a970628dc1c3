import { faultStatuses, sentForms } from '../../../describe/exchange.ts';
import { boundsNote, joined, labelsNote } from '../../../describe/words.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import type { Document } from '../../../model/document.ts';
import {
  type CompoundType,
  type Field,
  type FieldType,
  isCollection,
  type ScalarType,
  singleType,
  typeWords,
} from '../../../model/field.ts';
import type { Registry } from '../../../model/registry.ts';
import { type Message, type Operation, onceOf, replyStatus } from '../../../model/service.ts';
import type { ConsolePorts } from '../../console-port.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import { section, table } from '../../parts.ts';
import { linkTo } from './things.ts';

/** A field in a table, below the field that contains it. */
interface Row {
  readonly field: Field;
  readonly depth: number;
  /** Whether the fields of its document are left out: because it contains itself, or because of their number. */
  readonly isCut: boolean;
}

/** Maximum number of rows in a table; the pages of the documents have the rest. */
const MOST = 300;
const DEEPEST = 6;

function rowsOf(fields: readonly Field[], depth = 0, outer: readonly Document[] = []): Row[] {
  const rows: Row[] = [];
  for (const field of fields) {
    if (rows.length >= MOST) break;
    const type = singleType(field.type);
    const inner = type.kind === 'document' ? type.document : undefined;
    const isCut = inner !== undefined && (outer.includes(inner) || depth >= DEEPEST);
    rows.push({ field, depth, isCut });
    if (inner !== undefined && !isCut) rows.push(...rowsOf(inner.fields, depth + 1, [...outer, inner]));
  }
  return rows.slice(0, MOST);
}

/** Fields with the fields inside them. @param placeOf the place of a field in a request: `path`, `body` */
export function fieldTable(of: string, fields: readonly Field[], placeOf?: (field: Field) => Part): Html {
  const rows = rowsOf(fields);
  const has = (test: (field: Field) => boolean): boolean => rows.some(({ field }) => test(field));
  const columns = [
    { title: 'Field', kind: 'code' as const, cell: nameCell },
    ...(placeOf === undefined
      ? []
      : [{ title: 'In', cell: ({ field, depth }: Row) => (depth === 0 ? placeOf(field) : '') }]),
    { title: 'Type', cell: typeCell },
    ...(has(({ required }) => required) ? [{ title: 'Required', cell: ({ field }: Row) => requiredWords(field) }] : []),
    ...(has(({ default: text, fixed }) => text !== undefined || fixed !== undefined)
      ? [{ title: 'Default', kind: 'code' as const, cell: ({ field }: Row) => defaultCell(field) }]
      : []),
    ...(has(({ assumed }) => assumed !== undefined)
      ? [{ title: 'Assumed', kind: 'code' as const, cell: ({ field }: Row) => assumedCell(field) }]
      : []),
    ...(has((field) => field.enum !== undefined || furtherBounds(field) !== undefined)
      ? [{ title: 'Values', kind: 'wide' as const, cell: ({ field }: Row) => valuesCell(field) }]
      : []),
    ...(has(({ description }) => description !== undefined)
      ? [{ title: 'Description', kind: 'wide' as const, cell: ({ field }: Row) => field.description ?? '' }]
      : []),
    ...(has(({ example }) => example !== undefined)
      ? [{ title: 'Example', cell: ({ field }: Row) => exampleCell(field) }]
      : []),
  ];
  const cut = rows.length >= MOST ? html`<p class="hint">The first ${MOST} fields are shown.</p>` : NOTHING;
  return html`${table(of, columns, rows, { empty: 'It has no fields.' })}${cut}`;
}

function nameCell({ field, depth }: Row): Html {
  const { name, jsonName, xmlName, attribute } = field;
  const xml = field.content ? 'text' : field.inline ? 'inline' : field.any;
  const others = [
    ...(jsonName === name ? [] : [`JSON ${jsonName}`]),
    ...(xml === undefined ? [] : [`XML ${xml}`]),
    ...(xml !== undefined || (xmlName === name && !attribute) ? [] : [`XML ${attribute ? '@' : ''}${xmlName}`]),
  ];
  return html`<span class="depth-${depth}"><code>${name}</code>${
    others.length === 0 ? NOTHING : html` <span class="faint">${others.join(', ')}</span>`
  }</span>`;
}

function typeCell({ field, isCut }: Row): Html {
  const cut = isCut ? html` <span class="faint">see there</span>` : NOTHING;
  const nullable = field.nullable === true ? ' or null' : '';
  return html`${typeOf(field.type)}${nullable}${cut}`;
}

function typeOf(type: FieldType): Html {
  const single = singleType(type);
  if (single.kind !== 'document') return html`${typeWords(type)}`;
  const of = isCollection(type) ? `${type.kind} of ` : '';
  const { document } = single;
  const words = document.choice === undefined ? 'object' : 'one of';
  return document.inPlace ? html`${of}${words}` : html`${of}${linkTo('documents', document)}`;
}

const requiredWords = ({ required }: Field): string => (required ? 'required' : '');

/** The bounds of a field, except the length in its type. */
function furtherBounds(field: Field): string | undefined {
  const plain = (type: ScalarType | CompoundType): ScalarType | CompoundType =>
    type.kind === 'document' ? type : { kind: type.kind };
  const { type } = field;
  return boundsNote({ ...field, type: isCollection(type) ? { ...type, item: plain(type.item) } : plain(type) });
}

/** Sensitive values are masked wherever the gateway shows them. */
const isShown = ({ sensitive }: Field): boolean => !sensitive;

function defaultCell(field: Field): Part {
  if (!isShown(field)) return field.default === undefined && field.fixed === undefined ? '' : '***';
  return field.fixed === undefined ? (field.default === undefined ? '' : String(field.default)) : `= ${field.fixed}`;
}

function assumedCell(field: Field): Part {
  return field.assumed === undefined ? '' : isShown(field) ? String(field.assumed) : '***';
}

function valuesCell(field: Field): Part {
  const all = field.enum === undefined ? '' : html`<code>${field.enum.join(' | ')}</code> `;
  return html`${all}${joined(' ', labelsNote(field), furtherBounds(field)) ?? ''}`;
}

function exampleCell(field: Field): Part {
  if (field.example === undefined) return '';
  return isShown(field) ? html`<code>${String(field.example)}</code>` : '***';
}

const RAW_WORDS = { json: 'any JSON', xml: 'any XML', text: 'text', binary: 'bytes' } as const;

/** The fields of a message, or its description if it has no fields. */
export function messageTable(of: string, message: Message, placeOf?: (field: Field) => Part): Html {
  if (message.kind === 'none') return html`<p class="faint">Nothing is sent.</p>`;
  if (message.kind === 'raw') return html`<p>${RAW_WORDS[message.raw]}, without a document.</p>`;
  const { document } = message;
  const about = [
    ...(document.bare === true ? ['The value of content is the whole message.'] : []),
    ...(document.choice === undefined ? [] : ['Exactly one of the fields has a value.']),
    ...(document.open ? ['Further fields are allowed.'] : []),
  ].join(' ');
  return html`${document.inPlace ? NOTHING : html`<p>Document ${linkTo('documents', document)}</p>`}${
    about === '' ? NOTHING : html`<p class="hint">${about}</p>`
  }${fieldTable(of, document.fields, placeOf)}`;
}

/** What a caller sends, and the possible replies. */
export function contractOf(registry: Registry, operation: Operation): Html {
  const { request, fault } = operation;
  const forms = Map.groupBy(sentForms(operation), ({ message }) =>
    message.kind === 'document' ? message.document : message.kind === 'raw' ? message.raw : message.kind,
  );
  const status = replyStatus(operation);
  const replies =
    forms.size === 0
      ? html`<p>${status}, without a body.</p>`
      : [...forms.values()].map(
          (same) =>
            html`<h3>${status} as ${same.map(({ mediaType }) => mediaType).join(' or ')}</h3>${messageTable(
              `Response as ${same[0]?.mediaType}`,
              same[0]?.message ?? { kind: 'none' },
            )}`,
        );
  const faults = html`${table(
    'Faults',
    [
      { title: 'Status', kind: 'number', cell: ({ status: each }) => each },
      { title: 'Code', kind: 'code', cell: ({ code }) => html`<code>${code}</code>` },
      { title: 'When', kind: 'wide', cell: ({ meaning }) => meaning },
    ],
    faultStatuses(operation, registry.gateway),
    { empty: 'It has no faults.' },
  )}${
    fault === undefined
      ? html`<p class="hint">As problem details (RFC 9457).</p>`
      : html`<h3>As ${linkTo('documents', fault)}</h3>${fieldTable('Fields of a fault', fault.fields)}`
  }`;
  return html`${section('Request', html`${headersOf(registry, operation)}${messageTable('Request', request, (field) => placesOf(operation, field))}`)}
${section('Response', html`${replies}${laterReply(operation)}`)}
${section('Faults', faults)}`;
}

/** The reply to a message of a queue, which is sent later. */
function laterReply({ answer }: Operation): Html {
  if (answer.kind !== 'queue' || answer.reply === undefined) return NOTHING;
  return html`<h3>The reply, which comes later</h3>${messageTable('Later reply', answer.reply)}`;
}

/** The place of a field in a request. Over SOAP it is in the body, or a header block. */
function placesOf({ uris, requestHeaders }: Operation, field: Field): string {
  const header = requestHeaders.find((each) => each.field.name === field.name)?.header;
  if (header !== undefined) return `header ${header}`;
  const places = uris.flatMap(({ variables, body }) => [
    ...variables.flatMap((each) =>
      each.field.name !== field.name
        ? []
        : [each.wireName === field.name ? each.place : `${each.place} ${each.wireName}`],
    ),
    ...(body.some(({ name }) => name === field.name) ? ['body'] : []),
  ]);
  if (places.length === 0) return field.header ? 'header block' : 'body';
  return [...new Set(places)].join(' or ');
}

function headersOf({ gateway }: Registry, operation: Operation): Html {
  const once = onceOf(operation, gateway);
  const rows = [
    ...operation.requestHeaders.map(({ header, field }) => ({ header, what: `the field ${field.name}` })),
    ...(once === undefined || operation.method === undefined
      ? []
      : [{ header: 'Idempotency-Key', what: 'a repeated call with the same key gets the first answer' }]),
    ...(operation.answer.kind === 'component' && operation.answer.action !== 'create'
      ? [{ header: operation.answer.action === 'read' ? 'If-None-Match' : 'If-Match', what: 'the ETag of the record' }]
      : []),
  ];
  if (rows.length === 0) return NOTHING;
  return html`${rows.map(({ header, what }) => html`<p>Header <code>${header}</code>: ${what}.</p>`)}`;
}

/** What a called operation receives, and what it replies. */
export function calledContract({ redactor }: Pick<ConsolePorts, 'redactor'>, operation: ConsumerOperation): Html {
  const request: Message =
    operation.kind === 'soap' ? operation.soap.request : { kind: 'document', document: operation.input };
  const replies =
    operation.kind === 'soap'
      ? [{ mediaType: 'text/xml', message: operation.soap.response }]
      : operation.responses.map(({ mediaType, message }) => ({ mediaType, message }));
  const given = operation.headers.map((each) => [each.name, 'text' in each ? each.text.source : each.value] as const);
  const headers = Object.entries(redactor.headers(Object.fromEntries(given)));
  return html`${section(
    'Input',
    html`${headers.map(([name, text]) => html`<p>Header <code>${name}: ${text}</code></p>`)}${messageTable('Input', request)}`,
  )}
${section(
  'Reply',
  html`${replies.map(({ mediaType, message }) => html`<h3>As ${mediaType}</h3>${messageTable(`Reply as ${mediaType}`, message)}`)}`,
)}
${operation.fault === undefined ? NOTHING : section('Faults', html`<p>Document ${linkTo('documents', operation.fault)}</p>${fieldTable('Fields of a fault', operation.fault.fields)}`)}`;
}
