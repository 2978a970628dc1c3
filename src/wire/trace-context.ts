import { trimmed } from './white-space.ts';

// W3C Trace Context, levels 1 and 2: the headers `traceparent` and `tracestate`.

/** The content of a `traceparent` (section 3.2). */
export interface TraceParent {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero: the span that sent it. */
  readonly parentId: string;
  /** {@link SAMPLED}, {@link RANDOM}. */
  readonly flags: number;
}

/** The caller may have recorded the trace (section 3.2.2.5.1). */
const SAMPLED = 0x01;

/** The right-most seven bytes of the trace id are random (level 2). */
export const RANDOM = 0x02;

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * Reads a `traceparent`. Of a version above 00, which may have more fields, those of 00 are read (section 3.2.4).
 * @param text the field's value; several fields joined by commas are invalid
 * @returns `undefined` when it is invalid: a new trace begins then
 */
export function readTraceparent(text: string): TraceParent | undefined {
  const found = PARENT.exec(text);
  if (found === null) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = found;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || parentId === NO_SPAN) return undefined;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & (SAMPLED | RANDOM) };
}

/** Writes a `traceparent` of version 00. */
export function writeTraceparent({ traceId, parentId, flags }: TraceParent): string {
  return `00-${traceId}-${parentId}-0${flags}`;
}

/** The most members of a `tracestate`, and the characters of it that are kept (section 3.3.1.5). */
const MEMBERS = 32;
const LONGEST = 512;
/** Members longer than this are the first to go. */
const LONG_MEMBER = 128;

/** A key, alone or of a tenant at a system, `=`, and a value that does not end in a space (section 3.3.1.3). */
const MEMBER =
  /^([a-z0-9][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Reads a `tracestate`. One that is too long loses whole members, the long ones first, then from the end.
 * @param text the values of all its fields, joined by commas
 * @returns what is sent on; `undefined` when it is empty or invalid, has a key twice, or more than 32 members
 */
export function readTracestate(text: string): string | undefined {
  const members = text
    .split(',')
    .map(trimmed)
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => MEMBER.exec(member)?.[1]));
  if (members.length === 0 || members.length > MEMBERS || keys.has(undefined) || keys.size < members.length)
    return undefined;
  const kept = lengthOf(members) > LONGEST ? members.filter(({ length }) => length <= LONG_MEMBER) : members;
  while (lengthOf(kept) > LONGEST) kept.pop();
  return kept.length === 0 ? undefined : kept.join(',');
}

/** A valid `tracestate` with a member in the place that a system gives its own: the first (section 3.5). */
export function withMember(state: string | undefined, key: string, value: string): string {
  const others = state?.split(',').filter((member) => !member.startsWith(`${key}=`)) ?? [];
  const kept = [`${key}=${value}`, ...others].slice(0, MEMBERS);
  while (lengthOf(kept) > LONGEST) kept.pop();
  return kept.join(',');
}

/** The value of a member of a valid `tracestate`. */
export function memberOf(state: string | undefined, key: string): string | undefined {
  const found = state?.split(',').find((member) => member.startsWith(`${key}=`));
  return found?.slice(key.length + 1);
}

function lengthOf(members: readonly string[]): number {
  return members.reduce((sum, { length }) => sum + length + 1, -1);
}
