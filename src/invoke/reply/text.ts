import { CharsetError, decodeBeginning, decodeText } from '../../wire/charset.ts';
import { isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { isReadable, oneLine } from '../http/body.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { PEEKED, SHOWN_BODY } from '../limits.ts';
import type { Mask } from '../mask.ts';
import { badReply } from './status.ts';

/** `type/subtype` of a reply, in small letters, whatever stands behind it; as it stands where it is none. */
export function essenceOf({ headers }: RawReply): string | undefined {
  const given = headers['content-type'];
  return given === undefined
    ? undefined
    : (parseMediaType(given)?.essence ?? given.replace(/;.*/s, '').trim().toLowerCase());
}

/** @throws InvokeError BAD_REPLY for what is no text */
export function textOf(raw: RawReply, bytes: Uint8Array): string {
  const { charset, isXml } = encodingOf(raw);
  try {
    return decodeText(bytes, charset, isXml);
  } catch (error) {
    if (!(error instanceof CharsetError)) throw error;
    throw badReply(raw, error.reason, undefined, error);
  }
}

function encodingOf({ headers }: RawReply): { readonly charset: string | undefined; readonly isXml: boolean } {
  const type = parseMediaType(headers['content-type'] ?? '');
  return { charset: type?.parameters.get('charset'), isXml: isXmlType(type?.essence ?? '') };
}

/** The beginning of a body on one line, without what is secret; undefined where it is not for people. */
export function beginningOf(raw: RawReply, head: Uint8Array, mask: Mask): string | undefined {
  if (!isReadable(raw.headers['content-type'])) return undefined;
  const { charset, isXml } = encodingOf(raw);
  const text = decodeBeginning(head.subarray(0, PEEKED), charset, isXml);
  return told(raw, text, head.length > PEEKED, mask);
}

/** The beginning of a text of a reply in the same form; undefined where nothing is left. */
export function shownText(raw: RawReply, text: string, mask: Mask): string | undefined {
  return told(raw, text.slice(0, PEEKED), text.length > PEEKED, mask);
}

/** A secret at the end may be cut, and is not to be seen then. */
function told(raw: RawReply, text: string, isCut: boolean, mask: Mask): string | undefined {
  const masked = mask(text, raw.secrets());
  return oneLine(masked.slice(0, isCut ? Math.min(SHOWN_BODY, masked.length / 2) : SHOWN_BODY));
}
