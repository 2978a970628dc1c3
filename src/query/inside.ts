import { unhurried } from '../store/deadline.ts';
import { type Db, type RawRows, readRaw, runApart, type Store } from '../store/index.ts';
import { compileZone } from '../wire/timezone.ts';
import type { Plan } from './plan.ts';
import { sessionOf } from './postgres/session.ts';
import { compileReading } from './postgres/values.ts';
import { NOTHING_BELOW, type SqlValue } from './render/index.ts';
import { Renderers, requireColumns } from './result.ts';
import type { Command } from './runner.ts';

/** A query to run in a transaction. */
interface Wanted {
  readonly plan: Plan;
  readonly command: Command;
  /** In milliseconds; on PostgreSQL. */
  readonly timeout: number;
}

/** Runs a query on the connection of a transaction of the gateway's own database. @returns the rendered rows */
export async function rowsInside(
  tx: Db,
  kind: Store['kind'],
  { plan, command, timeout }: Wanted,
  timezone: string,
): Promise<{ readonly content: Buffer; readonly truncated: boolean }> {
  const { limit, probe, values } = command;
  const most = probe ? limit + 1 : limit;
  const settings = sessionOf({ timezone, statementTimeout: timeout });
  const read = (text: string): Promise<RawRows> => unhurried(() => readRaw(tx, text, values, most));
  const found =
    kind === 'sqlite' ? await read(plan.sql) : await runApart(tx, settings, () => read(limited(plan.sql, most)));
  const columns = requireColumns(plan.columns, found.names, `${plan.name}: `);
  const convert = kind === 'sqlite' ? (row: SqlValue[]) => row : compileReading(columns, found.types);
  const rows = found.cells.slice(0, limit) as SqlValue[][];
  const renderer = new Renderers(plan.name, columns, compileZone(timezone)).of(command).start();
  for (const [index, row] of rows.entries()) renderer.row(convert(row), index + 1, NOTHING_BELOW);
  const content = Buffer.from(renderer.head(rows.length) + renderer.flush() + renderer.tail());
  return { content, truncated: found.cells.length > limit };
}

/** A subquery with a limit keeps its order, as a join would not. */
function limited(text: string, most: number): string {
  return `select * from (\n${text.replace(/;\s*$/, '')}\n) as signalbox_query limit ${most}`;
}
