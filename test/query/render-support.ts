import { columnsOf as planColumns, type ResultColumn } from '../../src/query/plan.ts';
import { compileRenderer, NOTHING_BELOW, type RenderFormat, type SqlValue } from '../../src/query/render/index.ts';
import { compileZone } from '../../src/wire/timezone.ts';
import { query, type Types } from './support.ts';

/** Columns that stand in rows as they are declared. */
export function columnsOf(types: Types): ResultColumn[] {
  return planColumns(query('select 1', types)).map((column, at) => ({ ...column, at }));
}

/** Renders rows in this process, a row at a time. */
export function rendered(
  format: RenderFormat,
  columns: readonly ResultColumn[],
  rows: Iterable<readonly SqlValue[]>,
  { name = 'A_QUERY', timezone = 'UTC' }: { readonly name?: string; readonly timezone?: string } = {},
): Buffer {
  const renderer = compileRenderer(format, { name, columns, children: [] }, compileZone(timezone), {}).start();
  const parts: (string | Uint8Array)[] = [];
  let count = 0;
  for (const row of rows) {
    count += 1;
    renderer.row(row, count, NOTHING_BELOW);
    parts.push(renderer.flush());
  }
  parts.push(renderer.tail());
  return Buffer.concat([renderer.head(count), ...parts].map((part) => Buffer.from(part as Uint8Array)));
}
