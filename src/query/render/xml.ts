import { cdata, escapeAttribute, escapeText } from '../../wire/xml-text.ts';
import type { XmlNames } from '../port.ts';
import type { Zone } from '../timezone.ts';
import { compileTextOf, type ResultColumn, type SqlValue } from './convert.ts';
import { MOST_ROWS, type RendererFactory } from './renderer.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** Kinds whose values stand in CDATA sections: the text columns. */
const texts: ReadonlySet<string> = new Set(['string', 'text', 'flag', 'xml', 'json']);

/** Query results as XML: one element a column, text in CDATA, NULL an empty element. */
export function compileXmlp(name: string, columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  const cells = columns.map((column) => {
    const text = compileTextOf(column, zone, 'query');
    const open = `<${column.name}>`;
    const close = `</${column.name}>`;
    const empty = `<${column.name}/>`;
    const write = texts.has(column.kind) ? cdata : escapeText;
    return (row: readonly SqlValue[]): string => {
      const value = row[column.at] ?? null;
      return value === null ? empty : open + write(text(value)) + close;
    };
  });
  const after = `" queryname="${escapeAttribute(name)}">`;
  return elements(
    (row, number) => `<row rownumber="${number}">${join(cells, row)}</row>`,
    (rows) => `${DECLARATION}<QAS_GETQUERYRESULTS_RESP_MSG><query numrows="${rows}${after}`,
    () => '</query></QAS_GETQUERYRESULTS_RESP_MSG>',
  );
}

/**
 * The reply document of an operation that a query answers. NULL is left out, or an empty element where the column says
 * so and its type allows it.
 */
export function compileRowsXml(names: XmlNames, columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  const writer = (column: ResultColumn) => {
    const text = compileTextOf(column, zone, 'document');
    const parts = column.attribute ? attributeParts(column) : elementParts(column, names.namespace);
    const write = column.attribute ? escapeAttribute : escapeText;
    const absent = column.blank && blankable.has(column.kind) ? parts.empty : '';
    return (row: readonly SqlValue[]): string => {
      const value = row[column.at] ?? null;
      return value === null ? absent : parts.open + write(text(value)) + parts.close;
    };
  };
  const attributes = columns.filter((column) => column.attribute).map(writer);
  const children = columns.filter((column) => !column.attribute).map(writer);
  const root = `<${names.root}${names.namespace === '' ? '' : ` xmlns="${escapeAttribute(names.namespace)}"`}>`;
  return elements(
    (row) => `<${names.item}${join(attributes, row)}>${join(children, row)}</${names.item}>`,
    (rows) => root + (rows === 0 ? `<${names.list}/>` : `<${names.list}>`),
    (rows) => `${rows === 0 ? '' : `</${names.list}>`}</${names.root}>`,
  );
}

const blankable: ReadonlySet<string> = new Set(['string', 'text', 'binary', 'xml', 'json']);

interface Parts {
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

function elementParts(column: ResultColumn, around: string): Parts {
  const { xmlName, namespace } = column;
  const declared = namespace === undefined || namespace === around ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  return { open: `<${xmlName}${declared}>`, close: `</${xmlName}>`, empty: `<${xmlName}${declared}/>` };
}

function attributeParts(column: ResultColumn): Parts {
  const { xmlName, namespace = '' } = column;
  const prefix = `a${column.at}`;
  const start =
    namespace === '' ? ` ${xmlName}="` : ` xmlns:${prefix}="${escapeAttribute(namespace)}" ${prefix}:${xmlName}="`;
  return { open: start, close: '"', empty: `${start}"` };
}

function join(cells: readonly ((row: readonly SqlValue[]) => string)[], row: readonly SqlValue[]): string {
  let text = '';
  for (const cell of cells) text += cell(row);
  return text;
}

/** A renderer that writes each row as it comes. */
export function elements(
  element: (row: readonly SqlValue[], number: number) => string,
  head: (rows: number) => string,
  tail: (rows: number) => string,
): RendererFactory {
  return {
    headRoom: Math.max(Buffer.byteLength(head(0)), Buffer.byteLength(head(MOST_ROWS))),
    start() {
      let text = '';
      let rows = 0;
      return {
        row(row, number) {
          text += element(row, number);
          rows = number;
        },
        flush() {
          const done = text;
          text = '';
          return done;
        },
        head,
        tail: () => tail(rows),
      };
    },
  };
}
