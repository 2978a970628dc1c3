import { strFromU8, unzipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { compileRenderer, NOTHING_BELOW, ResultLimitError, type SqlValue } from '../../src/query/render/index.ts';
import { sheetName } from '../../src/query/render/xlsx/text.ts';
import { compileZone } from '../../src/wire/timezone.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { columnsOf, rendered } from './render-support.ts';
import { bytesOf, databaseOf, query, readersOf, type Types } from './support.ts';

/** The parts of a workbook, all of them well-formed. */
function partsOf(bytes: Uint8Array): Record<string, string> {
  const parts = Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)] as const);
  for (const [, content] of parts) readXml(content, { attributes: 20 });
  return Object.fromEntries(parts);
}

const sheetOf = (bytes: Uint8Array): string => partsOf(bytes)['xl/worksheets/sheet1.xml'] as string;

/** The cell at a reference; undefined where there is none. */
function cell(sheet: string, reference: string): string | undefined {
  return new RegExp(`<c r="${reference}"[^>]*>.*?</c>`, 's').exec(sheet)?.[0];
}

/** Where a value of a column of one type stands: what is inside its cell, and the format that it is shown with. */
function shown(
  type: Types[string],
  value: SqlValue,
  timezone = 'UTC',
): { inside: string; format: string; type: string } {
  const parts = partsOf(rendered('xlsx', columnsOf({ C: type }), [[value]], { timezone }));
  const styles = parts['xl/styles.xml'] as string;
  const found = cell(parts['xl/worksheets/sheet1.xml'] as string, 'A2') ?? '';
  const [, style = '0', kind = 'n', inside = ''] =
    /^<c r="A2"(?: s="(\d+)")?(?: t="(\w+)")?>(.*)<\/c>$/s.exec(found) ?? [];
  const formats = [...styles.slice(styles.indexOf('<cellXfs')).matchAll(/<xf numFmtId="(\d+)"/g)];
  const format = formats[Number(style)]?.[1] ?? '';
  const code = new RegExp(`numFmtId="${format}" formatCode="([^"]*)"`).exec(styles)?.[1] ?? format;
  return { inside, format: code, type: kind };
}

const text = (value: string): string => `<is><t>${value}</t></is>`;
const spaced = (value: string): string => `<is><t xml:space="preserve">${value}</t></is>`;
const decimal = { kind: 'decimal', length: 10, scale: 2 } as const;

