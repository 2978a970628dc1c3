import { percentEncode } from './percent.ts';

// application/x-www-form-urlencoded, WHATWG URL section 5.2, but only the unreserved characters of RFC 3986 section 2.3
// are left unencoded: a space becomes %20, which every reader of forms accepts, whereas `+` does not work in a path.

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** One field of a form; the value is encoded already. @throws PercentError for a name that UTF-8 can't encode */
export function formField(name: string, encoded: string): string {
  return `${percentEncode(name)}=${encoded}`;
}

/**
 * Encodes each value of a form whose values are not encoded yet. Names are kept unchanged; a value ends at the next
 * `&`, and may contain `=`.
 * @throws PercentError for a value that UTF-8 can't encode
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
