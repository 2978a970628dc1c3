// Cookies of the console (RFC 6265). The prefix __Host- keeps them to this host and to encrypted connections (RFC 6265bis section 4.1.3.2).

export const SESSION_COOKIE = '__Host-signalbox';
export const STATE_COOKIE = '__Host-signalbox-state';

/** Sent with requests that the console's own pages make, and with no others. */
export const sessionCookie = (token: string): string =>
  `${SESSION_COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Strict`;

/** Also sent when an issuer leads the browser back. */
export const stateCookie = (state: string): string =>
  `${STATE_COOKIE}=${state}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600`;

export const endedCookie = (name: string): string => `${name}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;

/** The value of a cookie; `undefined` when there are several, since any site of the domain could have set the others. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  const [value, ...others] = values;
  return others.length > 0 || value === undefined || !/^[A-Za-z0-9._~-]{1,512}$/.test(value) ? undefined : value;
}

/** Whether a page of this gateway has sent a form: by Fetch Metadata, or by the Origin of older browsers. */
export function isSameOrigin(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header('origin');
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === header('host');
}
