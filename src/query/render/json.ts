import { blankOf, SCALARS } from '../../model/scalar.ts';
import { doubleJson } from '../../wire/double.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { ResultColumn } from '../plan.ts';
import { booleanText, compileTextOf, decimalText, doubleOf, integerText } from './convert.ts';
import { MOST_ROWS, type NestedRow, type RendererFactory, type ResultShape } from './renderer.ts';
import { isOdd, type Present, type SqlValue, wrongValue } from './value.ts';

/** Makes what JSON writes of a row. */
type RowValue = (cells: readonly SqlValue[], number: number, below: NestedRow['below']) => unknown;

/** Key and value of one column in the object of a row. */
interface Property {
  readonly key: string;
  readonly at: number;
  readonly value: (value: SqlValue) => unknown;
}

/** Key and value of one child in the object of a row. */
interface ListProperty {
  readonly key: string;
  readonly list: (rows: readonly NestedRow[]) => unknown;
}

/**
 * Specification 2.1. Numbers are JSON numbers with all their digits, everything else is a string, NULL is `""`. Rows of a
 * connected query hold those of each child in an array under the child's name.
 */
export function compileQueryJson(shape: ResultShape, zone: Zone): RendererFactory {
  const object = compileQueryRow(shape, zone);
  const { name } = shape;
  const before = '{"status":"success","data":{"query":{"numrows":';
  const after = `,"queryname=":${JSON.stringify(name)},"rows":[`;
  return slices(object, (rows) => `${before}${rows}${after}`, ']}}}');
}

function compileQueryRow({ columns, children }: ResultShape, zone: Zone): RowValue {
  const properties = columns.map((column): Property => {
    const present = compileValue(column, zone, 'query');
    return { key: column.name, at: column.at, value: (value) => (value === null ? '' : present(value)) };
  });
  return compileObject(
    properties,
    'attr:rownumber',
    compileLists(children, (child) => compileQueryRow(child, zone)),
  );
}

function compileLists(children: readonly ResultShape[], rowOf: (child: ResultShape) => RowValue): ListProperty[] {
  return children.map((child) => {
    const object = rowOf(child);
    return { key: child.name, list: (rows) => rows.map(({ cells, below }, index) => object(cells, index + 1, below)) };
  });
}

/**
 * The reply document of an operation that a query answers: `{"rows":[...]}`. NULL is left out, or null or blank where the column
 * says so. Rows of a connected query hold those of each child in an array under the child's name.
 */
export function compileRowsJson(shape: ResultShape, zone: Zone): RendererFactory {
  return slices(compileDocumentRow(shape, zone), () => '{"rows":[', ']}');
}

function compileDocumentRow({ columns, children }: ResultShape, zone: Zone): RowValue {
  const properties = columns.map((column): Property => {
    const present = isTyped(column) ? compileTyped(column) : compileValue(column, zone, 'document');
    const absent = column.nullable ? null : column.blank ? blankOf(SCALARS[column.kind]) : undefined;
    return { key: column.jsonName, at: column.at, value: (value) => (value === null ? absent : present(value)) };
  });
  return compileObject(
    properties,
    undefined,
    compileLists(children, (child) => compileDocumentRow(child, zone)),
  );
}

/** JSON.stringify over slices of rows is the fastest writer there is; the brackets of each slice are cut. */
export function slices(object: RowValue, head: (rows: number) => string, tail: string): RendererFactory {
  return {
    headRoom: Buffer.byteLength(head(MOST_ROWS)),
    start() {
      let slice: unknown[] = [];
      let first = true;
      return {
        row: (row, number, below) => void slice.push(object(row, number, below)),
        flush() {
          if (slice.length === 0) return '';
          const text = JSON.stringify(slice).slice(1, -1);
          slice = [];
          if (!first) return `,${text}`;
          first = false;
          return text;
        },
        head,
        tail: () => tail,
      };
    },
  };
}

/**
 * A function that makes a row's object. Written as source text, so that the engine sees one object literal with fixed
 * keys: measured a tenth faster than setting them one by one. Keys enter it as JSON strings only.
 */
function compileObject(
  properties: readonly Property[],
  numberKey?: string,
  lists: readonly ListProperty[] = [],
): RowValue {
  const parts = properties.map(({ key, at }, index) => {
    // Between brackets, or a literal would take it for the object's prototype.
    const name = key === '__proto__' ? '["__proto__"]' : JSON.stringify(key);
    return `${name}:v${index}(r[${at}])`;
  });
  if (numberKey !== undefined) parts.unshift(`${JSON.stringify(numberKey)}:n`);
  for (const [index, { key }] of lists.entries()) parts.push(`${JSON.stringify(key)}:l${index}(b[${index}])`);
  const names = [...properties.map((_, index) => `v${index}`), ...lists.map((_, index) => `l${index}`)];
  const factory = new Function(...names, `return (r, n, b) => ({${parts.join(',')}})`);
  return factory(...properties.map((property) => property.value), ...lists.map((property) => property.list));
}

/** Whether a document has the JSON value itself where a query result has its text. */
function isTyped({ kind }: ResultColumn): boolean {
  const { primitive } = SCALARS[kind];
  return primitive === 'boolean' || primitive === 'json';
}

/** The JSON value of a number or a text. */
function compileValue(column: ResultColumn, zone: Zone, style: 'query' | 'document'): (value: Present) => unknown {
  const { primitive, anyText } = SCALARS[column.kind];
  if (primitive === 'integer') {
    return (value) => {
      if (typeof value === 'bigint') {
        const number = Number(value);
        if (Number.isSafeInteger(number)) return number;
      }
      const digits = integerText(value);
      return digits === undefined ? refuse(column, value) : JSON.rawJSON(digits);
    };
  }
  if (primitive === 'decimal') {
    const plain = compileIsPlain(column.scale);
    return (value) => {
      if (typeof value === 'number' && plain(value)) return value;
      const digits = decimalText(value, column.scale);
      return digits === undefined ? refuse(column, value) : JSON.rawJSON(digits);
    };
  }
  if (primitive === 'double') {
    return (value) => {
      const double = doubleOf(value);
      return double === undefined ? refuse(column, value) : doubleJson(double);
    };
  }
  const text = compileTextOf(column, zone, style);
  if (anyText) return (value) => (typeof value === 'string' ? value : text(value));
  return text;
}

/** Is a real number written by JSON.stringify as {@link decimalText} writes it: no exponent, no digit to round off? */
function compileIsPlain(scale: number | undefined): (value: number) => boolean {
  if (scale === undefined || scale > 9) return scale === undefined ? isUnscaled : () => false;
  const factor = 10 ** scale;
  return (value) => Math.abs(value) < 1e6 && Math.round(value * factor) / factor === value && isUnscaled(value);
}

function isUnscaled(value: number): boolean {
  const size = Math.abs(value);
  return (size >= 1e-6 && size < 1e21) || value === 0;
}

function compileTyped(column: ResultColumn): (value: Present) => unknown {
  if (SCALARS[column.kind].primitive === 'boolean')
    return (value) => (booleanText(value) ?? refuse(column, value)) === 'true';
  return (value) => {
    try {
      return JSON.parse(String(value), keepDigits);
    } catch {
      return refuse(column, value);
    }
  };
}

/** A number inside a JSON column is written with the digits that it was stored with. */
function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined ? JSON.rawJSON(context.source) : value;
}

/** In place of a number, the text that the database has for it, where the query asks for it. */
function refuse(column: ResultColumn, value: Present): string {
  if (column.odd === 'text' && isOdd(value)) return String(value);
  throw wrongValue(column, value);
}
