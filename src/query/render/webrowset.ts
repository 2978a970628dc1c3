/** The document of JSR 114 (JDBC WebRowSet), as its schema `http://java.sun.com/xml/ns/jdbc` has it. */

import type { ReplyRoot } from '../../model/document.ts';
import { isNumeric, SCALARS } from '../../model/scalar.ts';
import type { Zone } from '../../wire/timezone.ts';
import { escapeText } from '../../wire/xml/text.ts';
import type { ResultColumn } from '../plan.ts';
import { compileTextOf } from './convert.ts';
import type { RendererFactory } from './renderer.ts';
import type { SqlValue } from './value.ts';
import { compileRoot, DECLARATION, elements } from './xml.ts';

/** Every property that the schema asks for. What would tell of the database itself is left empty. */
const properties: readonly (readonly [string, string])[] = [
  ['command', ''],
  ['concurrency', '1007'],
  ['datasource', ''],
  ['escape-processing', 'true'],
  ['fetch-direction', '1000'],
  ['fetch-size', '0'],
  ['isolation-level', '8'],
  ['key-columns', ''],
  ['map', ''],
  ['max-field-size', '0'],
  ['max-rows', '0'],
  ['query-timeout', '0'],
  ['read-only', 'true'],
  ['rowset-type', 'ResultSet.TYPE_SCROLL_INSENSITIVE'],
  ['show-deleted', 'false'],
];

const provider = element(
  'sync-provider',
  ['name', 'vendor', 'version', 'grade'].map((part) => element(`sync-provider-${part}`, '')).join('') +
    element('data-source-lock', ''),
);

/**
 * Compiles the writer of a query's result. An SQL NULL is an empty `columnValue`, as the original writes it: its clients read the
 * text of each by its place, and an element `null` in there is no text to them.
 */
export function compileWebRowSet(
  name: string,
  columns: readonly ResultColumn[],
  zone: Zone,
  root: ReplyRoot | undefined,
): RendererFactory {
  const cells = columns.map((column) => ({ at: column.at, text: compileTextOf(column, zone, 'query') }));
  const described = properties.map(([key, value]) => element(key, value)).join('');
  const table = element('table-name', escapeText(name));
  const definitions = columns.map((column, index) => definition(column, index + 1, table)).join('');
  const { start: open, end: close } = root === undefined ? { start: DECLARATION, end: '' } : compileRoot(root);
  const end = `</data></webRowSet>${close}`;
  const start =
    open +
    '<webRowSet xmlns="http://java.sun.com/xml/ns/jdbc">' +
    element('properties', `${described}${table}${element('url', '')}${provider}`) +
    element('metadata', element('column-count', String(columns.length)) + definitions);
  const row = (raw: readonly SqlValue[]): string => {
    let text = '<currentRow>';
    for (const { at, text: textOf } of cells) {
      const value = raw[at] ?? null;
      text += `<columnValue>${value === null ? '' : escapeText(textOf(value))}</columnValue>`;
    }
    return `${text}</currentRow>`;
  };
  return elements(
    row,
    () => `${start}<data>`,
    () => end,
  );
}

function definition(column: ResultColumn, index: number, table: string): string {
  const [code, typeName] = SCALARS[column.kind].jdbc;
  const length = String(column.length ?? 0);
  const parts = [
    element('column-index', String(index)),
    element('auto-increment', 'false'),
    element('case-sensitive', 'true'),
    element('currency', 'false'),
    element('nullable', '2'),
    element('signed', String(isNumeric(column))),
    element('searchable', 'false'),
    element('column-display-size', length),
    element('column-label', escapeText(column.heading ?? column.name)),
    element('column-name', escapeText(column.name)),
    element('schema-name', ''),
    element('column-precision', length),
    element('column-scale', String(column.scale ?? 0)),
    table,
    element('catalog-name', ''),
    element('column-type', String(code)),
    element('column-type-name', typeName),
  ];
  return element('column-definition', parts.join(''));
}

function element(name: string, inner: string): string {
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
}
