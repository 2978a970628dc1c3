import Database from 'better-sqlite3';
import { mend, QUEUE_PROJECT } from '../serve/queue-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { writeProject } from '../support/project.ts';
import { type Ran, signalbox } from './support.ts';

/** A gateway with work in its queue, and the commands of its project. */
export interface Beside {
  readonly gateway: TestGateway;
  /** The project's folder. */
  readonly root: string;
  command(...args: readonly string[]): Promise<Ran>;
  /** Runs statements in the database, on a connection of its own. */
  sql(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param more files beside those of {@link QUEUE_PROJECT} */
export async function startBeside(
  engine: 'SQLite' | 'PostgreSQL',
  more: Readonly<Record<string, string>> = {},
): Promise<Beside> {
  const files = writeProject({ ...QUEUE_PROJECT, ...more });
  const { root } = files;
  const database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
  const env = { DATABASE_URL: database?.url ?? `sqlite:${root}/test.db` };
  const gateway = await startTestGateway({ root, env });
  return {
    ...{ gateway, root },
    command: (...args) => signalbox(args, { cwd: root, env }),
    async sql(text) {
      if (database !== undefined) return void (await database.run(text));
      const file = new Database(`${root}/test.db`);
      file.exec(text);
      file.close();
    },
    async stop() {
      await gateway.stop();
      await database?.drop();
      files.remove();
      mend(false);
    },
  };
}
