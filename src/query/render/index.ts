import type { RenderFormat } from '../frame.ts';
import type { XmlNames } from '../port.ts';
import type { Zone } from '../timezone.ts';
import type { ResultColumn } from './convert.ts';
import { compileCsv } from './csv.ts';
import { compileQueryJson, compileRowsJson, compileValues } from './json.ts';
import type { RendererFactory } from './renderer.ts';
import { compileWebRowSet } from './webrowset.ts';
import { compileRowsXml, compileXmlp } from './xml.ts';

export type { ResultColumn, SqlValue } from './convert.ts';
export type { RendererFactory } from './renderer.ts';

/** Compiles the writer of one format for one query's columns. */
export function compileRenderer(
  format: RenderFormat,
  name: string,
  columns: readonly ResultColumn[],
  zone: Zone,
  xml: XmlNames | undefined,
): RendererFactory {
  switch (format) {
    case 'json':
      return compileQueryJson(name, columns, zone);
    case 'xmlp':
      return compileXmlp(name, columns, zone);
    case 'webrowset':
      return compileWebRowSet(name, columns, zone);
    case 'csv':
      return compileCsv(columns, zone);
    case 'rows-json':
      return compileRowsJson(columns, zone);
    case 'rows-xml':
      if (xml === undefined) throw new TypeError('rows-xml needs the names of its elements');
      return compileRowsXml(xml, columns, zone);
    case 'values':
      return compileValues(columns, zone);
  }
}
