import { Fault } from '../model/fault.ts';
import type { SaveOptions } from '../model/saved-record.ts';
import { matches, matchesNone, parseEntityTags } from '../wire/entity-tag.ts';

/** What a request expects of a record (RFC 9110, section 13.1). */
type Expected = Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'>;

/**
 * Holds what a save expects against the record that is there.
 * @param etag of the record, with its quotes; undefined where there is none
 * @param what the record, for messages
 * @throws Fault PRECONDITION_FAILED; BAD_PARAMETER where a condition is none
 */
export function checkConditions({ ifMatch, ifNoneMatch }: Expected, etag: string | undefined, what: string): void {
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
