import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { ConsoleGrant, User } from '../model/security.ts';
import { consoleGrants } from '../security/authorise.ts';
import { formToken, isFormToken, isSameOrigin, readCookie, SESSION_COOKIE } from '../security/sign-in/browser.ts';
import type { Session } from '../security/sign-in/sessions.ts';
import { EDIT_TOPIC, editNotice } from './areas/diagnostics.ts';
import { type Assets, openAssets } from './assets.ts';
import type { ConsolePorts, ConsoleReply } from './console-port.ts';
import type { ConsoleRequest } from './console-request.ts';
import { type EnteredForm, readForm } from './form.ts';
import { frame, message } from './frame.ts';
import { type Html, html } from './html.ts';
import { Live } from './live.ts';
import { address, link } from './parts.ts';
import type { ActionRoute, Area, Done, Reply, Visit } from './route.ts';
import { Routing } from './routing.ts';
import type { Entrance } from './sign-in.ts';

/** The operator's pages. */
export interface Console {
  /** Answers a request below /console. Faults are answered with pages too. */
  answer(request: ConsoleRequest): Promise<ConsoleReply>;
  /** Ends the event streams of live pages. */
  close(): void;
}

/** What a page may do (CSP level 3): run the files of this gateway, and nothing else. */
const SECURITY: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  // Not `no-referrer`: browsers would then send forms with `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

const PRIVATE = { 'Cache-Control': 'no-store' };
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const HTML = { 'Content-Type': 'text/html; charset=utf-8' };

/** A request with a valid session. */
interface Entered {
  readonly request: ConsoleRequest;
  readonly session: Session;
  readonly token: string;
  readonly seal: Seal;
}

export function createConsole(all: readonly Area[], ports: ConsolePorts, entrance: Entrance): Console {
  const areas = all.filter(({ isPresent }) => isPresent?.(ports) ?? true);
  const assets = openAssets();
  const routing = new Routing(areas);
  const live = new Live(
    areas.flatMap(({ topics = [] }) => topics),
    ports,
  );
  void prepare(areas, ports.registry);
  return new OpenConsole({ areas, ports, entrance, assets, routing, live });
}

/** Prepares the areas one after the other, between other work. */
async function prepare(areas: readonly Area[], registry: Registry): Promise<void> {
  // What fails here fails again for the page that needs it, and is reported then.
  for (const area of areas) await area.prepare?.(registry).catch(() => {});
}

interface Parts {
  readonly areas: readonly Area[];
  readonly ports: ConsolePorts;
  readonly entrance: Entrance;
  readonly assets: Assets;
  readonly routing: Routing;
  readonly live: Live;
}

class OpenConsole implements Console {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  close(): void {
    this.#parts.live.close();
  }

  async answer(request: ConsoleRequest): Promise<ConsoleReply> {
    const { assets, entrance } = this.#parts;
    const asset = request.path.startsWith('/assets/') ? assets.find(request.path.slice('/assets/'.length)) : undefined;
    if (asset !== undefined) return assetReply(asset, request);
    const token = readCookie(request.header('cookie'), SESSION_COOKIE);
    try {
      const atDoor = await entrance.answer(request, (title, body, status) => this.#outside(title, body, status));
      if (atDoor !== undefined) return atDoor;
      // Requests that a page makes by itself do not extend a session.
      const isAsked = request.path !== '/live' && !isByScript(request);
      const session = token && (await (isAsked ? entrance.sessions.find(token) : entrance.sessions.peek(token)));
      if (token === undefined || session === undefined || session === '')
        return this.#askToSignIn(request, token !== undefined);
      return await this.#enter({ request, session, token, seal: new Seal(token) });
    } catch (error) {
      return this.#failed(error, undefined, request);
    }
  }

  /** Answers a signed-in user. */
  async #enter(entered: Entered): Promise<ConsoleReply> {
    const { request, session } = entered;
    const { user } = session;
    request.caller(user, undefined);
    try {
      if (consoleGrants(user).size === 0) throw Fault.of('FORBIDDEN', { user: user.id, what: 'the console' });
      if (request.path === '/live') return this.#follow(entered);
      return request.method === 'POST' ? await this.#act(entered) : await this.#show(entered);
    } catch (error) {
      return this.#failed(error, entered, request);
    }
  }

