const ODD = /^[+-]?inf(?:inity)?$|^nan$| BC$|^\d{5,7}-\d{2}-\d{2}|^0000-|^\d{4}-00-|^\d{4}-\d{2}-00/i;

/**
 * Whether the text of a value is infinite, not a number, or a date BC, beyond the year 9999 or without a day, in the words of
 * PostgreSQL, MariaDB or SQLite.
 */
export function isOddText(text: string): boolean {
  return text.length <= 64 && ODD.test(text);
}
