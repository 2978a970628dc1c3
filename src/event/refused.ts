import { Fault } from '../model/fault.ts';
import { codeOf } from '../wire/error.ts';

/** Codes for the violation of a unique key: SQLSTATE (PostgreSQL, appendix A) and those of SQLite. */
const DOUBLED = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const EMPTY = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL']);
/** Values that a column can't represent: class 22. */
const UNFIT = /^(22[0-9A-Z]{3}|SQLITE_TOOBIG|SQLITE_MISMATCH)$/;
const RULE = /^(23[0-9A-Z]{3}|SQLITE_CONSTRAINT.*)$/;

interface DatabaseError {
  readonly code?: unknown;
  /** Of PostgreSQL. */
  readonly column?: unknown;
  readonly message?: unknown;
}

/** A new record violates a unique key: another transaction may have created it since it was looked up. */
export class RecordMade extends Error {
  override readonly name = 'RecordMade';
  /** The fault for the caller if it is not the record's own key. */
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.fault = fault;
  }
}

/** Whether a row violates a unique key. */
export function isDoubled(error: unknown): boolean {
  return DOUBLED.has(codeOf(error));
}

/** Whether a column can't represent a value. */
export function isUnfit(error: unknown): boolean {
  return UNFIT.test(codeOf(error));
}

/**
 * The fault for a record whose content the database has rejected; the error itself for a failure of the database.
 * @param what the record, for messages
 * @param names of the fields of its shape
 */
export function faultOfDatabase(error: unknown, what: string, names: readonly string[]): unknown {
  const code = codeOf(error);
  const because = { cause: error };
  if (EMPTY.has(code)) {
    const column = columnOf(error as DatabaseError);
    const name = names.find((each) => each.toLowerCase() === column) ?? what;
    return Fault.of('BAD_PARAMETER', { name, reason: 'is missing, and its table requires a value' }, because);
  }
  if (isUnfit(error))
    return Fault.of('BAD_BODY', { reason: `${what} holds a value that does not fit its column` }, because);
  if (DOUBLED.has(code))
    return Fault.of(
      'CONFLICT',
      { what, reason: 'has a value that must be unique and that another record has' },
      because,
    );
  return RULE.test(code) ? Fault.of('CONFLICT', { what, reason: 'violates a rule of its table' }, because) : error;
}

/** PostgreSQL names the column, SQLite ends its message with `table.column`. */
function columnOf({ column, message }: DatabaseError): string | undefined {
  const text = typeof column === 'string' ? column : typeof message === 'string' ? message : '';
  return /([^\s.]+)$/.exec(text)?.[1]?.toLowerCase();
}
