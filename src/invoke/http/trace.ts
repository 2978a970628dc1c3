import { redacted } from '../../codec/redact/redact.ts';

/** Start line and headers of a message, in the order in which they travel. What is secret in them is masked. */
export interface Head {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Who wants to see the heads of an exchange. Each is called once for each address that is tried, and each repetition. */
export interface Heads {
  onRequest?(head: Head): void;
  onReply?(head: Head): void;
}

/** Headers that say who somebody is. */
const SECRET = /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$|api-?key|token|secret|password|signature/i;

/** @param headers with what is secret in them masked */
export function headOf(line: string, headers: Readonly<Record<string, string>>): Head {
  return { line, headers: Object.entries(headers) };
}

/** Headers without what is secret by their name. */
export function masked(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskedValue(name, value)]));
}

/** Headers of a reply, in which a target may repeat what it was sent. */
export function maskedReply(
  headers: Readonly<Record<string, string>>,
  secrets: Iterable<string>,
): Record<string, string> {
  const known = [...secrets];
  return Object.fromEntries(Object.entries(masked(headers)).map(([name, value]) => [name, redacted(value, known)]));
}

function maskedValue(name: string, value: string): string {
  if (!SECRET.test(name)) return value;
  const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^[A-Za-z]+ /.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}***`;
}
