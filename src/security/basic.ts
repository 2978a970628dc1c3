// HTTP Basic authentication, RFC 7617, with charset="UTF-8".

/** What a caller shows. */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** The challenge of a 401 (RFC 7617 section 2). */
export const BASIC_CHALLENGE = 'Basic realm="signalbox", charset="UTF-8"';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads an Authorization header. @returns undefined where it is not well-formed Basic */
export function parseBasic(header: string): BasicCredentials | undefined {
  if (header.length < 7 || header.slice(0, 6).toLowerCase() !== 'basic ') return undefined;
  const encoded = header.slice(6).trim();
  if (!BASE64.test(encoded)) return undefined;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
