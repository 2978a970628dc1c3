import type { ReplyRoot } from '../../model/document.ts';
import type { CsvOptions } from '../../wire/csv.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { ResultFormat, XmlNames } from '../query-port.ts';
import { compileCsv } from './csv.ts';
import { compileHtml } from './html.ts';
import { compileQueryJson, compileRowsJson } from './json.ts';
import { forgiving } from './odd.ts';
import { compileRaw } from './raw.ts';
import type { RendererFactory, ResultShape } from './renderer.ts';
import { compileValues } from './values.ts';
import { compileWebRowSet } from './webrowset.ts';
import { compileXlsx } from './xlsx/workbook.ts';
import { compileRowsXml, compileXmlp } from './xml.ts';

export { type NestedRow, NOTHING_BELOW, type Renderer, type RendererFactory, type ResultShape } from './renderer.ts';
export { ResultLimitError } from './result-limit.ts';
export type { SqlValue } from './value.ts';

/** Formats that are written; `values` is the form in which rows cross for a handler. */
export type RenderFormat = ResultFormat | 'values';

/** What a format may be given beside the columns. */
export interface RenderOptions {
  /** Needed for `rows-xml`. */
  readonly xml?: XmlNames | undefined;
  /** Of `xmlp` and `webrowset`. */
  readonly root?: ReplyRoot | undefined;
  /** Of `csv`. */
  readonly csv?: CsvOptions | undefined;
}

/** Formats that can hold the rows of children under each row. */
const nesting: ReadonlySet<RenderFormat> = new Set(['json', 'xmlp', 'rows-json', 'rows-xml', 'raw']);

/** Can a format hold the rows of children under each row? */
export function canNest(format: RenderFormat): boolean {
  return nesting.has(format);
}

/** Compiles the writer of one format for one query's columns. It names the row of a value that does not fit. CSV, HTML, workbooks, `webrowset` and `values` don't write rows of children. */
export function compileRenderer(
  format: RenderFormat,
  shape: ResultShape,
  zone: Zone,
  options: RenderOptions,
): RendererFactory {
  const factory = compileFormat(format, shape, zone, options);
  // What is written raw is rendered later.
  return format === 'raw' ? factory : forgiving(shape, factory);
}

function compileFormat(
  format: RenderFormat,
  shape: ResultShape,
  zone: Zone,
  { xml, root, csv }: RenderOptions,
): RendererFactory {
  const { name, columns } = shape;
  switch (format) {
    case 'json':
      return compileQueryJson(shape, zone);
    case 'xmlp':
      return compileXmlp(shape, zone, root);
    case 'webrowset':
      return compileWebRowSet(name, columns, zone, root);
    case 'csv':
      return compileCsv(columns, zone, csv);
    case 'html':
      return compileHtml(name, columns, zone);
    case 'xlsx':
      return compileXlsx(name, columns, zone);
    case 'raw':
      return compileRaw(shape);
    case 'rows-json':
      return compileRowsJson(shape, zone);
    case 'rows-xml':
      if (xml === undefined) throw new TypeError('rows-xml needs the names of its elements');
      return compileRowsXml(xml, shape, zone);
    case 'values':
      return compileValues(columns, zone);
  }
}
