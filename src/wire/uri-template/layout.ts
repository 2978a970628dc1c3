// A URI template divided as RFC 3986 section 3 divides a URI: its path, its query, and the fragment, which no server
// receives.

import { normalizePercent, PercentError, percentDecode } from '../percent.ts';
import type { TemplatePart, TemplateVariable, UriTemplate } from './uri-template.ts';

/** A literal pair in a template's query (`op=list`): decoded, and the request must have an equal one. */
export interface LiteralPair {
  readonly name: string;
  readonly value: string;
}

/** The parts of a template by their place in the URI. */
export interface TemplateLayout {
  /** The parts before the query; the last literal ends before the `?`. */
  readonly path: readonly TemplatePart[];
  readonly pairs: readonly LiteralPair[];
  /** In the order of `template.variables`. */
  readonly queryVariables: readonly TemplateVariable[];
  /** Why a server can't match the query of this template; `undefined` when it can. */
  readonly fault: string | undefined;
}

export function layOut(template: UriTemplate): TemplateLayout {
  const path: TemplatePart[] = [];
  const query = new QueryPieces();
  for (const part of template.parts) {
    if (query.started || !startsQuery(part)) {
      if (query.started) query.add(part);
      else path.push(part);
    } else if (part.kind === 'literal') {
      const mark = part.text.indexOf('?');
      if (mark > 0) path.push({ kind: 'literal', text: part.text.slice(0, mark) });
      query.begin(part.text.slice(mark + 1));
    } else query.begin(part);
  }
  query.endPiece();
  return { path, pairs: query.pairs, queryVariables: query.variables, fault: query.fault };
}

function startsQuery(part: TemplatePart): boolean {
  return part.kind === 'literal' ? part.text.includes('?') : part.operator === '?' || part.operator === '&';
}

/** Collects the query of a template piece by piece; a piece is the text between two `&`. */
class QueryPieces {
  started = false;
  fault: string | undefined;
  readonly pairs: LiteralPair[] = [];
  readonly variables: TemplateVariable[] = [];
  private literalMark = false;
  private text = '';
  private expressions: TemplatePart[] = [];

  begin(first: string | TemplatePart): void {
    this.started = true;
    this.literalMark = typeof first === 'string';
    if (typeof first === 'string') this.addText(first);
    else if (first.kind === 'expression') {
      if (first.operator === '&') this.refuse('{&...} needs a literal ? or {?...} before it');
      this.variables.push(...first.variables);
    }
  }

  add(part: TemplatePart): void {
    if (part.kind === 'literal') {
      if (!this.literalMark) {
        this.refuse(
          `'${part.text}' after {?...} starts no query where no variable is given: write it after a literal ?`,
        );
      }
      this.addText(part.text);
      return;
    }
    this.variables.push(...part.variables);
    if (part.operator === '?') this.refuse('a second ? starts no query: write {&...}');
    if (part.operator === '&') this.endPiece();
    else this.expressions.push(part);
  }

  private addText(text: string): void {
    const [first = '', ...rest] = text.split('&');
    if (first !== '' && this.expressions.length > 0) this.refuseForm();
    this.text += first;
    for (const piece of rest) {
      this.endPiece();
      this.text = piece;
    }
  }

  endPiece(): void {
    const [expression, second] = this.expressions;
    if (expression === undefined) {
      if (this.text !== '') this.addPair(this.text);
    } else if (second !== undefined || !isNamed(this.text, expression)) this.refuseForm();
    this.text = '';
    this.expressions = [];
  }

  private addPair(text: string): void {
    const equals = text.indexOf('=');
    const name = equals === -1 ? text : text.slice(0, equals);
    const value = equals === -1 ? '' : text.slice(equals + 1);
    try {
      this.pairs.push({ name: percentDecode(name, true), value: percentDecode(value, true) });
    } catch (error) {
      if (!(error instanceof PercentError)) throw error;
      this.refuse(`'${text}' of its query can't be decoded: ${error.reason}`);
    }
  }

  private refuseForm(): void {
    this.refuse('a query is matched by name: write name={VARIABLE}, {?VARIABLE} or {&VARIABLE} after the ?');
  }

  private refuse(reason: string): void {
    this.fault ??= reason;
  }
}

/** Whether a piece is `name={X}`: one variable right after the only `=`. */
function isNamed(text: string, part: TemplatePart): boolean {
  const simple = part.kind === 'expression' && (part.operator === '' || part.operator === '+');
  return simple && part.variables.length === 1 && text.length > 1 && text.indexOf('=') === text.length - 1;
}

/**
 * Why a server can't match requests to this template, as a clause without a full stop; `undefined` when it can. Such a
 * template may still be expanded.
 */
export function receivable(template: UriTemplate): string | undefined {
  const fragment = template.parts.some((p) => (p.kind === 'literal' ? p.text.includes('#') : p.operator === '#'));
  if (fragment) return 'a fragment (# or {#...}) never reaches a server';
  const layout = layOut(template);
  return layout.fault ?? repeatedVariable(template) ?? repeatedParameter(layout) ?? badSegment(layout);
}

function repeatedVariable(template: UriTemplate): string | undefined {
  const twice = firstRepeated(template.variables.map((variable) => variable.name));
  return twice === undefined
    ? undefined
    : `the variable ${twice} occurs in it twice, so one request can give it two values`;
}

function repeatedParameter(layout: TemplateLayout): string | undefined {
  const names = [...layout.pairs.map((pair) => pair.name), ...layout.queryVariables.map((v) => v.wireName)];
  const twice = firstRepeated(names);
  return twice === undefined ? undefined : `the query parameter ${twice} occurs in it twice`;
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}

function badSegment(layout: TemplateLayout): string | undefined {
  const pattern = layout.path.map((part) => (part.kind === 'literal' ? normalizePercent(part.text) : '{}')).join('');
  if (pattern.endsWith('//'))
    return 'one slash at the end of a path counts for nothing, so a second one is not an empty segment';
  const dots = pattern.split('/').find((segment) => segment === '.' || segment === '..');
  return dots === undefined
    ? undefined
    : `clients resolve a segment ${dots} before they send it (RFC 3986, section 5.2.4)`;
}
