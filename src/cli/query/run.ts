import type { Field } from '../../model/field.ts';
import type { Registry } from '../../model/registry.ts';
import type { Row } from '../../model/value.ts';
import type { QueryCall, QueryPort, XmlNames } from '../../query/index.ts';
import { interruptible } from '../interrupt.ts';
import { withProgress } from '../progress/progress.ts';
import type { Place } from '../project.ts';
import { renderTable } from '../table.ts';
import { coloursOf, note, print } from '../terminal.ts';
import { count } from '../words.ts';

export const formats = ['table', 'json', 'csv', 'xml'] as const;
export type Format = (typeof formats)[number];

/** What is run. */
type Call = Omit<QueryCall, 'format'>;

/** Runs a query on the configured database and writes its rows; an interrupt ends it. */
export async function runQuery(registry: Registry, place: Place, call: Call, format: Format): Promise<void> {
  const { openData } = await import('../../serve/start/data.ts');
  await interruptible(async (signal) => {
    const data = await openData(registry, { ...place, env: process.env, readers: 1 });
    try {
      if (format === 'table') await printTable(data.queries, { ...call, signal });
      else await printText(data.queries, { ...call, signal }, format);
    } finally {
      await data.close();
    }
  });
}

async function printTable(port: QueryPort, call: Call): Promise<void> {
  let truncated = false;
  const onTruncated = (): void => {
    truncated = true;
  };
  const rows = await withProgress(labelOf(call), () => port.rows({ ...call, onTruncated }));
  await print(renderRows(call, rows));
  if (truncated) noteCut(rows.length);
}

const RESULTS = { json: 'rows-json', csv: 'csv', xml: 'rows-xml' } as const;

async function printText(port: QueryPort, call: Call, format: keyof typeof RESULTS): Promise<void> {
  const xml: XmlNames = { root: call.query.id, namespace: '', list: 'rows', item: 'row' };
  const result = await withProgress(labelOf(call), () => port.run({ ...call, format: RESULTS[format], xml }));
  try {
    if (result.body instanceof Uint8Array) await print(result.body);
    else for await (const chunk of result.body()) await print(chunk);
    // CSV ends its last line itself.
    if (format !== 'csv') await print('\n');
  } finally {
    result.dispose?.();
  }
  if (result.truncated) noteCut(result.rows);
}

const labelOf = ({ query }: Call): string => `Running ${query.id}`;

function noteCut(rows: number): void {
  note(`Cut after ${count(rows, 'row')}, which is as many as the query may return.`);
}

function renderRows({ query, fields }: Call, rows: readonly Row[]): string {
  const columns = query.columns.filter((column) => fields === undefined || fields.includes(column.name));
  const numbers = new Set([...columns.keys()].filter((index) => isNumber(columns[index])));
  const table = renderTable(
    columns.map((column) => column.name),
    rows.map((row) => columns.map((column) => String(row[column.name] ?? ''))),
    { colours: coloursOf(process.stdout), right: numbers },
  );
  return `${table}${count(rows.length, 'row')}\n`;
}

function isNumber(field: Field | undefined): boolean {
  return field?.type.kind === 'integer' || field?.type.kind === 'decimal';
}
