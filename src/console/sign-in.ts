import { Fault } from '../model/fault.ts';
import type { User } from '../model/security.ts';
import { consoleGrants } from '../security/authorise.ts';
import {
  endedCookie,
  isSameOrigin,
  readCookie,
  SESSION_COOKIE,
  STATE_COOKIE,
  sessionCookie,
  stateCookie,
} from './cookie.ts';
import { readForm } from './form.ts';
import { exact, type Html, html, NOTHING } from './html.ts';
import { address, field, notice } from './parts.ts';
import type { ConsoleReply, ConsoleRequest, Sessions } from './port.ts';
import { Seal } from './seal.ts';

/** An issuer of OpenID Connect whose users may sign in. */
export interface Provider {
  readonly id: string;
  readonly label: string;
  /** Begins a sign-in. @returns where the browser goes, and the value of its state cookie */
  begin(options: {
    readonly returnTo: string;
    readonly redirectUri: string;
  }): Promise<{ location: string; state: string }>;
  /** Takes the return from the issuer. @throws Fault UNAUTHENTICATED with the reason for the log */
  finish(options: {
    readonly parameters: URLSearchParams;
    readonly state: string;
    readonly redirectUri: string;
  }): Promise<{ user: User; returnTo: string }>;
}

export interface EntrancePorts {
  readonly sessions: Sessions;
  /** Checks a password, as that of a call. `undefined` when it is not offered. @throws Fault UNAUTHENTICATED, TOO_MANY_REQUESTS */
  readonly checkPassword: ((request: ConsoleRequest, id: string, password: string) => Promise<User>) | undefined;
  readonly providers: readonly Provider[];
  /** Sample users can sign in: the page names them. */
  readonly samples: readonly string[];
  /** The origin of the console for browsers: `https://example.org`. */
  readonly origin: (request: ConsoleRequest) => string;
}