describe('xlsx', () => {
  it('holds numbers as numbers, with the digits that their type says', () => {
    expect(shown('integer', -42n)).toEqual({ inside: '<v>-42</v>', format: '1', type: 'n' });
    expect(shown(decimal, '12.50')).toEqual({ inside: '<v>12.50</v>', format: '0.00', type: 'n' });
    expect(shown('decimal', 0.1)).toEqual({ inside: '<v>0.1</v>', format: '0', type: 'n' });
    expect(shown('decimal', 1e-7)).toMatchObject({ inside: '<v>0.0000001</v>' });
    expect(shown('boolean', 1n)).toMatchObject({ inside: '<v>1</v>', type: 'b' });
  });

  it('loses no digit: a number with more than 15 is a text', () => {
    expect(shown('integer', 999_999_999_999_999n)).toMatchObject({ type: 'n' });
    expect(shown('integer', 1_234_567_890_123_456n)).toEqual({
      inside: text('1234567890123456'),
      format: '49',
      type: 'inlineStr',
    });
    expect(shown('decimal', '0.123456789012345')).toMatchObject({ type: 'n' });
    expect(shown('decimal', '-1234567890123.456')).toMatchObject({
      inside: text('-1234567890123.456'),
      type: 'inlineStr',
    });
    expect(shown('decimal', '1234567890123.50000')).toMatchObject({ type: 'n' });
  });

  it('holds dates and times as numbers of days, in the 1900 system', () => {
    expect(shown('date', '2026-07-01')).toEqual({ inside: '<v>46204</v>', format: 'yyyy\\-mm\\-dd', type: 'n' });
    expect(shown('date', '1900-03-01')).toMatchObject({ inside: '<v>61</v>' });
    expect(shown('date', '1900-02-28')).toMatchObject({ inside: text('1900-02-28'), type: 'inlineStr' });
    expect(shown('date', '2026-02-30')).toMatchObject({ inside: text('2026-02-30'), type: 'inlineStr' });
    expect(shown('time', '18:00')).toEqual({ inside: '<v>0.75</v>', format: 'hh:mm:ss', type: 'n' });
    expect(shown('datetime', '2026-07-01 06:00:00')).toEqual({
      inside: '<v>46204.25</v>',
      format: 'yyyy\\-mm\\-dd\\ hh:mm:ss',
      type: 'n',
    });
  });

  it.each([
    ['no offset is the wall clock already', '2026-07-01 12:00:00', 46204.5],
    ['UTC in summer', '2026-07-01 10:00:00Z', 46204.5],
    ['UTC in winter', '2026-01-01 11:00:00Z', 46023.5],
    ['another offset', '2026-07-01T05:00:00-05:00', 46204.5],
    ['just before the clock goes forward', '2026-03-29T00:45:00Z', 46110 + 1.75 / 24],
    ['just after it', '2026-03-29T01:00:00Z', 46110 + 3 / 24],
    ['the hour that comes twice, first', '2026-10-25T00:30:00Z', 46320 + 2.5 / 24],
    ['and again', '2026-10-25T01:30:00Z', 46320 + 2.5 / 24],
    ['the hour after it', '2026-10-25T02:00:00Z', 46320 + 3 / 24],
  ])("shows datetimes as the gateway's clocks do: %s", (_, value, days) => {
    const { inside } = shown('datetime', value, 'Europe/Berlin');
    expect(Number(/^<v>(.*)<\/v>$/.exec(inside)?.[1])).toBeCloseTo(days, 8);
  });

  it('keeps texts as texts: formulas, escapes, blanks, and what XML has no place for', () => {
    expect(shown('string', '=1+1')).toEqual({ inside: text('=1+1'), format: '49', type: 'inlineStr' });
    expect(shown('string', ' <a> & "b" ')).toMatchObject({ inside: spaced(' &lt;a&gt; &amp; &quot;b&quot; ') });
    expect(shown('string', 'a\n')).toMatchObject({ inside: spaced('a\n') });
    expect(shown('text', 'a\u0001b\r\n\tc')).toMatchObject({ inside: text('a_x0001_b_x000D_\n\tc') });
    expect(shown('text', '_x0041_ _x41_')).toMatchObject({ inside: text('_x005F_x0041_ _x41_') });
    expect(shown('text', '𝄞 \ud800 \ufffe')).toMatchObject({ inside: text('𝄞 _xD800_ _xFFFE_') });
    expect(shown('binary', Buffer.from('abc'))).toMatchObject({ inside: text('YWJj') });
  });

  it('has a bold row of headings that stays in sight, a filter, widths, and no cell for NULL', () => {
    const columns = columnsOf({ ID: 'integer', LONG_HEADING_OF_A_FLAG: 'flag', NAME: { kind: 'string', length: 30 } });
    const sheet = sheetOf(
      rendered('xlsx', columns, [
        [1n, null, 'x'],
        [null, 'Y', null],
      ]),
    );
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    expect(sheet).toContain('<autoFilter ref="A1:C3"/>');
    expect([...sheet.matchAll(/ width="(\d+)"/g)].map((match) => Number(match[1]))).toEqual([13, 27, 32]);
    expect(cell(sheet, 'B1')).toBe(`<c r="B1" s="1" t="inlineStr">${text('LONG_HEADING_OF_A_FLAG')}</c>`);
    expect([cell(sheet, 'B2'), cell(sheet, 'A3'), cell(sheet, 'C3')]).toEqual([undefined, undefined, undefined]);
    expect(sheetOf(rendered('xlsx', columns, []))).toContain('</row></sheetData><autoFilter ref="A1:C1"/>');
  });

  it('letters its columns as spreadsheets do', () => {
    const types = Object.fromEntries(Array.from({ length: 704 }, (_, index) => [`C${index}`, 'integer' as const]));
    const sheet = sheetOf(rendered('xlsx', columnsOf(types), []));
    const heading = (reference: string) => />(C\d+)</.exec(cell(sheet, reference) ?? '')?.[1];
    expect(['Z1', 'AA1', 'AZ1', 'BA1', 'ZZ1', 'AAA1'].map(heading)).toEqual([
      'C25',
      'C26',
      'C51',
      'C52',
      'C701',
      'C702',
    ]);
  });

  it('is the same bytes for the same rows', () => {
    const once = () => rendered('xlsx', columnsOf({ N: 'integer' }), [[1n], [2n]]);
    expect(once().equals(once())).toBe(true);
  });

  it('names its sheet as its query, as far as a sheet can be called so', () => {
    expect(partsOf(rendered('xlsx', columnsOf({ N: 'integer' }), []))['xl/workbook.xml']).toContain(
      '<sheet name="A_QUERY"',
    );
    expect(['a/b[c]:*?\\', "'quoted'", 'x'.repeat(40), 'History', '', '\u0001'].map(sheetName)).toEqual([
      'a_b_c_____',
      'quoted',
      'x'.repeat(31),
      'History_',
      'Sheet1',
      '_',
    ]);
  });

  it('refuses what a workbook can not hold', () => {
    const columns = columnsOf({ NAME: 'text' });
    expect(sheetOf(rendered('xlsx', columns, [['x'.repeat(32_767)]]))).toContain('x'.repeat(32_767));
    expect(() => rendered('xlsx', columns, [['x'.repeat(32_768)]])).toThrow(
      new ResultLimitError(
        'has a value of 32768 characters in NAME, and a cell of a workbook holds 32767; ask for another format',
      ),
    );
  });

  it('refuses more rows than a sheet holds', () => {
    const shape = { name: 'A_QUERY', columns: columnsOf({ NAME: 'text' }), children: [] };
    const renderer = compileRenderer('xlsx', shape, compileZone('UTC'), {}).start();
    for (let number = 1; number < 1_048_576; number += 1) renderer.row([null], number, NOTHING_BELOW);
    expect(() => renderer.row([null], 1_048_576, NOTHING_BELOW)).toThrow(
      new ResultLimitError('has more than the 1048575 rows that a sheet holds; ask for fewer or for CSV'),
    );
  });
});

