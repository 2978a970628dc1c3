import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, ended, scriptPath } from '../harness.ts';
import { processorTime } from '../processors.ts';
import type { Size } from './project.ts';
import { FILLED, seedStatements } from './seed.ts';

const command = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));

/** A page as its reader gets it. */
export interface Asked {
  /** Milliseconds until its last byte. */
  readonly ms: number;
  /** As sent, in gzip. */
  readonly bytes: number;
}

/** A gateway with someone who has signed in. */
export interface ConsoleGateway {
  readonly address: string;
  /** `__Host-signalbox=…` */
  readonly cookie: string;
  /** @param path below /console @throws Error for a reply that is not a page */
  ask(path: string): Promise<Asked>;
  /** The longest delay of the gateway's event loop since it was asked for last, in milliseconds. */
  delay(): Promise<number>;
  stop(): Promise<void>;
}

/** Fills an empty database. @param now milliseconds since 1970 */
export async function seed(bench: Bench, root: string, url: string, size: Size, now: number): Promise<void> {
  const child = bench.spawn([command, 'migrate'], { cwd: root, env: { DATABASE_URL: url } });
  child.stdout?.resume();
  await ended(child);
  if (child.exitCode !== 0) throw new Error(`signalbox migrate ended with ${child.exitCode}`);
  await (url.startsWith('sqlite:') ? seedSqlite(url.slice('sqlite:'.length), size, now) : seedPostgres(url, size, now));
}

async function seedSqlite(file: string, size: Size, now: number): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(file);
  const indexes = db
    .prepare(
      `select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (${FILLED.map(() => '?').join()})`,
    )
    .all(...FILLED) as { readonly name: string; readonly sql: string }[];
  db.pragma('synchronous = off');
  for (const { name } of indexes) db.exec(`drop index ${name}`);
  db.transaction(() => {
    for (const statement of seedStatements('sqlite', size, now)) db.exec(statement);
  })();
  for (const { sql } of indexes) db.exec(sql);
  db.exec('analyze');
  db.close();
}

async function seedPostgres(url: string, size: Size, now: number): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: indexes } = await client.query<{ readonly name: string; readonly sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes where tablename = any($1)
       and not exists (select 1 from pg_constraint where conname = indexname)`,
    [FILLED],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const statement of seedStatements('postgres', size, now)) await client.query(statement);
  for (const { sql } of indexes) await client.query(sql);
  await client.query('vacuum analyze');
  await client.end();
}

/** Starts the built gateway, and signs in. */
export async function openConsoleGateway(bench: Bench, root: string, url: string): Promise<ConsoleGateway> {
  const child = bench.spawn(['--import', scriptPath('loop-delay.ts'), command, 'serve'], {
    cwd: root,
    env: { DATABASE_URL: url, PORT: '0', HOST: '127.0.0.1' },
  });
  if (child.stdout === null) throw new Error('the gateway has no output');
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`signalbox serve ended with ${code}`)));
    lines.on('line', (line) => {
      const ready = / ready on (http:\/\/[^" ]+)/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await ask(address, agent, '', '/sign-in');
  await settled(child.pid as number);
  const cookie = await signIn(address, agent);
  return {
    address,
    cookie,
    ask: (path) => ask(address, agent, cookie, path),
    async delay() {
      const answered = new Promise<number>((resolve) => {
        const read = (line: string): void => {
          if (!line.startsWith('loop ')) return;
          lines.off('line', read);
          resolve(Number(line.slice('loop '.length)));
        };
        lines.on('line', read);
      });
      child.stdin?.write('\n');
      return answered;
    },
    async stop() {
      agent.destroy();
      await ended(child, () => child.kill('SIGTERM'));
    },
  };
}

/** Milliseconds after its start in which a gateway begins what it does then: it records its definitions, for example. */
const BEGINS = 4000;
/** Microseconds of processor time in a second, below which it is done. On a slow machine its timers take half of that. */
const QUIET = 100_000;
/** Seconds in which it must have become so. */
const MOST_SETTLING = 60;

/** Waits for what a gateway does after its start, and builds for its console while someone types a password. */
async function settled(pid: number): Promise<void> {
  await pause(BEGINS);
  let before = processorTime(pid) ?? 0;
  for (let second = 0; second < MOST_SETTLING; second += 1) {
    await pause(1000);
    const now = processorTime(pid) ?? 0;
    if (now - before <= QUIET) return;
    before = now;
  }
  throw new Error(`the gateway still does something ${MOST_SETTLING} seconds after its start`);
}

async function signIn(address: string, agent: Agent): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
  const sent = request(`${address}/console/sign-in`, { method: 'POST', headers, agent });
  sent.end('id=demo&password=demo');
  const [reply] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  reply.resume();
  await once(reply, 'end');
  const cookie = reply.headers['set-cookie']?.[0]?.split(';', 1)[0];
  if (cookie === undefined) throw new Error(`the sign-in was answered with ${reply.statusCode}`);
  return cookie;
}

async function ask(address: string, agent: Agent, cookie: string, path: string): Promise<Asked> {
  const begin = performance.now();
  const sent = request(`${address}/console${path}`, { headers: { Cookie: cookie, 'Accept-Encoding': 'gzip' }, agent });
  sent.end();
  const [reply] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  let bytes = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) bytes += chunk.length;
  const ms = performance.now() - begin;
  if (reply.statusCode !== 200) throw new Error(`${path} was answered with ${reply.statusCode}`);
  return { ms, bytes };
}
