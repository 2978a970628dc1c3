import type { Component } from '../model/component.ts';
import type { Db, Store, StoreReader } from '../store/index.ts';
import { type Columns, columnsOf, uniqueColumns } from './columns.ts';

/** What a database says against a component. */
export interface ComponentProblem {
  readonly component: Component;
  readonly message: string;
}

/** Digits that SQLite keeps of a decimal in a column that is not text. */
const REAL_DIGITS = 15;

/** Holds components against their tables: columns that are not there, and keys that two rows may have in common. */
export async function checkComponents(
  store: Pick<StoreReader, 'kind' | 'tables'>,
  components: Iterable<Component>,
): Promise<ComponentProblem[]> {
  const problems: ComponentProblem[] = [];
  const db = await store.tables();
  for (const component of components)
    for (const message of await problemsOf(db, store.kind, component)) problems.push({ component, message });
  return problems;
}

async function problemsOf(db: Db, kind: Store['kind'], { table, shape, keys }: Component): Promise<string[]> {
  const columns = await columnsOf(db, kind, table);
  if (columns.size === 0) return [`there is no table ${table}`];
  const lacking = shape.fields.filter(({ name }) => !columns.has(name.toLowerCase()));
  if (lacking.length > 0) {
    const names = lacking.map(({ name }) => name.toLowerCase()).join(', ');
    return [`the table ${table} has no column ${names}; it has ${[...columns.keys()].join(', ')}`];
  }
  const names = new Set(keys.map(({ name }) => name.toLowerCase()));
  const isUnique = (await uniqueColumns(db, kind, table)).some((set) => set.every((name) => names.has(name)));
  const shared = isUnique
    ? []
    : [`several rows of ${table} may have the same ${[...names].join(', ')}: make that its primary key, or unique`];
  return kind === 'sqlite' ? [...shared, ...shortDecimals(columns, { table, shape })] : shared;
}

/** SQLite makes a binary number of a decimal where its column is not text. */
function shortDecimals(columns: Columns, { table, shape }: Pick<Component, 'table' | 'shape'>): string[] {
  return shape.fields.flatMap(({ name, type }) => {
    const declared = columns.get(name.toLowerCase()) ?? '';
    const digits = type.kind === 'decimal' ? (type.length ?? Number.POSITIVE_INFINITY) : 0;
    if (digits <= REAL_DIGITS || /char|clob|text/.test(declared)) return [];
    const why = `SQLite keeps ${REAL_DIGITS} digits in a column of the type ${declared || 'none'}`;
    return [`${name.toLowerCase()} of ${table} may lose digits: ${why}; make it text`];
  });
}
