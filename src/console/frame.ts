import type { ConsoleGrant, User } from '../model/security.ts';
import type { Assets } from './assets.ts';
import { type Html, html, markup, NOTHING, type Part } from './html.ts';
import { address, link, notice } from './parts.ts';
import type { Area } from './route.ts';

/** htmx runs no code from markup and adds no style element, as the security policy requires. */
const HTMX = markup(
  `<meta name="htmx-config" content='{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyCacheSize":0}'>`,
);

/** The closing tag is in pieces: bundlers rewrite templates that contain it as a whole, for scripts inside pages. */
const script = (address: string): Html => markup(`<script src="${address}" defer></${'script'}>`);

interface Framed {
  readonly title: string;
  readonly body: Html;
  readonly assets: Assets;
  readonly gateway: string;
  readonly charts: boolean;
  /** Absent on the pages for signing in. */
  readonly signedIn?: {
    readonly user: User;
    readonly areas: readonly Area[];
    /** The id of the area of the page. */
    readonly area: string;
    readonly token: string;
    readonly may: (grant: ConsoleGrant) => boolean;
    readonly notice?: { readonly text: string; readonly partly: boolean } | undefined;
    /** The notices of every page. */
    readonly above: Html;
    /** The subjects whose changes the page follows. */
    readonly topics: readonly string[];
  };
}

/** A whole page. */
export function frame({ title, body, assets, gateway, charts, signedIn }: Framed): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${gateway}</title>
<link rel="icon" href="${assets.address('icon.svg')}">
<link rel="stylesheet" href="${assets.address('console.css')}">
${HTMX}
${script(assets.address('console.js'))}
${charts ? script(assets.address('charts.js')) : NOTHING}
</head>
${signedIn === undefined ? html`<body class="outside"><main id="main">${body}</main></body>` : inside(gateway, body, signedIn)}
</html>
`.toString();
}

function inside(
  gateway: string,
  body: Html,
  { user, areas, area, token, may, notice: said, above, topics }: Inside,
): Html {
  const visible = areas.filter(({ grant }) => may(grant));
  const entries = visible.map(({ id, title, path }) =>
    id === area
      ? html`<li><a href="${address(path)}" aria-current="true">${title}</a></li>`
      : html`<li>${link(path, title)}</li>`,
  );
  return html`<body hx-ext="morph" data-topics="${topics.join(' ')}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="home" href="${address('')}"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 13V3h10M3 8h7" /><circle cx="13" cy="3" r="1.6" /><circle cx="10" cy="8" r="1.6" /></svg> Signalbox <span class="node">${gateway}</span></a>
<form class="find" role="search" action="${address('/registry')}" method="get">
<label class="hidden" for="find">Search the registry</label>
<input id="find" name="q" type="search" autocomplete="off" placeholder="Search the registry" aria-keyshortcuts="Control+K" hx-get="${address('/find')}" hx-trigger="input changed delay:120ms" hx-target="#found" hx-swap="morph:innerHTML" hx-sync="this:replace">
<kbd aria-hidden="true">Ctrl K</kbd>
<div id="found" class="found" aria-live="polite"></div>
</form>
<div class="who"><a class="user" href="${address('/users/me')}" title="Your roles, sessions and password">${user.id}</a>
<form method="post" action="${address('/sign-out')}" class="inline"><input type="hidden" name="token" value="${token}"><button class="plain">Sign out</button></form></div>
</header>
<nav class="areas" aria-label="Areas"><ul>${entries}</ul></nav>
<main id="main" tabindex="-1">
<p id="stale" class="notice warn" role="status" hidden>Live updates are interrupted. Figures are refreshed every few seconds instead.</p>
${above}
${said === undefined ? NOTHING : notice(said.partly ? 'warn' : 'good', said.text)}
${body}
</main>
</body>`;
}

type Inside = NonNullable<Framed['signedIn']>;

/** A page that explains why nothing else is shown. */
export const message = (title: string, text: Part, after: Part = NOTHING): Html =>
  html`<h1>${title}</h1><p>${text}</p>${after}`;
