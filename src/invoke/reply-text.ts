import { CharsetError, decodeText } from '../wire/charset.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { isReadable, oneLine } from './body.ts';
import type { ReplyPorts } from './callable.ts';
import type { RawReply } from './exchange.ts';
import { PEEKED, SHOWN_BODY } from './limits.ts';
import type { Mask } from './mask.ts';
import { badReply } from './reply-status.ts';

/** A body as far as it has been read. */
export interface Collected {
  readonly head: Buffer;
  /** The others, where it is longer than it may be in memory. */
  readonly rest: AsyncIterator<Uint8Array> | undefined;
}

/** Reads a body until its end, or until it is longer than `most` bytes. @throws what the body throws */
export async function collect(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Collected> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length > most) return { head: Buffer.concat(chunks), rest: iterator };
  }
  return { head: Buffer.concat(chunks), rest: undefined };
}

/** `type/subtype` of a reply, in small letters; as it stands where it is none. */
export function essenceOf({ headers }: RawReply): string | undefined {
  const given = headers['content-type'];
  return given === undefined ? undefined : (parseMediaType(given)?.essence ?? given.toLowerCase());
}

/** @throws InvokeError BAD_REPLY for what is no text */
export function textOf(raw: RawReply, bytes: Uint8Array): string {
  const type = parseMediaType(raw.headers['content-type'] ?? '');
  try {
    return decodeText(bytes, type?.parameters.get('charset'), /[/+]xml$/.test(type?.essence ?? ''));
  } catch (error) {
    if (!(error instanceof CharsetError)) throw error;
    throw badReply(raw, error.reason, undefined, error);
  }
}

/** The beginning of a body on one line, without what is secret; undefined where it is not for people. */
export function beginningOf(raw: RawReply, head: Buffer, mask: Mask, { secrets }: ReplyPorts): string | undefined {
  if (!isReadable(raw.headers['content-type'])) return undefined;
  const isWhole = head.length <= PEEKED;
  const masked = mask(new TextDecoder().decode(head.subarray(0, PEEKED)), secrets?.() ?? []);
  // A secret at the end may be cut, and is not to be seen then.
  return oneLine(masked.slice(0, isWhole ? SHOWN_BODY : Math.min(SHOWN_BODY, masked.length / 2)));
}
