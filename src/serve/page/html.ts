import { exampleRequest } from '../../describe/example/example.ts';
import { exampleSoapRequest } from '../../describe/example/soap.ts';
import { replyForms } from '../../describe/replies.ts';
import { schemeWords } from '../../describe/requirements.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';
import { escapeAttribute as escapeHtml } from '../../wire/xml/text.ts';
import type { Contracts } from './contracts.ts';
import { restCredentials, soapCredentials } from './credentials.ts';
import { curlCommand } from './curl.ts';
import { PAGE_ICON, PAGE_STYLE } from './style.ts';

/** What the page is made from. */
export interface PageParts {
  readonly registry: Registry;
  readonly contracts: Contracts;
  /** Address of the gateway with its context. */
  readonly base: string;
  /** Users of the sample may call. */
  readonly sampleUsers: boolean;
}

/** The page as HTML: every service with its contracts, every operation with a line to try it. */
export function renderPage(parts: PageParts): string {
  const { gateway, services } = parts.registry;
  const serves = ({ active, operations }: Service): boolean => active && operations.some((each) => each.active);
  const active = [...services.values()].filter(serves);
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
<p>Node <strong>${escapeHtml(gateway.id)}</strong> serves ${count(active.length, 'service')}: REST below ${code(`${parts.base}/RESTListeningConnector/`)}, SOAP at ${code(`${parts.base}/PeopleSoftServiceListeningConnector`)}</p>
${active.length > 1 ? renderIndex(active) : ''}
</header>
<main>
${active.map((service) => renderService(service, parts)).join('\n') || '<p>No service is active. Services are added below the folder <code>definitions</code>.</p>'}
</main>
<footer><nav aria-label="Gateway"><a href="/health/ready">ready</a> <a href="/health/live">live</a> <a href="/metrics">metrics</a></nav></footer>
</body>
</html>
`;
}

function renderIndex(services: readonly Service[]): string {
  const links = services.map((service) => `<a href="#${escapeHtml(service.id)}">${escapeHtml(service.id)}</a>`);
  return `<nav aria-label="Services">${links.join(' ')}</nav>`;
}

function renderService(service: Service, parts: PageParts): string {
  const { name, version, description, deprecated } = service;
  const id = escapeHtml(service.id);
  const contracts = parts.contracts.of(service).map((contract) => {
    const href = `${parts.base}/${contract.connector}/${contract.name}`;
    return `<a href="${escapeHtml(href)}">${contract.kind}</a>`;
  });
  const sunset = deprecated?.sunset === undefined ? '' : ` until ${deprecated.sunset}`;
  return `<section aria-labelledby="${id}">
<div class="title">
<h2 id="${id}">${escapeHtml(name)} <small>${escapeHtml(version)}</small>${deprecated === undefined ? '' : ` <span class="badge">deprecated${escapeHtml(sunset)}</span>`}</h2>
<nav aria-label="Contracts of ${id}">${contracts.join(' ')}</nav>
</div>
${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}
${service.operations
  .filter((operation) => operation.active)
  .map((operation) => renderOperation(operation, parts))
  .join('\n')}
</section>`;
}

function renderOperation(operation: Operation, parts: PageParts): string {
  const sample = sampleUser(operation, parts);
  return `<article>
<h3>${escapeHtml(operation.id)}</h3>
${operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`}
${operation.uris.map((uri) => renderUri(operation, uri, restCredentials(operation, sample), parts.base)).join('\n')}
${renderSoap(operation, soapCredentials(operation, sample), parts)}
<p class="facts">${escapeHtml(facts(operation))}</p>
</article>`;
}

function renderUri(operation: Operation, uri: OperationUri, credentials: readonly string[], base: string): string {
  const { method, pathName, service } = operation;
  const command = curlCommand(exampleRequest(operation, uri, base), credentials);
  const address = breakable(escapeHtml(`${pathName}.${service.version}/${uri.template.text}`));
  return `<p class="path"><span class="method">${method}</span> <code>${address.replace(/\{[^{}]*\}/g, '<var>$&</var>')}</code></p>
<pre>${commandLine(command)}</pre>`;
}

function renderSoap(operation: Operation, credentials: readonly string[], { registry, base }: PageParts): string {
  const example = exampleSoapRequest(registry, operation, base);
  if (operation.soap === undefined || example === undefined) return '';
  return `<p class="path"><span class="method">SOAP</span> <code>${breakable(escapeHtml(operation.soap.action))}</code></p>
<pre>${commandLine(curlCommand(example, credentials))}</pre>`;
}

/** A user of the sample who may call the operation, for a line that works as it stands. */
function sampleUser(operation: Operation, { registry, sampleUsers }: PageParts): User | undefined {
  return [...registry.users.values()].find((user) => sampleUsers && user.sample && may(user, operation));
}

/** What a caller shows, who may call, and what comes back, in one line. */
function facts(operation: Operation): string {
  const lists = operation.permissions.map((list) => list.id);
  const shown = operation.requires.map(schemeWords);
  const grant = operation.public
    ? 'Open to everybody.'
    : `Needs ${either(shown)}, and permission list ${either(lists)}.`;
  if (operation.uris.length === 0) return grant;
  const forms = [...new Set(replyForms(operation).map((form) => form.mediaType))];
  const over = operation.soap === undefined ? '' : ' over REST';
  return forms.length === 0 ? `${grant} Answers${over} without a body.` : `${grant} Answers${over} ${either(forms)}.`;
}

function code(text: string): string {
  return `<code>${breakable(escapeHtml(text))}</code>`;
}

/** A line for a shell, whose options stay in one piece. */
function commandLine(text: string): string {
  return breakable(escapeHtml(text)).replace(/(?<= )--?[a-zA-Z-]+(?= )/g, '<span>$&</span>');
}

/** Escaped text that a narrow screen breaks between the parts of an address, and between tags; what is copied from it has no breaks. */
function breakable(escaped: string): string {
  return escaped
    .replace(/&amp;|[?,]|(?<![:/]|&lt;)\/(?!\/)|&gt;(?=&lt;)/g, '$&<wbr>')
    .replace(/[A-Za-z]{24,}/g, (word) => word.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>'));
}

const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

function either(words: readonly string[]): string {
  return disjunction.format(words);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
