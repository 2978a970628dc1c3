import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logLine } from '../../src/cli/gateway-output.ts';
import { colours } from '../../src/cli/terminal.ts';
import { describeChanges, fingerprint, shorten } from '../../src/load/fingerprint.ts';
import { loadProject } from '../../src/load/index.ts';
import { files } from '../cli/fixture.ts';
import { temporaryFolder, writeFiles } from '../cli/support.ts';

const service = files['definitions/staff/service.yaml'];
const queries = files['definitions/staff/queries.yaml'];

/** Fingerprints of the project with other texts for some files. */
async function fingerprints(changes: Readonly<Record<string, string>> = {}) {
  const root = await temporaryFolder();
  await writeFiles(join(root), { ...files, ...changes });
  const { registry, diagnostics } = loadProject({ root });
  if (registry === undefined) throw new Error(JSON.stringify(diagnostics));
  return fingerprint(registry);
}

test.each([
  ['nothing', {}, ''],
  ['lines that move', { 'definitions/staff/service.yaml': `# a comment\n\n${service}` }, ''],
  ['a template', { 'definitions/staff/service.yaml': service.replace('Hello/', 'Hi/') }, 'changed HELLO_GET'],
  [
    'the SQL of a query',
    { 'definitions/staff/queries.yaml': queries.replace('order by emplid', 'order by name') },
    'changed EMPLOYEES_GET',
  ],
  [
    'the type of a column',
    { 'definitions/staff/queries.yaml': queries.replace('NAME: string', 'NAME: text') },
    'changed EMPLOYEES_GET',
  ],
  [
    'a name',
    { 'definitions/staff/service.yaml': service.replace('EMPLOYEES_GET', 'STAFF_GET') },
    'added STAFF_GET; removed EMPLOYEES_GET',
  ],
])('what became of the operations: %s', async (_, changes, words) => {
  expect(describeChanges(await fingerprints(), await fingerprints(changes))).toBe(words);
});

test('many names are shortened', () => {
  expect(shorten(['A', 'B', 'C', 'D', 'E'])).toBe('A, B, C, D, E');
  expect(shorten(['A', 'B', 'C', 'D', 'E', 'F', 'G'])).toBe('A, B, C, D, E and 2 more');
});

test('log lines are for people', () => {
  const plain = colours(false);
  const time = '2026-01-02T12:01:02.345Z';
  const request = { level: 'info', time, method: 'GET', path: '/x', status: 404, fault: 'NOT_FOUND', ms: 0.26 };
  expect(logLine(`${JSON.stringify(request)}\n`, plain)).toBe('12:01:02 GET /x 404 NOT_FOUND 0.3 ms\n');
  const failed = { ...request, status: 500, err: { message: 'm', stack: 'Error: m\n    at f' } };
  expect(logLine(JSON.stringify(failed), plain)).toBe('12:01:02 GET /x 500 NOT_FOUND 0.3 ms\nError: m\n    at f\n');
  const event = { level: 'warn', time, msg: 'a word', operation: 'X' };
  expect(logLine(JSON.stringify(event), plain)).toBe('12:01:02 warn a word {"operation":"X"}\n');
  expect(logLine('no JSON\n', plain)).toBe('no JSON\n');
  const work = { level: 'info', time, work: 'process', name: 'COUNT', id: 7, attempt: 1, ms: 3.14, complete: true };
  expect(logLine(JSON.stringify(work), plain)).toBe('12:01:02 process COUNT 7 done 3.1 ms\n');
});

test.each([
  ['of background work', { work: 'export', name: 'n' }],
  ['of an attempt', { work: 'export', name: 'n', attempt: 2, complete: true, what: 'a delivery, which is held' }],
  ['of a request', { method: 'GET', path: '/x', status: 200, ms: 1 }],
])('log lines of code have their message, also with the facts %s', (_, facts) => {
  const line = { level: 'warn', time: '2026-01-02T12:01:02.345Z', ...facts, msg: 'an important sentence' };
  const expected = `12:01:02 warn an important sentence ${JSON.stringify(facts)}\n`;
  expect(logLine(JSON.stringify(line), colours(false))).toBe(expected);
});
