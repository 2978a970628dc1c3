// Dates and times in their XML Schema forms: xs:date, xs:time and xs:dateTime of XML Schema 1.1 Part 2, sections 3.3.7 to
// 3.3.9, within the years 0001 to 9999, without 24:00:00 and without leap seconds.

const ZERO = 48;
const COLON = 58;

/** The number in `length` digits from `start`; -1 where one of them is no digit. */
function digits(text: string, start: number, length: number): number {
  let value = 0;
  for (let i = start; i < start + length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function dateAt(text: string): boolean {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (text[4] !== '-' || text[7] !== '-') return false;
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** The index behind `HH:mm:ss` and its fraction, -1 where there is no time at `start`. */
function timeAt(text: string, start: number): number {
  const hour = digits(text, start, 2);
  const minute = digits(text, start + 3, 2);
  const second = digits(text, start + 6, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
  if (text.charCodeAt(start + 2) !== COLON || text.charCodeAt(start + 5) !== COLON) return -1;
  let end = start + 8;
  if (text[end] !== '.') return end;
  do end++;
  while (digits(text, end, 1) >= 0);
  return end === start + 9 ? -1 : end;
}

/** A real date of the calendar, `yyyy-MM-dd`. */
export function isDate(text: string): boolean {
  return text.length === 10 && dateAt(text);
}

/** A time of day, `HH:mm:ss` and optionally a fraction of a second. */
export function isTime(text: string): boolean {
  return timeAt(text, 0) === text.length;
}

/**
 * A date and time as xs:dateTime has it: `yyyy-MM-ddTHH:mm:ss`, optionally a fraction, optionally an offset `Z` or `+hh:mm`. An
 * offset `+hhmm` is taken too and gets its colon.
 * @returns undefined where the text is none
 */
export function toDatetime(text: string): string | undefined {
  if (text[10] !== 'T' || !dateAt(text)) return undefined;
  const end = timeAt(text, 11);
  if (end < 0) return undefined;
  const offset = text.length - end;
  if (offset === 0 || (offset === 1 && text[end] === 'Z')) return text;
  if ((offset !== 5 && offset !== 6) || (text[end] !== '+' && text[end] !== '-')) return undefined;
  const hours = digits(text, end + 1, 2);
  const minutes = digits(text, text.length - 2, 2);
  if (hours < 0 || minutes < 0 || minutes > 59 || hours > 14 || (hours === 14 && minutes > 0)) return undefined;
  if (offset === 6) return text[end + 3] === ':' ? text : undefined;
  return `${text.slice(0, end + 3)}:${text.slice(end + 3)}`;
}
