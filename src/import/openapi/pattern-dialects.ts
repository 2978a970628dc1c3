import { PatternError } from '../../wire/pattern-syntax.ts';

// Patterns of other dialects (PCRE, Java, .NET, Python), which contracts have in place of those of ECMA-262.

/** A character class, an escape, the start of a group, a quantifier, or one character. */
const TOKENS =
  /\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\\[pPux]\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[\s\S]|\(\?(?:P?<[A-Za-z_]\w*>|<?[=!]|[>:])|\{\d+(?:,\d*)?\}|[\s\S]/gu;

/** An atomic group of characters that stand for themselves matches in one way only, as any group of them. */
const PLAIN_ATOM = /\(\?>([^()|*+?{}[\]\\.^$]*)\)(?![*+?{])/g;

/**
 * A pattern of another dialect as one of ECMA-262 that matches the same texts: a flag `i` at its start, `\A` and `\z`, `(?P<name>`,
 * and possessive quantifiers and atomic groups that change nothing. Others are returned as they are.
 * @throws PatternError for what no pattern of ECMA-262 without a flag says
 */
export function inEcmaDialect(source: string): string {
  const flag = /^(\^?)\(\?i\)/.exec(source);
  const [start = '', anchor = ''] = flag ?? [];
  const text = source.slice(start.length).replace(PLAIN_ATOM, '(?:$1)');
  const tokens = text.match(TOKENS) ?? [];
  const written = tokens.map((token, index) => {
    if (token === '\\A') return '^';
    if (token === '\\z') return '$';
    if (token.startsWith('(?P<')) return '(';
    if (token === '(?>') throw new PatternError('has an atomic group, which ECMA-262 does not have');
    if (token === '+' && isQuantifier(tokens[index - 1]) && index > 1) return withoutPossession(tokens, index);
    return flag === null ? token : inAnyCase(token);
  });
  return anchor + written.join('');
}

function isQuantifier(token: string | undefined): boolean {
  return token !== undefined && /^(?:[*+?]|\{\d.*\})$/.test(token);
}

/** A possessive quantifier is as a greedy one where nothing that it takes could be what follows. */
function withoutPossession(tokens: readonly string[], index: number): string {
  const item = tokens[index - 2] ?? '';
  const next = tokens[index + 1];
  if (isCharacter(item) && (next === undefined || next === '$' || next === '\\z')) return '';
  const isApart = isCharacter(item) && next !== undefined && /^[\w\s@,:;=-]$/.test(next) && !matches(item, next);
  // What follows may be left out itself, and then it is what is behind it that counts.
  if (isApart && !/^[*?{]/.test(tokens[index + 2] ?? '')) return '';
  throw new PatternError('has a possessive quantifier, which ECMA-262 does not have');
}

/** Whether a token matches one character. */
function isCharacter(token: string): boolean {
  return /^(?:\[[\s\S]*\]|\\[dDwWsS]|[^\\()[\]{}|*+?^$])$/u.test(token);
}

function matches(item: string, character: string): boolean {
  try {
    return new RegExp(`^(?:${item})$`, 'iu').test(character);
  } catch {
    return true;
  }
}

/** A token that matches both cases of the letters of ASCII. */
function inAnyCase(token: string): string {
  if (/[^\0-\x7f]|^\\(?:[pPuxkc1-9]|$)/u.test(token))
    throw new PatternError('has the flag i, and more than letters of ASCII');
  if (/^[A-Za-z]$/.test(token)) return `[${token.toLowerCase()}${token.toUpperCase()}]`;
  if (!token.startsWith('[')) return token;
  if (/\\(?:[pPuxc])|[A-Za-z]-[^A-Za-z\]]|[^A-Za-z[^\\]-[A-Za-z]/.test(token.replace(/\\-/g, '')))
    throw new PatternError('has the flag i, and a class of more than letters of ASCII');
  const members = token.match(/\\[\s\S]|[A-Za-z]-[A-Za-z]|[\s\S]/g) ?? [];
  return members.map((each) => (/^[A-Za-z](?:-[A-Za-z])?$/.test(each) ? bothCases(each) : each)).join('');
}

function bothCases(member: string): string {
  const [lower, upper] = [member.toLowerCase(), member.toUpperCase()];
  if (member !== lower && member !== upper)
    throw new PatternError('has the flag i, and a range from one case to the other');
  return lower + upper;
}