/** The pages for signing in and out. */
export interface Entrance {
  readonly sessions: Sessions;
  /** @param page writes a page for those who have not signed in @returns `undefined` for a path that is none of its own */
  answer(request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply | undefined>;
}

type OutsidePage = (
  title: string,
  body: Html,
  status?: number,
  headers?: Readonly<Record<string, string>>,
) => ConsoleReply;

const RETURN = '/sign-in/return';

export function createEntrance(ports: EntrancePorts): Entrance {
  const steps: Readonly<
    Record<string, (request: ConsoleRequest, page: OutsidePage) => Promise<ConsoleReply> | ConsoleReply>
  > = {
    'GET /sign-in': (request, page) => ask(ports, request, page),
    'POST /sign-in': (request, page) => signIn(ports, request, page),
    'GET /sign-in/with': (request) => begin(ports, request),
    [`GET ${RETURN}`]: (request, page) => finish(ports, request, page),
    'POST /sign-out': (request) => signOut(ports, request),
  };
  return {
    sessions: ports.sessions,
    answer: async (request, page) => steps[`${request.method} ${request.path}`]?.(request, page),
  };
}

/** Where a sign-in leads, below the console: a path of its own, whatever the address said. */
function returnTo(to: string | null): string {
  // Read as a browser does, which takes backslashes for slashes and follows dot segments.
  const address = to?.startsWith('/') ? URL.parse(`/console${to}`, 'http://gateway.invalid') : null;
  if (address === null || address.host !== 'gateway.invalid' || !address.pathname.startsWith('/console/')) return '';
  return `${address.pathname.slice('/console'.length)}${address.search}`;
}

/** Why this connection can't carry a session; `undefined` when it can. */
function unfit({ secure }: ConsoleRequest): Html | undefined {
  if (secure) return undefined;
  return html`You can't sign in here: this connection is not encrypted, and browsers do not keep the console's cookies on it. Open the console over <code>https</code> (<code>tls:</code> in gateway.yaml, or a proxy named in <code>proxies:</code>), or on the machine itself at <code>http://127.0.0.1</code>.`;
}

function ask(
  ports: EntrancePorts,
  request: ConsoleRequest,
  page: OutsidePage,
  refused?: { text: string; id: string; status: number },
): ConsoleReply {
  const query = new URLSearchParams(request.query);
  const to = returnTo(query.get('to'));
  const reason = unfit(request);
  if (reason !== undefined) return page('Sign in', html`<h1>Sign in to Signalbox</h1>${notice('bad', reason)}`, 403);
  const ofPassword =
    ports.checkPassword === undefined
      ? NOTHING
      : html`<form method="post" action="${address('/sign-in')}">
<input type="hidden" name="to" value="${exact(to)}">
${field('User', 'id', html`<input id="id" name="id" autocomplete="username" required maxlength="256" value="${exact(refused?.id ?? '')}" ${refused === undefined ? html`autofocus` : NOTHING}>`)}
${field('Password', 'password', html`<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024" ${refused === undefined ? NOTHING : html`autofocus`}>`)}
<button class="primary">Sign in</button>
</form>`;
  const others = ports.providers.map(
    ({ id, label }) =>
      html`<p><a class="button" href="${address('/sign-in/with', { scheme: id, to })}">Sign in with ${label}</a></p>`,
  );
  const body = html`<h1>Sign in to Signalbox</h1>
${refused === undefined ? NOTHING : notice('bad', refused.text)}
${query.has('out') ? notice('good', 'You have signed out.') : NOTHING}
${ofPassword}${others}
${ports.samples.length === 0 ? NOTHING : html`<p class="hint">Users of the sample are served: ${ports.samples.join(', ')}, each with its name as password.</p>`}`;
  return page('Sign in', body, refused?.status ?? 200);
}

async function signIn(ports: EntrancePorts, request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply> {
  const { checkPassword } = ports;
  if (unfit(request) !== undefined) return ask(ports, request, page);
  // Another site must not sign its visitors in as someone else.
  if (checkPassword === undefined || !isSameOrigin(request.header))
    throw Fault.of('FORBIDDEN', { user: 'Another site', what: 'the form for signing in' });
  const { fields } = await readForm(request);
  const id = fields.get('id') ?? '';
  try {
    const user = await checkPassword(request, id, fields.get('password') ?? '');
    return await open(ports, request, { user, scheme: 'password', to: returnTo(fields.get('to')) });
  } catch (error) {
    if (!(error instanceof Fault) || (error.code !== 'UNAUTHENTICATED' && error.code !== 'TOO_MANY_REQUESTS'))
      throw error;
    const text = error.code === 'UNAUTHENTICATED' ? 'User or password is wrong.' : error.message;
    const shown = ask(ports, request, page, { text, id, status: error.status });
    const { 'WWW-Authenticate': _, ...headers } = error.headers;
    return { ...shown, headers: { ...shown.headers, ...headers } };
  }
}

/** Opens a session. Its token is new, whatever the browser had before (session fixation). */
async function open(
  { sessions }: EntrancePorts,
  request: ConsoleRequest,
  { user, scheme, to }: { user: User; scheme: string; to: string },
): Promise<ConsoleReply> {
  if (consoleGrants(user).size === 0)
    throw Fault.of('FORBIDDEN', {
      user: user.id,
      what: 'the console: no permission list of this user grants `console:`',
    });
  request.caller(user, { name: 'sign-in', target: user.id });
  const { remote, header } = request;
  const token = await sessions.open(user, { scheme, remote, agent: header('user-agent') });
  return redirect(address(to), { 'Set-Cookie': sessionCookie(token) });
}

async function begin(ports: EntrancePorts, request: ConsoleRequest): Promise<ConsoleReply> {
  const query = new URLSearchParams(request.query);
  const provider = ports.providers.find(({ id }) => id === query.get('scheme'));
  if (provider === undefined) throw Fault.of('NOT_FOUND', { what: 'such way to sign in' });
  if (unfit(request) !== undefined) return redirect(address('/sign-in'));
  const redirectUri = `${ports.origin(request)}${address(RETURN)}`;
  const { location, state } = await provider.begin({ returnTo: returnTo(query.get('to')), redirectUri });
  return redirect(location, { 'Set-Cookie': stateCookie(`${provider.id}.${state}`) });
}

/**
 * The return from an issuer. The reply sets the cookie and is a page of our own that goes on: a redirect would still belong to the
 * navigation that another site began, and the browser would not send a Strict cookie with it.
 */
async function finish(ports: EntrancePorts, request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply> {
  const cookie = readCookie(request.header('cookie'), STATE_COOKIE) ?? '';
  const [scheme = '', state = ''] = cookie.split('.', 2);
  const provider = ports.providers.find(({ id }) => id === scheme);
  if (provider === undefined)
    throw Fault.of('BAD_REQUEST', {
      reason: 'this sign-in was not begun in this browser, or more than ten minutes ago',
    });
  const redirectUri = `${ports.origin(request)}${address(RETURN)}`;
  const { user, returnTo: to } = await provider.finish({
    parameters: new URLSearchParams(request.query),
    state,
    redirectUri,
  });
  const { headers } = await open(ports, request, { user, scheme, to: returnTo(to) });
  const target = address(returnTo(to));
  const body = html`<h1>Signed in</h1><p><a href="${target}">Go on to the console</a></p>`;
  const shown = page('Signed in', body);
  return {
    ...shown,
    headers: { ...shown.headers, 'Set-Cookie': headers['Set-Cookie'] ?? '', Refresh: `0; url=${target}` },
  };
}

async function signOut({ sessions }: EntrancePorts, request: ConsoleRequest): Promise<ConsoleReply> {
  const token = readCookie(request.header('cookie'), SESSION_COOKIE);
  const session = token === undefined ? undefined : await sessions.find(token);
  if (token !== undefined && session !== undefined) {
    const { fields } = await readForm(request);
    if (!isSameOrigin(request.header) || !new Seal(token).opens('form', fields.get('token') ?? ''))
      throw Fault.of('FORBIDDEN', { user: session.user.id, what: 'a form of another session; load the page anew' });
    request.caller(session.user, { name: 'sign-out', target: session.user.id });
    await sessions.end(token);
  }
  return redirect(address('/sign-in', { out: 1 }), { 'Set-Cookie': endedCookie(SESSION_COOKIE) });
}

const redirect = (to: string, headers: Readonly<Record<string, string>> = {}): ConsoleReply => ({
  status: 303,
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...headers, Location: to },
  body: '',
  compresses: false,
});