  /** Answers a request without a session for a page that needs one. */
  #askToSignIn({ method, path, query, header }: ConsoleRequest, hadSession: boolean): ConsoleReply {
    const ended = hadSession ? { 'Set-Cookie': SESSION_COOKIE.removal } : {};
    // A script has asked for a part of a page: its reply makes the script load the whole page.
    if (method === 'POST' || isByScript({ header }) || path === '/live') {
      const text = 'Your session has ended. Sign in and try again; nothing was done.';
      return this.#outside(
        'Signed out',
        message('Signed out', text, html`<p><a href="${address('/sign-in')}">Sign in</a></p>`),
        401,
        ended,
      );
    }
    const to = `${path}${query === undefined ? '' : `?${query}`}`;
    return reply(303, '', {
      ...PRIVATE,
      ...ended,
      Location: address('/sign-in', to === '' || to === '/' ? {} : { to }),
    });
  }

  async #show(entered: Entered): Promise<ConsoleReply> {
    const { request } = entered;
    const path = request.path === '' || request.path === '/' ? '/overview' : request.path;
    const found = this.#parts.routing.find('page', path);
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: `page ${path}` });
    requireGrant(entered, found.route.grant, `page ${path}`);
    const visit = this.#visit(entered, found.params, { fields: new URLSearchParams(), files: new Map() });
    return this.#write(await found.route.show(visit), entered, found.area);
  }

  async #act(entered: Entered): Promise<ConsoleReply> {
    const { request, session, token, seal } = entered;
    const found = this.#parts.routing.find('action', request.path);
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: `action ${request.path}` });
    if (!isSameOrigin(request))
      throw Fault.of('FORBIDDEN', { user: session.user.id, what: 'an action that another site asks for' });
    const form = await readForm(request);
    if (!isFormToken(token, form.fields.get('token') ?? undefined))
      throw Fault.of('FORBIDDEN', { user: session.user.id, what: 'a form of another session; load the page anew' });
    requireGrant(entered, found.route.grant, `action ${found.route.name}`);
    const result = await this.#run(found.route, this.#visit(entered, found.params, form), entered);
    if ('kind' in result) return this.#write(result, entered, found.area);
    const notice = result.notice;
    const kind = result.partly === true ? 'partly' : 'done';
    const [path = '', query] = result.to.split('?', 2);
    const location = address(path, {
      ...Object.fromEntries(new URLSearchParams(query)),
      [kind]: notice,
      seal: seal.of(kind, notice),
    });
    return reply(303, '', { ...PRIVATE, Location: location });
  }

  /** Runs an action. The audit log has it, whether it succeeds or not. */
  async #run(route: ActionRoute, visit: Visit, { request, session }: Entered): Promise<Done | Reply> {
    const { name } = route;
    request.caller(session.user, { name, target: Object.values(visit.params).join(' ') });
    const result = await route.run(visit);
    if ('isQuestion' in result && result.isQuestion === true) request.caller(session.user, undefined);
    else if ('target' in result && result.target !== undefined)
      request.caller(session.user, { name, target: result.target });
    return result;
  }

  #follow({ request, session, token }: Entered): ConsoleReply {
    requireGrant({ session }, 'read', 'live updates');
    const topics = (new URLSearchParams(request.query).get('topics') ?? '').split(' ').slice(0, 20);
    const reader = { user: session.user.id, token, gone: request.gone };
    const followed = this.#parts.live.follow(topics, reader);
    if (followed === undefined)
      throw Fault.of('TOO_MANY_REQUESTS', { what: 'live pages', time: '30 s' }, { headers: { 'Retry-After': '30' } });
    return {
      status: 200,
      headers: { ...SECURITY, ...PRIVATE, 'Content-Type': 'text/event-stream' },
      ...followed,
      compresses: false,
    };
  }

  #visit({ request, session, token }: Entered, params: Visit['params'], { fields, files }: EnteredForm): Visit {
    const grants = consoleGrants(session.user);
    const query = new URLSearchParams(request.query);
    refuseNul(query);
    refuseNul(fields);
    const here = new URLSearchParams(request.query);
    for (const name of ['done', 'partly', 'seal']) here.delete(name);
    return {
      ports: this.#parts.ports,
      user: session.user,
      may: (grant) => grants.has(grant),
      params,
      query,
      form: fields,
      files,
      here: `${request.path}${here.size === 0 ? '' : `?${here}`}`,
      token: formToken(token),
      session: session.id,
      actor: `console:${session.user.id}`,
      call: request.call,
      byScript: isByScript(request),
      gone: request.gone,
    };
  }

  #write(result: Reply, entered: Entered, area: Area): ConsoleReply {
    if (result.kind === 'redirect') return reply(303, '', { ...PRIVATE, Location: address(result.to) });
    if (result.kind === 'fragment') return reply(200, result.body.toString(), { ...PRIVATE, ...HTML });
    if (result.kind === 'download') {
      const disposition = `${result.inline === true ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(result.name).replaceAll("'", '%27')}`;
      const headers = {
        ...SECURITY,
        ...PRIVATE,
        'Content-Type': result.contentType,
        'Content-Disposition': disposition,
      };
      return {
        status: 200,
        headers: { ...headers, 'Content-Security-Policy': "default-src 'none'; sandbox" },
        body: result.content,
        compresses: false,
      };
    }
    const { title, body, status = 200, charts = false } = result;
    return this.#page(entered, area, { title, body, status, charts });
  }

  #page(
    { request, session, token, seal }: Entered,
    area: Area | undefined,
    { title, body, status, charts }: { title: string; body: Html; status: number; charts: boolean },
  ): ConsoleReply {
    const { areas, assets, ports } = this.#parts;
    const query = new URLSearchParams(request.query);
    const kind = query.has('partly') ? 'partly' : 'done';
    const text = query.get(kind) ?? '';
    const isOurs = text !== '' && seal.fits(kind, text, query.get('seal') ?? '');
    const grants = consoleGrants(session.user);
    const content = frame({
      ...{ title, body, assets, charts, gateway: ports.registry.gateway.id },
      signedIn: {
        ...{ user: session.user, areas, area: area?.id ?? '', token: formToken(token) },
        may: (grant) => grants.has(grant),
        notice: isOurs ? { text, partly: kind === 'partly' } : undefined,
        above: editNotice(ports),
        topics: [
          ...(area?.topics ?? []).map(({ name }) => name),
          ...(ports.brokenEdit === undefined ? [] : [EDIT_TOPIC]),
        ],
      },
    });
    // Compressed although it contains the token of the session: other sites can't send requests with the cookie (BREACH needs
    // that).
    return { ...reply(status, content, { ...PRIVATE, ...HTML }), compresses: true };
  }

  /** A page for someone who has not signed in. */
  #outside(title: string, body: Html, status = 200, headers: Readonly<Record<string, string>> = {}): ConsoleReply {
    const { assets, ports } = this.#parts;
    const content = frame({ title, body, assets, charts: false, gateway: ports.registry.gateway.id });
    return reply(status, content, { ...PRIVATE, ...HTML, ...headers });
  }

  #failed(error: unknown, entered: Entered | undefined, request: ConsoleRequest): ConsoleReply {
    const { status, code, message: text, headers } = request.failed(error);
    const title = TITLES[status] ?? (status >= 500 ? 'It failed' : 'It can’t be done');
    const area = this.#parts.areas.find(({ path }) => request.path === path || request.path.startsWith(`${path}/`));
    const { path: back, title: name } = area === undefined || request.path === area.path ? OVERVIEW : area;
    const ways = html`<p>${link(back, `← ${name}`)}</p><p class="faint">${code} · request ${request.id}</p>`;
    const body = message(title, text, ways);
    const shown =
      entered === undefined
        ? this.#outside(title, body, status)
        : this.#page(entered, area, { title, body, status, charts: false });
    return { ...shown, headers: { ...shown.headers, ...headers } };
  }
}

