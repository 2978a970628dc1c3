import type { Query } from '../../src/model/query.ts';

/** A child with pairs of columns, by their names: the child's, the parent's. */
export function below(parent: Query, child: Query, pairs: Readonly<Record<string, string>>): Query {
  const of = ({ columns }: Query, name: string) => {
    const found = columns.find((column) => column.name === name);
    if (found === undefined) throw new Error(`there is no column ${name}`);
    return found;
  };
  const on = Object.entries(pairs).map(([own, other]) => ({ child: of(child, own), parent: of(parent, other) }));
  return { ...parent, children: [...parent.children, { query: child, on }] };
}
