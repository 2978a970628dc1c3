import { exampleRequest, exampleSoapRequest } from '../../describe/example/request.ts';
import { sentForms } from '../../describe/exchange.ts';
import { schemeWords } from '../../describe/requirements.ts';
import { activeOperations } from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { counted } from '../../wire/words.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import type { Contracts } from './contracts.ts';
import { curlCommand, restCredentials, sampleUser, soapCredentials } from './curl.ts';

interface PageParts extends CallParts {
  readonly contracts: Contracts;
}

/**
 * With more operations than this, the operations of each service are collapsed below its heading, to keep the overview
 * visible.
 */
const MOST_OPEN = 60;

/** The page as HTML: every service with its contracts, every operation with a command to try it. */
export function renderPage(parts: PageParts): string {
  const { gateway, services } = parts.registry;
  const active = [...services.values()].filter((service) => activeOperations({ service }).length > 0);
  const operations = active.flatMap((service) => activeOperations({ service })).length;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(gateway.id)} - Signalbox</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>Signalbox</h1>
<p>Node <strong>${escapeHtml(gateway.id)}</strong> serves ${counted(active.length, 'service')} with ${counted(operations, 'operation')}. Click a command to select all of it.</p>
<dl>
<dt>REST</dt><dd>${code(`${parts.base}/RESTListeningConnector/`)}</dd>
<dt>SOAP</dt><dd>${code(`${parts.base}/PeopleSoftServiceListeningConnector`)}</dd>
</dl>
${active.length > 1 ? renderIndex(active) : ''}
</header>
<main>
${active.map((service) => renderService(service, parts, operations > MOST_OPEN)).join('\n') || '<p>No service is active. Add services in the folder <code>definitions</code>.</p>'}
</main>
<footer><nav aria-label="Gateway"><a href="/health/ready">ready</a> <a href="/health/live">live</a> <a href="/metrics">metrics</a></nav></footer>
</body>
</html>
`;
}

function renderIndex(services: readonly Service[]): string {
  const links = services.map((service) => `<a href="#${escapeHtml(service.id)}">${escapeHtml(service.id)}</a>`);
  return `<nav class="index" aria-label="Services">${links.join(' ')}</nav>`;
}

function renderService(service: Service, parts: PageParts, isFolded: boolean): string {
  const { name, version, description, deprecated } = service;
  const id = escapeHtml(service.id);
  const contracts = parts.contracts.of(service).map((contract) => {
    const href = `${parts.base}/${contract.connector}/${contract.name}`;
    return `<a href="${escapeHtml(href)}">${contract.kind}</a>`;
  });
  const sunset = deprecated?.sunset === undefined ? '' : ` until ${deprecated.sunset}`;
  const operations = activeOperations({ service });
  const shown = operations.map((operation) => renderOperation(operation, parts)).join('\n');
  return `<section aria-labelledby="${id}">
<div class="title">
<h2 id="${id}">${escapeHtml(name)} <small>${escapeHtml(version)}</small>${deprecated === undefined ? '' : ` <span class="badge">deprecated${escapeHtml(sunset)}</span>`}</h2>
<nav aria-label="Contracts of ${id}">${contracts.join(' ')}</nav>
</div>
${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}
${isFolded ? `<details><summary>${counted(operations.length, 'operation')}</summary>\n${shown}\n</details>` : shown}
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
function renderOperation(operation: Operation, parts: CallParts): string {
  const sample = sampleUser(operation, parts.registry, parts.sampleUsers);
  return `<article>
<h3>${escapeHtml(operation.name)}</h3>
${operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`}
<p class="facts">${escapeHtml(facts(operation))}</p>
${operation.uris.map((uri) => renderUri(operation, uri, restCredentials(operation, sample), parts.base)).join('\n')}
${renderSoap(operation, soapCredentials(operation, sample), parts)}
</article>`;
}

function renderUri(operation: Operation, uri: OperationUri, credentials: readonly string[], base: string): string {
  const { method = '', pathName, service } = operation;
  const address = breakable(escapeHtml(`${pathName}.${service.version}/${uri.template.text}`));
  const path = address.replace(/\{[^{}]*\}/g, '<var>$&</var>');
  return renderCall(method, path, curlCommand(exampleRequest(operation, uri, base), credentials));
}

function renderSoap(operation: Operation, credentials: readonly string[], { registry, base }: CallParts): string {
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

/** Text as HTML, between tags and in attributes. */
const escapeHtml = escapeAttribute;

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
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .125rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; align-items: baseline; gap: .125rem .75rem; margin: .75rem 0 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; }
.index { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); gap: .375rem 1rem; max-height: 14.5rem; margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); overflow-y: auto; overflow-wrap: anywhere; font-size: .9375rem; }
section { margin-bottom: 2.5rem; }
section:has(> details) { margin-bottom: 1.25rem; }
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
`;
