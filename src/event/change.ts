import type { Component, SaveOptions } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { DocumentValue } from '../model/value.ts';
import { matches, matchesNone, parseEntityTags } from '../wire/entity-tag.ts';
import { jsonPointer } from '../wire/json-pointer.ts';
import type { Records, Row, Stored } from './record.ts';

export type SaveAction = NonNullable<SaveOptions['action']>;

/** A save that a caller requests. */
interface Wanted extends Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'> {
  readonly action: SaveAction;
  readonly record: DocumentValue;
  readonly keys: Row;
}

/**
 * The row that a save writes. It lacks the columns that keep their values.
 * @param present the row in the database, if there is one
 * @returns the row with an incremented lock; `undefined` to delete it
 * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_PARAMETER
 */
export function changeOf(
  { lock, keys }: Component,
  records: Records,
  { action, record, keys: named, ...expected }: Wanted,
  present: Stored | undefined,
): Row | undefined {
  const what = records.nameOf(named);
  // Conditions are evaluated only if the request would succeed without them (RFC 9110, section 13.2.1).
  if (present === undefined && (action === 'patch' || action === 'delete')) throw Fault.of('NOT_FOUND', { what });
  checkConditions(expected, present?.etag, what);
  if (present !== undefined && action === 'create') {
    const errors = keys.map(({ jsonName }) => ({
      pointer: jsonPointer([jsonName]),
      detail: `${what} exists already.`,
    }));
    throw Fault.of('CONFLICT', { what, reason: 'exists already' }, { errors, reason: 'the record exists already' });
  }
  const expectedLock = records.lockOf(record);
  if (lock !== undefined && expectedLock !== undefined && expectedLock !== (present?.lock ?? 0n)) {
    const now = present === undefined ? 'it does not exist' : `its ${lock.name} is ${present.lock}`;
    const reason = `has changed since it was read: ${now}, but the request has ${expectedLock}`;
    throw Fault.of('CONFLICT', { what, reason });
  }
  if (action === 'delete') return undefined;
  const changed = action === 'patch' ? { ...present?.record, ...record } : record;
  const row: Record<string, string | null> = { ...records.toRow(changed) };
  // The value that a patch leaves alone stays in its column.
  if (action === 'patch') for (const name of present?.odd ?? []) if (record[name] === undefined) delete row[name];
  // The keys stay as they are in the database, where their text may differ: 007 for 7.
  const own =
    present === undefined ? {} : Object.fromEntries(keys.map(({ name }) => [name, present.row[name] ?? null]));
  return { ...row, ...own, ...(lock === undefined ? {} : { [lock.name]: String((present?.lock ?? 0n) + 1n) }) };
}

/** Conditions of a request (RFC 9110, section 13.1). */
type Expected = Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'>;

/**
 * Checks the conditions of a request.
 * @param etag of the record, with its quotes; `undefined` if there is no record
 * @param what the record, for messages
 * @throws Fault PRECONDITION_FAILED; BAD_PARAMETER for a malformed condition
 */
function checkConditions({ ifMatch, ifNoneMatch }: Expected, etag: string | undefined, what: string): void {
  const present = etag?.slice(1, -1);
  const isMet =
    (ifMatch === undefined || matches(readTags('If-Match', ifMatch), present)) &&
    (ifNoneMatch === undefined || matchesNone(readTags('If-None-Match', ifNoneMatch), present));
  if (!isMet) throw Fault.of('PRECONDITION_FAILED', { what });
}

/** Reads `If-Match` or `If-None-Match`. @throws Fault BAD_PARAMETER for neither `*` nor a list of entity tags */
export function readTags(
  name: 'If-Match' | 'If-None-Match',
  text: string,
): NonNullable<ReturnType<typeof parseEntityTags>> {
  const tags = parseEntityTags(text);
  // An empty If-None-Match is always fulfilled. An empty If-Match may be a tag that got lost: ignoring it could overwrite
  // the change of another caller.
  if (tags === undefined || (name === 'If-Match' && tags.length === 0))
    throw Fault.of('BAD_PARAMETER', { name, reason: 'is neither * nor a list of entity tags ("...")' });
  return tags;
}
