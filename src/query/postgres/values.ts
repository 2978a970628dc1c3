import { SCALARS } from '../../model/scalar.ts';
import type { ResultColumn } from '../plan.ts';
import type { SqlValue } from '../render/index.ts';

/** Types of PostgreSQL by their ids in pg_type, which are the same everywhere. */
export const TYPES = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  time: 1083,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  uuid: 2950,
  jsonb: 3802,
} as const;

type Read = (text: string) => SqlValue;

/**
 * Compiles a function that converts PostgreSQL's texts of a row, in place, to the values that SQLite would return for the same
 * content, so that every format is the same for both. The renderers reject values that do not fit their columns, such as dates
 * BC.
 * @param types ids of the types of the result's columns
 */
export function compileReading(
  columns: readonly ResultColumn[],
  types: readonly number[],
): (row: SqlValue[]) => SqlValue[] {
  const read = columns.flatMap((column) => {
    const reader = readerOf(column, types[column.at] ?? 0);
    return reader === undefined ? [] : [{ at: column.at, reader }];
  });
  return (row) => {
    for (const { at, reader } of read) {
      const text = row[at] ?? null;
      if (text !== null) row[at] = reader(text as string);
    }
    return row;
  };
}

function readerOf(column: ResultColumn, type: number): Read | undefined {
  switch (type) {
    case TYPES.int2:
    case TYPES.int4:
    case TYPES.int8:
    case TYPES.oid:
      return integerOf;
    case TYPES.bool:
      return (text) => (text === 't' ? 1n : 0n);
    case TYPES.float4:
    case TYPES.float8:
      return Number;
    case TYPES.numeric:
      // An integer with a scale, which SQLite does not have.
      return SCALARS[column.kind].primitive === 'integer' ? (text) => text.replace(/\.0+$/, '') : undefined;
    case TYPES.bytea:
      return (text) => Buffer.from(text.slice(2), 'hex');
    case TYPES.timestamptz:
      return isDated(column) ? wholeMinutes : undefined;
    default:
      return undefined;
  }
}

/** Digits that a JavaScript number always holds exactly. */
const EXACT_DIGITS = 15;

/** Converts an integer. For few digits, going through a number was measured twice as fast as parsing the text. */
function integerOf(text: string): bigint {
  return BigInt(text.length <= EXACT_DIGITS ? Number(text) : text);
}

function isDated({ kind }: ResultColumn): boolean {
  const { primitive } = SCALARS[kind];
  return primitive === 'date' || primitive === 'datetime';
}

const ODD_OFFSET = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?([+-]\d{2}:\d{2}):(\d{2})$/;

/** Offsets from before standard time have seconds, which no format supports: the same instant with an offset of whole minutes. */
function wholeMinutes(text: string): string {
  const match = ODD_OFFSET.exec(text);
  if (match === null) return text;
  const [, date, time, fraction = '', offset = '', seconds] = match;
  const shift = Number(seconds) * (offset.startsWith('-') ? 1000 : -1000);
  const local = new Date(Date.parse(`${date}T${time}Z`) + shift).toISOString();
  return `${local.slice(0, 19)}${fraction}${offset}`;
}
