import { isXmlType } from '../../wire/media-type.ts';
import type {
  DraftCompound,
  DraftDocument,
  DraftField,
  DraftMessage,
  DraftOperation,
  DraftRest,
  DraftType,
} from '../draft.ts';
import { attribute, childrenNamed } from '../xml.ts';
import { ANY_TYPE, isWrapper, type MessageSources } from './messages.ts';
import { documentationOf, inside, type MessagePart, nameOf, partsOf, placeIn } from './model.ts';
import type { OperationParts } from './operation.ts';
import { HTTP, MIME, WSDL } from './sources.ts';

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
  const verb = binding?.verb ?? 'GET';
  const isXml = isXmlBody(bound, verb) && input.length === 1 && input[0]?.element !== undefined;
  const fields = isXml ? input.map((part) => fieldOf(sources, part)) : formFields(sources, input).map(withoutNil);
  const unsent = isXml || isMultipart(bound) ? undefined : fields.find(({ type }) => !isText(type));
  const rest = isXml
    ? { ...restOf(bound, 'GET', []), method: 'POST' as const, mediaType: contentTypeOf(bound, 'input') as string }
    : restOf(bound, verb, unsent === undefined ? fields : []);
  const description = documentationOf(abstract);
  const [only] = fields;
  const document: DraftDocument = isXml
    ? (only?.type as DraftCompound).document
    : { name: `${name}_REQUEST`, place, named: false, options: {}, fields: [...fields] };
  const isEmpty = fields.length === 0 || unsent !== undefined;
  for (const each of childrenNamed(abstract.element, WSDL, 'fault')) {
    const fault = inside(abstract, each);
    sources.losses.add(`the fault "${nameOf(fault)}" over HTTP`, 'errors are read as they are', placeIn(fault));
  }
  return {
    name,
    place,
    ...(description === undefined ? {} : { description }),
    rest,
    request: isEmpty ? { kind: 'none' } : { kind: 'document', document },
    responses: [replyOf(sources, output[0], contentTypeOf(bound, 'output'))],
    faults: [],
    ...(bound === undefined ? { uncallable: 'its binding does not have it' } : {}),
    ...(unsent === undefined ? {} : { uncallable: `"${unsent.name}" of its request has no form in a URL or a form` }),
  };
}

/** A field that is not null: URLs and forms have no `xsi:nil`. */
function withoutNil(field: DraftField): DraftField {
  const { nullable: _, ...options } = field.options;
  return { ...field, options };
}

/** Whether values are texts in a URL or a form. */
function isText(type: DraftType): boolean {
  const single = 'item' in type ? type.item : type;
  return type.kind !== 'map' && single.kind === 'scalar' && !['binary', 'xml', 'json'].includes(single.word);
}

/** The fields of a form: the parts, or the elements in the only one. */
function formFields(sources: MessageSources, input: readonly MessagePart[]): readonly DraftField[] {
  const [only, ...others] = input;
  if (only?.element === undefined || others.length > 0) return input.map((part) => fieldOf(sources, part));
  const document = sources.schemas.element(only.element, only.place);
  return isWrapper(document) ? document.fields : [fieldOf(sources, only)];
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
  const form = isMultipart(bound) ? 'multipart' : 'urlencoded';
  if (method === 'POST') return { method, uris: [path], headers: {}, form };
  return { method, uris: [names.length === 0 ? path : `${path}{?${names.join(',')}}`], headers: {} };
}

/** The media type of a message, that of the first alternative (WSDL 1.1, section 5.3); of `mime:mimeXml` that of XML (5.6). */
function contentTypeOf(bound: OperationParts['bound'], side: 'input' | 'output'): string | undefined {
  const [element] = bound === undefined ? [] : childrenNamed(bound.element, WSDL, side);
  const [content] = element === undefined ? [] : childrenNamed(element, MIME, 'content', 'mimeXml');
  if (content?.local === 'mimeXml') return 'text/xml';
  return content === undefined ? undefined : attribute(content, 'type')?.toLowerCase();
}

function isMultipart(bound: OperationParts['bound']): boolean {
  return contentTypeOf(bound, 'input') === 'multipart/form-data';
}

/** Whether a request is XML rather than a form. */
function isXmlBody(bound: OperationParts['bound'], verb: string | undefined): boolean {
  return verb?.toUpperCase() === 'POST' && isXmlType(contentTypeOf(bound, 'input') ?? '');
}

/** The reply is XML of an element, or of a value that is in an element of its type's name, or content of another type. */
function replyOf(
  { schemas }: MessageSources,
  part: MessagePart | undefined,
  given: string | undefined,
): { readonly mediaType: string; readonly message: DraftMessage } {
  const mediaType = given ?? 'text/xml';
  if (part === undefined) return { mediaType, message: { kind: 'none' } };
  if (!isXmlType(mediaType) && !mediaType.includes('*'))
    return { mediaType, message: { kind: 'raw', raw: mediaType.startsWith('text/') ? 'text' : 'binary' } };
  const inXml = mediaType.includes('*') ? 'text/xml' : mediaType;
  if (part.element === undefined) return { mediaType: inXml, message: { kind: 'raw', raw: 'xml' } };
  return { mediaType: inXml, message: { kind: 'document', document: schemas.element(part.element, part.place) } };
}
