import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import { PAGE_VARIABLES } from '../model/query.ts';
import { primitiveOf, traitsOf } from '../model/scalar.ts';
import { finalAnswer, type Operation } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { compilePath } from '../serve/answer/by-component.ts';

// Callers of a paged operation go on until a reply names no next page. One that is made would name one for ever. So a mock writes
// the number of the next page into what names it, and finds it again in the input of the next call.

/** A reply with the names of its next page, or without them on the last. */
export interface Paged {
  readonly value: DocumentValue | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Compiles the pages of replies that are made.
 * @param pages number of pages
 * @param base the address and context of the mock, for the `Link` of operations with `paging:`
 */
export function compilePages(
  operation: Operation,
  pages: number,
  base: (() => string) | undefined,
): (made: DocumentValue | string, input: DocumentValue) => Paged {
  const changes = operation.responses.flatMap(({ message }) =>
    message.kind === 'document' ? changesOf(message.document) : [],
  );
  const link = base === undefined ? undefined : compileLink(operation, base);
  return (made, input) => {
    if (changes.length === 0 || typeof made === 'string') return { value: made };
    const page = pageOf(input);
    const isLast = page >= pages;
    const value = changes.reduce((whole, change) => change(whole, page, isLast), made);
    const target = isLast ? undefined : link?.(input, page + 1);
    return target === undefined ? { value } : { value, headers: { Link: `<${target}>; rel="next"` } };
  };
}

/** The `Link` to the page of an operation with `paging:`. */
function compileLink(
  operation: Operation,
  base: () => string,
): ((input: DocumentValue, page: number) => string | undefined) | undefined {
  const answer = finalAnswer(operation);
  const [uri] = operation.uris;
  if (answer.kind !== 'query' || answer.paging === undefined || uri === undefined) return undefined;
  const path = compilePath(uri);
  const { pathName, service } = operation;
  return (input, page) =>
    `${base()}/RESTListeningConnector/${pathName}.${service.version}/${path({ ...input, [PAGE_VARIABLES.after]: token(page) })}`;
}

const token = (page: number): string => `page-${page}`;
const TOKEN = /(?:^|[=/])page-(\d{1,9})(?![\w-])/;

/** Names of the number of a page in requests, in lower case without punctuation. */
const NUMBERS: ReadonlySet<string> = new Set(['page', 'pagenumber', 'pageno', 'pageindex', 'currentpage']);

/** The page that a call asks for, from 1. */
function pageOf(input: DocumentValue): number {
  for (const [name, value] of Object.entries(input)) {
    const [, number] = typeof value === 'string' ? (TOKEN.exec(value) ?? []) : [];
    if (number !== undefined) return Number(number);
    if (NUMBERS.has(bare(name)) && /^\d{1,9}$/.test(String(value))) return Number(value);
  }
  return 1;
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Names of fields of replies that lead to the next page, in lower case without punctuation. */
const NEXT: ReadonlySet<string> = new Set(
  'next nextpage nextpagetoken nexttoken nextcursor nextlink nexthref nexturl nexturi nextpageurl nextpageuri nextpagenumber odatanextlink endcursor continuation continuationtoken cursor'.split(
    ' ',
  ),
);
/** Names of fields that say whether there is one. */
const MORE: ReadonlySet<string> = new Set('hasmore hasnext hasnextpage more morepages ismore'.split(' '));
/** Names of documents in a reply that describe its pages. */
const AROUND: ReadonlySet<string> = new Set(
  'paging pagination page pageinfo pages meta metadata links responsemetadata cursor cursors'.split(' '),
);

type Change = (value: DocumentValue, page: number, isLast: boolean) => DocumentValue;

/** What pages change in a document, and in the documents in it that describe them. */
function changesOf({ fields, choice }: Document, depth = 0): Change[] {
  if (choice !== undefined) return [];
  return fields.flatMap((field): Change[] => {
    const name = bare(field.jsonName);
    if (NEXT.has(name)) return [nextIn(field)];
    if (MORE.has(name) && primitiveOf(field.type) === 'boolean')
      return [(value, _, isLast) => ({ ...value, [field.name]: !isLast })];
    if (field.type.kind !== 'document' || depth > 1 || !AROUND.has(name)) return [];
    const inner = changesOf(field.type.document, depth + 1);
    return inner.map(
      (change): Change =>
        (value, page, isLast) => {
          const within = value[field.name];
          return isDocument(within) ? { ...value, [field.name]: change(within, page, isLast) } : value;
        },
    );
  });
}

function isDocument(value: Value | undefined): value is DocumentValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that leads to the next page: absent on the last one, or null or empty where it has to be there. */
function nextIn(field: Field): Change {
  const { name, required, nullable, type } = field;
  const traits = traitsOf(type);
  const isFree = field.enum === undefined && field.patterns === undefined && field.fixed === undefined;
  const longest = field.maximum ?? ('length' in type ? type.length : undefined) ?? 256;
  const next = (made: Value | undefined, page: number): Value | undefined => {
    if (!isFree || made === undefined) return made;
    if (traits?.primitive === 'integer') return page;
    if (traits?.primitive !== 'text') return made;
    const text = traits.anyText ? token(page) : `${String(made)}?after=${token(page)}`;
    return text.length <= longest ? text : made;
  };
  const canBeEmpty = traits?.anyText === true && isFree && (field.minimum ?? 0) === 0;
  return (value, page, isLast) => {
    if (!isLast) return { ...value, [name]: next(value[name], page + 1) };
    if (!required) return without(value, name);
    if (nullable === true) return { ...value, [name]: null };
    return canBeEmpty ? { ...value, [name]: '' } : value;
  };
}

function without(value: DocumentValue, name: string): DocumentValue {
  const { [name]: _, ...rest } = value;
  return rest;
}
