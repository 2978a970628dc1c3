/**
 * Names that the SQL of a private query may not hold, in whatever place: a scan that looked at names alone could be led
 * astray by quotes and escapes. What else a table holds that not everybody may read is the business of the database's user.
 */
const RESERVED: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /signalbox_\w*/i, what: "the gateway's own tables" },
  { pattern: /sqlite_\w*|\bdbstat\b|\binformation_schema\b/i, what: "the database's own tables" },
  { pattern: /\b(?:pg|pragma)_\w*|\bcurrent_setting\b/i, what: "the database's own tables and functions" },
  { pattern: /\b(?:query|cursor|table|schema|database)_to_xml\w*/i, what: 'SQL inside a text' },
  { pattern: /\bdblink\w*/i, what: 'other databases' },
  { pattern: /\bU&["']/i, what: 'escaped names, which can hide any name' },
];

/** What private queries may not read, that this one names; in sentences. */
export function reservedNames(sql: string): string[] {
  return RESERVED.flatMap(({ pattern, what }) => {
    const found = pattern.exec(sql)?.[0];
    return found === undefined ? [] : [`The SQL holds ${found.slice(0, 60)}: a private query can't reach ${what}.`];
  });
}
