/** The styles of a workbook (ISO/IEC 29500-1, 18.8): one a kind of column. */

import { SCALARS } from '../../../model/scalar.ts';
import type { ResultColumn } from '../../plan.ts';
import { NAMESPACE, XML } from './parts.ts';

/** Formats that have a number of their own (18.8.30). */
const GENERAL = 0;
const WHOLE = 1;
const TEXT = 49;
/** The first number that is free. */
const OWN = 164;

/** Digits after the point that a format can show. */
const MOST_PLACES = 30;

/** The index of the style of cells with headings, and of cells with text; 0 is a cell without a style. */
export const HEADING = 1;
export const TEXT_STYLE = 2;

/** The styles of a sheet's columns. */
export interface Styles {
  /** The index of each column's style, in their order. */
  readonly indices: readonly number[];
  /** The part `styles.xml`. */
  readonly part: string;
}

/** Finds the styles that columns need. */
export function stylesOf(columns: readonly ResultColumn[]): Styles {
  const formats = [GENERAL, GENERAL, TEXT];
  const codes: string[] = [];
  const styleOf = (format: number): number => {
    const known = formats.indexOf(format, TEXT_STYLE);
    return known < 0 ? formats.push(format) - 1 : known;
  };
  const own = (code: string): number => {
    const known = codes.indexOf(code);
    return OWN + (known < 0 ? codes.push(code) - 1 : known);
  };
  const indices = columns.map((column) => {
    const { format } = SCALARS[column.kind].workbook;
    if (format === 'text') return TEXT_STYLE;
    if (format === 'whole') return styleOf(WHOLE);
    const code = format === 'general' ? placesCode(column) : format;
    return code === undefined ? 0 : styleOf(own(code));
  });
  return { indices, part: partOf(formats, codes) };
}

/** A decimal shows the digits that its type has after the point. */
function placesCode({ scale }: ResultColumn): string | undefined {
  if (scale === undefined || scale > MOST_PLACES) return undefined;
  return scale === 0 ? '0' : `0.${'0'.repeat(scale)}`;
}

function partOf(formats: readonly number[], codes: readonly string[]): string {
  const own = codes.map((code, index) => `<numFmt numFmtId="${OWN + index}" formatCode="${code}"/>`).join('');
  const cells = formats.map((format, index) => {
    const bold = index === HEADING;
    return `<xf numFmtId="${format}" fontId="${bold ? 1 : 0}" fillId="0" borderId="0" xfId="0"${bold ? ' applyFont="1"' : ''}${format === GENERAL ? '' : ' applyNumberFormat="1"'}/>`;
  });
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
  return (
    `${XML}<styleSheet xmlns="${NAMESPACE}">${own === '' ? '' : `<numFmts count="${codes.length}">${own}</numFmts>`}` +
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}
