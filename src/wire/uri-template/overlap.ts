import { type LiteralPair, layOut, receivable } from './layout.ts';
import { compilePath, defaultShape, type Instruction, type PathProgram, type ValueShape } from './program.ts';
import { pathSegments, type Segment } from './segments.ts';
import { dominance } from './specificity.ts';
import type { TemplateVariable, UriTemplate } from './uri-template.ts';

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
