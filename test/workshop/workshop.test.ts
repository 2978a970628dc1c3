import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { poll } from '../cli/poll.ts';
import { cleanEnvironment, type Running, repository, startProcess, temporaryFolder } from '../cli/support.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';

const run = promisify(execFile);
const env = {
  ...cleanEnvironment(),
  npm_config_update_notifier: 'false',
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
};
const password = 'a password for this test';
const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`;
const ready = /^Signalbox is ready on (http:\/\/\S+)/m;
const example = join(repository, 'examples/workshop');
/** What is made in the folder of the example by those who work on it there. */
const made = /\/(?:node_modules|\.signalbox|\.env|package-lock\.json|vendor\/[^/]*\.tgz)(?:\/|$)/;

let folder: string;
let project: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  project = join(folder, 'workshop');
  await cp(example, project, { recursive: true, filter: (path) => !made.test(path.slice(example.length)) });
  const pack = ['pack', '--ignore-scripts', '--pack-destination', join(project, 'vendor')];
  await run('npm', pack, { cwd: repository, env });
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: project, env });
});

const bin = (): string => join(project, 'node_modules/signalbox/dist/cli/main.js');
const signalbox = async (args: readonly string[], more: Record<string, string> = {}, input = ''): Promise<string> => {
  const running = run(process.execPath, [bin(), ...args], { cwd: project, env: { ...env, ...more } });
  running.child.stdin?.end(input);
  return (await running).stdout;
};
const start = (args: readonly string[], more: Record<string, string> = {}): Running =>
  startProcess(process.execPath, [bin(), ...args], { cwd: project, env: more });

test('it has the files that signalbox init writes', async () => {
  const origin = join(folder, 'new/workshop');
  await mkdir(dirname(origin));
  await signalbox(['init', origin]);
  const files = ['.dockerignore', '.github/workflows/ci.yml', '.gitignore', '.vscode/extensions.json'];
  files.push('.vscode/settings.json', 'Dockerfile', 'package.json', 'tsconfig.json', 'vendor/README.md');
  for (const file of files) {
    expect(await readFile(join(project, file), 'utf8'), file).toBe(await readFile(join(origin, file), 'utf8'));
  }
});

test('signalbox check accepts it, with its types and its SQL', async () => {
  expect(await signalbox(['check', '--types'])).toContain('no errors');
  expect(await signalbox(['check', '--connect'])).toMatch(/: (?:no errors|1 warning)\./);
  expect(await signalbox(['generate', '--check'])).toContain('up to date');
  expect(await signalbox(['env', '--check'])).toContain('.env.example');
});

test('signalbox mock answers its operations, with and without a fault', async () => {
  const mock = start(['mock', '--port', '0']);
  const [address = ''] = await mock.until(/http:\/\/127\.0\.0\.1:\d+/);
  const job = `${address}/workshop/RESTListeningConnector/Jobs.v1/Jobs/1`;
  expect(await (await fetch(job)).json()).toMatchObject({ JOB_NO: 1, PLATE: 'B-FL 100' });
  expect((await fetch(job, { headers: { Prefer: 'code=404' } })).status).toBe(404);
  const vehicles = await fetch(`${address}/workshop/RESTListeningConnector/Vehicles.v1/Vehicles?limit=2`);
  expect(await vehicles.json()).toHaveProperty('rows');
});

const engines = ['SQLite', ...(hasPostgres ? ['PostgreSQL'] : [])];

describe.each(engines)('on %s', (engine) => {
  // Five gateways start, one after the other.
  test('its tests pass', { timeout: 180_000 }, async () => {
    const more: Record<string, string> = engine === 'SQLite' ? {} : { TEST_DATABASE_URL: inject('postgres') };
    const { stdout } = await run('npm', ['test'], { cwd: project, env: { ...env, ...more } }).catch((error) => {
      throw new Error(`npm test:\n${error.stdout}\n${error.stderr}`);
    });
    expect(/^ℹ fail (\d+)$/m.exec(stdout)?.[1]).toBe('0');
    expect(Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10);
  });

  test('it serves its callers, beside mocks of its partners', async () => {
    const database = engine === 'SQLite' ? undefined : await createDatabase();
    const url = database?.url ?? 'sqlite:.signalbox/served.db';
    const mock = start(['mock', '--node', 'all', '--port', '0']);
    await mock.until(/SIGNALBOX_NODE_INSPECTION=\S+\n/);
    const nodes = Object.fromEntries(
      [...mock.output().matchAll(/(SIGNALBOX_NODE_\w+)=(\S+)/g)].map(([, name, value]) => [
        String(name),
        String(value),
      ]),
    );
    const settings = { ...nodes, DATABASE_URL: url, DISPATCH_SECRET: 'only for this test', PORT: '0' };
    const gateway = start(['serve'], settings);
    const [, address = ''] = await gateway.until(ready);
    const add = ['user', 'add', 'ada', '--role', 'DESK', '--role', 'STORE_KEEPER', '--password-stdin'];
    await signalbox(add, settings, `${password}\n`);
    await callAll(address);
    expect(await gateway.stop()).toMatchObject({ code: 0 });
    await database?.drop();
  });
});

/** Calls the parts of the workshop, each as its callers do. */
async function callAll(address: string): Promise<void> {
  const base = `${address}/workshop/RESTListeningConnector`;
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${base}/${path}`, { ...init, headers: { Authorization: authorization, ...init.headers } });
  const post = (path: string, body: unknown): Promise<Response> =>
    call(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });

  const page = await call('Vehicles.v1/Vehicles?sort=-ODOMETER_KM&limit=3');
  const { rows } = (await page.json()) as { rows: { PLATE: string }[] };
  expect(rows.map(({ PLATE }) => PLATE)).toEqual(['B-FL 300', 'B-FL 200', 'B-FL 101']);
  const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  expect(await (await call(next.slice(base.length + 1))).json()).toMatchObject({ rows: [{ PLATE: 'B-FL 100' }] });

  const quote = await call('Parts.v1/Parts/BP-7/quote?AMOUNT=10');
  expect(await quote.json()).toMatchObject({ quoteId: 'Q-1', price: 44.1 });
  const inspected = { PLATE: 'B-FL 101', TITLE: 'Yearly inspection', INSPECTION: '2026-06-01' };
  expect(await (await post('Jobs.v2/Jobs', inspected)).json()).toMatchObject({ BOOKING: 'I-2026-77' });
  const opened = await soap(address, '<JOB_OPEN><PLATE>B-FL 100</PLATE><TITLE>Brake pads worn</TITLE></JOB_OPEN>');
  const job = /<JOB_NO>(\d+)<\/JOB_NO>/.exec(opened)?.[1];
  expect(job, opened).toBeDefined();
  const taken = await post(`Jobs.v1/Jobs/${job}/parts`, { PARTS: [{ PART_NO: 'OF-2', AMOUNT: 2 }] });
  expect(await taken.json()).toMatchObject({ PARTS: [{ PART_NO: 'OF-2', AMOUNT: 2, PRICE: 7.25 }], CLOSED: null });

  const photo = { method: 'PUT', body: 'not quite a photo', headers: { 'Content-Type': 'image/jpeg' } };
  expect((await call(`Jobs.v1/Jobs/${job}/photos/front.jpg`, photo)).status).toBe(200);
  expect(await (await call(`Jobs.v1/Jobs/${job}/photos/front.jpg`)).text()).toBe(photo.body);

  const request = { RunControlId: 'TEST', ProcessType: 'Application Engine', ProcessName: 'REORDER' };
  const entered = await post('ProcessRequest.v1/requests', request);
  const { ProcessInstance: instance } = (await entered.json()) as { ProcessInstance: number };
  const status = async (): Promise<string> =>
    ((await (await call(`ProcessRequest.v1/requests/${instance}`)).json()) as { RunStatus: string }).RunStatus;
  await poll('the end of REORDER', async () => ((await status()) === 'Success' ? true : undefined));
  const report = await call(`ProcessRequest.v1/requests/${instance}/report/content`);
  expect(await report.text()).toBe('part,amount,order,due\r\nWB-1,7,O-1,2026-05-06\r\n');

  const history = await call('Vehicles.v1/Vehicles/B-FL%20100/history');
  expect(await history.json()).toEqual([{ ACTION: 'updated', OPERATOR: 'dispatch', STATUS: 'IN_SHOP' }]);
}

/** Sends a message of the dispatch system, with the digest of its secret (WS-Security UsernameToken Profile 1.1.1). */
async function soap(address: string, request: string): Promise<string> {
  const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
  const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
  const type = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest';
  const [nonce, created] = [randomBytes(16), new Date().toISOString()];
  const digest = createHash('sha1').update(nonce).update(created).update('only for this test').digest('base64');
  const body = request.replace('<JOB_OPEN>', '<JOB_OPEN xmlns="urn:workshop:Jobs.v1">');
  const reply = await fetch(`${address}/workshop/PeopleSoftServiceListeningConnector`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml', SOAPAction: '"JOB_OPEN.v1"' },
    body: `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Header><Security xmlns="${wsse}"><UsernameToken>
      <Username>dispatch</Username><Password Type="${type}">${digest}</Password><Nonce>${nonce.toString('base64')}</Nonce>
      <Created xmlns="${wsu}">${created}</Created></UsernameToken></Security></Header><Body>${body}</Body></Envelope>`,
  });
  return reply.text();
}
