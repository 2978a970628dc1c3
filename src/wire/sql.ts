// A scanner of SQL (ISO/IEC 9075-2, sections 5.2 and 5.3): enough to distinguish prompts, statements and their first
// words from the content of literals, quoted names and comments.

/** Lexical rules that differ between engines. */
interface Rules {
  /**
   * A backslash escapes in every literal, and double quotes delimit literals; otherwise only in literals with the
   * prefix E.
   */
  readonly backslashes: boolean;
  /** `#` begins a comment, and `--` only before white space. */
  readonly hashes: boolean;
  /** Literals may be dollar-quoted. */
  readonly dollars: boolean;
  /** The content of a comment that begins with an exclamation mark is executed, and hints can change settings. */
  readonly executes: boolean;
  /** Comments may contain comments. */
  readonly nests?: boolean;
  /** `[` begins a quoted name. */
  readonly brackets?: boolean;
}

/**
 * Whose lexical rules apply: `standard` those that SQLite and PostgreSQL share, for SQL that either may run, `mysql` those of
 * MariaDB and MySQL.
 */
export type SqlDialect = 'standard' | 'mysql' | 'sqlite' | 'postgres';

const RULES: Readonly<Record<SqlDialect, Rules>> = {
  standard: { backslashes: false, hashes: false, dollars: true, executes: false },
  mysql: { backslashes: true, hashes: true, dollars: false, executes: true },
  sqlite: { backslashes: false, hashes: false, dollars: false, executes: false, brackets: true },
  postgres: { backslashes: false, hashes: false, dollars: true, executes: false, nests: true },
};

