import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../cli/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { block, commandsOf, type OrderedSection } from './readme-text.ts';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  folder = mkdtempSync(join(tmpdir(), 'signalbox-readme-'));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** The calls of a section. */
const callsOf = (section: OrderedSection): string[] =>
  commandsOf('curl').flatMap((each) => (each.section === section ? each.command : []));

/** What a command prints. */
async function run(command: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    BASE: `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector`,
    ...variables,
  };
  const { stdout } = await promisify(execFile)('bash', ['-c', command.replace('curl', 'curl -sS')], {
    cwd: folder,
    env,
  });
  return stdout;
}

/** Asks until it is told so. */
function told(what: string, command: string, words: string, variables: Readonly<Record<string, string>> = {}) {
  return eventually(what, async () => ((await run(command, variables)).includes(words) ? true : undefined));
}

describe('Run queries in every form', () => {
  it('has commands that do what they say', async () => {
    const [list, prompts, workbook, file, poll, status, results, ...others] = callsOf('Run queries in every form');
    expect(others).toEqual([]);
    expect(await run(list as string)).toContain('EMPLOYEES_BY_DEPT');
    expect(await run(prompts as string)).toContain('DEPTNAME');
    await run(workbook as string);
    expect(readFileSync(join(folder, 'monitor.xlsx')).subarray(0, 2).toString()).toBe('PK');
    const { data } = JSON.parse(await run(file as string)) as { data: { fileurl: string } };
    expect(await run(`curl -u demo:demo ${data.fileurl}`)).toMatch(/^PRCSINSTANCE,/);
    const { QueryInstance: INSTANCE } = JSON.parse(await run(poll as string)) as { QueryInstance: string };
    await told('the end of the query', status as string, '"status":"success"', { INSTANCE });
    expect(await run(results as string, { INSTANCE })).toContain('"status":"finalBlockRetrieved"');
  });
});

describe('Schedule processes', () => {
  const section = 'Schedule processes' as const;

  it('shows the process of the sample', () => {
    const sample = readFileSync(join(repository, 'definitions/processes/extract.yaml'), 'utf8');
    const words = (text: string): string[] => text.split('\n').map((line) => line.trim());
    for (const line of words(block(section, 'yaml').replace(/ *#.*/g, '')))
      expect(words(sample).some((each) => each.startsWith(line.replace(/ }$/, '')))).toBe(true);
  });

  it('has commands that do what they say', async () => {
    const [schedule, state, messages, report, restart, ...others] = callsOf(section);
    expect(others).toEqual([]);
    expect(await run(schedule as string)).toBe('{"ProcessInstance":1601}');
    await told('the end of the process', state as string, '"RunStatus":"Success"');
    expect(await run(messages as string)).toContain('locations written');
    expect(await run(report as string)).toContain('NYC01');
    expect(await run(restart as string)).toContain('is Success and can');
  });
});

describe('Save records, and react to saves', () => {
  it('has commands that do what they say', async () => {
    const [get, patch, ...others] = callsOf('Save records, and react to saves');
    expect(others).toEqual([]);
    expect(await run(get as string)).toContain('ETag: "1"');
    expect(await run(`${patch} -i`)).toContain(' 200 ');
    expect(await run(`${patch} -i`)).toContain(' 412 ');
  });
});

describe('Let a new version answer the old one', () => {
  it('has two versions of one service, with commands that do what they say', async () => {
    const section = 'Let a new version answer the old one';
    const root = mkdtempSync(join(tmpdir(), 'signalbox-readme-'));
    for (const each of ['definitions', 'src', 'generated', 'package.json', 'tsconfig.json'])
      cpSync(join(repository, each), join(root, each), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'definitions/places.yaml'), block(section, 'yaml'));
    const other = await startTestGateway({ root });
    try {
      const [old, now] = commandsOf('curl').flatMap((each) => (each.section === section ? each.command : []));
      const ask = async (command = ''): Promise<unknown> =>
        JSON.parse(await run(command.replace('http://127.0.0.1:8080', other.gateway.address)));
      const { rows } = (await ask(now)) as { rows: { LOCATION: string; CITY: string }[] };
      const places = rows.map(({ LOCATION, CITY }) => ({ CODE: LOCATION, TOWN: CITY, OPEN: 'Y' }));
      expect(places.length).toBeGreaterThan(0);
      expect(await ask(old)).toEqual({ PLACES: places });
    } finally {
      await other.stop();
      rmSync(root, { recursive: true });
    }
  });
});
