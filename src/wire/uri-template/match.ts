import { RE2JS } from 're2js';
import { normalizePercent, percentDecode } from '../percent.ts';
import type { QueryString } from '../query-string.ts';
import { type LiteralPair, layOut, receivable } from './layout.ts';
import { canonicalPath, compilePath, defaultShape, type ValueShape, wireForm } from './program.ts';
import { pathSegments } from './segments.ts';
import { type TemplateVariable, type UriTemplate, UriTemplateError } from './uri-template.ts';

// URI Template matching: RFC 6570 section 1.4 in reverse, on the raw path and query, with literals compared as in RFC
// 3986 section 6.2.2.

/** A value before decoding: one text, or the items of a list. */
export type RawValue = string | readonly string[] | undefined;

/** The result of matching a query against a template. */
interface QueryMatch {
  /** How many of the template's query variables the query contains. */
  readonly bound: number;
  /** Wire names of required variables that the query lacks. */
  readonly missing: readonly string[];
  /** Whether every literal pair (`op=list`) is in the query, with no other value. */
  readonly ok: boolean;
}

export interface UriMatcher {
  /**
   * @param path raw, without its leading slash and its query
   * @returns values aligned with `template.variables`, with `undefined` for query variables; `undefined` when the path
   *   does not match
   */
  matchPath(path: string): RawValue[] | undefined;
  /**
   * Fills the query's variables by name; order does not matter, unknown names are ignored.
   * @throws PercentError when a value to be compared with a literal pair can't be decoded
   */
  matchQuery(query: QueryString, into: RawValue[]): QueryMatch;
  /** Names that the template has in its query, those of literal pairs too. */
  readonly queryNames: ReadonlySet<string>;
}

/**
 * Compiles a template for matching. Time is linear in the request; a template whose segments are each a literal or one
 * variable takes one pass over the path. A path variable `{x}` or `{+x}` never matches the empty text. One trailing
 * slash is not significant, in the template or the request, unless `{+x}` or `{/x}` is last.
 * @throws UriTemplateError for a template that `receivable` rejects, or a length (`{x:3}`) on a list
 */
export function compileUriMatcher(
  template: UriTemplate,
  shapeOf: (variable: TemplateVariable) => ValueShape = defaultShape,
): UriMatcher {
  const fault = receivable(template);
  if (fault !== undefined) throw new UriTemplateError(fault, 0);
  for (const variable of template.variables) {
    const { name, prefix } = variable;
    if (prefix !== undefined && shapeOf(variable) === 'list') {
      throw new UriTemplateError(`the length of {${name}:${prefix}} does not apply to a list`, 0);
    }
  }
  return {
    matchPath: bySegment(template, shapeOf) ?? byPattern(template, shapeOf),
    matchQuery: compileQuery(template, shapeOf),
    queryNames: queryNamesOf(template),
  };
}

type PathMatcher = UriMatcher['matchPath'];
type ShapeOf = (variable: TemplateVariable) => ValueShape;

const SLASH = 0x2f;

/** One pass over the segments, if each is a literal or one `{variable}`; `undefined` for any other template. */
function bySegment(template: UriTemplate, shapeOf: ShapeOf): PathMatcher | undefined {
  if (!canonicalPath(template).slashMayFollow) return undefined;
  const literals: (string | undefined)[] = [];
  const places: number[] = [];
  const lists: boolean[] = [];
  for (const segment of pathSegments(template)) {
    if (segment.kind !== 'literal' && segment.kind !== 'variable') return undefined;
    literals.push(segment.kind === 'literal' ? segment.text : undefined);
    places.push(segment.kind === 'literal' ? -1 : template.variables.indexOf(segment.variable));
    lists.push(segment.kind === 'variable' && shapeOf(segment.variable) !== 'string');
  }
  const count = literals.length;
  const values = template.variables.length;
  return (path) => {
    if ((path === '') !== (count === 0)) return undefined;
    const text = normalizePercent(path);
    const end = text.charCodeAt(text.length - 1) === SLASH ? text.length - 1 : text.length;
    const result = new Array<RawValue>(values).fill(undefined);
    let at = 0;
    for (let i = 0; i < count; i++) {
      const slash = i === count - 1 ? -1 : text.indexOf('/', at);
      const stop = i === count - 1 ? end : slash;
      const literal = literals[i];
      if (stop < at || stop > end) return undefined;
      if (literal !== undefined) {
        if (stop - at !== literal.length || !text.startsWith(literal, at)) return undefined;
      } else {
        const value = text.slice(at, stop);
        if (value === '' || (i === count - 1 && value.includes('/'))) return undefined;
        result[places[i] ?? 0] = lists[i] ? value.split(',') : value;
      }
      at = stop + 1;
    }
    return result;
  };
}

