import { randomUUID } from 'node:crypto';

const LONGEST = 128;

/** The caller's X-Request-Id where it is a plain word of at most 128 characters, else a new one. */
export function requestIdOf(given: string | undefined): string {
  if (given === undefined || given.length === 0 || given.length > LONGEST) return randomUUID();
  for (let index = 0; index < given.length; index++) {
    const code = given.charCodeAt(index);
    const plain =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f;
    if (!plain) return randomUUID();
  }
  return given;
}