describe('a query as xlsx', () => {
  const sql = `with recursive c(x) as (select 1 union all select x + 1 from c where x < :ROWS)
    select x as id, 'request number ' || x || ' of many' as name, '2026-01-01 10:00:00' as at, x * 1.25 as cost from c`;
  const columns = { ID: 'integer', NAME: 'string', AT: 'datetime', COST: 'decimal' } as const;
  const many = query(sql, columns, { ROWS: 'integer' });

  it('comes whole, however large, and is refused in words where it is too large', async () => {
    const store = await databaseOf('select 1', afterAll);
    const port = readersOf(store, { readers: 1, limits: { rows: 2_000_000, timeout: 60_000 } }, afterAll);
    const result = await port.run({ query: many, prompts: { ROWS: 50_000 }, format: 'xlsx' });
    expect(result.contentType).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    const sheet = strFromU8(unzipSync(await bytesOf(result))['xl/worksheets/sheet1.xml'] as Uint8Array);
    expect(sheet.match(/<row /g)).toHaveLength(50_001);
    expect(cell(sheet, 'D50001')).toBe('<c r="D50001"><v>62500</v></c>');
    const wide = query("select printf('%.*c', 40000, 'x') as name", { NAME: 'text' });
    await expect(port.run({ query: wide, prompts: {}, format: 'xlsx' })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: expect.stringMatching(/^The result has a value of 40000 characters in NAME, /),
    });
    // The reader goes on.
    expect(await port.run({ query: many, prompts: { ROWS: 2 }, format: 'csv' })).toMatchObject({ rows: 2 });
  });
});
