// application/x-www-form-urlencoded, WHATWG URL section 5.2, with RFC 3986 section 2.3's unreserved characters as the only
// ones that stand for themselves: a blank is %20, which every reader of forms takes, as it does not take `+` in a path.

import { percentEncode } from './percent.ts';

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** One field of a form, the value being ready. @throws PercentError for a name that UTF-8 does not carry */
export function formField(name: string, encoded: string): string {
  return `${percentEncode(name)}=${encoded}`;
}

/**
 * A form of fields whose values are not encoded yet: each is, once and by itself. Names stay as they are; a value ends at
 * the next `&`, and may hold `=`.
 * @throws PercentError for a value that UTF-8 does not carry
 */
export function encodeFormValues(form: string): string {
  return form
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=');
      return equals === -1 ? piece : piece.slice(0, equals + 1) + percentEncode(piece.slice(equals + 1));
    })
    .join('&');
}
