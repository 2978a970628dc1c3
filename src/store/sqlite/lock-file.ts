import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { errorCode } from '../error.ts';
import { createFolder } from '../file/folder.ts';
import type { Connection } from './file.ts';

const SUFFIX = '.lock';

/** Milliseconds between two tries to take a lock that another process has. */
const WAIT = 50;

/**
 * Shows that its process is alive: an empty file that the process keeps locked. The operating system releases the lock when the
 * process ends, by kill -9 too. A process id would not be valid across containers, nor a modification time after a long pause.
 * The lock is SQLite's, because Node has no file locks.
 */
export class LockFile {
  /** Never used by another lock file. */
  readonly name: string;
  readonly #path: string;
  readonly #connection: Connection;

  private constructor(name: string, path: string, connection: Connection) {
    this.name = name;
    this.#path = path;
    this.#connection = connection;
  }

  /** Creates a lock file. @throws errors of the file system, SqliteError */
  static create(folder: string): LockFile {
    createFolder(folder);
    for (;;) {
      const name = randomUUID();
      closeSync(openSync(join(folder, name + SUFFIX), 'wx', 0o600));
      const lock = LockFile.take(folder, name);
      // `undefined` when another process removed it before it was locked.
      if (lock !== undefined) return lock;
    }
  }

  /**
   * Takes the lock of a file that all processes know by its name, once no other process has it. The file is left where it is:
   * another process may wait for it. @throws errors of the file system, SqliteError
   */
  static async wait(path: string): Promise<LockFile> {
    const folder = dirname(path);
    createFolder(folder);
    for (;;) {
      closeSync(openSync(path + SUFFIX, 'a', 0o600));
      const lock = LockFile.take(folder, basename(path));
      if (lock !== undefined) return lock;
      await pause(WAIT);
    }
  }

  /** The names of the lock files in a folder, those of dead processes included. */
  static names(folder: string): string[] {
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
    return files.map((name) => name.slice(0, -SUFFIX.length));
  }

  /** Takes over the lock of a dead process; `undefined` when the process is alive or the file is gone. @throws SqliteError */
  static take(folder: string, name: string): LockFile | undefined {
    const path = join(folder, name + SUFFIX);
    let connection: Connection | undefined;
    try {
      connection = new Database(path, { timeout: 0, fileMustExist: true });
      // Nothing is ever written to it, so it needs no journal file.
      connection.pragma('journal_mode = MEMORY');
      connection.exec('begin exclusive');
      // Its previous holder may have removed it between the two lines above.
      if (existsSync(path)) return new LockFile(name, path, connection);
    } catch (error) {
      connection?.close();
      if (errorCode(error).startsWith('SQLITE_BUSY') || !existsSync(path)) return undefined;
      throw error;
    }
    connection.close();
    return undefined;
  }

  /** Releases the lock. @param remove whether to remove the file, because nothing of the process is left to clean up */
  end(remove: boolean): void {
    try {
      if (remove) rmSync(this.#path, { force: true });
    } finally {
      this.#connection.close();
    }
  }
}
