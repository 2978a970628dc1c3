/** The parts of a workbook beside its sheet (ISO/IEC 29500-1, 12; ISO/IEC 29500-2 for the package), transitional. */

import { escapeString, sheetName } from './text.ts';

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Names of the parts that differ from workbook to workbook. */
export const SHEET_PART = 'xl/worksheets/sheet1.xml';
export const STYLES_PART = 'xl/styles.xml';

/** The other parts of a workbook with one sheet, in the order in which readers want them. */
export function fixedParts(query: string): readonly (readonly [name: string, content: string])[] {
  const name = escapeString(sheetName(query));
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${SHEET_ML}.sheet.main+xml"/>` +
        `<Override PartName="/${SHEET_PART}" ContentType="${SHEET_ML}.worksheet+xml"/>` +
        `<Override PartName="/${STYLES_PART}" ContentType="${SHEET_ML}.styles+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${NAMESPACE}" xmlns:r="${OFFICE}"><workbookPr date1904="0"/>` +
        `<sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>` +
        `<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
  ];
}
