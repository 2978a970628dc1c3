import { layOut } from './layout.ts';
import { pathSegments } from './segments.ts';
import type { UriTemplate } from './uri-template.ts';

// Which of two templates is more specific.

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
