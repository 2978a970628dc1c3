import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { Losses } from '../place.ts';
import { attribute, childrenNamed, placeOf, type QName, readQName } from '../xml.ts';
import { inside, nameOf, type Part } from './model.ts';
import { ADDRESSING, HTTP, MIME, POLICY, SOAP, WSDL } from './sources.ts';

/** How messages of a port type are sent. */
export interface Binding {
  readonly part: Part;
  readonly protocol: '1.1' | '1.2' | 'http' | 'other';
  /** The namespace of a protocol that is not known, or the transport of SOAP that is not HTTP. */
  readonly foreign?: string;
  readonly style: 'document' | 'rpc';
  /** GET or POST of an HTTP binding. */
  readonly verb?: string;
}

/** Transports that are HTTP: that of WSDL 1.1, and the one that SOAP 1.2 bindings may name. */
const TRANSPORTS: ReadonlySet<string> = new Set([
  'http://schemas.xmlsoap.org/soap/http',
  'http://schemas.xmlsoap.org/soap/http/',
  'http://www.w3.org/2003/05/soap/bindings/HTTP/',
  'http://www.w3.org/2003/05/soap/bindings/HTTP',
  '',
]);

export function readBinding(part: Part): Binding {
  const soap = childrenOf(part.element).find(
    ({ local, namespace }) => local === 'binding' && SOAP[namespace] !== undefined,
  );
  if (soap !== undefined) {
    const transport = attribute(soap, 'transport') ?? '';
    const style = attribute(soap, 'style') === 'rpc' ? 'rpc' : 'document';
    const isHttp = TRANSPORTS.has(transport);
    const protocol = isHttp ? (SOAP[soap.namespace] as '1.1' | '1.2') : 'other';
    return { part, protocol, style, ...(isHttp ? {} : { foreign: transport }) };
  }
  const http = childrenNamed(part.element, HTTP, 'binding')[0];
  if (http !== undefined) return { part, protocol: 'http', style: 'document', verb: attribute(http, 'verb') ?? 'GET' };
  const other = childrenOf(part.element).find(({ local }) => local === 'binding')?.namespace;
  return { part, protocol: 'other', style: 'document', foreign: other ?? 'a protocol that it does not name' };
}

/** A message of an operation in a binding: what its body and its headers are. */
export interface BoundMessage {
  /** Names of the parts in the body; all of them when absent. */
  readonly parts?: readonly string[];
  readonly isEncoded: boolean;
  /** Namespace of the element around an rpc message: empty where the body names none (WSDL 1.1, section 3.5). */
  readonly namespace?: string;
  readonly headers: readonly { readonly message: QName; readonly part: string }[];
  /** Parts that are sent as attachments (WSDL 1.1, section 5.11), with the media types of each. */
  readonly attachments: ReadonlyMap<string, readonly string[]>;
}

/** How a binding sends an input or an output. */
export function readBound(binding: Part, message: XmlElement | undefined, losses: Losses): BoundMessage {
  const none: BoundMessage = { isEncoded: false, headers: [], attachments: new Map() };
  if (message === undefined) return none;
  const related = childrenNamed(message, MIME, 'multipartRelated')[0];
  const mimeParts = related === undefined ? [] : childrenNamed(related, MIME, 'part');
  const elements = [message, ...mimeParts].flatMap((each) => childrenOf(each));
  const soapElements = elements.filter(({ namespace }) => SOAP[namespace] !== undefined);
  const body = soapElements.find(({ local }) => local === 'body');
  tellHeaders(binding, soapElements, losses);
  const parts = body === undefined ? undefined : attributeOf(body, 'parts');
  const namespace = body === undefined ? undefined : (attribute(body, 'namespace') ?? '');
  return {
    isEncoded: body !== undefined && attribute(body, 'use') === 'encoded',
    headers: soapElements
      .filter(({ local }) => local === 'header')
      .map((each) => ({
        message: readQName(attributeOf(each, 'message') ?? '', each, binding.location, losses),
        part: attribute(each, 'part') ?? '',
      })),
    attachments: readAttachments(binding, mimeParts, losses),
    ...(parts === undefined ? {} : { parts: parts.split(/\s+/).filter((each) => each !== '') }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** What is said of header blocks, and not carried: how they are encoded, and the blocks of faults about them (WSDL 1.1, section 3.7). */
function tellHeaders({ location }: Part, elements: readonly XmlElement[], losses: Losses): void {
  for (const header of elements.filter(({ local }) => local === 'header')) {
    const part = attribute(header, 'part') ?? '';
    if (attribute(header, 'use') === 'encoded')
      losses.add(`the encoding of the header "${part}" (use="encoded")`, 'taken as literal', placeOf(header, location));
    for (const each of childrenOf(header).filter(({ local }) => local === 'headerfault'))
      losses.add(
        `the header fault "${attribute(each, 'part') ?? ''}"`,
        'its header block is neither read nor written',
        placeOf(each, location),
      );
  }
}

/** Reports extension elements of a part that have to be understood and are not (WSDL 1.1, section 2.1.3). */
export function tellRequired({ element, location }: Part, losses: Losses): void {
  for (const each of childrenOf(element)) {
    const isRequired = /^\s*(?:true|1)\s*$/.test(attributeOf(each, 'required', WSDL) ?? '');
    if (!isRequired || UNDERSTOOD.has(each.namespace)) continue;
    const what = `<${each.local}> of ${each.namespace}, which the contract requires to be understood`;
    losses.add(what, 'ignored, so that messages may be refused', placeOf(each, location));
  }
}

/** Namespaces whose extension elements are read. */
const UNDERSTOOD: ReadonlySet<string> = new Set([WSDL, HTTP, MIME, ...Object.keys(SOAP), ...POLICY, ...ADDRESSING]);

/** The parts of a message that have parts of multipart/related of their own. */
function readAttachments(
  { location }: Part,
  mimeParts: readonly XmlElement[],
  losses: Losses,
): ReadonlyMap<string, readonly string[]> {
  const attachments = new Map<string, string[]>();
  for (const each of mimeParts.flatMap((part) => childrenOf(part))) {
    if (each.namespace !== MIME) continue;
    const part = attribute(each, 'part');
    const place = placeOf(each, location);
    if (part === undefined || part === '') {
      losses.add(`<${each.local}> of multipart/related does not name a part`, 'left out', place);
      continue;
    }
    const types = attachments.get(part) ?? [];
    attachments.set(part, types);
    // XML of any kind is in a part of its own (WSDL 1.1, section 5.6).
    const given = each.local === 'mimeXml' ? 'text/xml' : (attribute(each, 'type') ?? '*/*');
    const type = given.replace(/;.*/s, '').trim().toLowerCase();
    if (MEDIA_RANGE.test(type)) types.push(type);
    else losses.add(`the media type "${given}" of the attachment "${part}"`, 'any is taken', place);
  }
  return attachments;
}

const MEDIA_RANGE = /^[a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+$/;

/** The operations of a binding or a port type by name, in their order. Overloaded ones have several entries. */
export function operationsOf(part: Part): readonly { readonly name: string; readonly part: Part }[] {
  return childrenNamed(part.element, WSDL, 'operation').map((each) => {
    const inner = inside(part, each);
    return { name: nameOf(inner), part: inner };
  });
}

/** The `soap:operation` of an operation in a binding. */
export function soapOperation({ element }: Part): XmlElement | undefined {
  return childrenOf(element).find(({ local, namespace }) => local === 'operation' && SOAP[namespace] !== undefined);
}
