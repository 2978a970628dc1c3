import { createHash } from 'node:crypto';
import { type CurlWord, curlCommand, restCredentials, soapCredentials } from '../../describe/example/curl.ts';
import { exampleRequest, exampleSoapRequest } from '../../describe/example/request.ts';
import { sentForms } from '../../describe/exchange.ts';
import { schemeWords } from '../../describe/requirements.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { counted, showInvisible } from '../../wire/words.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import type { Contracts } from './contracts.ts';
import { sampleUser } from './curl.ts';

export interface PageParts extends CallParts {
  readonly contracts: Contracts;
  /** Address of the operator's console, if there is one. */
  readonly console?: string | undefined;
}

/** A service on the page. */
export interface Listed {
  readonly service: Service;
  /** Its active operations, at least one. */
  readonly operations: readonly Operation[];
}

/** One of the pages of a list. */
export interface Part<T> {
  readonly items: readonly T[];
  /** The position of the first item in the whole list, from 0. */
  readonly from: number;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** A service in a list, with those of its operations that a search found. */
interface Found extends Listed {
  readonly hits: readonly Operation[];
}

/** Everything on one page: every service with its contracts, every operation with a command to try it. */
export function renderWhole(parts: PageParts, active: readonly Listed[]): string {
  const index = active.length > 1 ? renderIndex(active) : '';
  const services = active.map((listed) => renderService(listed.service, listed.operations, parts)).join('\n');
  return renderPage(parts, {
    header: `<p>${overview(parts, active)} ${HINT}</p>\n${renderAddresses(parts)}\n${index}`,
    main: services || '<p>No service is active. Add services in the folder <code>definitions</code>.</p>',
  });
}

/** A part of the services, in short; or of those that a search found. @param query text of the search; empty for none */
export function renderList(parts: PageParts, active: readonly Listed[], query: string, part: Part<Found>): string {
  const { items, from, total } = part;
  const shown = `${from + 1} to ${from + items.length} of ${total}`;
  const searched = query === '' ? '' : ` for <q><bdi>${escapeHtml(query)}</bdi></q>`;
  const heading = total === 0 ? `No services${searched}` : `Services ${shown}${searched}`;
  const advice = 'Each word of a search is a part of a name, a description, a path, or the name of a document.';
  const back = query === '' ? '' : ALL_SERVICES;
  const list = `<ul class="services">\n${items.map((found) => renderEntry(found, parts)).join('\n')}\n</ul>`;
  return renderPage(parts, {
    title: query === '' ? [] : [`Search for ${query}`],
    header: `<p>${overview(parts, active)}</p>\n${renderAddresses(parts)}\n${renderSearch(query)}`,
    main: `${back}<h2>${heading}</h2>
${total === 0 ? `<p>${advice}</p>` : list}
${renderPages(part, query === '' ? {} : { q: query })}`,
  });
}

/** A service with a part of its operations. */
export function renderServicePage(parts: PageParts, service: Service, part: Part<Operation>): string {
  return renderPage(parts, {
    title: [service.id],
    header: renderSearch(''),
    main: `${ALL_SERVICES}
${renderService(service, part.items, parts, part)}
${renderPages(part, { service: service.id })}`,
  });
}

const HINT = 'Click a command to select all of it.';

const ALL_SERVICES = '<nav class="back" aria-label="Catalogue"><a href="./">All services</a></nav>\n';

/** @param page its title in front of the gateway's name, and content as HTML */
function renderPage(
  { registry: { gateway }, console }: PageParts,
  { title = [], header, main }: { title?: readonly string[]; header: string; main: string },
): string {
  const operator = `<nav aria-label="Operator"><a href="${escapeHtml(console ?? '')}">Console</a></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml([...title, gateway.id, 'Signalbox'].join(' - '))}</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#to-content">Skip to the services</a>
<header>
<div class="title"><h1>Signalbox</h1>${console === undefined ? '' : operator}</div>
${header}
</header>
<main id="to-content">
${main}
</main>
<footer><nav aria-label="Gateway"><a href="/health/ready">ready</a> <a href="/health/live">live</a> <a href="/metrics">metrics</a></nav></footer>
</body>
</html>
`;
}

function overview({ registry: { gateway } }: PageParts, active: readonly Listed[]): string {
  const operations = active.reduce((sum, listed) => sum + listed.operations.length, 0);
  return `Node <strong>${escapeHtml(gateway.id)}</strong> serves ${counted(active.length, 'service')} with ${counted(operations, 'operation')}.`;
}

function renderAddresses({ base }: PageParts): string {
  return `<dl>
<dt>REST</dt><dd>${code(`${base}/RESTListeningConnector/`)}</dd>
<dt>SOAP</dt><dd>${code(`${base}/PeopleSoftServiceListeningConnector`)}</dd>
</dl>`;
}

function renderIndex(active: readonly Listed[]): string {
  const links = active.map(({ service: { id } }) => `<a href="#${escapeHtml(id)}">${escapeHtml(id)}</a>`);
  return `<nav class="index" aria-label="Services">${links.join(' ')}</nav>`;
}

/** Characters of a search that are read. */
export const LONGEST_SEARCH = 100;

function renderSearch(query: string): string {
  return `<form role="search" method="get" action="./">
<label for="to-search">Search services, operations, paths and documents</label>
<div><input type="search" id="to-search" name="q" value="${escapeHtml(query)}" maxlength="${LONGEST_SEARCH}"><button>Search</button></div>
</form>`;
}

/** Characters of a description in a list; the whole of it is on the page of its service. */
const LONGEST_SUMMARY = 200;

/** Operations that a service in a list names. */
const MOST_HITS = 5;

function renderEntry({ service, operations, hits }: Found, parts: PageParts): string {
  const description = Array.from(service.description?.slice(0, 2 * LONGEST_SUMMARY + 2) ?? '');
  const cut = description.length > LONGEST_SUMMARY;
  const summary = cut ? `${description.slice(0, LONGEST_SUMMARY).join('').trimEnd()}…` : description.join('');
  const named = hits.slice(0, MOST_HITS).map((operation) => {
    const href = serviceAddress(service, Math.floor(operations.indexOf(operation) / OPERATIONS_PER_PAGE) + 1);
    return `<a href="${href}#${operation.name}">${escapeHtml(operation.name)}</a>`;
  });
  if (hits.length > MOST_HITS) named.push(`and ${hits.length - MOST_HITS} more`);
  return `<li>
<div class="title"><h3><a href="${serviceAddress(service)}">${escapeHtml(service.name)} <small>${escapeHtml(service.version)}</small></a>${renderBadge(service)}</h3><span class="links">${renderContracts(service, parts, ` of ${service.id}`)}</span></div>
${summary === '' ? '' : `<p>${escapeHtml(summary)}</p>`}
<p class="facts">${counted(operations.length, 'operation')}${named.length === 0 ? '' : `: ${named.join(', ')}`}</p>
</li>`;
}

/** Operations on a page of a service. */
export const OPERATIONS_PER_PAGE = 20;

/** Address of a page of a service, as HTML. Relative, since a proxy may serve the catalogue below a path of its own. */
function serviceAddress({ id }: Service, page = 1): string {
  return addressOf({ service: id }, page);
}

function addressOf(parameters: Readonly<Record<string, string>>, page: number): string {
  const query = new URLSearchParams(page === 1 ? parameters : { ...parameters, page: String(page) });
  return `./${query.size === 0 ? '' : `?${escapeHtml(query.toString())}`}`;
}

/** Links to the other pages: the first, the last, and those around this one. */
function renderPages({ page, pages }: Part<unknown>, parameters: Readonly<Record<string, string>>): string {
  if (pages < 2) return '';
  const link = (to: number, text: string, rel = ''): string =>
    `<a href="${addressOf(parameters, to)}"${rel}>${text}</a>`;
  const near = [...new Set([1, page - 2, page - 1, page, page + 1, page + 2, pages])]
    .filter((each) => each >= 1 && each <= pages)
    .sort((a, b) => a - b);
  const links = near.map((each, index) => {
    const gap = index > 0 && each > near[index - 1]! + 1 ? '<span>…</span>' : '';
    if (each === page) return `${gap}<strong aria-current="page">${each}</strong>`;
    return gap + link(each, String(each), ` aria-label="Page ${each}"`);
  });
  if (page > 1) links.unshift(link(page - 1, 'Previous', ' rel="prev"'));
  if (page < pages) links.push(link(page + 1, 'Next', ' rel="next"'));
  return `<nav class="pages" aria-label="Pages">${links.join(' ')}</nav>`;
}

function renderContracts(service: Service, { contracts, base }: PageParts, whose = ''): string {
  const links = contracts.of(service).map(({ connector, name, kind }) => {
    const label = whose === '' ? '' : ` aria-label="${escapeHtml(`${kind}${whose}`)}"`;
    return `<a href="${escapeHtml(`${base}/${connector}/${name}`)}"${label}>${kind}</a>`;
  });
  return links.join(' ');
}

function renderBadge({ deprecated }: Service): string {
  if (deprecated === undefined) return '';
  const sunset = deprecated.sunset === undefined ? '' : ` until ${deprecated.sunset}`;
  return ` <span class="badge">deprecated${escapeHtml(sunset)}</span>`;
}

/** @param part of the operations, if these are on a page of their own, where links lead to each */
function renderService(
  service: Service,
  operations: readonly Operation[],
  parts: PageParts,
  part?: Part<Operation>,
): string {
  const { name, version, description } = service;
  const id = escapeHtml(service.id);
  const count = part && `${counted(part.total, 'operation')}. ${HINT}`;
  const shown = operations.map((operation) => renderOperation(operation, parts, part !== undefined)).join('\n');
  return `<section aria-labelledby="${id}">
<div class="title">
<h2 id="${id}">${escapeHtml(name)} <small>${escapeHtml(version)}</small>${renderBadge(service)}</h2>
<nav aria-label="Contracts of ${id}">${renderContracts(service, parts)}</nav>
</div>
${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}
${count === undefined ? '' : `<p class="facts">${count}</p>`}
${shown}
</section>`;
}

interface CallParts {
  readonly registry: Registry;
  /** Address of the gateway with its context. */
  readonly base: string;
  /** Sample users are active. */
  readonly sampleUsers: boolean;
}

/** An operation: its description, its permitted callers, and a command to try for each of its URIs and for SOAP. */
function renderOperation(operation: Operation, parts: CallParts, isTarget: boolean): string {
  const sample = sampleUser(operation, parts.registry, parts.sampleUsers);
  return `<article>
<h3${isTarget ? ` id="${operation.name}"` : ''}>${escapeHtml(operation.name)}</h3>
${operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`}
<p class="facts">${escapeHtml(facts(operation))}</p>
${operation.uris.map((uri) => renderUri(operation, uri, restCredentials(operation, sample), parts)).join('\n')}
${renderSoap(operation, soapCredentials(operation, sample), parts)}
</article>`;
}

function renderUri(
  operation: Operation,
  uri: OperationUri,
  credentials: readonly CurlWord[],
  parts: CallParts,
): string {
  const { method = '', pathName, service } = operation;
  const address = breakable(escapeHtml(`${pathName}.${service.version}/${uri.template.text}`));
  const path = address.replace(/\{[^{}]*\}/g, '<var>$&</var>');
  return renderCall(
    method,
    path,
    curlCommand(exampleRequest(operation, uri, parts.base, parts.registry.gateway.namespace), credentials),
  );
}

function renderSoap(operation: Operation, credentials: readonly CurlWord[], { registry, base }: CallParts): string {
  const example = exampleSoapRequest(registry, operation, base);
  if (operation.soap === undefined || example === undefined) return '';
  return renderCall('SOAP', breakable(escapeHtml(operation.soap.action)), curlCommand(example, credentials));
}

/** Characters of a command; longer ones would fill a phone's screen and are collapsed. */
const SHORT = 200;

/** @param path as HTML */
function renderCall(method: string, path: string, command: string): string {
  const line = `<pre>${commandLine(command)}</pre>`;
  const shown = command.length > SHORT ? `<details><summary>Try it</summary>${line}</details>` : line;
  return `<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${shown}`;
}

/** One line with the permitted callers, their credentials, and the reply. */
function facts(operation: Operation): string {
  const lists = operation.permissions.map((list) => list.id);
  const shown = operation.requires.map(schemeWords);
  const grant = operation.public ? 'Public.' : `Requires permission list ${either(lists)}, and ${either(shown)}.`;
  if (operation.uris.length === 0) return grant;
  const forms = [...new Set(sentForms(operation).map((form) => form.mediaType))];
  const over = operation.soap === undefined ? '' : ' over REST';
  return forms.length === 0
    ? `${grant} Replies${over} without a body.`
    : `${grant} Replies${over} with ${either(forms)}.`;
}

/**
 * Text as HTML, between tags and in attributes. Characters that a browser would obey rather than show, such as those that
 * change the direction of text, are shown as escapes. Joiners belong to the spelling of some languages.
 */
function escapeHtml(text: string): string {
  return escapeAttribute(showInvisible(text, '\t\n\r\u200c\u200d'));
}

/** An address or another piece of code. */
function code(text: string): string {
  return `<code>${breakable(escapeHtml(text))}</code>`;
}

/** A shell command; its options are not broken across lines. */
function commandLine(text: string): string {
  return breakable(escapeHtml(text)).replace(/(?<= )--?[a-zA-Z-]+(?= )/g, '<span>$&</span>');
}

/**
 * Escaped text that a narrow screen may break between the parts of an address and between tags; copied text contains no
 * breaks.
 */
function breakable(escaped: string): string {
  return escaped
    .replace(/&amp;|[?,]|(?<![:/]|&lt;)\/(?!\/)|&gt;(?=&lt;)/g, '$&<wbr>')
    .replace(/[A-Za-z]{24,}/g, (word) => word.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>'));
}

const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

/** `A, B, or C`. */
function either(words: readonly string[]): string {
  return disjunction.format(words);
}

/** A signal with its arm raised, as a `data:` URL. */
const PAGE_ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23566273' d='M11 2h2v13h-2z'/%3E%3Cpath fill='%230b8f57' d='M11 6.5 2 1.5v3.6l9 5z'/%3E%3C/svg%3E";

/** Style of the page at `/`, for phones and wide screens, light and dark. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566273; --line: #d9dfe7; --card: #fff; --back: #f5f7fa; --shade: #eef1f6; --link: #0b5cad; --slot: #8a3ffc;
--get: #0b6b43; --get-back: #e3f3eb; --post: #0b5cad; --post-back: #e3eefa; --put: #855000; --put-back: #fbf0dc; --delete: #a8202a; --delete-back: #fbe6e7; --soap: #5b3a9e; --soap-back: #efe8fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9fabbb; --line: #303a47; --card: #171d26; --back: #10141a; --shade: #0e1319; --link: #7db8f5; --slot: #c9a6ff;
--get: #6fdcab; --get-back: #17352a; --post: #8cc2f7; --post-back: #15304b; --put: #f0c069; --put-back: #3a2d12; --delete: #ffa3a8; --delete-back: #421c20; --soap: #cdb0ff; --soap-back: #2c2145; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header, main, footer { padding: 1.5rem max(1rem, (100vw - 60rem) / 2); }
h1 { display: flex; align-items: center; gap: .5rem; margin: 0; font-size: 1.5rem; letter-spacing: -.01em; }
h1::before { width: 1.75rem; height: 1.75rem; background: url("${PAGE_ICON}"); content: ''; }
h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; scroll-margin-top: 1rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
small { color: var(--soft); font-size: .8em; font-weight: normal; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .125rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; align-items: baseline; gap: .125rem .75rem; margin: .75rem 0 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; }
.index { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); gap: .375rem 1rem; max-height: 14.5rem; margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); overflow-y: auto; overflow-wrap: anywhere; font-size: .9375rem; }
section { margin-bottom: 2.5rem; }
section:last-child { margin-bottom: 0; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem; }
article { margin-top: .75rem; padding: .875rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font: .875rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
var { color: var(--slot); font-style: normal; }
pre { margin: .375rem 0 0; padding: .5rem .75rem; background: var(--shade); border-radius: .375rem; white-space: pre-wrap; user-select: all; }
pre span { white-space: nowrap; }
summary { width: max-content; padding: .125rem 0; color: var(--link); cursor: pointer; font-size: .875rem; }
.path { margin-top: .75rem; }
.method { display: inline-block; margin-right: .25rem; padding: 0 .4rem; border-radius: .25rem; background: var(--shade); color: var(--soft); font-size: .75rem; font-weight: 600; line-height: 1.375rem; letter-spacing: .02em; }
.get { background: var(--get-back); color: var(--get); }
.post { background: var(--post-back); color: var(--post); }
.put, .patch { background: var(--put-back); color: var(--put); }
.delete { background: var(--delete-back); color: var(--delete); }
.soap { background: var(--soap-back); color: var(--soap); }
.facts { color: var(--soft); font-size: .875rem; }
.badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; color: var(--soft); font-size: .75rem; font-weight: normal; vertical-align: middle; white-space: nowrap; }
footer { padding-top: 0; font-size: .875rem; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 0; }
form { margin-top: 1rem; }
label { color: var(--soft); font-size: .875rem; }
form div { display: flex; gap: .5rem; max-width: 36rem; }
input, button { padding: .375rem .75rem; border: 1px solid var(--soft); border-radius: .375rem; background: var(--back); color: var(--ink); font: inherit; }
input { flex: 1; min-width: 0; }
button { background: var(--link); border-color: var(--link); color: var(--card); cursor: pointer; }
.back { margin-bottom: .75rem; font-size: .9375rem; }
.services { margin: .75rem 0 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; list-style: none; }
.services li { padding: .625rem 1rem; overflow-wrap: anywhere; }
.services li + li { border-top: 1px solid var(--line); }
.links { display: inline-flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .875rem; }
.pages { align-items: baseline; margin-top: 1.5rem; }
h2 q { overflow-wrap: anywhere; }
`;

/** What the page may do: it runs no script, and uses nothing but its own style and embedded icon. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
