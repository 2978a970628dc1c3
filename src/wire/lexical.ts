import { isDate, isTime, readDate, readDatetime, readTime, toDatetime } from './calendar.ts';

/** The text form of a type whose values are texts of one form. */
export interface LexicalForm {
  /** What a text is that has the form, with its article. */
  readonly noun: string;
  /** Reads a text as JSON, code and definitions write it. @returns the text as it is kept, `undefined` for another text */
  read(text: string): string | undefined;
  /** Reads what XML and URLs may write: every lexical form of the type in XML Schema. */
  readAny(text: string): string | undefined;
}

/** The text forms, by the names under which the table of scalars refers to them. */
export const LEXICAL = {
  date: { noun: 'a date (yyyy-MM-dd)', read: (text) => (isDate(text) ? text : undefined), readAny: readDate },
  time: { noun: 'a time (HH:mm:ss)', read: (text) => (isTime(text) ? text : undefined), readAny: readTime },
  datetime: {
    noun: 'a datetime (yyyy-MM-ddTHH:mm:ss, optionally Z or +hh:mm)',
    read: toDatetime,
    readAny: readDatetime,
  },
} as const satisfies Readonly<Record<string, LexicalForm>>;

export type LexicalName = keyof typeof LEXICAL;
