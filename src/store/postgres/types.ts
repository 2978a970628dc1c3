import pg from 'pg';

const { builtins } = pg.types;

/** What PostgreSQL writes is text of its own: no date that takes the zone of this machine. */
const AS_TEXT = new Set<number>([
  builtins.DATE,
  builtins.TIME,
  builtins.TIMETZ,
  builtins.TIMESTAMP,
  builtins.TIMESTAMPTZ,
  builtins.INTERVAL,
]);

/**
 * How values of PostgreSQL become those of JavaScript: an integer of eight bytes is a number where one holds it and a
 * bigint where not, dates and times are text; the rest is what the driver makes of it, a decimal its digits.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text' | 'binary') => {
    if (id === builtins.INT8) return integer;
    return AS_TEXT.has(id) ? text : pg.types.getTypeParser(id, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

const text = (written: string): string => written;

function integer(written: string): number | bigint {
  const number = Number(written);
  return Number.isSafeInteger(number) ? number : BigInt(written);
}
