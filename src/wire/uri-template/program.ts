import { normalizePercent } from '../percent.ts';
import { layOut } from './layout.ts';
import type { Operator, TemplatePart, TemplateVariable, UriTemplate } from './uri-template.ts';

// The path of a URI template as a regular language (RFC 6570 section 1.4, reversed), for Thompson's simulation: a
// program whose states are the places in the template. Matching runs it; the check for ambiguity intersects two.

/** What a variable holds: one text, or a list. */
export type ValueShape = 'string' | 'list';

/** `fork` prefers its first branch; `save` marks where a variable's raw text starts (even slots) or ends (odd ones). */
export type Instruction =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'except'; readonly codes: readonly number[] }
  | { readonly kind: 'fork'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'save'; readonly slot: number }
  | { readonly kind: 'accept' };

/** A program for the normalised path with a slash before it. */
export interface PathProgram {
  readonly code: readonly Instruction[];
  /** Path variables; variable `i` has the slots `2i` and `2i + 1`. */
  readonly variables: readonly TemplateVariable[];
}

/** Shape where nothing else is known: an exploded variable is a list. */
export const defaultShape = (variable: TemplateVariable): ValueShape => (variable.explode ? 'list' : 'string');

/** The path's parts in the form that paths are compared in: a slash first, none at the end, percent-encoding normal. */
interface CanonicalPath {
  readonly parts: readonly TemplatePart[];
  /** A path may end with one slash more: not where `{+x}` or `{/x}` comes last, whose value that slash would belong to. */
  readonly slashMayFollow: boolean;
}

export function canonicalPath(template: UriTemplate): CanonicalPath {
  const parts: TemplatePart[] = [];
  for (const part of layOut(template).path) {
    const text = part.kind === 'literal' ? wireForm(part.text) : '';
    if (parts.length === 0 && !text.startsWith('/') && !isOperator(part, '/'))
      parts.push({ kind: 'literal', text: '/' });
    parts.push(part.kind === 'literal' ? { kind: 'literal', text } : part);
  }
  const last = parts.at(-1);
  const before = parts.at(-2);
  const closes = last?.kind === 'literal' && last.text.endsWith('/');
  const takesSlash = (part: TemplatePart | undefined) => isOperator(part, '+') || isOperator(part, '/');
  if (closes && !(last.text === '/' && takesSlash(before))) {
    parts.pop();
    if (last.text !== '/') parts.push({ kind: 'literal', text: last.text.slice(0, -1) });
    return { parts, slashMayFollow: true };
  }
  return { parts, slashMayFollow: !closes && !takesSlash(last) };
}

function isOperator(part: TemplatePart | undefined, operator: Operator): boolean {
  return part?.kind === 'expression' && part.operator === operator;
}

/** A literal as clients send it: other than ASCII is percent-encoded (RFC 6570, 3.1). */
function wireForm(text: string): string {
  let out = '';
  for (const c of text) out += c < '\x80' ? c : encodeURIComponent(c);
  return normalizePercent(out);
}

const SLASH = 0x2f;
const COMMA = 0x2c;

/**
 * Compiles the path of a template. Reading is deterministic: from left to right, a variable takes the shortest text that
 * lets the rest match, and one that may be absent is present where it can be. Inside an expression of several variables
 * its separator (`,` `.` `/` `;`) always separates.
 */
export function compilePath(template: UriTemplate, shapeOf: (v: TemplateVariable) => ValueShape): PathProgram {
  const path = canonicalPath(template);
  const writer = new ProgramWriter();
  for (const part of path.parts) {
    if (part.kind === 'literal') writer.text(part.text);
    else writeExpression(writer, part.operator, part.variables, shapeOf);
  }
  if (path.slashMayFollow) writer.maybe(() => writer.text('/'));
  writer.code.push({ kind: 'accept' });
  return { code: writer.code, variables: writer.variables };
}

class ProgramWriter {
  readonly code: Instruction[] = [];
  readonly variables: TemplateVariable[] = [];

  text(text: string): void {
    for (let i = 0; i < text.length; i++) this.code.push({ kind: 'char', code: text.charCodeAt(i) });
  }

  /** As few characters as will do, none of them among `codes`. */
  run(codes: readonly number[], atLeastOne: boolean): void {
    if (atLeastOne) this.code.push({ kind: 'except', codes });
    const start = this.code.length;
    this.code.push({ kind: 'fork', first: start + 3, second: start + 1 });
    this.code.push({ kind: 'except', codes });
    this.code.push({ kind: 'jump', to: start });
  }

  /** Present if that can be. */
  maybe(write: () => void): void {
    const fork: Instruction = { kind: 'fork', first: this.code.length + 1, second: 0 };
    this.code.push(fork);
    write();
    fork.second = this.code.length;
  }

