import { createHmac, timingSafeEqual } from 'node:crypto';

// What a browser sends and keeps: cookies, forms, and where it goes.

/** A cookie of the console. */
export interface ConsoleCookie {
  readonly name: string;
  /** The Set-Cookie header that sets it. @param value base64url */
  set(value: string): string;
  /** The Set-Cookie header that removes it. */
  readonly removal: string;
}

/** Seconds. */
const STATE_AGE = 600;

/** Holds the token of the session. No page of another site causes a request with it. */
export const SESSION_COOKIE: ConsoleCookie = cookie('__Host-signalbox', 'SameSite=Strict');
/** Holds the secret of a sign-in with a provider, from whose site the browser comes back: `SameSite=Strict` would keep it back. */
export const STATE_COOKIE: ConsoleCookie = cookie('__Host-signalbox-state', 'SameSite=Lax', STATE_AGE);

/**
 * The prefix `__Host-` keeps other hosts and plain HTTP from setting it (RFC 6265bis, section 4.1.3.2). Chromium 156 takes it over HTTP
 * from this machine; Safari does not.
 */
function cookie(name: string, sameSite: string, age?: number): ConsoleCookie {
  const rules = `Path=/; Secure; HttpOnly; ${sameSite}`;
  return {
    name,
    set: (value) => `${name}=${value}; ${rules}${age === undefined ? '' : `; Max-Age=${age}`}`,
    removal: `${name}=; ${rules}; Max-Age=0`,
  };
}

/** A value of RFC 6265, section 4.1.1. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** The value of a cookie in a Cookie header; `undefined` also for one that is malformed, or is there twice. */
export function readCookie(header: string | undefined, { name }: Pick<ConsoleCookie, 'name'>): string | undefined {
  if (header === undefined) return undefined;
  const found = header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    // Trimmed without a pattern: one that looks for blanks at an end takes a time that grows with their square.
    return equals >= 0 && pair.slice(0, equals).trimStart() === name ? [pair.slice(equals + 1).trimEnd()] : [];
  });
  const [value] = found;
  return found.length === 1 && value !== undefined && COOKIE_VALUE.test(value) ? value : undefined;
}

/** The token that each form of a session sends along, and that no other site knows. */
export function formToken(session: string): string {
  return createHmac('sha256', session).update('form').digest('base64url');
}

/** Whether a form of this session was sent. @param given as it was sent */
export function isFormToken(session: string, given: string | undefined): boolean {
  const [sent, own] = [Buffer.from(given ?? ''), Buffer.from(formToken(session))];
  return sent.length === own.length && timingSafeEqual(sent, own);
}

/** A request of a browser. */
export interface BrowserRequest {
  readonly method: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

/**
 * Whether a request comes from a page of this origin, or from no page at all (an address that was typed). One that changes something
 * must prove it: by Sec-Fetch-Site (Fetch Metadata) or Origin.
 */
export function isSameOrigin({ method, header }: BrowserRequest): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  const from = header('origin');
  const site = header('sec-fetch-site');
  // Behind a proxy that ends TLS, the scheme is not known here. A page of the other scheme is of another site to Sec-Fetch-Site.
  if (from !== undefined && (!URL.canParse(from) || new URL(from).host !== header('host'))) return false;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && reads);
  return from !== undefined || reads;
}

/** The first page of the console. */
const CONSOLE_PATH = '/console';
/** Characters of a path to return to. */
const LONGEST_PATH = 2048;

/**
 * Where a browser goes after its sign-in: a path of the console with its query, or its first page for anything else, such as an
 * address of another host in any of the forms that browsers accept.
 */
export function returnPath(given: string | undefined): string {
  // A browser reads a backslash as a slash, and drops tabs and line ends.
  if (
    given === undefined ||
    given.length > LONGEST_PATH ||
    !/^\/console(?:[/?]|$)/.test(given) ||
    /[^!-[\]-~]/.test(given)
  )
    return CONSOLE_PATH;
  const base = 'http://console.invalid';
  if (!URL.canParse(given, base)) return CONSOLE_PATH;
  const { origin, pathname, search } = new URL(given, base);
  const isInside = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`);
  // What a proxy in front may decode once more.
  const isEncoded = /%(?:2f|5c|2e|25|[01]|7f)/i.test(pathname);
  return origin === base && isInside && !isEncoded ? `${pathname}${search}` : CONSOLE_PATH;
}
