import { ROW_MEDIA_TYPES } from '../../model/query.ts';
import type { ResultFormat } from '../query-port.ts';

/** The media type of each form. */
export const contentTypes: Readonly<Record<ResultFormat, string>> = {
  json: 'application/json',
  xmlp: 'application/xml',
  webrowset: 'application/xml',
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
  xlsx: ROW_MEDIA_TYPES.xlsx,
  raw: 'application/x-ndjson',
  'rows-json': 'application/json',
  'rows-xml': 'application/xml',
};
