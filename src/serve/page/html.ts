import { activeOperations } from '../../describe/scope.ts';
import type { Service } from '../../model/service.ts';
import type { Contracts } from './contracts.ts';
import { type CallParts, renderOperation } from './operation.ts';
import { PAGE_ICON, PAGE_STYLE } from './style.ts';
import { code, count, escapeHtml } from './text.ts';

/** What the page is made from. */
interface PageParts extends CallParts {
  readonly contracts: Contracts;
}

/** With more operations than these, those of a service are folded away below its heading: what is there is seen first. */
const MOST_OPEN = 60;

/** The page as HTML: every service with its contracts, every operation with a line to try it. */
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
<p>Node <strong>${escapeHtml(gateway.id)}</strong> serves ${count(active.length, 'service')} with ${count(operations, 'operation')}. A click on a command selects all of it.</p>
<dl>
<dt>REST</dt><dd>${code(`${parts.base}/RESTListeningConnector/`)}</dd>
<dt>SOAP</dt><dd>${code(`${parts.base}/PeopleSoftServiceListeningConnector`)}</dd>
</dl>
${active.length > 1 ? renderIndex(active) : ''}
</header>
<main>
${active.map((service) => renderService(service, parts, operations > MOST_OPEN)).join('\n') || '<p>No service is active. Services are added below the folder <code>definitions</code>.</p>'}
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
${isFolded ? `<details><summary>${count(operations.length, 'operation')}</summary>\n${shown}\n</details>` : shown}
</section>`;
}
