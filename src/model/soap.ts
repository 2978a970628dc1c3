import { type Document, documentName, type ElementName } from './document.ts';
import { type Field, singleType } from './field.ts';
import { type Message, type Service, type SoapForm, serviceNamespace } from './service.ts';

/** The element of each message of an operation in the Body of an envelope; `undefined` for a Body that is empty. */
export interface SoapElements {
  readonly request: ElementName | undefined;
  readonly reply: ElementName | undefined;
}

/** The elements of an operation's messages. `prefix`: of the gateway (`namespace:` of gateway.yaml). */
export function soapElements(
  { soap, service }: { readonly soap: SoapForm; readonly service: Pick<Service, 'namespace' | 'id'> },
  prefix: string,
): SoapElements {
  const own = serviceNamespace(service, prefix);
  const { namespace = own, replyNamespace = namespace } = soap;
  const elementOf = (message: Message, name: string, namespace: string): ElementName | undefined => {
    if (soap.style !== 'bare' || message.kind === 'raw') return { name, namespace };
    if (message.kind === 'none' || isBodyEmpty(message.document)) return undefined;
    const { document } = message;
    return { name: document.xmlName, namespace: document.namespace ?? own };
  };
  return {
    request: elementOf(soap.request, soap.name, namespace),
    reply: soap.response.kind === 'none' ? undefined : elementOf(soap.response, replyName(soap), replyNamespace),
  };
}

/** The name of the element around a reply. */
export function replyName({ name, replyElement = `${name}Response` }: Pick<SoapForm, 'name' | 'replyElement'>): string {
  return replyElement;
}

/** The documents of an operation's faults over SOAP. */
export function faultDocuments(operation: {
  readonly fault?: Document;
  readonly soap?: SoapForm;
}): readonly Document[] {
  const { fault, soap } = operation;
  return [...(soap?.faults ?? []).map(({ document }) => document), ...(fault === undefined ? [] : [fault])];
}

/** The fields of a message that are header blocks. */
export function headerFields(message: Message): readonly Field[] {
  return message.kind === 'document' ? message.document.fields.filter(({ header }) => header) : [];
}

/**
 * Whether the Body of a bare message is empty: all that the message has is beside it, and no `xml` names an element. Without any
 * field it is a document in place.
 */
function isBodyEmpty(document: Document): boolean {
  const { fields, inPlace, open, choice, xmlName } = document;
  if (xmlName !== documentName(document) || open || choice !== undefined) return false;
  return fields.length === 0 ? inPlace : fields.every((field) => field.header === true || isBeside(field));
}

/** Whether a bare message has nothing at all. */
export function isVoid(document: Document): boolean {
  return document.fields.length === 0 && isBodyEmpty(document);
}

/** The fields of a message whose content is beside the envelope, each a part of WSDL. */
export function attachmentFields(message: Message): readonly Field[] {
  return message.kind === 'document' ? message.document.fields.filter(isBeside) : [];
}

/** Whether messages have parts beside the envelope by their contract: attachments, and what the Body refers to (swaRef). */
export function takesParts({ request, response }: SoapForm): boolean {
  const seen = new Set<Document>();
  const open = [request, response].flatMap((message) => (message.kind === 'document' ? [message.document] : []));
  for (let document = open.pop(); document !== undefined; document = open.pop()) {
    if (seen.has(document)) continue;
    seen.add(document);
    for (const { attachment, type } of document.fields) {
      if (attachment !== undefined) return true;
      const single = singleType(type);
      if (single.kind === 'document') open.push(single.document);
    }
    open.push(...(document.kinds?.derived ?? []));
  }
  return false;
}

function isBeside({ attachment }: Field): boolean {
  return attachment !== undefined && attachment !== 'reference';
}

/** Documents without what is not in the Body, so that each has one form only. */
const bodies = new WeakMap<Document, Document>();

/** A message without its header blocks and attachments: the Body. */
export function bodyMessage(message: Message): Message {
  if (message.kind !== 'document') return message;
  const { document } = message;
  const isInBody = (field: Field): boolean => !field.header && !isBeside(field);
  if (document.fields.every(isInBody)) return message;
  const known = bodies.get(document);
  const body = known ?? { ...document, fields: document.fields.filter(isInBody) };
  bodies.set(document, body);
  return { kind: 'document', document: body };
}

/**
 * A document as a message of rpc/literal: its fields are the accessors of the parts, which have no namespace, while the elements
 * inside them have that of their documents (WS-I Basic Profile 1.1, R2735 and R2737).
 */
export function accessorsOf(document: Document): Document {
  return { ...document, fields: document.fields.map((field) => ({ ...field, namespace: '' })) };
}

/** The documents whose elements are in the Body themselves (document/literal bare). */
export function bareMessages({ style, request, response }: SoapForm): readonly Message[] {
  return style === 'bare' ? [request, response] : [];
}
