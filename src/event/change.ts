import type { Component, SaveOptions } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { DocumentValue } from '../model/value.ts';
import { matches, matchesNone, parseEntityTags } from '../wire/representation.ts';
import type { Records, Row, Stored } from './record.ts';

/** What a save does: `patch` changes the fields that it is given. */
export type SaveAction = NonNullable<SaveOptions['action']>;

/** What a caller wants to be saved. */
interface Wanted extends Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'> {
  readonly action: SaveAction;
  readonly record: DocumentValue;
  /** Of the record. */
  readonly keys: Row;
}

/**
 * What becomes of a row.
 * @param present as it is in the database; undefined where there is none
 * @returns the row as it is to be written, its lock counted up; undefined where it is to be removed
 * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_PARAMETER
 */
export function changeOf(
  { lock, keys }: Component,
  records: Records,
  { action, record, keys: named, ...expected }: Wanted,
  present: Stored | undefined,
): Row | undefined {
  const what = records.nameOf(named);
  // Conditions count where the request would succeed without them (RFC 9110, section 13.2.1).
  if (present === undefined && (action === 'patch' || action === 'delete')) throw Fault.of('NOT_FOUND', { what });
  checkConditions(expected, present?.etag, what);
  if (present !== undefined && action === 'create') throw Fault.of('CONFLICT', { what, reason: 'is there already' });
  const said = records.lockOf(record);
  if (lock !== undefined && said !== undefined && said !== (present?.lock ?? 0n)) {
    const now = present === undefined ? 'it is not there' : `its ${lock.name} is ${present.lock}`;
    const reason = `has changed since it was read: ${now}, and the request says ${said}`;
    throw Fault.of('CONFLICT', { what, reason });
  }
  if (action === 'delete') return undefined;
  const changed = action === 'patch' ? { ...present?.record, ...record } : record;
  const row = records.toRow(changed);
  // As they are in the database, whose text may differ in form: 007 for a 7.
  const own =
    present === undefined ? {} : Object.fromEntries(keys.map(({ name }) => [name, present.row[name] ?? null]));
  return { ...row, ...own, ...(lock === undefined ? {} : { [lock.name]: String((present?.lock ?? 0n) + 1n) }) };
}

/** What a request expects of a record (RFC 9110, section 13.1). */
type Expected = Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'>;

/**
 * Holds what a save expects against the record that is there.
 * @param etag of the record, with its quotes; undefined where there is none
 * @param what the record, for messages
 * @throws Fault PRECONDITION_FAILED; BAD_PARAMETER where a condition is none
 */
function checkConditions({ ifMatch, ifNoneMatch }: Expected, etag: string | undefined, what: string): void {
  const present = etag?.slice(1, -1);
  const isMet =
    (ifMatch === undefined || matches(readTags('If-Match', ifMatch), present)) &&
    (ifNoneMatch === undefined || matchesNone(readTags('If-None-Match', ifNoneMatch), present));
  if (!isMet) throw Fault.of('PRECONDITION_FAILED', { what });
}

/** Reads `If-Match` or `If-None-Match`. @throws Fault BAD_PARAMETER where it is neither `*` nor a list of entity tags */
export function readTags(
  name: 'If-Match' | 'If-None-Match',
  text: string,
): NonNullable<ReturnType<typeof parseEntityTags>> {
  const tags = parseEntityTags(text);
  // An empty If-None-Match names nothing, and holds. An empty If-Match may be a tag that got lost: to ignore it could cost
  // the caller somebody else's change.
  if (tags === undefined || (name === 'If-Match' && tags.length === 0))
    throw Fault.of('BAD_PARAMETER', { name, reason: 'is neither * nor a list of entity tags ("...")' });
  return tags;
}
