import type { ElementName, ReplyRoot } from '../../model/document.ts';
import { SCALARS } from '../../model/scalar.ts';
import type { Zone } from '../../wire/timezone.ts';
import { NIL } from '../../wire/xml/namespaces.ts';
import { cdata, escapeAttribute, escapeText } from '../../wire/xml/text.ts';
import type { ResultColumn } from '../plan.ts';
import type { XmlNames } from '../query-port.ts';
import { compileTextOf } from './convert.ts';
import { MOST_ROWS, type NestedRow, type RendererFactory, type ResultShape } from './renderer.ts';
import type { SqlValue } from './value.ts';

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** Writes a row as an element. */
type RowElement = (cells: readonly SqlValue[], number: number, below: NestedRow['below']) => string;

/**
 * Query results as XML: one element a column, text in CDATA, NULL an empty element. Rows of a connected query hold those
 * of each child in an element of the child's name.
 */
export function compileXmlp(shape: ResultShape, zone: Zone, root: ReplyRoot | undefined): RendererFactory {
  const { start: open, end: close } = compileRoot(root ?? RESULT_ROOT);
  const { namespace, rows: inside = '' } = root ?? RESULT_ROOT;
  const start = `${open}<query${namespace === inside ? '' : ` xmlns="${escapeAttribute(inside)}"`}`;
  const end = `</query>${close}`;
  const after = `" queryname="${escapeAttribute(shape.name)}">`;
  return elements(
    compileQueryRow(shape, zone),
    (rows) => `${start} numrows="${rows}${after}`,
    () => end,
  );
}

/** The default root of a result. */
const RESULT_ROOT: ReplyRoot = { name: 'QAS_GETQUERYRESULTS_RESP_MSG', namespace: '', alone: true };

/** The tags of the element around a result. */
export function compileRoot(root: ReplyRoot): { readonly start: string; readonly end: string } {
  return { start: (root.alone ? DECLARATION : '') + openTag(root), end: `</${root.name}>` };
}

/** The start tag of an element that declares its namespace. */
function openTag({ name, namespace }: ElementName): string {
  return `<${name}${namespace === '' ? '' : ` xmlns="${escapeAttribute(namespace)}"`}>`;
}

function compileQueryRow({ columns, children }: ResultShape, zone: Zone): RowElement {
  const cells = columns.map((column) => compileCell(column, zone));
  const lists = compileLists(children, (child) => compileQueryRow(child, zone));
  return (row, number, below) => `<row rownumber="${number}">${join(cells, row)}${lists(below)}</row>`;
}

function compileCell(column: ResultColumn, zone: Zone): (row: readonly SqlValue[]) => string {
  const text = compileTextOf(column, zone, 'query');
  const open = `<${column.name}>`;
  const close = `</${column.name}>`;
  const empty = `<${column.name}/>`;
  const { primitive } = SCALARS[column.kind];
  const write = primitive === 'text' || primitive === 'json' ? cdata : escapeText;
  return (row) => {
    const value = row[column.at] ?? null;
    return value === null ? empty : open + write(text(value)) + close;
  };
}

/**
 * The reply document of an operation that a query answers. NULL is left out, or an empty element where the column says
 * so and its type allows it. Rows of a connected query hold those of each child in an element of the child's name.
 */
export function compileRowsXml(names: XmlNames, shape: ResultShape, zone: Zone): RendererFactory {
  const root = openTag({ name: names.root, namespace: names.namespace });
  return elements(
    compileDocumentRow(names, shape, zone),
    (rows) => root + (rows === 0 ? `<${names.list}/>` : `<${names.list}>`),
    (rows) => `${rows === 0 ? '' : `</${names.list}>`}</${names.root}>`,
  );
}

function compileDocumentRow(names: XmlNames, { columns, children }: ResultShape, zone: Zone): RowElement {
  const writer = (column: ResultColumn) => {
    const text = compileTextOf(column, zone, 'document');
    const parts = column.attribute ? attributeParts(column) : elementParts(column, names.namespace);
    const write = column.attribute ? escapeAttribute : escapeText;
    const absent = column.nullable ? parts.nil : column.blank && SCALARS[column.kind].xml.empty ? parts.empty : '';
    return (row: readonly SqlValue[]): string => {
      const value = row[column.at] ?? null;
      return value === null ? absent : parts.open + write(text(value)) + parts.close;
    };
  };
  const attributes = columns.filter((column) => column.attribute).map(writer);
  const inside = columns.filter((column) => !column.attribute).map(writer);
  const lists = compileLists(children, (child) => compileDocumentRow(names, child, zone));
  return (row, _, below) =>
    `<${names.item}${join(attributes, row)}>${join(inside, row)}${lists(below)}</${names.item}>`;
}

/** Writes the rows of each child in an element of its name. */
function compileLists(
  children: readonly ResultShape[],
  rowOf: (child: ResultShape) => RowElement,
): (below: NestedRow['below']) => string {
  const lists = children.map((child) => {
    const element = rowOf(child);
    return (rows: readonly NestedRow[]): string => {
      let text = `<${child.name}>`;
      for (const [index, row] of rows.entries()) text += element(row.cells, index + 1, row.below);
      return `${text}</${child.name}>`;
    };
  });
  return (below) => {
    let text = '';
    for (const [index, list] of lists.entries()) text += list(below[index] ?? []);
    return text;
  };
}

interface Parts {
  readonly open: string;
  readonly close: string;
  readonly empty: string;
  readonly nil: string;
}

function elementParts(column: ResultColumn, around: string): Parts {
  const { xmlName, namespace } = column;
  const declared = namespace === undefined || namespace === around ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  return {
    open: `<${xmlName}${declared}>`,
    close: `</${xmlName}>`,
    empty: `<${xmlName}${declared}/>`,
    nil: `<${xmlName}${declared}${NIL}/>`,
  };
}

function attributeParts(column: ResultColumn): Parts {
  const { xmlName, namespace = '' } = column;
  const prefix = `a${column.at}`;
  const start =
    namespace === '' ? ` ${xmlName}="` : ` xmlns:${prefix}="${escapeAttribute(namespace)}" ${prefix}:${xmlName}="`;
  return { open: start, close: '"', empty: `${start}"`, nil: '' };
}

function join(cells: readonly ((row: readonly SqlValue[]) => string)[], row: readonly SqlValue[]): string {
  let text = '';
  for (const cell of cells) text += cell(row);
  return text;
}

/** A renderer that writes each row as it comes. */
export function elements(
  element: RowElement,
  head: (rows: number) => string,
  tail: (rows: number) => string,
): RendererFactory {
  return {
    headRoom: Math.max(Buffer.byteLength(head(0)), Buffer.byteLength(head(MOST_ROWS))),
    start() {
      let text = '';
      let rows = 0;
      return {
        row(row, number, below) {
          text += element(row, number, below);
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
