import { movingOf, type PlannedStore, type Store } from '../store/index.ts';
import type { Table } from './catalogue.ts';
import { MoveError } from './refusals.ts';
import type { MovedColumn, MovedTable } from './rows.ts';
import { familyOf } from './values.ts';

/** The tables of one database. */
interface Side {
  readonly store: PlannedStore;
  readonly tables: ReadonlyMap<string, Table>;
}

/**
 * The tables that are moved: those of the gateway, then those of the project, with their columns in both databases.
 * @param without tables of the project that are not moved, in lower case
 * @throws MoveError naming each table and column that only one of the databases has
 */
export function pairTables(
  from: Side & { readonly virtual: ReadonlySet<string> },
  to: Side,
  without: ReadonlySet<string>,
): readonly MovedTable[] {
  const virtual = [...from.virtual].filter((name) => !without.has(name));
  if (virtual.length > 0)
    throw new MoveError(`rows of virtual tables can't be moved: ${virtual.join(', ')} in ${from.store.location}`, {
      hint: `Leave them where they are, and fill what replaces them afterwards: ${virtual.map((name) => `--without ${name}`).join(' ')}.`,
    });
  const names = [...from.tables.keys()].filter((name) => {
    const moving = movingOf(name);
    return moving === undefined ? !without.has(name) : moving !== 'left';
  });
  const unknown = [...without].filter(
    (name) => movingOf(name) !== undefined || !(from.tables.has(name) || from.virtual.has(name)),
  );
  if (unknown.length > 0)
    throw new MoveError(`${from.store.location} has no table ${unknown.join(', ')} of the project`, {
      hint: 'Correct --without.',
    });
  const lacking = names.filter((name) => !to.tables.has(name));
  if (lacking.length > 0)
    throw new MoveError(`${to.store.location} lacks tables that ${from.store.location} has: ${lacking.join(', ')}`, {
      hint: 'Add a migration that makes them on both engines, or leave them where they are: --without TABLE.',
    });
  const wrong: string[] = [];
  const paired = names.map((name) =>
    pair(
      name,
      { [from.store.kind]: from.tables.get(name), [to.store.kind]: to.tables.get(name) } as Both,
      (column, of) => wrong.push(`${name}.${column} is in ${(of === from.store.kind ? from : to).store.location} only`),
    ),
  );
  if (wrong.length > 0)
    throw new MoveError(`the tables of the two databases differ: ${wrong.join('; ')}`, {
      hint: 'Make the migrations of both engines give their tables the same columns.',
    });
  return paired.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

type Both = Readonly<Record<Store['kind'], Table>>;

function pair(name: string, tables: Both, onSingle: (column: string, of: Store['kind']) => void): MovedTable {
  const sqlite = new Map(tables.sqlite.columns.map((column) => [column.name.toLowerCase(), column.name]));
  const columns: MovedColumn[] = [];
  for (const { name: postgres, type } of tables.postgres.columns) {
    const found = sqlite.get(postgres.toLowerCase());
    sqlite.delete(postgres.toLowerCase());
    if (found === undefined) onSingle(postgres, 'postgres');
    else columns.push({ names: { sqlite: found, postgres }, type, family: familyOf(type) });
  }
  for (const column of sqlite.values()) onSingle(column, 'sqlite');
  return { name, tables, columns };
}

function rank({ name }: MovedTable): number {
  return movingOf(name) === undefined ? 1 : 0;
}