/** Where the link of an error page leads if the page belongs to no area. */
const OVERVIEW = { path: '/overview', title: 'Overview' };

const TITLES: Readonly<Record<number, string>> = { 403: 'Not permitted', 404: 'Not found', 429: 'Too many requests' };

/** Refuses NUL as in paths: PostgreSQL does not accept it in a text. @throws Fault BAD_PARAMETER */
function refuseNul(fields: URLSearchParams): void {
  for (const [name, value] of fields)
    if (name.includes('\0') || value.includes('\0'))
      throw Fault.of('BAD_PARAMETER', { name: 'A parameter', reason: 'has the character NUL' });
}

const isByScript = ({ header }: Pick<ConsoleRequest, 'header'>): boolean => header('hx-request') === 'true';

/** @throws Fault FORBIDDEN */
function requireGrant({ session: { user } }: { session: { user: User } }, grant: ConsoleGrant, what: string): void {
  if (!consoleGrants(user).has(grant)) throw Fault.of('FORBIDDEN', { user: user.id, what });
}

function assetReply(asset: NonNullable<ReturnType<Assets['find']>>, { header }: ConsoleRequest): ConsoleReply {
  const headers = { ...FOR_EVER, 'Content-Type': asset.contentType, Vary: 'Accept-Encoding' };
  const coded = asset.coded(header('accept-encoding'));
  if (coded === undefined) return reply(200, asset.content, headers);
  return { ...reply(200, '', { ...headers, 'Content-Encoding': coded.coding }), body: coded.bytes };
}

function reply(status: number, body: string, headers: Readonly<Record<string, string>>): ConsoleReply {
  return { status, headers: { ...SECURITY, ...headers }, body, compresses: false };
}

/**
 * Signs the report of an action, which is sent in the address of the page that follows, with the token of the session, which no
 * one else knows.
 */
class Seal {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** @param kind a seal of one kind of report does not fit another */
  of(kind: string, text: string): string {
    return createHmac('sha256', this.#token).update(`notice\0${kind}\0${text}`).digest('base64url');
  }

  fits(kind: string, text: string, seal: string): boolean {
    const [expected, given] = [Buffer.from(this.of(kind, text)), Buffer.from(seal)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}