/** The relevant tokens of a statement, with their offsets. */
export type SqlToken =
  | {
      readonly kind: 'word';
      readonly text: string;
      readonly offset: number;
      readonly depth: number;
      readonly first: boolean;
    }
  | { readonly kind: 'prompt'; readonly name: string; readonly offset: number; readonly end: number }
  | { readonly kind: 'foreign'; readonly text: string; readonly offset: number }
  /** An operator of PostgreSQL with a question mark, which is written twice: `??`, `??|`, `??&`. */
  | { readonly kind: 'operator'; readonly text: string; readonly offset: number }
  | { readonly kind: 'semicolon'; readonly offset: number; readonly depth: number }
  /** A comment that the server executes. */
  | { readonly kind: 'executable'; readonly text: string; readonly offset: number }
  | { readonly kind: 'other'; readonly offset: number }
  | { readonly kind: 'unterminated'; readonly what: string; readonly offset: number };

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /\d[\w.]*/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y;
const SPACE = /\s+/y;
/** A variable of a template: SQL has no braces but those of ODBC, `{d '2026-01-01'}`. */
const TEMPLATE = /[#$]?\{{1,2}\s*[\w.:]{1,100}\s*\}{1,2}/y;
/** A comment for one server only, and a hint that changes a setting (MySQL's manual, "Comments" and "Optimizer Hints"). */
const EXECUTABLE = /^\/\*(?:M?!|\+[\s\S]*set_var)/i;

/** Splits a text into tokens; literals, quoted names and comments are skipped. */
export function scanSql(sql: string, dialect: SqlDialect = 'standard'): SqlToken[] {
  const rules = RULES[dialect];
  const tokens: SqlToken[] = [];
  /** The offsets of the parentheses that are open. */
  const open: number[] = [];
  let at = 0;
  let opened = true;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  while (at < sql.length) {
    const space = match(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const skip = skipQuoted(sql, at, rules);
    if (skip !== undefined) {
      if (skip.end < 0) {
        tokens.push({ kind: 'unterminated', what: skip.what, offset: at });
        return tokens;
      }
      if (!skip.comment) {
        tokens.push({ kind: 'other', offset: at });
        opened = false;
      } else if (rules.executes && EXECUTABLE.test(sql.slice(at, skip.end))) {
        tokens.push({ kind: 'executable', text: sql.slice(at, skip.end), offset: at });
      }
      at = skip.end;
      continue;
    }
    const token = nextToken(sql, at, open.length, opened, match);
    opened = token.opens;
    if (token.nests > 0) open.push(at);
    if (token.nests < 0) open.pop();
    if (token.token !== undefined) tokens.push(token.token);
    at = token.end;
  }
  const last = open.at(-1);
  if (last !== undefined) tokens.push({ kind: 'unterminated', what: 'a parenthesis', offset: last });
  return tokens;
}

interface Next {
  readonly token?: SqlToken;
  readonly end: number;
  /** A statement may begin after it. */
  readonly opens: boolean;
  readonly nests: number;
}

function nextToken(
  sql: string,
  at: number,
  depth: number,
  first: boolean,
  match: (pattern: RegExp) => string | undefined,
): Next {
  const plain = { opens: false, nests: 0 };
  const word = match(WORD);
  if (word !== undefined) {
    return { ...plain, token: { kind: 'word', text: word, offset: at, depth, first }, end: at + word.length };
  }
  const number = match(NUMBER);
  if (number !== undefined) return { ...plain, token: { kind: 'other', offset: at }, end: at + number.length };
  const character = sql[at] as string;
  if (character === '(') return { end: at + 1, opens: true, nests: 1 };
  if (character === ')') return { ...plain, end: at + 1, nests: -1 };
  if (character === ';') return { token: { kind: 'semicolon', offset: at, depth }, end: at + 1, opens: true, nests: 0 };
  if (sql.startsWith('::', at)) return { ...plain, token: { kind: 'other', offset: at }, end: at + 2 };
  if (':?$@#{'.includes(character)) return { ...plain, ...placeholder(sql, at) };
  return { ...plain, token: { kind: 'other', offset: at }, end: at + 1 };
}

/** `:NAME`, or a placeholder of another notation: `?`, `?1`, `:1`, `$1`, `$name`, `@name`, `#{name}`, `${name}`, `{name}`. */
function placeholder(sql: string, at: number): { readonly token: SqlToken; readonly end: number } {
  const sign = sql[at] as string;
  NAME.lastIndex = at + 1;
  const name = NAME.exec(sql)?.[0];
  if (sign === ':' && name !== undefined) {
    const end = at + 1 + name.length;
    return { token: { kind: 'prompt', name, offset: at, end }, end };
  }
  TEMPLATE.lastIndex = at;
  const template = TEMPLATE.exec(sql)?.[0];
  if (template !== undefined)
    return { token: { kind: 'foreign', text: template, offset: at }, end: at + template.length };
  const operator = /^\?\?[|&]?/.exec(sql.slice(at, at + 3))?.[0];
  if (operator !== undefined)
    return { token: { kind: 'operator', text: operator, offset: at }, end: at + operator.length };
  const digits = /^\d*/.exec(sql.slice(at + 1, at + 12))?.[0] ?? '';
  const text = sign + (name ?? digits);
  // An operator of JSON or arrays, such as @> or #>, is followed by another character.
  const isForeign =
    sign === '?'
      ? !'|&'.includes(sql[at + 1] ?? ' ')
      : text.length > 1 && sign !== '#' && sign !== '{' && !(sign === ':' && isSlice(sql, at));
  if (!isForeign) return { token: { kind: 'other', offset: at }, end: at + 1 };
  return { token: { kind: 'foreign', text, offset: at }, end: at + text.length };
}

const FARTHEST_BRACKET = 200;

/** Whether a colon is inside brackets, as in `[1:2]`. */
function isSlice(sql: string, at: number): boolean {
  const before = sql.slice(Math.max(0, at - FARTHEST_BRACKET), at);
  return before.lastIndexOf('[') > before.lastIndexOf(']');
}

/** A literal, quoted name or comment that begins here; `end` is -1 if it is not closed. */
function skipQuoted(
  sql: string,
  at: number,
  { backslashes, hashes, dollars, nests, brackets }: Rules,
): { readonly end: number; readonly what: string; readonly comment: boolean } | undefined {
  const quoted = (end: number, what: string, comment = false) => ({ end, what, comment });
  const character = sql[at];
  if (character === "'") {
    const escapes = backslashes || /(^|[^\w$])[eE]$/.test(sql.slice(Math.max(0, at - 2), at));
    return quoted(closing(sql, at, "'", escapes), 'a literal');
  }
  if (character === '"' && backslashes) return quoted(closing(sql, at, character, true), 'a literal');
  if (character === '"' || character === '`') return quoted(closing(sql, at, character, false), 'a quoted name');
  const dashes = sql.startsWith('--', at) && !(hashes && sql.charCodeAt(at + 2) > 0x20);
  if (dashes || (hashes && character === '#')) {
    const end = sql.indexOf('\n', at);
    return quoted(end < 0 ? sql.length : end + 1, 'a comment', true);
  }
  if (sql.startsWith('/*', at)) return quoted(commentEnd(sql, at, nests === true), 'a comment', true);
  if (brackets && character === '[') {
    const end = sql.indexOf(']', at);
    return quoted(end < 0 ? -1 : end + 1, 'a quoted name');
  }
  if (!dollars) return undefined;
  DOLLAR_QUOTE.lastIndex = at;
  const mark = DOLLAR_QUOTE.exec(sql)?.[0];
  if (mark === undefined) return undefined;
  const end = sql.indexOf(mark, at + mark.length);
  return quoted(end < 0 ? -1 : end + mark.length, 'a literal');
}

/** The index after a comment between slashes and asterisks; -1 if it is not closed. */
function commentEnd(sql: string, start: number, nests: boolean): number {
  let depth = 1;
  let at = start + 2;
  while (depth > 0) {
    const end = sql.indexOf('*/', at);
    if (end < 0) return -1;
    const inner = nests ? sql.indexOf('/*', at) : -1;
    const isInner = inner >= 0 && inner < end;
    depth += isInner ? 1 : -1;
    at = (isInner ? inner : end) + 2;
  }
  return at;
}

/** The index after the closing quote, with doubled quotes treated as content; -1 if there is none. */
function closing(sql: string, start: number, quote: string, escapes: boolean): number {
  for (let at = start + 1; at < sql.length; at++) {
    if (escapes && sql[at] === '\\') at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return -1;
}

/** One statement of a text with several. */
export interface SqlStatement {
  /** Where it begins, after white space and comments. */
  readonly offset: number;
  /** Where it ends, before its semicolon. */
  readonly end: number;
  /** Its first words, four at most, in lower case. */
  readonly words: readonly string[];
}

/**
 * The statements of a text, as the shell of the engine splits it: a body in dollar quotes, the body of a routine between BEGIN
 * ATOMIC and END (as psql does), and the body of a trigger up to `; END;` (as `sqlite3_complete` does) belong to their statement.
 */
export function splitSql(sql: string, dialect: 'sqlite' | 'postgres'): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let begin = 0;
  let state = newStatement();
  const close = (end: number): void => {
    const offset = skipBlank(sql, begin, end, RULES[dialect]);
    if (offset < end)
      statements.push({ offset, end: offset + sql.slice(offset, end).trimEnd().length, words: state.words });
    begin = end + 1;
    state = newStatement();
  };
  for (const token of scanSql(sql, dialect)) {
    if (token.kind === 'word') countWord(state, token, dialect);
    else if (token.kind !== 'semicolon') state.last = ['', ''];
    else if (endsStatement(state, token.depth, dialect)) close(token.offset);
    else state.last = [state.last[1], ';'];
  }
  close(sql.length);
  return statements;
}

const OF_TRANSACTIONS = /^(?:begin|start transaction|commit|end|abort|prepare transaction|rollback(?! to\b))\b/;

/** Whether a statement begins or ends a transaction. */
export function isOfTransactions({ words }: SqlStatement): boolean {
  return OF_TRANSACTIONS.test(words.join(' '));
}

/** What is known of a statement while it is read. */
interface StatementState {
  readonly words: string[];
  /** BEGIN and CASE in the body of a routine that have no END yet. */
  open: number;
  /** The last two tokens: words in lower case, semicolons, or empty for others. */
  last: readonly [string, string];
}

const newStatement = (): StatementState => ({ words: [], open: 0, last: ['', ''] });

const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/;
const TRIGGER = /^create (?:temp |temporary )?trigger\b/;

function countWord(state: StatementState, { text, depth }: { text: string; depth: number }, dialect: SqlDialect): void {
  const word = text.toLowerCase();
  if (state.words.length < 4) state.words.push(word);
  state.last = [state.last[1], word];
  if (dialect !== 'postgres' || depth > 0 || !ROUTINE.test(state.words.join(' '))) return;
  if (word === 'begin' || (word === 'case' && state.open > 0)) state.open += 1;
  else if (word === 'end') state.open = Math.max(0, state.open - 1);
}

function endsStatement({ words, open, last }: StatementState, depth: number, dialect: SqlDialect): boolean {
  if (dialect === 'postgres') return depth === 0 && open === 0;
  return !TRIGGER.test(words.join(' ')) || (last[0] === ';' && last[1] === 'end');
}

/** The first offset from `start` on that is not white space or in a comment; `end` at most. */
function skipBlank(sql: string, start: number, end: number, rules: Rules): number {
  let at = start;
  while (at < end) {
    SPACE.lastIndex = at;
    at += SPACE.exec(sql)?.[0].length ?? 0;
    const skip = skipQuoted(sql, at, rules);
    if (skip === undefined || !skip.comment || skip.end < 0) break;
    at = skip.end;
  }
  return Math.min(at, end);
}
