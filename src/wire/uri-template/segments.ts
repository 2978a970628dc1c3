import { canonicalPath } from './program.ts';
import type { TemplatePart, TemplateVariable, UriTemplate } from './uri-template.ts';

// The path of a URI template segment by segment (RFC 3986 section 3.3).

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
