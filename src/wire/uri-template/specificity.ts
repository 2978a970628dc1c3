import { type LiteralPair, layOut, receivable } from './layout.ts';
import {
  canonicalPath,
  compilePath,
  defaultShape,
  type Instruction,
  type PathProgram,
  type ValueShape,
} from './program.ts';
import type { TemplatePart, TemplateVariable, UriTemplate } from './uri-template.ts';

// The path of a URI template segment by segment (RFC 3986 section 3.3), and which of two templates is more specific.

/**
 * One segment of a template. `mixed` has literal text and expressions; `free` has only expressions, but is not a single
 * `{variable}`; `open` contains `{+x}` or `{/x}`, which may span segments, so the segments after it are unknown.
 */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly variable: TemplateVariable }
  | { readonly kind: 'mixed' | 'free' | 'open' };

/** The segments of a template's path, with percent-encoding normalised, up to and including the first open one. */
export function pathSegments(template: UriTemplate): readonly Segment[] {
  const { parts } = canonicalPath(template);
  // Literals contain no braces, so `{2}` can represent the third part while the text is split at its slashes.
  const text = parts.map((part, i) =>
    part.kind === 'literal' ? part.text : `${part.operator === '/' ? '/' : ''}{${i}}`,
  );
  const pieces = text.join('').split('/').slice(1);
  const segments = pieces.map((piece) => readSegment(piece, parts));
  const open = segments.findIndex((segment) => segment.kind === 'open');
  if (open === -1) return segments;
  // Without x, `a{/x}b` is the single segment `ab`, so the text before such an expression is not a segment of its own.
  const tail = pieces.slice(open).find((piece) => !isWholly(piece, '/', parts));
  const joins = open > 0 && tail !== undefined && startsWith(tail, '/', parts);
  return [...segments.slice(0, joins ? open - 1 : open), { kind: 'open' }];
}

/** Whether a piece begins with an expression with this operator. */
function startsWith(piece: string, operator: string, parts: readonly TemplatePart[]): boolean {
  const part = parts[Number(/^\{(\d+)\}/.exec(piece)?.[1])];
  return part?.kind === 'expression' && part.operator === operator;
}

function isWholly(piece: string, operator: string, parts: readonly TemplatePart[]): boolean {
  return startsWith(piece, operator, parts) && piece.indexOf('}') === piece.length - 1;
}

function readSegment(piece: string, parts: readonly TemplatePart[]): Segment {
  if (!piece.includes('{')) return { kind: 'literal', text: piece };
  const expressions = [...piece.matchAll(/\{(\d+)\}/g)].flatMap((match) => {
    const part = parts[Number(match[1])];
    return part?.kind === 'expression' ? [part] : [];
  });
  const [first, second] = expressions;
  if (first === undefined) return { kind: 'literal', text: piece };
  if (expressions.some((part) => part.operator === '+' || part.operator === '/')) return { kind: 'open' };
  if (!(piece.startsWith('{') && piece.endsWith('}') && !/\}[^{]/.test(piece))) return { kind: 'mixed' };
  const [variable] = first.variables;
  const single = second === undefined && first.operator === '' && first.variables.length === 1;
  return single && variable !== undefined ? { kind: 'variable', variable } : { kind: 'free' };
}

const ranks = { literal: 3, mixed: 2, variable: 1, free: 1, open: 0 } as const;

/**
 * Orders templates, the more specific first (negative: `a` is). At the first segment where they differ, a literal comes
 * before literal text with variables, that before a variable, and that before `{+x}` and `{/x}`. For equal paths the
 * template with more literal query pairs comes first.
 * Of the templates that match a request completely, the first in this order answers; of equal ones, the one that binds
 * most of the query. `templatesOverlap` finds the templates for which that still leaves a tie.
 */
export function compareSpecificity(a: UriTemplate, b: UriTemplate): number {
  const byPath = segmentDifferences(a, b).find((difference) => difference !== 0) ?? 0;
  return byPath || layOut(b).pairs.length - layOut(a).pairs.length;
}

/**
 * Which of two templates that match one path takes precedence: negative for `a`, positive for `b`, `undefined` when
 * each is more specific in one segment (`a/{x}` and `{y}/b`), 0 when neither is more specific in any.
 */
export function dominance(a: UriTemplate, b: UriTemplate): number | undefined {
  const differences = segmentDifferences(a, b);
  const forA = differences.some((difference) => difference < 0);
  const forB = differences.some((difference) => difference > 0);
  return forA && forB ? undefined : Number(forB) - Number(forA);
}

function segmentDifferences(a: UriTemplate, b: UriTemplate): number[] {
  const left = pathSegments(a);
  const right = pathSegments(b);
  const differences: number[] = [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    // A path that ends here is as specific as a literal.
    const x = ranks[left[i]?.kind ?? 'literal'];
    const y = ranks[right[i]?.kind ?? 'literal'];
    differences.push(y - x);
    if (x === ranks.open || y === ranks.open) break;
  }
  return differences;
}

