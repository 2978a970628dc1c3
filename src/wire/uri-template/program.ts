import { RE2JS } from 're2js';
import { normalizePercent } from '../percent.ts';
import { layOut } from './layout.ts';
import type { Operator, TemplatePart, TemplateVariable, UriTemplate } from './uri-template.ts';

// The path of a URI template as a regular language (RFC 6570 section 1.4, reversed), in two forms: a pattern, which
// matching runs on RE2, and a program whose states are the places in the template. The check for ambiguity intersects two programs.

/** What a variable holds: one text, or a list. */
export type ValueShape = 'string' | 'list';

export type Instruction =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'except'; readonly codes: readonly number[] }
  | { readonly kind: 'fork'; readonly first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'accept' };

/** Both forms, for the normalised path with a slash before it. */
export interface PathProgram {
  readonly code: readonly Instruction[];
  /** In the syntax of RE2. */
  readonly pattern: string;
  /** For each group of the pattern its path variable, or those of a `{;a,b}`, whose pairs come in any order. */
  readonly groups: readonly (readonly TemplateVariable[])[];
}

/** The default shape: an exploded variable is a list. */
export const defaultShape = (variable: TemplateVariable): ValueShape => (variable.explode ? 'list' : 'string');

/** The path's parts in the form used for comparison: a slash first, none at the end, percent-encoding normalised. */
interface CanonicalPath {
  readonly parts: readonly TemplatePart[];
  /**
   * Whether a path may end with one more slash: not if `{+x}` or `{/x}` is last, because the slash would belong to its
   * value.
   */
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

/** A literal as clients send it: characters beyond ASCII are percent-encoded (RFC 6570, 3.1). */
export function wireForm(text: string): string {
  let out = '';
  for (const c of text) out += c < '\x80' ? c : encodeURIComponent(c);
  return normalizePercent(out);
}

const SLASH = 0x2f;
const COMMA = 0x2c;

/**
 * Compiles the path of a template. Matching is deterministic: from left to right, a variable takes the shortest text
 * that lets the rest match, and an optional one is present whenever possible. Inside an expression of several variables
 * its separator (`,` `.` `/` `;`) always separates. The pairs of `{;a,b}` come in any order; that each comes once, unless
 * it is exploded, is left to the matcher.
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
  return writer;
}

class ProgramWriter implements PathProgram {
  readonly code: Instruction[] = [];
  pattern = '';
  readonly groups: (readonly TemplateVariable[])[] = [];

  text(text: string): void {
    for (let i = 0; i < text.length; i++) this.code.push({ kind: 'char', code: text.charCodeAt(i) });
    this.pattern += RE2JS.quote(text);
  }

  /** As few characters as possible, none of them among `codes`. */
  run(codes: readonly number[], atLeastOne: boolean): void {
    if (atLeastOne) this.code.push({ kind: 'except', codes });
    const start = this.code.length;
    this.code.push({ kind: 'fork', first: start + 3, second: start + 1 });
    this.code.push({ kind: 'except', codes });
    this.code.push({ kind: 'jump', to: start });
    const others = codes.map((code) => `\\x${code.toString(16)}`).join('');
    const one = others === '' ? '(?s:.)' : `[^${others}]`;
    // A percent-encoded byte is taken as a whole, if it can be: the `B` of a literal is not that of `%BC`.
    this.pattern += `(?:%[0-9A-Fa-f]{2}|${one})${atLeastOne ? '+?' : '*?'}`;
  }

  /** Optional, and present whenever possible. */
  maybe(write: () => void): void {
    const fork: Instruction = { kind: 'fork', first: this.code.length + 1, second: 0 };
    this.code.push(fork);
    this.#group('(?:', write, ')?');
    fork.second = this.code.length;
  }

  /** As few repetitions as possible, at least one. */
  repeat(write: () => void): void {
    const start = this.code.length;
    this.#group('(?:', write, ')+?');
    this.code.push({ kind: 'fork', first: this.code.length + 1, second: start });
  }

  /** As many repetitions as possible of any of some texts, in any order. */
  anyOf(writes: readonly (() => void)[]): void {
    const start = this.code.length;
    const exit: Instruction = { kind: 'fork', first: start + 1, second: 0 };
    this.code.push(exit);
    this.pattern += '(?:';
    for (const [index, write] of writes.entries()) {
      const other: Instruction = { kind: 'fork', first: this.code.length + 1, second: 0 };
      if (index > 0) this.pattern += '|';
      if (index < writes.length - 1) this.code.push(other);
      write();
      this.code.push({ kind: 'jump', to: start });
      other.second = this.code.length;
    }
    this.pattern += ')*';
    exit.second = this.code.length;
  }

  capture(variables: readonly TemplateVariable[], write: () => void): void {
    this.groups.push(variables);
    this.#group('(', write, ')');
  }

  #group(open: string, write: () => void, close: string): void {
    this.pattern += open;
    write();
    this.pattern += close;
  }
}

function writeExpression(
  writer: ProgramWriter,
  operator: Operator,
  variables: readonly TemplateVariable[],
  shapeOf: (v: TemplateVariable) => ValueShape,
): void {
  const alone = variables.length === 1;
  if (operator === ';' && !alone) {
    const pairs = variables.map((variable) => () => writePair(writer, variable));
    writer.capture(variables, () => writer.anyOf(pairs));
    return;
  }
  variables.forEach((variable, index) => {
    const shape = shapeOf(variable);
    if (operator === '' || operator === '+') {
      if (index > 0) writer.text(',');
      const taken = operator === '' ? [SLASH] : [];
      const codes = alone || shape !== 'string' ? taken : [...taken, COMMA];
      writer.capture([variable], () => writer.run(codes, alone));
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
  writer.capture([variable], () => writer.run(free ? codes : [...codes, separator], false));
}

/** `;x=value`, in which `=` is only before a value that is not empty. */
function writePair(writer: ProgramWriter, { name }: TemplateVariable): void {
  writer.text(`;${wireForm(name)}`);
  writePairValue(writer);
}

function writePairValue(writer: ProgramWriter): void {
  writer.maybe(() => {
    writer.text('=');
    writer.run([SLASH, 0x3b], false);
  });
}

/** `{;x}`: the name before every value. */
function writeMatrix(writer: ProgramWriter, variable: TemplateVariable, shape: ValueShape): void {
  if (!variable.explode || shape === 'string') {
    writer.text(`;${wireForm(variable.name)}`);
    writer.capture([variable], () => writePairValue(writer));
  } else writer.capture([variable], () => writer.repeat(() => writePair(writer, variable)));
}
