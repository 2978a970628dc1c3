import type { Method, Operation } from '../../model/service.ts';
import type { Documents } from '../document/documents.ts';
import { linkBody, linkUri } from './body.ts';
import type { Exchange } from './exchange.ts';
import { linkHeaders } from './headers.ts';
import { type InputFields, inputFields, knownDocument, linkVariables } from './input.ts';
import { linkTemplateDocument } from './message.ts';
import type { OperationSpot } from './spot.ts';
import type { PlacedTemplate } from './templates.ts';

/** An operation's request, and how it travels over REST. */
type RestForm = Pick<Operation, 'request' | 'method' | 'uris' | 'requestHeaders' | 'body'>;

/** Ties an operation's templates and headers to its input, and what is left to the body. Without a method there are none. */
export function linkRest(
  documents: Documents,
  spot: OperationSpot,
  method: Method | undefined,
  exchange: Exchange,
  templates: readonly PlacedTemplate[],
): RestForm {
  const { request, answer } = exchange;
  const known = request ?? ({ kind: 'none' } as const);
  if (method === undefined) return { request: known, uris: [], requestHeaders: [], body: 'none' };
  const { linking } = documents;
  const input = linkInput(documents, spot, exchange);
  const headers = linkHeaders(linking, spot, input);
  const body = linkBody(linking, spot, method, request);
  // So that what was read of a record is saved as it came.
  const repeatable = answer.kind === 'component' ? answer.component.keys : [];
  const parts = { request, headers, body, repeatable };
  const uris = templates.map((each) => linkUri(linking, spot, each, linkVariables(linking, each, input), parts));
  return { request: known, method, uris, requestHeaders: headers, body: body.kind };
}

/** The fields that URIs and headers may name. */
function linkInput(documents: Documents, spot: OperationSpot, { request }: Exchange): InputFields {
  // Where a query's prompts or a record are the request, nothing else is: what the service says of a template does not hold.
  const { query, save, read } = spot.declared;
  const isGiven = typeof query === 'string' || save !== undefined || read !== undefined;
  const template = isGiven ? undefined : linkTemplateDocument(documents, spot);
  const { byName, complete } = inputFields(documents.linking, [knownDocument(request), template]);
  return { byName, complete: complete && !spot.lacks('request', 'template', 'query', 'save', 'read') };
}
