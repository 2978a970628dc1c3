// The lexical structure of SQL as PostgreSQL reads it (its manual, section 4.1, and src/backend/parser/scan.l): what the
// scan that serves both engines leaves open, such as comments inside comments, decides here what is a name and what is text.

/** A name that something is called by. */
interface CalledName {
  /** As the database reads it: in lower case unless it was quoted. */
  readonly name: string;
  readonly offset: number;
}

/** A name in a statement. */
interface Name extends CalledName {
  readonly end: number;
  readonly quoted: boolean;
  /**
   * Stands behind a dot: a column, a field, or a function that is called with what stands before, be that a value, `('a').f`,
   * or the alias of a table or of a function's result, `a.f` (section 8.16.3). Which of them it is the database alone knows.
   */
  readonly selected: boolean;
}

const SPACE = /[ \t\n\r\f\v]+|--[^\n\r]*/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PLAIN = /'(?:[^']|'')*'?/y;
const ESCAPED = /'(?:[^'\\]|''|\\[\s\S])*'?/y;
const QUOTED = /"(?:[^"]|"")*"?/y;
const NUMBER = /\d+/y;

function lengthAt(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0].length ?? 0;
}

/** Behind white space and comments, which may stand inside each other. */
function behindSpace(sql: string, start: number): number {
  let at = start;
  for (;;) {
    const space = lengthAt(SPACE, sql, at);
    if (space > 0) at += space;
    else if (sql.startsWith('/*', at)) at = behindComment(sql, at);
    else return at;
  }
}

function behindComment(sql: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < sql.length) {
    if (sql.startsWith('/*', at)) {
      depth += 1;
      at += 2;
    } else if (sql.startsWith('*/', at)) {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else at += 1;
  }
  return at;
}

/** Behind a literal that begins at a quote or a dollar; the same place where there is none. */
function behindLiteral(sql: string, at: number): number {
  if (sql[at] === "'") return at + lengthAt(PLAIN, sql, at);
  const mark = lengthAt(DOLLAR, sql, at);
  if (mark === 0) return at;
  const end = sql.indexOf(sql.slice(at, at + mark), at + mark);
  return end < 0 ? sql.length : end + mark;
}

/** Every name and keyword of a statement, in order. */
function namesIn(sql: string): Name[] {
  const names: Name[] = [];
  let isBehindDot = false;
  let at = behindSpace(sql, 0);
  while (at < sql.length) {
    const offset = at;
    const found = nameAt(sql, at);
    if (found === undefined) {
      at = behindOther(sql, at);
      isBehindDot = sql[offset] === '.';
    } else {
      at = found.end;
      names.push({ ...found, offset, selected: isBehindDot });
      isBehindDot = false;
    }
    at = behindSpace(sql, at);
  }
  return names;
}

/** The name that begins at a place. */
function nameAt(sql: string, at: number): Pick<Name, 'name' | 'end' | 'quoted'> | undefined {
  if (sql[at] === '"') {
    const end = at + lengthAt(QUOTED, sql, at);
    return { name: sql.slice(at + 1, end - 1).replaceAll('""', '"'), end, quoted: true };
  }
  const end = at + lengthAt(WORD, sql, at);
  if (end === at || isEscaped(sql, at, end)) return undefined;
  return { name: sql.slice(at, end).toLowerCase(), end, quoted: false };
}

/** A letter right before a quote says how the literal is written. */
function isEscaped(sql: string, at: number, end: number): boolean {
  return sql[end] === "'" && /^e$/i.test(sql.slice(at, end));
}

/** Behind a literal, a number or a sign. */
function behindOther(sql: string, at: number): number {
  if (isEscaped(sql, at, at + 1)) return at + 1 + lengthAt(ESCAPED, sql, at + 1);
  const literal = behindLiteral(sql, at);
  return literal > at ? literal : at + Math.max(1, lengthAt(NUMBER, sql, at));
}

/** The names that a statement calls, and the constructs that are forbidden in any query. */
interface Names {
  /** Names before a parenthesis, and behind a dot: functions, and keywords, columns and fields that look like them. */
  readonly called: readonly CalledName[];
  /** `select ... into`, `for update` and their like. */
  readonly clause: { readonly text: string; readonly offset: number } | undefined;
  /** The first word, in lower case; empty if it begins with something else. */
  readonly first: string;
  /** A name with Unicode escapes, which could be any name. */
  readonly escaped: { readonly offset: number } | undefined;
}

const LOCKS = new Set(['update', 'share', 'no', 'key']);

/** Reads the names of a statement. */
export function readNames(sql: string): Names {
  const names = namesIn(sql);
  const clauseAt = names.findIndex(
    ({ name, quoted }, index) =>
      !quoted && (name === 'into' || (name === 'for' && LOCKS.has(names[index + 1]?.name ?? ''))),
  );
  const clause = names[clauseAt];
  const escaped = names.find(({ quoted, offset }) => quoted && /u&$/i.test(sql.slice(Math.max(0, offset - 2), offset)));
  return {
    called: names.filter(({ end, selected }) => selected || sql[behindSpace(sql, end)] === '('),
    clause: clause && {
      text: clause.name === 'into' ? 'INTO' : `FOR ${names[clauseAt + 1]?.name.toUpperCase()}`,
      offset: clause.offset,
    },
    first: sql.startsWith('(', behindSpace(sql, 0)) ? '' : (names[0]?.name ?? ''),
    escaped,
  };
}
