import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { errorCode } from '../error.ts';
import { createFolder } from '../file/folder.ts';
import type { Connection } from './file.ts';

const SUFFIX = '.lock';

/**
 * A sign that its process lives: an empty file that it holds locked. The operating system gives the lock back with the
 * process, kill -9 included, which no process id tells across containers and no time of change across a long pause.
 * The lock is SQLite's, because Node has none of its own.
 */
export class LockFile {
  /** No other lock file's, ever. */
  readonly name: string;
  readonly #path: string;
  readonly #connection: Connection;

  private constructor(name: string, path: string, connection: Connection) {
    this.name = name;
    this.#path = path;
    this.#connection = connection;
  }

  /** Makes a lock file. @throws errors of the file system, SqliteError */
  static create(folder: string): LockFile {
    createFolder(folder);
    for (;;) {
      const name = randomUUID();
      closeSync(openSync(join(folder, name + SUFFIX), 'wx', 0o600));
      const lock = LockFile.take(folder, name);
      // Undefined where another process swept it away in the instant before it was locked.
      if (lock !== undefined) return lock;
    }
  }

  /** Names of those in a folder, of living processes and of dead ones. */
  static names(folder: string): string[] {
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
    return files.map((name) => name.slice(0, -SUFFIX.length));
  }

  /** Takes over the lock of a dead process; undefined where its process lives, or where there is none. @throws SqliteError */
  static take(folder: string, name: string): LockFile | undefined {
    const path = join(folder, name + SUFFIX);
    let connection: Connection | undefined;
    try {
      connection = new Database(path, { timeout: 0, fileMustExist: true });
      // Nothing is ever written to it, so that it needs no journal beside it.
      connection.pragma('journal_mode = MEMORY');
      connection.exec('begin exclusive');
      // Whoever had it before may have removed it between the two lines above.
      if (existsSync(path)) return new LockFile(name, path, connection);
    } catch (error) {
      connection?.close();
      if (errorCode(error).startsWith('SQLITE_BUSY') || !existsSync(path)) return undefined;
      throw error;
    }
    connection.close();
    return undefined;
  }

  /** Ends it. @param remove its file too: nothing is left to do for whoever would find it */
  end(remove: boolean): void {
    try {
      if (remove) rmSync(this.#path, { force: true });
    } finally {
      this.#connection.close();
    }
  }
}
