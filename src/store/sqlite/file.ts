import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { timeLeft } from '../deadline.ts';
import { errorCode, errorText, StoreBusyError, StoreError } from '../error.ts';
import { createFolder } from '../file/folder.ts';

/** A connection to an SQLite database. */
export type Connection = Database.Database;

/**
 * Opens the gateway's own connection to a database file. A missing file or folder is created for its owner only: the folder
 * with mode 0700, the file with 0600 (SQLite uses the same mode for the files next to it).
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
    // Reads the whole schema, so that damage is found here and not during a request.
    connection.prepare('select count(*) from sqlite_schema').get();
    return connection;
  } catch (error) {
    connection?.close();
    throw describe(file, error);
  }
}

/** Opens a database file for reading; `undefined` when it does not exist. @throws StoreError naming the file */
export function openToLook(file: string): Connection | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return new Database(file, { readonly: true, timeout: BUSY_TIMEOUT });
  } catch (error) {
    throw describe(file, error);
  }
}

/** Creates nothing. @throws StoreError for a file that does not exist and can't be created */
export function checkMissing(file: string): void {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw describe(file, error);
  }
}

function createFile(file: string): void {
  createFolder(dirname(file));
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  closeSync(openSync(file, 'a', 0o600));
}

/** The error for an operator: what is wrong with which file, and what to do. */
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
    return new StoreBusyError(file, `${file} is locked by another process; end that one, or try again`, because);
  }
  return new StoreError(file, `${file} can't be used as the database: ${errorText(error)}`, because);
}

/** Milliseconds to wait for another connection's lock, unless the current deadline comes first. */
const BUSY_TIMEOUT = 5000;

/** Milliseconds between two tries. */
const LONGEST_PAUSE = 20;

/**
 * Tries again while another connection has the database locked, without blocking the process: SQLite's own waiting would, and
 * with it the holder of the lock when that is in the same process.
 * @throws SqliteError SQLITE_BUSY when it stays locked for five seconds, or until the current deadline; what the work throws
 */
export async function whileBusy<T>(work: () => T): Promise<T> {
  const limit = performance.now() + Math.min(timeLeft() ?? BUSY_TIMEOUT, BUSY_TIMEOUT);
  for (let ms = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE)) {
    try {
      return work();
    } catch (error) {
      if (!errorCode(error).startsWith('SQLITE_BUSY') || performance.now() > limit) throw error;
    }
    await pause(ms);
  }
}
