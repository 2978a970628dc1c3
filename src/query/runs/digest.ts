import { createHash } from 'node:crypto';
import type { Query } from '../../model/query.ts';

/** A digest of what the rows of a query look like, those of its members too: kept rows can be read by the same shape alone. */
export function digestOf(query: Query): string {
  return createHash('sha256')
    .update(JSON.stringify(described(query)))
    .digest('base64url');
}

function described({ id, columns, children }: Query): unknown {
  return [id, columns.map(({ name, type }) => [name, type]), children.map((child) => described(child.query))];
}