  /** As often as it must be, at least once. */
  repeat(write: () => void): void {
    const start = this.code.length;
    write();
    this.code.push({ kind: 'fork', first: this.code.length + 1, second: start });
  }

  capture(variable: TemplateVariable, write: () => void): void {
    const slot = 2 * this.variables.length;
    this.variables.push(variable);
    this.code.push({ kind: 'save', slot });
    write();
    this.code.push({ kind: 'save', slot: slot + 1 });
  }
}

function writeExpression(
  writer: ProgramWriter,
  operator: Operator,
  variables: readonly TemplateVariable[],
  shapeOf: (v: TemplateVariable) => ValueShape,
): void {
  const alone = variables.length === 1;
  variables.forEach((variable, index) => {
    const shape = shapeOf(variable);
    if (operator === '' || operator === '+') {
      if (index > 0) writer.text(',');
      const taken = operator === '' ? [SLASH] : [];
      const codes = alone || shape !== 'string' ? taken : [...taken, COMMA];
      writer.capture(variable, () => writer.run(codes, alone));
    } else if (operator === ';') writer.maybe(() => writeMatrix(writer, variable, shape));
    else writer.maybe(() => writeLabel(writer, operator, variable, shape, alone));
  });
}

/** `{.x}` and `{/x}`: the operator before every value. */
function writeLabel(
  writer: ProgramWriter,
  operator: Operator,
  variable: TemplateVariable,
  shape: ValueShape,
  alone: boolean,
): void {
  const separator = operator.charCodeAt(0);
  writer.text(operator);
  const several = variable.explode && shape !== 'string';
  const free = several || (alone && operator === '.');
  const codes = operator === '.' ? [SLASH] : [];
  writer.capture(variable, () => writer.run(free ? codes : [...codes, separator], false));
}

/** `{;x}`: the name before every value, `=` only before one that is not empty. */
function writeMatrix(writer: ProgramWriter, variable: TemplateVariable, shape: ValueShape): void {
  const codes = [SLASH, 0x3b];
  const name = wireForm(variable.name);
  const value = () =>
    writer.maybe(() => {
      writer.text('=');
      writer.run(codes, false);
    });
  if (!variable.explode || shape === 'string') {
    writer.text(`;${name}`);
    writer.capture(variable, value);
  } else {
    writer.capture(variable, () =>
      writer.repeat(() => {
        writer.text(`;${name}`);
        value();
      }),
    );
  }
}

// Runs a path program by Thompson's simulation with captures (Pike's machine): every character is looked at once by
// each state at most, so the time is linear in the path whatever the template; no backtracking.

/** States in order of preference, each with the captures that led to it. */
interface Threads {
  readonly states: number[];
  readonly captures: Int32Array[];
}

/** @returns start and end of each variable (`-1` where absent), by slot; undefined where the text does not fit */
type PathRunner = (text: string) => Int32Array | undefined;

export function compileRunner(program: PathProgram): PathRunner {
  const { code } = program;
  /** Where in the text each state was entered last. */
  const entered = new Int32Array(code.length);

  /** Follows what takes no character; a state that a preferred way reached already is left to that one. */
  function enter(into: Threads, from: number, at: number, given: Int32Array): void {
    const stack: [number, Int32Array][] = [[from, given]];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [state, captures] = next;
      const instruction = code[state];
      if (instruction === undefined || entered[state] === at) continue;
      entered[state] = at;
      if (instruction.kind === 'fork') stack.push([instruction.second, captures], [instruction.first, captures]);
      else if (instruction.kind === 'jump') stack.push([instruction.to, captures]);
      else if (instruction.kind === 'save') {
        const saved = captures.slice();
        saved[instruction.slot] = at;
        stack.push([state + 1, saved]);
      } else {
        into.states.push(state);
        into.captures.push(captures);
      }
    }
  }

  function step(now: Threads, character: number, at: number): Threads {
    const next: Threads = { states: [], captures: [] };
    for (let i = 0; i < now.states.length; i++) {
      const state = now.states[i] ?? 0;
      const captures = now.captures[i];
      const instruction = code[state];
      if (captures === undefined || instruction === undefined) continue;
      const takes =
        instruction.kind === 'char'
          ? instruction.code === character
          : instruction.kind === 'except' && !instruction.codes.includes(character);
      if (takes) enter(next, state + 1, at + 1, captures);
    }
    return next;
  }

  return (text) => {
    let threads: Threads = { states: [], captures: [] };
    entered.fill(-1);
    enter(threads, 0, 0, new Int32Array(2 * program.variables.length).fill(-1));
    for (let at = 0; at < text.length; at++) {
      threads = step(threads, text.charCodeAt(at), at);
      if (threads.states.length === 0) return undefined;
    }
    const accepted = threads.states.findIndex((state) => code[state]?.kind === 'accept');
    return accepted === -1 ? undefined : threads.captures[accepted];
  };
}
