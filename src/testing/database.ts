import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedProject } from '../load/index.ts';
import type { Environment } from '../load/value/config.ts';
import type { ConfigText } from '../model/definition.ts';
import type { Registry } from '../model/registry.ts';
import { prepareDatabase } from '../serve/start/data.ts';
import type { ProjectPlace } from '../serve/start/project-files.ts';
import { resolveSetting } from '../serve/start/settings.ts';
import { messageOf } from '../wire/error.ts';

/** A database for one gateway, with the tables and the sample data of the project. */
export interface FreshDatabase {
  readonly url: string;
  /** Tells the database that the clock of the gateway is ahead by so many milliseconds. */
  advance(ahead: number): Promise<void>;
  /** Removes it; no gateway may use it any more. */
  drop(): Promise<void>;
}

export interface DatabaseSource {
  readonly project: LoadedProject;
  readonly registry: Registry;
  readonly place: ProjectPlace;
  /** `postgres://…` of a server on which databases may be created; SQLite otherwise. */
  readonly server: string | undefined;
  readonly env: Environment;
}

/** A fresh database: a copy of one that was brought up before, with the same definitions and files of SQL. */
export async function createFreshDatabase(source: DatabaseSource): Promise<FreshDatabase> {
  const { server } = source;
  if (server === undefined) return freshFile(source);
  if (!URL.canParse(server) || !/^postgres(?:ql)?:/.test(server))
    throw new TypeError(
      'database is the URL of a PostgreSQL server, postgres://user:password@host/database; without it the test runs on SQLite',
    );
  return freshOnPostgres(source, server);
}

/** The registry with another database in place of its own, which has the schema of the project as its first one. */
export function withDatabase(registry: Registry, url: string): Registry {
  const { replicas: _replicas, schema: _schema, ...database } = registry.gateway.database;
  return {
    ...registry,
    gateway: { ...registry.gateway, database: { ...database, url: literal(url), migrate: true } },
  };
}

export function literal(text: string): ConfigText {
  return { source: text, parts: [{ kind: 'literal', text }] };
}

/** Differs when the database would: by the definitions, and by every file of SQL in the project. */
function digestOf({ project, place: { root } }: DatabaseSource, schema?: string): string {
  const hash = createHash('sha256').update(JSON.stringify([root, schema, ...project.sources]));
  for (const name of sqlFiles(root)) hash.update(name).update(readFileSync(join(root, name)));
  return hash.digest('hex').slice(0, 32);
}

const SKIPPED = /^(?:\..*|node_modules|dist)$/;

function sqlFiles(root: string, below = ''): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const name = join(below, entry.name);
    if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : sqlFiles(root, name);
    return entry.name.endsWith('.sql') ? [name] : [];
  });
}

/** Templates of this process by their digest; they are removed at its end. */
const templates = new Map<string, Promise<string>>();

function templateOf(source: DatabaseSource): Promise<string> {
  const digest = digestOf(source);
  const known = templates.get(digest);
  if (known !== undefined) return known;
  const making = makeTemplate(source);
  templates.set(digest, making);
  // Another start tries again, with its own message.
  making.catch(() => templates.delete(digest));
  return making;
}

async function makeTemplate({ registry, place }: DatabaseSource): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'template.db');
  await prepareDatabase(withDatabase(registry, `sqlite:${file}`), place, {});
  return file;
}

async function freshFile(source: DatabaseSource): Promise<FreshDatabase> {
  const template = await templateOf(source);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const file = join(folder, 'test.db');
  copyFileSync(template, file);
  return {
    url: `sqlite:${file}`,
    // The gateway passes its own time to SQLite.
    advance: async () => {},
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * In a schema that is searched before that of the system: the time of the database is that of the gateway, for the queue and
 * for the project's own SQL alike.
 */
const CLOCK = `
  create schema signalbox_test;
  create table signalbox_test.clock (ahead interval not null);
  insert into signalbox_test.clock values (interval '0');
  create function signalbox_test.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + ahead from signalbox_test.clock';
  create function signalbox_test.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() + ahead from signalbox_test.clock';
`;

/** The `schema:` of the project's database, quoted: its SQL may name it. */
function schemaOf({ registry, env }: DatabaseSource): string | undefined {
  const { schema } = registry.gateway.database;
  return schema === undefined ? undefined : `"${resolveSetting(schema, env).replaceAll('"', '""')}"`;
}

function onDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Locks the making of a template among processes. */
const MAKING = 7_446_252_931;

async function freshOnPostgres(source: DatabaseSource, server: string): Promise<FreshDatabase> {
  const schema = schemaOf(source);
  const digest = digestOf(source, schema);
  const path = schema === undefined ? '"$user", public' : schema;
  const template = `signalbox_template_${digest}`;
  const name = `signalbox_test_${randomUUID().replaceAll('-', '')}`;
  const url = onDatabase(server, name);
  const known = templates.get(template) ?? makeOnPostgres(source, { server, template, schema });
  templates.set(template, known);
  known.catch(() => templates.delete(template));
  await known;
  await onServer(server, async (run) => {
    await run(`create database ${name} template ${template}`);
    await run(`alter database ${name} set search_path = signalbox_test, pg_catalog, ${path}`);
  });
  return {
    url,
    advance: (ahead) =>
      onServer(url, (run) => run(`update signalbox_test.clock set ahead = interval '${ahead} milliseconds'`)),
    drop: () => onServer(server, (run) => run(`drop database if exists ${name} with (force)`)),
  };
}

async function makeOnPostgres(
  { registry, place }: DatabaseSource,
  {
    server,
    template,
    schema,
  }: { readonly server: string; readonly template: string; readonly schema: string | undefined },
): Promise<string> {
  const making = `${template}_new`;
  await onServer(server, async (run) => {
    await run(`select pg_advisory_lock(${MAKING})`);
    const { length } = await run(`select 1 from pg_database where datname = '${template}'`);
    if (length > 0) return;
    await run(`drop database if exists ${making} with (force)`);
    await run(`create database ${making}`);
    const url = onDatabase(server, making);
    if (schema !== undefined) {
      await onServer(url, (inside) => inside(`create schema if not exists ${schema}`));
      await run(`alter database ${making} set search_path = ${schema}`);
    }
    await prepareDatabase(withDatabase(registry, url), place, {});
    await onServer(url, (inside) => inside(CLOCK));
    await run(`alter database ${making} rename to ${template}`);
  });
  return template;
}

type Run = (sql: string) => Promise<readonly unknown[]>;

/** Runs statements on one connection, and closes it. */
async function onServer(url: string, work: (run: Run) => Promise<unknown>): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect().catch((cause: unknown) => {
    throw new Error(`the test can't use ${new URL(url).host}, which \`database\` names: ${messageOf(cause)}`, {
      cause,
    });
  });
  try {
    await work(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}
