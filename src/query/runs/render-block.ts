import type { ReplyRoot } from '../../model/document.ts';
import type { Query, QueryLink } from '../../model/query.ts';
import { compileZone, type Zone } from '../../wire/timezone.ts';
import { columnsOf, type ResultColumn } from '../plan.ts';
import type { ResultFormat } from '../query-port.ts';
import { compileRenderer, type RendererFactory, type ResultShape } from '../render/index.ts';
import { rawShape, readRaw } from '../render/raw.ts';

/** How lines of a `raw` result become a document of their own. */
export interface RawOptions {
  readonly query: Query;
  readonly format: Exclude<ResultFormat, 'raw' | 'rows-json' | 'rows-xml'>;
  /** Names of the columns that were asked for, in declared order; all where absent. */
  readonly fields?: readonly string[];
  readonly timezone: string;
  /** Number of the first row, from 1. */
  readonly first: number;
  readonly root?: ReplyRoot;
  readonly connected?: boolean;
}

const LINE_FEED = 0x0a;

/**
 * Renders rows of a `raw` result, whole lines of it, as a document of their own.
 * @throws ResultLimitError, ValueError; SyntaxError where the lines are no such result
 */
export function renderRaw(lines: Uint8Array, options: RawOptions): Uint8Array {
  const { first } = options;
  const { shape, factory } = compiled(options);
  const renderer = factory.start();
  const parts: (string | Uint8Array)[] = [];
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  let rows = 0;
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, from);
    const end = found < 0 ? bytes.length : found;
    const { cells, below } = readRaw(bytes.toString('utf8', from, end), shape);
    renderer.row(cells, first + rows, below);
    parts.push(renderer.flush());
    rows += 1;
    from = end + 1;
  }
  parts.push(renderer.flush(), renderer.tail());
  return Buffer.concat(
    [renderer.head(rows), ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
}

interface Compiled {
  readonly shape: ResultShape;
  readonly factory: RendererFactory;
}

const zones = new Map<string, Zone>();

function compiled(options: RawOptions): Compiled {
  const { query, format, fields, timezone, root, connected = false } = options;
  let zone = zones.get(timezone);
  if (zone === undefined) {
    zone = compileZone(timezone);
    zones.set(timezone, zone);
  }
  const shape = rawShape(shapeOf(query, { fields, connected }));
  return { shape, factory: compileRenderer(format, shape, zone, { root, csv: query.csv }) };
}

/**
 * The shape of a query's result whose columns stand where they are declared.
 * @param fields names of the query's own columns that were asked for; all where undefined
 */
export function shapeOf(
  query: Query,
  { fields, connected }: { readonly fields: readonly string[] | undefined; readonly connected: boolean },
): ResultShape {
  const wanted = fields === undefined ? undefined : new Set(fields);
  const columns = placed(query).filter((column) => wanted?.has(column.name) ?? true);
  return { name: query.id, columns, children: connected ? query.children.map(childOf) : [] };
}

function childOf({ query }: QueryLink): ResultShape {
  return { name: query.id, columns: placed(query), children: query.children.map(childOf) };
}

function placed(query: Query): ResultColumn[] {
  return columnsOf(query).map((column, at) => ({ ...column, at }));
}
