import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { errorCode, errorText, StoreError } from '../error.ts';
import { createFolder } from '../file/folder.ts';

/** A connection to an SQLite database. */
export type Connection = Database.Database;

/**
 * Opens the gateway's own connection to a database file. What does not exist is made, for the owner alone: its folder
 * 0700, the file 0600 (SQLite gives the same mode to the files beside it).
 * @throws StoreError naming the file
 */
export function openDatabaseFile(file: string): Connection {
  let connection: Connection | undefined;
  try {
    createFile(file);
    connection = new Database(file, { timeout: BUSY_TIMEOUT });
    const mode = connection.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal')
      throw new Error(`its journal can't be switched to write-ahead logging (it stays ${String(mode)})`);
    connection.pragma('synchronous = NORMAL');
    connection.pragma('foreign_keys = ON');
    // Reads the whole schema, so that a damaged one is found here and not in the middle of a request.
    connection.prepare('select count(*) from sqlite_schema').get();
    return connection;
  } catch (error) {
    connection?.close();
    throw describe(file, error);
  }
}

/** Opens a database file to read of it; undefined where there is none. @throws StoreError naming the file */
export function openToLook(file: string): Connection | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return new Database(file, { readonly: true, timeout: BUSY_TIMEOUT });
  } catch (error) {
    throw describe(file, error);
  }
}

function createFile(file: string): void {
  createFolder(dirname(file));
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  closeSync(openSync(file, 'a', 0o600));
}

/** The same error in the words of somebody who has to mend it. */
export function describe(file: string, error: unknown): StoreError {
  const because = { cause: error };
  const code = errorCode(error);
  if (code.startsWith('SQLITE_NOTADB')) {
    return new StoreError(file, `${file} is not an SQLite database; name another file, or move this one away`, because);
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return new StoreError(file, `${file} is damaged; restore it from a backup, or move it away to start anew`, because);
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code.startsWith('SQLITE_READONLY')) {
    return new StoreError(
      file,
      `${file} can't be written (${errorText(error)}); the file and its folder must be writable for the user that runs the gateway`,
      because,
    );
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreError(file, `${file} is locked by another process; end that one, or try again`, because);
  }
  return new StoreError(file, `${file} can't be used as the database: ${errorText(error)}`, because);
}

/** How long another connection's lock is waited for, in milliseconds. */
const BUSY_TIMEOUT = 5000;

/** Between two tries, in milliseconds. */
const LONGEST_PAUSE = 20;

/**
 * Tries again while another connection has the database locked, and lets everything else go on meanwhile: SQLite's own
 * waiting would hold up the whole process, the holder of the lock with it where that is in the same one.
 * @throws SqliteError SQLITE_BUSY where it stays locked for five seconds; what the work throws
 */
export async function whileBusy<T>(work: () => T): Promise<T> {
  const limit = performance.now() + BUSY_TIMEOUT;
  for (let ms = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE)) {
    try {
      return work();
    } catch (error) {
      if (!errorCode(error).startsWith('SQLITE_BUSY') || performance.now() > limit) throw error;
    }
    await pause(ms);
  }
}
