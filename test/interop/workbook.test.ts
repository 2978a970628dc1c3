import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copySample, type SampleCopy } from '../support/sample.ts';
import { python } from './soap-support.ts';
import { has, run, type Served, serve } from './support.ts';

const TYPES = `query: TYPES
description: A column of each type.
permission: QUERY_USER
columns:
  NAME: string
  COUNT: integer
  BIG: integer
  PRICE: decimal(12.2)
  DAY: date
  MOMENT: datetime
  CHECKED: boolean
  FORMULA: string
  MISSING: string
sql: |
  select 'Zoë & <Ada>' as name, 42 as count, 9007199254740993 as big, 12.5 as price, '2026-02-28' as day,
         '2026-02-28 23:59:58' as moment, 1 as checked, '=1+1' as formula, null as missing
`;

/** LibreOffice's words for commas, double quotes and UTF-8. */
const UTF8_CSV = 'csv:Text - txt - csv (StarCalc):44,34,76';

let project: SampleCopy;
let gateway: Served;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-workbook-'));
  file = join(folder, 'types.xlsx');
  project = copySample({ 'definitions/types.yaml': TYPES });
  gateway = await serve(project.root);
  const address = `${gateway.connector}/ExecuteQuery.v1/PUBLIC/TYPES/EXCEL/NONFILE`;
  expect(await run('curl', ['-sS', '--fail', '-u', 'demo:demo', '-o', file, address])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const hasOpenpyxl = ((): boolean => {
  try {
    execFileSync(python, ['-c', 'import openpyxl'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Sheet {
  readonly title: string;
  readonly frozen: string | null;
  readonly bold: readonly boolean[];
  readonly rows: readonly (readonly { readonly type: string; readonly value: unknown; readonly date: boolean }[])[];
}

test.skipIf(!hasOpenpyxl)('openpyxl reads typed cells below a frozen header (needs python3-openpyxl)', () => {
  const script = fileURLToPath(new URL('clients/read-workbook.py', import.meta.url));
  const sheet: Sheet = JSON.parse(execFileSync(python, [script], { input: readFileSync(file), encoding: 'utf8' }));
  expect([sheet.title, sheet.frozen, new Set(sheet.bold)]).toEqual(['TYPES', 'A2', new Set([true])]);
  const [head = [], row = [], ...more] = sheet.rows;
  expect(more).toEqual([]);
  const cells = Object.fromEntries(head.map(({ value }, index) => [value, row[index]]));
  expect(cells).toMatchObject({
    NAME: { type: expect.stringMatching(/^(s|inlineStr)$/), value: 'Zoë & <Ada>' },
    COUNT: { type: 'n', value: 42 },
    // A number of a spreadsheet has 15 digits: one with more stays whole as a text.
    BIG: { value: '9007199254740993' },
    PRICE: { type: 'n', value: 12.5 },
    DAY: { type: 'd', value: '2026-02-28T00:00:00', date: true },
    MOMENT: { type: 'd', value: '2026-02-28T23:59:58', date: true },
    CHECKED: { type: 'b', value: true },
    FORMULA: { value: '=1+1' },
    MISSING: { value: null },
  });
  expect(cells.FORMULA?.type).not.toBe('f');
});

test.skipIf(!has('soffice'))('LibreOffice reads it, and runs no formula (needs libreoffice-calc-nogui)', async () => {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const args = [profile, '--headless', '--convert-to', UTF8_CSV, '--outdir', folder, file];
  expect(await run('soffice', args)).toMatchObject({ code: 0 });
  const [head, row] = readFileSync(join(folder, 'types.csv'), 'utf8').split('\n');
  expect(head).toBe('NAME,COUNT,BIG,PRICE,DAY,MOMENT,CHECKED,FORMULA,MISSING');
  expect(row).toMatch(/^Zoë & <Ada>,42,9007199254740993,12\.50?,2026-02-28,2026-02-28 23:59:58,TRUE,=1\+1,$/);
});
