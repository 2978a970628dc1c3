import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { files } from './fixture.ts';
import { signalbox, writeFiles } from './support.ts';

const DEPARTMENTS = `query: DEPARTMENTS
public: true
columns: { DEPTNAME: string(10) }
sql: select distinct deptname from employee_tbl order by deptname
connects: { STAFF_OF: { DEPTNAME: DEPTNAME } }
---
query: STAFF_OF
public: true
prompts: { LOWEST: { type: integer, default: 0 } }
columns: { DEPTNAME: string(10), NAME: string, SALARY: decimal(10.2) }
sql: select deptname, name, salary from employee_tbl where emplid >= :LOWEST order by emplid
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  await writeFiles(cwd, { ...files, 'definitions/departments.yaml': DEPARTMENTS });
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = (...args: readonly string[]) => signalbox(['query', 'DEPARTMENTS', '--connected', ...args], { cwd });

test('--connected nests the rows of connected queries, with prompts of their own, in JSON', async () => {
  const { code, stdout } = await run('--format', 'json', '--prompt', 'STAFF_OF.LOWEST=8');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    rows: [
      { DEPTNAME: 'IT', STAFF_OF: [{ DEPTNAME: 'IT', NAME: 'Cy' }] },
      { DEPTNAME: 'SALES', STAFF_OF: [{ DEPTNAME: 'SALES', NAME: 'Åke, the "b"', SALARY: 90 }] },
    ],
  });
});

test('--connected nests them in XML', async () => {
  const { code, stdout } = await run('--format', 'xml', '--prompt', 'STAFF_OF.LOWEST=9');
  expect(code).toBe(0);
  expect(stdout).toBe(
    '<DEPARTMENTS><rows><row><DEPTNAME>IT</DEPTNAME><STAFF_OF><row><DEPTNAME>IT</DEPTNAME><NAME>Cy</NAME></row></STAFF_OF></row>' +
      '<row><DEPTNAME>SALES</DEPTNAME><STAFF_OF></STAFF_OF></row></rows></DEPARTMENTS>\n',
  );
});

test('without it the rows are flat', async () => {
  const { stdout } = await signalbox(['query', 'DEPARTMENTS', '--format', 'json'], { cwd });
  expect(JSON.parse(stdout)).toEqual({ rows: [{ DEPTNAME: 'IT' }, { DEPTNAME: 'SALES' }] });
});

test.each([
  [[], 'only JSON and XML have a place for nested rows'],
  [['--format', 'csv'], 'only JSON and XML have a place for nested rows'],
  [['--format', 'json', '--prompt', 'STAF_OF.LOWEST=1'], 'STAF_OF is not connected by query DEPARTMENTS'],
  [['--format', 'json', '--prompt', 'STAFF_OF.LOW=1'], 'query STAFF_OF has no prompt LOW'],
])('--connected %j is refused', async (args, message) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a query that connects no others is refused', async () => {
  const { code, stderr } = await signalbox(['query', 'STAFF_OF', '--connected', '--format', 'json'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('query STAFF_OF connects no others');
});