/** Matches any other template by its pattern. RE2 takes time linear in the path, whatever the template. */
function byPattern(template: UriTemplate, shapeOf: ShapeOf): PathMatcher {
  const { pattern, groups } = compilePath(template, shapeOf);
  const machine = RE2JS.compile(pattern);
  const readers = groups.map((variables) => readGroup(variables, template, shapeOf));
  return (path) => {
    // The slash before an empty path may be the base's own: then `{/x}` is absent rather than empty.
    const texts = path === '' ? ['', '/'] : [`/${normalizePercent(path)}`];
    for (const text of texts) {
      const matcher = machine.matcher(text);
      if (!matcher.matches()) continue;
      const result = new Array<RawValue>(template.variables.length).fill(undefined);
      const isRead = readers.every((read, i) => {
        const taken = matcher.group(i + 1);
        return taken === null || read(taken, result);
      });
      return isRead ? result : undefined;
    }
    return undefined;
  };
}

/** Puts the raw values of a captured text into their places; false when the text has a value twice. */
type GroupReader = (taken: string, into: RawValue[]) => boolean;

function readGroup(variables: readonly TemplateVariable[], template: UriTemplate, shapeOf: ShapeOf): GroupReader {
  const [first, ...more] = variables;
  if (first === undefined || more.length > 0) return readPairs(variables, template, shapeOf);
  const read = readCapture(first, shapeOf(first));
  const place = template.variables.indexOf(first);
  return (taken, into) => {
    into[place] = read(taken);
    return true;
  };
}

/** The pairs of `{;a,b}`, in any order. */
function readPairs(variables: readonly TemplateVariable[], template: UriTemplate, shapeOf: ShapeOf): GroupReader {
  const byName = new Map(
    variables.map((variable) => {
      const shape = shapeOf(variable);
      return [
        wireForm(variable.name),
        { place: template.variables.indexOf(variable), shape, repeats: variable.explode && shape === 'list' },
      ];
    }),
  );
  return (taken, into) => {
    for (const pair of taken.split(';').slice(1)) {
      const pairOf = byName.get(pair.split('=', 1)[0] ?? '');
      if (pairOf === undefined) return false;
      const { place, shape, repeats } = pairOf;
      const before = into[place];
      if (before !== undefined && !repeats) return false;
      const value = afterEquals(pair);
      if (repeats) into[place] = [...(before ?? []), value];
      else into[place] = shape === 'list' ? value.split(',') : value;
    }
    return true;
  };
}

/** Compiles the conversion of a variable's captured text to its raw value. */
function readCapture(variable: TemplateVariable, shape: ValueShape): (taken: string) => RawValue {
  const { operator, explode } = variable;
  if (operator === ';') {
    if (shape === 'string') return (taken) => taken.slice(1);
    if (!explode) return (taken) => taken.slice(1).split(',');
    return (taken) => taken.slice(1).split(';').map(afterEquals);
  }
  if (shape === 'string') return (taken) => taken;
  const separator = explode && (operator === '/' || operator === '.') ? operator : ',';
  return (taken) => taken.split(separator);
}

function afterEquals(pair: string): string {
  const equals = pair.indexOf('=');
  return equals === -1 ? '' : pair.slice(equals + 1);
}

function queryNamesOf(template: UriTemplate): ReadonlySet<string> {
  const { pairs, queryVariables } = layOut(template);
  return new Set([...pairs.map(({ name }) => name), ...queryVariables.map(({ wireName }) => wireName)]);
}

const nothingMissing: readonly string[] = Object.freeze([]);

function compileQuery(template: UriTemplate, shapeOf: ShapeOf): UriMatcher['matchQuery'] {
  const { pairs, queryVariables } = layOut(template);
  const readers = queryVariables.map((variable) => {
    const place = template.variables.indexOf(variable);
    const required = variable.required;
    return { place, required, wireName: variable.wireName, read: readParameter(variable.wireName, shapeOf(variable)) };
  });
  const ofNone = {
    bound: 0,
    missing: Object.freeze(readers.filter((each) => each.required).map((each) => each.wireName)),
    ok: pairs.length === 0,
  };
  return (query, into) => {
    // The path's matcher has left its variables undefined.
    if (query.size === 0) return ofNone;
    const ok = pairs.every((pair) => holdsPair(query, pair));
    let bound = 0;
    let missing: string[] | undefined;
    for (const { place, required, wireName, read } of readers) {
      const value = read(query);
      into[place] = value;
      if (value !== undefined) bound += 1;
      else if (required) {
        missing ??= [];
        missing.push(wireName);
      }
    }
    return { bound, missing: missing ?? nothingMissing, ok };
  };
}

function holdsPair(query: QueryString, pair: LiteralPair): boolean {
  return query.get(pair.name)?.every((raw) => percentDecode(raw, true) === pair.value) ?? false;
}

/**
 * A list accepts both forms, `x=a,b` and `x=a&x=b`, and `x=` is the empty list. Repeated values of a text are kept
 * separate, for `decodeRaw` to reject.
 */
function readParameter(wireName: string, shape: ValueShape): (query: QueryString) => RawValue {
  return (query) => {
    const given = query.get(wireName);
    if (given === undefined) return undefined;
    if (shape === 'string') return given.length === 1 ? given[0] : given;
    if (given.length === 1) return given[0] === '' ? [] : given[0]?.split(',');
    return given.flatMap((raw) => raw.split(','));
  };
}
