import { Fault } from '../model/fault.ts';
import type { ConsoleSignIn } from '../model/gateway.ts';
import type { User } from '../model/security.ts';
import { consoleGrants } from '../security/authorise.ts';
import {
  isFormToken,
  isSameOrigin,
  readCookie,
  returnPath,
  SESSION_COOKIE,
  STATE_COOKIE,
} from '../security/sign-in/browser.ts';
import type { Guesses } from '../security/sign-in/guesses.ts';
import type { OpenId } from '../security/sign-in/openid.ts';
import type { TypedPassword } from '../security/sign-in/password.ts';
import type { Sessions, SignInFacts } from '../security/sign-in/sessions.ts';
import type { ConsoleReply, ReplyHeaders } from './console-port.ts';
import type { ConsoleRequest } from './console-request.ts';
import { readUnsignedForm } from './form.ts';
import { exact, type Html, html, NOTHING } from './html.ts';
import { address, field, notice } from './parts.ts';

export interface EntrancePorts {
  readonly sessions: Sessions;
  /** The ways to sign in that the page offers. */
  readonly signIn: readonly ConsoleSignIn[];
  /** Checks a password like that of a call. @throws Fault UNAUTHENTICATED, UNAVAILABLE */
  readonly checkPassword: (typed: TypedPassword) => Promise<User>;
  readonly openId: OpenId;
  readonly guesses: Guesses;
  /** The sample users that can sign in; the page lists them. */
  readonly samples: readonly string[];
  /** The origin of the console for browsers, as providers know it: `https://example.org`. */
  readonly origin: () => string;
  /** Called when a failed sign-in could not be recorded. */
  readonly onError: (error: Error) => void;
}

