import type { DraftField, DraftMessage, DraftOperation, DraftRest } from '../draft.ts';
import { attribute, childrenNamed } from '../xml.ts';
import { ANY_TYPE, type MessageSources } from './messages.ts';
import { documentationOf, inside, type MessagePart, nameOf, partsOf, placeIn } from './model.ts';
import type { OperationParts } from './operation.ts';
import { HTTP, WSDL } from './sources.ts';

// WSDL 1.1, section 4: operations by GET and POST.

/** Reads an operation of an HTTP binding. */
export function readHttpOperation(
  sources: MessageSources,
  { abstract, bound, binding }: OperationParts,
): DraftOperation {
  const input = messageParts(sources, abstract, 'input');
  const output = messageParts(sources, abstract, 'output');
  const place = placeIn(abstract);
  const name = nameOf(abstract);
  const fields = input.map((part) => fieldOf(sources, part));
  const rest = restOf(bound, binding?.verb ?? 'GET', fields);
  const description = documentationOf(abstract);
  const request: DraftMessage =
    fields.length === 0
      ? { kind: 'none' }
      : { kind: 'document', document: { name: `${name}_REQUEST`, place, named: false, options: {}, fields } };
  return {
    name,
    place,
    ...(description === undefined ? {} : { description }),
    rest,
    request,
    responses: [{ mediaType: 'text/xml', message: replyOf(sources, output[0]) }],
    faults: [],
  };
}

function messageParts(sources: MessageSources, abstract: OperationParts['abstract'], side: 'input' | 'output') {
  const element = childrenNamed(abstract.element, WSDL, side)[0];
  if (element === undefined) return [];
  const found = sources.parts.referred('message', inside(abstract, element), 'message');
  return found === undefined ? [] : partsOf(found, sources.losses);
}

function fieldOf({ schemas }: MessageSources, { name, element, type, place }: MessagePart): DraftField {
  if (element === undefined) return schemas.field(name, type ?? ANY_TYPE, place);
  return { name, place, type: { kind: 'document', document: schemas.element(element, place) }, options: {} };
}

function restOf(bound: OperationParts['bound'], verb: string, fields: readonly DraftField[]): DraftRest {
  const operation = bound === undefined ? undefined : childrenNamed(bound.element, HTTP, 'operation')[0];
  const location = (operation === undefined ? undefined : attribute(operation, 'location')) ?? '';
  const input = bound === undefined ? undefined : childrenNamed(bound.element, WSDL, 'input')[0];
  const isReplaced = input !== undefined && childrenNamed(input, HTTP, 'urlReplacement').length > 0;
  const path = location.replace(/^\/+/, '');
  const method = verb.toUpperCase() === 'POST' ? 'POST' : 'GET';
  const names = fields.map(({ name }) => name);
  if (isReplaced) {
    return {
      method,
      uris: [path.replace(/\(([^()]+)\)/g, '{$1}')],
      headers: {},
      ...(method === 'POST' ? { body: 'none' } : {}),
    };
  }
  if (method === 'POST') return { method, uris: [path], headers: {}, form: 'urlencoded' };
  return { method, uris: [names.length === 0 ? path : `${path}{?${names.join(',')}}`], headers: {} };
}

/** The reply is XML of an element, or of a value that is in an element of its type's name. */
function replyOf({ schemas }: MessageSources, part: MessagePart | undefined): DraftMessage {
  if (part === undefined) return { kind: 'none' };
  if (part.element === undefined) return { kind: 'raw', raw: 'xml' };
  return { kind: 'document', document: schemas.element(part.element, part.place) };
}