// Whether one request can match two URI Templates with nothing to decide between them.

/**
 * Whether some request matches both templates, neither is more specific, and both bind equally much of its query: a tie
 * that a route table could not decide. The check is exact: the paths are intersected as regular languages. A template
 * that a server can't receive overlaps with none.
 */
export function templatesOverlap(
  a: UriTemplate,
  b: UriTemplate,
  shapeOf: (variable: TemplateVariable) => ValueShape = defaultShape,
): boolean {
  if (receivable(a) !== undefined || receivable(b) !== undefined) return false;
  if (!queriesTie(a, b) || !segmentsMayMeet(pathSegments(a), pathSegments(b))) return false;
  if (!undecided(dominance(a, b))) return false;
  return languagesMeet(compilePath(a, shapeOf), compilePath(b, shapeOf));
}

const undecided = (sign: number | undefined) => sign === 0 || sign === undefined;

/**
 * Quickly rules out most pairs of paths: by different literals at the same position, or a different number of segments.
 */
export function segmentsMayMeet(a: readonly Segment[], b: readonly Segment[]): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const x = a[i];
    const y = b[i];
    if (x?.kind === 'open' || y?.kind === 'open') return true;
    if (x === undefined || y === undefined) return mayBeEmpty(x ?? y);
    if (x.kind === 'literal' && y.kind === 'literal' && x.text !== y.text) return false;
  }
  return true;
}

/** For a path that continues where another ends: the rest may be only the optional trailing slash. */
function mayBeEmpty(segment: Segment | undefined): boolean {
  return segment?.kind === 'free' || (segment?.kind === 'literal' && segment.text === '');
}

/** Searches the pairs of states that one text can reach in both programs. */
function languagesMeet(a: PathProgram, b: PathProgram): boolean {
  const width = b.code.length;
  const seen = new Set<number>([0]);
  const open = [0];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const i = Math.floor(pair / width);
    const j = pair % width;
    const x = a.code[i];
    const y = b.code[j];
    if (x === undefined || y === undefined) continue;
    if (x.kind === 'accept' && y.kind === 'accept') return true;
    for (const [nextI, nextJ] of successors(i, x, j, y)) {
      const next = nextI * width + nextJ;
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  }
  return false;
}

function successors(i: number, x: Instruction, j: number, y: Instruction): readonly (readonly [number, number])[] {
  const left = silent(x);
  if (left !== undefined) return left.map((to) => [to, j] as const);
  const right = silent(y);
  if (right !== undefined) return right.map((to) => [i, to] as const);
  return shareCharacter(x, y) ? [[i + 1, j + 1]] : [];
}

/** The successors of a state that consume no character; `undefined` for a state that consumes one or accepts. */
function silent(instruction: Instruction): readonly number[] | undefined {
  if (instruction.kind === 'fork') return [instruction.first, instruction.second];
  return instruction.kind === 'jump' ? [instruction.to] : undefined;
}

function shareCharacter(x: Instruction, y: Instruction): boolean {
  if (x.kind === 'char')
    return y.kind === 'char' ? x.code === y.code : y.kind === 'except' && !y.codes.includes(x.code);
  // A letter always remains outside two exclusions.
  return x.kind === 'except' && (y.kind === 'except' || (y.kind === 'char' && !x.codes.includes(y.code)));
}

/** Whether some query satisfies both templates and binds equally many variables of each. */
function queriesTie(a: UriTemplate, b: UriTemplate): boolean {
  const left = queryNames(a);
  const right = queryNames(b);
  if (left.pairs.length !== right.pairs.length) return false;
  if (left.pairs.some((x) => right.pairs.some((y) => x.name === y.name && x.value !== y.value))) return false;
  const needed = new Set([...left.needed, ...right.needed]);
  const bound = (names: ReadonlySet<string>) => [...needed].filter((name) => names.has(name)).length;
  const difference = bound(left.all) - bound(right.all);
  // Each optional name that only one template has can shift the balance by one.
  const spare = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].filter((name) => !needed.has(name) && !other.has(name)).length;
  return difference <= spare(right.all, left.all) && -difference <= spare(left.all, right.all);
}

interface QueryNames {
  readonly pairs: readonly LiteralPair[];
  readonly needed: readonly string[];
  readonly all: ReadonlySet<string>;
}

function queryNames(template: UriTemplate): QueryNames {
  const { pairs, queryVariables } = layOut(template);
  const fixed = pairs.map((pair) => pair.name);
  const needed = queryVariables.filter((variable) => variable.required).map((variable) => variable.wireName);
  return {
    pairs,
    needed: [...fixed, ...needed],
    all: new Set([...fixed, ...queryVariables.map((variable) => variable.wireName)]),
  };
}
