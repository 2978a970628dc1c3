import { Fault } from '../../model/fault.ts';

// The request target, RFC 9112 section 3.2, checked before anything parses it.

/**
 * Checks a raw target and returns its origin form.
 *
 * Rejected: characters other than visible ASCII, a fragment, a backslash, a dot segment in any spelling (`..`, `%2e%2E`,
 * `.;x`), an absolute form for another host, and a target longer than the limit. Nothing is folded or decoded, so the
 * target that was authorised is the one that is routed.
 * @param limit in bytes; the parser delivers every byte as one character
 * @throws Fault BAD_TARGET, TARGET_TOO_LONG
 */
export function checkTarget(target: string, host: string | undefined, limit: number): string {
  if (target.length > limit) throw Fault.of('TARGET_TOO_LONG', { limit });
  const origin = target.startsWith('/') ? target : originForm(target, host);
  const mark = origin.indexOf('?');
  const pathEnd = mark < 0 ? origin.length : mark;
  let segment = 1;
  for (let index = 0; index < origin.length; index++) {
    const code = origin.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) throw bad('it contains a byte that is not visible ASCII; percent-encode it');
    if (code === 0x23) throw bad('it holds a "#"');
    if (index >= pathEnd) continue;
    if (code === 0x5c) throw bad('its path holds a backslash');
    if (code === 0x2f) {
      if (isDotSegment(origin, segment, index)) throw bad('its path holds a dot segment');
      segment = index + 1;
    }
  }
  if (isDotSegment(origin, segment, pathEnd)) throw bad('its path holds a dot segment');
  return origin;
}

/** Proxies send absolute form; its host must equal the Host header. */
function originForm(target: string, host: string | undefined): string {
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) throw bad('it neither starts with a slash nor is an absolute http URL');
  const end = target.slice(scheme.length).search(/[/?]/);
  const authority = end < 0 ? target.slice(scheme.length) : target.slice(scheme.length, scheme.length + end);
  if (host === undefined || authority.toLowerCase() !== host.toLowerCase())
    throw bad('it names a different host than the Host header');
  const rest = end < 0 ? '' : target.slice(scheme.length + end);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** `.` or `..`, plain or percent-encoded, optionally followed by a parameter. */
function isDotSegment(text: string, start: number, end: number): boolean {
  let dots = 0;
  let index = start;
  while (index < end && dots < 3) {
    const code = text.charCodeAt(index);
    if (code === 0x2e) index += 1;
    else if (code === 0x25 && text.charCodeAt(index + 1) === 0x32 && (text.charCodeAt(index + 2) | 0x20) === 0x65)
      index += 3;
    else break;
    dots += 1;
  }
  return (dots === 1 || dots === 2) && (index === end || text.charCodeAt(index) === 0x3b);
}

function bad(reason: string): Fault {
  return Fault.of('BAD_TARGET', { reason });
}
