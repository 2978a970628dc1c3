import { exampleRequest } from '../../describe/example/example.ts';
import { exampleSoapRequest } from '../../describe/example/soap.ts';
import { sentForms } from '../../describe/replies.ts';
import { schemeWords } from '../../describe/requirements.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import { restCredentials, sampleUser, soapCredentials } from './credentials.ts';
import { curlCommand } from './curl.ts';
import { breakable, commandLine, either, escapeHtml } from './text.ts';

/** What its lines are made from. */
export interface CallParts {
  readonly registry: Registry;
  /** Address of the gateway with its context. */
  readonly base: string;
  /** Users of the sample may call. */
  readonly sampleUsers: boolean;
}

/** An operation: what it does, who may call it, and a line to try for each of its URIs and for SOAP. */
export function renderOperation(operation: Operation, parts: CallParts): string {
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

/** Characters of a command; a longer one fills a phone, and is folded away. */
const SHORT = 200;

/** @param path as HTML */
function renderCall(method: string, path: string, command: string): string {
  const line = `<pre>${commandLine(command)}</pre>`;
  const shown = command.length > SHORT ? `<details><summary>Try it</summary>${line}</details>` : line;
  return `<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${shown}`;
}

/** Who may call, by what a caller shows it, and what comes back, in one line. */
function facts(operation: Operation): string {
  const lists = operation.permissions.map((list) => list.id);
  const shown = operation.requires.map(schemeWords);
  const grant = operation.public
    ? 'Open to everybody.'
    : `Needs permission list ${either(lists)}; the caller shows ${either(shown)}.`;
  if (operation.uris.length === 0) return grant;
  const forms = [...new Set(sentForms(operation).map((form) => form.mediaType))];
  const over = operation.soap === undefined ? '' : ' over REST';
  return forms.length === 0 ? `${grant} Answers${over} without a body.` : `${grant} Answers${over} ${either(forms)}.`;
}
