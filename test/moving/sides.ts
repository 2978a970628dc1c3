import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { type Ran, signalbox } from '../cli/support.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { gatewayText, writeProject } from '../support/project.ts';

/** A project with a table, on SQLite, and an empty database of PostgreSQL. */
export interface Sides {
  readonly root: string;
  readonly target: TestDatabase;
  /** Runs statements in the file. */
  sql(text: string): void;
  move(...args: string[]): Promise<Ran>;
  back(...args: string[]): Promise<Ran>;
}

/** The gateway of these projects. */
export const GATEWAY = gatewayText('migrations: migrations');

const TABLE = {
  'migrations/0001-part.sqlite.sql':
    'create table part (id integer primary key, name text, price numeric, made text);\n',
  'migrations/0001-part.postgres.sql':
    'create table part (id bigint primary key, name varchar(5), price numeric(6, 2) check (price <> 13), made date);\n',
};

/** A project whose file has been migrated. */
export async function sides(files: Readonly<Record<string, string>> = TABLE): Promise<Sides> {
  const project = writeProject({ 'definitions/gateway.yaml': GATEWAY, ...files });
  const target = await createDatabase();
  onTestFinished(async () => {
    await target.drop();
    project.remove();
  });
  const { root } = project;
  const command = (...args: string[]): Promise<Ran> => signalbox(args, { cwd: root });
  expect(await command('migrate')).toMatchObject({ code: 0 });
  return {
    ...{ root, target },
    sql(text) {
      const file = new Database(join(root, 'test.db'));
      file.exec(text);
      file.close();
    },
    move: (...args) => command('data', 'move', 'sqlite:test.db', target.url, ...args),
    back: (...args) => command('data', 'move', target.url, 'sqlite:back.db', ...args),
  };
}
