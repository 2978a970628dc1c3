import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { files, staffProject } from './fixture.ts';
import { poll } from './poll.ts';
import { signalbox, signalboxProcess, start, writeFiles } from './support.ts';

// One project and one database for all: no test here changes either.
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  await writeFiles(cwd, files);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const sales = ['query', 'EMPLOYEES_BY_DEPT', '--prompt', 'DEPTNAME=SALES'];

test.concurrent('a table, numbers to the right', async () => {
  const ran = await signalboxProcess(sales, { cwd });
  expect(ran.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    'EMPLID  NAME          SALARY',
    '     7  Ada           1000.5',
    '     8  Åke, the "b"      90',
    '2 rows',
    '',
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent('json', async () => {
  const { code, stdout } = await signalbox([...sales, '--format', 'json'], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    rows: [
      { EMPLID: 7, NAME: 'Ada', SALARY: 1000.5 },
      { EMPLID: 8, NAME: 'Åke, the "b"', SALARY: 90 },
    ],
  });
});

test.concurrent('csv', async () => {
  const { code, stdout } = await signalbox([...sales, '--format', 'csv'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('EMPLID,NAME,SALARY');
  expect(stdout).toContain('"Åke, the ""b"""');
});

test.concurrent('--output replaces a file as a whole, in each format', async () => {
  const target = join(await mkdtemp(join(tmpdir(), 'signalbox-out-')), 'rows');
  for (const format of ['table', 'csv', 'json', 'xlsx']) {
    const { stdout } = await signalbox([...sales, '--format', format], { cwd });
    const written = await signalbox([...sales, '--format', format, '--output', target], { cwd });
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const text = await readFile(target, 'utf8');
    // A workbook has the time in it.
    if (format === 'xlsx') expect(text.startsWith('PK')).toBe(true);
    else expect(text).toBe(stdout);
  }
  const before = await readFile(target);
  const failed = await signalbox(['query', 'EMPLOYEES_BY_DEPT', '--output', target], { cwd });
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('DEPTNAME') });
  expect(await readFile(target)).toEqual(before);
  expect(await signalbox([...sales, '--output', join(target, 'none', 'x')], { cwd })).toMatchObject({ code: 2 });
  expect(await readdir(dirname(target))).toEqual(['rows']);
});

test.concurrent('--neutral and --bom are for CSV in spreadsheets', async () => {
  const { stdout } = await signalbox([...sales, '--format', 'csv', '--neutral', '--bom'], { cwd });
  expect(stdout).toMatch(/^\uFEFFEMPLID,NAME,SALARY\r\n/);
  const refused = await signalbox([...sales, '--neutral'], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--neutral is for CSV') });
});

test.concurrent('xml', async () => {
  const { code, stdout } = await signalbox([...sales, '--format', 'xml'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('<NAME>Ada</NAME>');
});

test.concurrent('html, webrowset and xlsx, the other formats of the gateway', async () => {
  const html = await signalbox([...sales, '--format', 'html'], { cwd });
  expect(html).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/<td[^>]*>Ada<\/td>/) });
  const rowset = await signalbox([...sales, '--format', 'webrowset'], { cwd });
  expect(rowset).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/<webRowSet\b[\s\S]*>Ada</) });
  const workbook = await signalbox([...sales, '--format', 'xlsx'], { cwd });
  expect(workbook).toMatchObject({ code: 0, stderr: '' });
  // The workbook is a ZIP archive.
  expect(workbook.stdout.startsWith('PK')).toBe(true);
});

test.concurrent('prompts are typed, --maxrows and --fields narrow the result', async () => {
  const lowest = await signalbox([...sales, '--prompt', 'LOWEST=8', '--format', 'csv', '--fields', 'NAME'], { cwd });
  expect(lowest.stdout).not.toContain('Ada');
  expect(lowest.stdout).not.toContain('EMPLID');
  const one = await signalbox([...sales, '--prompt', 'LOWEST=', '--maxrows', '1'], { cwd });
  expect(one.stdout).toContain('1 row\n');
});

test.concurrent.each(['table', 'csv'])('rows that were cut are said to be: %s', async (format) => {
  const queries = files['definitions/staff/queries.yaml'].replace('public: true\n', 'public: true\nrows: 1\n');
  const project = await staffProject({ 'definitions/staff/queries.yaml': queries });
  const { code, stdout, stderr } = await signalbox([...sales, '--format', format], { cwd: project });
  expect(stdout).toContain('Ada');
  expect(stdout).not.toContain('Åke');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'Truncated after 1 row, the maximum for this query.\n',
  });
});

test.concurrent.each([
  [['query', 'EMPLOYEES_BY_DEP'], 'there is no query EMPLOYEES_BY_DEP\n  Did you mean EMPLOYEES_BY_DEPT?'],
  [['query', 'EMPLOYEES_BY_DEPT'], 'prompt DEPTNAME is missing'],
  [[...sales, '--prompt', 'DEPTNAM=X'], 'has no prompt DEPTNAM\n  Did you mean DEPTNAME?'],
  [[...sales, '--prompt', 'DEPTNAME=IT'], 'prompt DEPTNAME is given twice'],
  [[...sales, '--prompt', 'LOWEST=eight'], 'prompt LOWEST is'],
  [['query', 'EMPLOYEES_BY_DEPT', '--prompt', 'DEPTNAME=ABCDEFGHIJK'], 'prompt DEPTNAME is longer than 10 characters'],
  [[...sales, '--fields', 'NAM'], 'has no column NAM\n  Did you mean NAME?'],
])('%j: exit code 2, and what is wrong by its name', async (args, words) => {
  const { code, stdout, stderr } = await signalbox(args, { cwd });
  expect(stderr).toMatch(/^signalbox: /);
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('an interrupt ends the query, and is said to be what did', async () => {
  const slow = `query: SLOW
public: true
columns: { N: integer }
sql: with recursive n(x) as (select 1 union all select x + 1 from n where x < 1e12) select max(x) as n from n
`;
  const project = await staffProject({ 'definitions/slow.yaml': slow });
  const query = start(['query', 'SLOW'], { cwd: project });
  await poll('the database', () => existsSync(join(project, '.signalbox/signalbox.db')) || undefined, query.output);
  expect(await query.stop('SIGINT')).toMatchObject({ code: 1, signal: null });
  expect(query.output()).toBe('signalbox: interrupted\n');
});

test.concurrent('a database that is not there is said so, without a stack', async () => {
  const { code, stderr } = await signalbox(sales, { cwd, env: { DATABASE_URL: 'oracle:x' } });
  expect(stderr).toMatch(/^signalbox: /);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
});

test.concurrent('a value that its column can not have: the row, the column and what to do', async () => {
  const odd = await staffProject({
    'definitions/odd.yaml': "query: ODD\npublic: true\ncolumns: { AT: date }\nsql: select 'infinity' as at\n",
  });
  expect(await signalbox(['query', 'ODD'], { cwd: odd })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^signalbox: Query ODD \(row 1, column AT\) failed .*\n {2}query ODD: row 1: column AT holds .*`infinity: null`.*\n$/,
    ),
  });
});

test.concurrent('--explain prints the plan instead of rows', async () => {
  const { code, stdout } = await signalbox([...sales, '--explain'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(?:SCAN|SEARCH) /);
  expect(stdout).not.toContain('Ada');
});