/** The pages for signing in and out. */
export interface Entrance {
  readonly sessions: Sessions;
  /**
   * @param page writes a page for someone who has not signed in
   * @returns `undefined` for any other path
   */
  answer(request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply | undefined>;
}

type OutsidePage = (
  title: string,
  body: Html,
  status?: number,
  headers?: Readonly<Record<string, string>>,
) => ConsoleReply;

const CALLBACK = '/sign-in/callback';

export function createEntrance(ports: EntrancePorts): Entrance {
  const steps: Readonly<
    Record<string, (request: ConsoleRequest, page: OutsidePage) => Promise<ConsoleReply> | ConsoleReply>
  > = {
    'GET /sign-in': (request, page) => ask(ports, request, page),
    'POST /sign-in': (request, page) => signIn(ports, request, page),
    'GET /sign-in/with': (request) => begin(ports, request),
    [`GET ${CALLBACK}`]: (request, page) => finish(ports, request, page),
    'POST /sign-out': (request) => signOut(ports, request),
  };
  return {
    sessions: ports.sessions,
    answer: async (request, page) => steps[`${request.method} ${request.path}`]?.(request, page),
  };
}

/** The page after a sign-in: always a page of the console, whatever the address contains. @param to relative to the console */
const leadingTo = (to: string | null): string => returnPath(to?.startsWith('/') ? `/console${to}` : undefined);

/** Why this connection can't have a session; `undefined` when it can. */
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
  const to = query.get('to') ?? '';
  const reason = unfit(request);
  if (reason !== undefined) return page('Sign in', html`<h1>Sign in to Signalbox</h1>${notice('bad', reason)}`, 403);
  const ofPassword = !ports.signIn.some(({ kind }) => kind === 'password')
    ? NOTHING
    : html`<form method="post" action="${address('/sign-in')}">
<input type="hidden" name="to" value="${exact(to)}">
${field('User', 'id', html`<input id="id" name="id" autocomplete="username" required maxlength="256" value="${exact(refused?.id ?? '')}" ${refused === undefined ? html`autofocus` : NOTHING}>`)}
${field('Password', 'password', html`<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024" ${refused === undefined ? NOTHING : html`autofocus`}>`)}
<button class="primary">Sign in</button>
</form>`;
  const others = ports.signIn.flatMap((each) =>
    each.kind === 'openid'
      ? html`<p><a class="button" href="${address('/sign-in/with', { scheme: each.scheme.id, to })}">Sign in with ${each.label}</a></p>`
      : [],
  );
  const body = html`<h1>Sign in to Signalbox</h1>
${refused === undefined ? NOTHING : notice('bad', refused.text)}
${query.has('out') ? notice('good', 'You have signed out.') : NOTHING}
${ofPassword}${others}
${ports.samples.length === 0 ? NOTHING : html`<p class="hint">Users of the sample are served: ${ports.samples.join(', ')}, each with its name as password.</p>`}`;
  return page('Sign in', body, refused?.status ?? 200);
}

async function signIn(ports: EntrancePorts, request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply> {
  if (!ports.signIn.some(({ kind }) => kind === 'password'))
    throw Fault.of('NOT_FOUND', { what: 'sign-in with a password' });
  if (unfit(request) !== undefined) return ask(ports, request, page);
  // Another site must not sign a visitor in under another account (login CSRF).
  if (!isSameOrigin(request)) throw Fault.of('FORBIDDEN', { user: 'Another site', what: 'the form for signing in' });
  const fields = await readUnsignedForm(request);
  const id = fields.get('id') ?? '';
  const facts = factsOf(request, 'password');
  try {
    const user = await ports.guesses.guarded({ address: facts.address, user: id }, () =>
      ports.checkPassword({ id, password: fields.get('password') ?? '' }),
    );
    return await open(ports, request, { user, facts, to: leadingTo(fields.get('to')) });
  } catch (error) {
    if (!(error instanceof Fault) || (error.code !== 'UNAUTHENTICATED' && error.code !== 'TOO_MANY_REQUESTS'))
      throw error;
    request.failed(error);
    // Not awaited: it takes longer for users that exist, which would reveal them.
    ports.sessions.noteRefused(id, facts, error.reason ?? error.message).catch(ports.onError);
    const text = error.code === 'UNAUTHENTICATED' ? 'User or password is wrong.' : error.message;
    const shown = ask(ports, request, page, { text, id, status: error.status });
    return { ...shown, headers: { ...shown.headers, ...error.headers } };
  }
}

const factsOf = ({ remote = '', header }: ConsoleRequest, signedIn: string): SignInFacts => ({
  ...{ signedIn, address: remote },
  agent: header('user-agent'),
});

/** Opens a session with a new token, and ends the previous session of the browser (session fixation). */
async function open(
  { sessions }: EntrancePorts,
  request: ConsoleRequest,
  { user, facts, to }: { readonly user: User; readonly facts: SignInFacts; readonly to: string },
): Promise<ConsoleReply> {
  if (consoleGrants(user).size === 0) {
    const what = 'the console: no permission list of this user grants `console:`';
    throw Fault.of('FORBIDDEN', { user: `User ${user.id}`, what });
  }
  request.caller(user, { name: 'sign-in', target: user.id });
  const before = readCookie(request.header('cookie'), SESSION_COOKIE);
  if (before !== undefined) await sessions.end(before);
  return redirect(to, { 'Set-Cookie': SESSION_COOKIE.set(await sessions.open(user, facts)) });
}

async function begin({ openId, origin }: EntrancePorts, request: ConsoleRequest): Promise<ConsoleReply> {
  if (unfit(request) !== undefined) return redirect(address('/sign-in'));
  const query = new URLSearchParams(request.query);
  const { location, cookieValue } = await openId.begin({
    scheme: query.get('scheme') ?? '',
    returnTo: leadingTo(query.get('to')),
    redirectUri: `${origin()}${address(CALLBACK)}`,
    address: request.remote ?? '',
  });
  return redirect(location, { 'Set-Cookie': STATE_COOKIE.set(cookieValue) });
}

/**
 * Completes a sign-in at a provider. The reply sets the cookie and is a page that leads on: a redirect would still belong to
 * the navigation that another site began, and the browser would not send a Strict cookie with it.
 */
async function finish(ports: EntrancePorts, request: ConsoleRequest, page: OutsidePage): Promise<ConsoleReply> {
  const state = readCookie(request.header('cookie'), STATE_COOKIE);
  const facts = factsOf(request, '');
  try {
    const { user, scheme, returnTo } = await ports.guesses.guarded({ address: facts.address }, () =>
      ports.openId.finish(new URLSearchParams(request.query), state),
    );
    const { headers } = await open(ports, request, { user, facts: { ...facts, signedIn: scheme }, to: returnTo });
    const shown = page('Signed in', html`<h1>Signed in</h1><p><a href="${returnTo}">Go on to the console</a></p>`);
    // The state can't be used again, and its cookie expires by itself.
    const { 'Set-Cookie': cookie = '' } = headers;
    return { ...shown, headers: { ...shown.headers, 'Set-Cookie': cookie, Refresh: `0; url=${returnTo}` } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    request.failed(error);
    const text =
      error.code === 'UNAUTHENTICATED'
        ? 'The sign-in was not begun in this browser, took longer than ten minutes, or was refused by the provider.'
        : error.message;
    const again = html`<p><a class="button" href="${address('/sign-in')}">Sign in again</a></p>`;
    return page('Not signed in', html`<h1>Not signed in</h1>${notice('bad', text)}${again}`, error.status, {
      'Set-Cookie': STATE_COOKIE.removal,
    });
  }
}

async function signOut({ sessions }: EntrancePorts, request: ConsoleRequest): Promise<ConsoleReply> {
  const token = readCookie(request.header('cookie'), SESSION_COOKIE);
  const session = token === undefined ? undefined : await sessions.find(token);
  if (token !== undefined && session !== undefined) {
    const fields = await readUnsignedForm(request);
    if (!isSameOrigin(request) || !isFormToken(token, fields.get('token') ?? undefined))
      throw Fault.of('FORBIDDEN', { user: session.user.id, what: 'a form of another session; load the page anew' });
    request.caller(session.user, { name: 'sign-out', target: session.user.id });
    await sessions.end(token);
  }
  return redirect(address('/sign-in', { out: 1 }), { 'Set-Cookie': SESSION_COOKIE.removal });
}

const redirect = (to: string, headers: ReplyHeaders = {}): ConsoleReply => ({
  status: 303,
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin', ...headers, Location: to },
  body: '',
  compresses: false,
});
