import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ran, signalbox, signalboxProcess } from '../cli/support.ts';
import { Target } from '../message/project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually, writeProject } from '../support/project.ts';
import { contentOf, FILES, fillEmpty, ROWS } from './project.ts';

const REST = '/gateway/RESTListeningConnector';
const JSON_TYPE = { 'content-type': 'application/json' };

async function post(gateway: TestGateway, path: string, body: object | Buffer): Promise<Record<string, unknown>> {
  const isFile = Buffer.isBuffer(body);
  const { status, text } = await gateway.call(`${REST}/${path}`, {
    method: 'POST',
    headers: isFile ? { 'content-type': 'application/octet-stream' } : JSON_TYPE,
    body: isFile ? body : JSON.stringify(body),
  });
  if (status >= 300) throw new Error(`${path}: ${status} ${text}\n${JSON.stringify(gateway.log().slice(-3))}`);
  return text === '' ? {} : JSON.parse(text);
}

const succeed = async (running: Promise<Ran>): Promise<Ran> => {
  const ran = await running;
  if (ran.code !== 0) throw new Error(`${ran.code}: ${ran.stdout}${ran.stderr}`);
  return ran;
};

describe.skipIf(!hasPostgres)('signalbox data move', () => {
  it('moves a project that has run to PostgreSQL and back: all rows are the same, and a gateway there goes on', async () => {
    const erp = await Target.start();
    onTestFinished(() => erp.stop());
    erp.status = () => 503;
    const project = writeProject(FILES);
    onTestFinished(() => project.remove());
    const { root } = project;
    const database = await createDatabase();
    const env = { DATABASE_URL: `sqlite:${root}/box.db`, ERP_URL: erp.url };
    const box = (...args: string[]): Promise<Ran> => succeed(signalbox(args, { cwd: root, env }));

    await box('migrate');
    const file = new Database(join(root, 'box.db'));
    file.exec(ROWS);
    file.close();
    const password = (await box('user', 'add', 'ada', '--role', 'ALL', '--generate')).stdout.trim();
    const key = (await box('user', 'key', 'add', 'ada', '--expires', '90 d')).stdout.trim();
    const first = await startTestGateway({ root, env });
    for (const N of [1, 2, 3]) for (const PLACE of ['p', 'ü']) await post(first, 'Places.v1/changed', { PLACE, N });
    await post(first, 'Places.v1/changed', { PLACE: 'large', N: 1, TEXT: 'é'.repeat(90_000) });
    await post(first, 'Places.v1/file', Buffer.alloc(600_000, 'content that is not small '));
    const run = async (gateway: TestGateway, TEXT: string): Promise<number> => {
      const body = {
        ProcessType: 'Application Engine',
        ProcessName: 'REPORT',
        RunControlId: 'RC',
        parameters: [{ Name: 'TEXT', Value: TEXT }],
      };
      const { ProcessInstance } = await post(gateway, 'ProcessRequest.v1/requests', body);
      return Number(ProcessInstance);
    };
    const instance = await run(first, 'the report');
    await eventually('the report', async () => {
      const { status } = await first.call(`${REST}/ProcessRequest.v1/requests/${instance}/report`);
      return status === 200 || undefined;
    });
    await eventually('refused deliveries', () => erp.taken.length > 3 || undefined);
    await first.gateway.close({ timeoutMs: 2000 });

    fillEmpty(join(root, 'box.db'));
    const planned = await box('data', 'move', `sqlite:${root}/box.db`, database.url, '--dry-run', '--json');
    const before = contentOf(join(root, 'box.db'));
    expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([]);
    const moved = await succeed(
      signalboxProcess(['data', 'move', 'sqlite:box.db', database.url, '--json'], { cwd: root, env }),
    );
    expect(JSON.parse(moved.stdout)).toEqual(JSON.parse(planned.stdout));
    mkdirSync(join(root, 'back'));
    await box('data', 'move', database.url, 'sqlite:back/box.db');
    const back = contentOf(join(root, 'back/box.db'));
    for (const [table, rows] of before) expect({ table, rows: back.get(table) }).toEqual({ table, rows });

    erp.taken.length = 0;
    erp.status = () => 200;
    const second = await startTestGateway({ root, env: { ...env, DATABASE_URL: database.url } });
    onTestFinished(async () => {
      await second.stop();
      await first.stop();
      await database.drop();
    });
    await eventually('all deliveries', () => erp.taken.length >= 7 || undefined);
    await post(second, 'Places.v1/changed', { PLACE: 'p', N: 4 });
    await eventually('a new delivery', () => erp.taken.length >= 8 || undefined);
    expect(erp.taken.filter(({ path }) => path === '/erp/p').map(({ body }) => body.N)).toEqual([1, 2, 3, 4]);
    expect(erp.taken.filter(({ path }) => path === '/erp/%C3%BC').map(({ body }) => body.N)).toEqual([1, 2, 3]);
    for (const headers of [{ 'x-api-key': key }, { authorization: `Basic ${btoa(`ada:${password}`)}` }]) {
      const { status, text } = await second.call(`${REST}/Places.v1/items/1`, { anonymous: true, headers });
      expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining('12345678901234567890.1234') });
    }
    await post(second, 'Places.v1/items', { NAME: 'new' });
    const { rows } = await database.run("select id from item where name = 'new'");
    expect(rows).toEqual([{ id: '42' }]);
    expect(await run(second, 'another')).toBe(instance + 1);
    const { text } = await second.call(`${REST}/ProcessRequest.v1/requests/${instance}/report/content`);
    expect(text).toBe('the report');
  });
});
