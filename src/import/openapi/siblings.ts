import type { Losses } from '../place.ts';
import type { Node } from './tree.ts';
import type { OpenApiVersion } from './validate.ts';

/** Keywords beside a reference that have no effect on values. */
export const HARMLESS_SIBLINGS =
  /^(?:\$ref|\$dynamicRef|description|summary|title|example|examples|deprecated|readOnly|writeOnly|xml|x-.*)$/;

/** Whether keywords next to a reference count. OpenAPI 2.0 and 3.0 say that they are ignored (3.0.3, section 4.7.23). */
export function hasSiblings(version: OpenApiVersion): boolean {
  return version === '3.1' || version === '3.2';
}

/** Reports what is next to a reference and does not count. */
export function tellSiblings(node: Node, version: OpenApiVersion, losses: Losses): void {
  for (const [key, member] of node.entries())
    if (!HARMLESS_SIBLINGS.test(key))
      losses.add(`"${key}" beside "$ref"`, `ignored, as OpenAPI ${version} requires`, member.place);
}
