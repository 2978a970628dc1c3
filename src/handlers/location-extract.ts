import { defineProcess } from '../../generated/handlers.ts';
import type { LOCATION_LIST_Row } from '../../generated/types.ts';

const COLUMNS = ['REGION', 'LOCATION', 'DESCR', 'CITY', 'STATE', 'PHONE'] as const;

/** Writes locations to a CSV report (RFC 4180). A region without any is a success with a warning. */
export default defineProcess('LOCATION_EXTRACT', {
  async run({ REGION }, context) {
    const rows = await context.query('LOCATION_LIST', { REGION });
    context.progress(50, `${rows.length} locations read`);
    await context.report({
      contentType: 'text/csv; charset=utf-8; header=present',
      name: `locations-${REGION ?? 'all'}.csv`,
      stream: () => csv(rows),
    });
    context.message('info', `${rows.length} locations written.`);
    context.progress(100);
    if (rows.length > 0) return 'success';
    context.message('warning', `There are no locations${REGION === undefined ? '' : ` in region ${REGION}`}.`);
    return 'warning';
  },
});

async function* csv(rows: readonly LOCATION_LIST_Row[]): AsyncGenerator<Uint8Array> {
  yield line(COLUMNS);
  for (const row of rows) yield line(COLUMNS.map((column) => row[column] ?? ''));
}

function line(values: readonly string[]): Uint8Array {
  const cells = values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return Buffer.from(`${cells.join(',')}\r\n`);
}
