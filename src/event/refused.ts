import { Fault } from '../model/fault.ts';
import { codeOf } from '../wire/error.ts';

/** What databases call the breach of a unique key: SQLSTATE (PostgreSQL, appendix A), and the codes of SQLite. */
const DOUBLED = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const EMPTY = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL']);
/** Of values that are too large or have no form in their column: the class 22. */
const UNFIT = /^(22[0-9A-Z]{3}|SQLITE_TOOBIG|SQLITE_MISMATCH)$/;
const RULE = /^(23[0-9A-Z]{3}|SQLITE_CONSTRAINT.*)$/;

/** What drivers say beside the message. */
interface DatabaseError {
  readonly code?: unknown;
  /** Of PostgreSQL. */
  readonly column?: unknown;
  readonly message?: unknown;
}

/** A record that was not there when it was looked for could not be made: another transaction may have made it meanwhile. */
export class RecordMade extends Error {
  override readonly name = 'RecordMade';
  /** What a caller reads where it is something else that is doubled. */
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.fault = fault;
  }
}

/** Whether a row has a value that another has and that has to be its own: its keys, or another. */
export function isDoubled(error: unknown): boolean {
  return DOUBLED.has(codeOf(error));
}

/** Whether a value is none that its column can hold. */
export function isUnfit(error: unknown): boolean {
  return UNFIT.test(codeOf(error));
}

/**
 * What a caller reads where a statement that writes a record was refused for what is in it; the error itself where it is
 * the database that fails.
 * @param what the record, for messages
 * @param names of the fields of its shape
 */
export function faultOfDatabase(error: unknown, what: string, names: readonly string[]): unknown {
  const code = codeOf(error);
  const because = { cause: error };
  if (EMPTY.has(code)) {
    const column = columnOf(error as DatabaseError);
    const name = names.find((each) => each.toLowerCase() === column) ?? what;
    return Fault.of('BAD_PARAMETER', { name, reason: 'is not given, and its table needs a value' }, because);
  }
  if (isUnfit(error))
    return Fault.of('BAD_BODY', { reason: `${what} holds a value that does not fit its column` }, because);
  if (DOUBLED.has(code))
    return Fault.of(
      'CONFLICT',
      { what, reason: 'has a value that another record has, and that has to be its own' },
      because,
    );
  return RULE.test(code) ? Fault.of('CONFLICT', { what, reason: 'breaks a rule of its table' }, because) : error;
}

/** PostgreSQL names the column, SQLite ends its message with `table.column`. */
function columnOf({ column, message }: DatabaseError): string | undefined {
  const text = typeof column === 'string' ? column : typeof message === 'string' ? message : '';
  return /([^\s.]+)$/.exec(text)?.[1]?.toLowerCase();
}
