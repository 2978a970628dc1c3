// The elements around messages over SOAP (WSDL 1.1, document/literal wrapped).
import type { Document } from '../../model/document.ts';
import type { Message, RawKind } from '../../model/service.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import type { SoapOperation } from '../scope.ts';
import { ATTACHMENT, annotation } from './fields.ts';

/** An element of the service's namespace whose content is a message. */
export interface Wrapper {
  readonly name: string;
  readonly message: Message;
  readonly description?: string | undefined;
}

/** Name of the element around a reply. */
export function replyName(name: string): string {
  return `${name}Response`;
}

/** The wrappers of operations: each one's request, and its reply unless it is one-way. */
export function wrappersOf(operations: readonly SoapOperation[]): Wrapper[] {
  return operations.flatMap(({ description, soap: { name, request, response } }) => {
    const ask: Wrapper = { name, message: request, description };
    if (response.kind === 'none') return [ask];
    return [ask, { name: replyName(name), message: response, description: `Reply of ${name}.` }];
  });
}

/**
 * Declares a wrapper. A document's is of the document's named type rather than of an anonymous one: the fields stay in the
 * document's own namespace, one type serves REST and every operation that shares the document, and JAX-WS (2.3.1.2), zeep
 * and PHP unwrap either.
 */
export function wrapperElement(
  { name, message, description }: Wrapper,
  typeName: (document: Document) => string,
): XmlElement {
  if (message.kind === 'document')
    return element('xs:element', { name, type: typeName(message.document) }, [annotation(description)]);
  if (message.kind === 'none')
    return element('xs:element', { name }, [annotation(description), sequenceType(element('xs:sequence'))]);
  const notes = annotation(description, [contentNotes[message.raw]]);
  return element('xs:element', { name }, [notes, sequenceType(element('xs:sequence', {}, [rawContent(message.raw)]))]);
}

/** What stands in the wrapper of a message without a document: clients unwrap nothing but a sequence. */
function rawContent(raw: RawKind): XmlElement {
  if (raw === 'xml') return element('xs:any', { processContents: 'lax', maxOccurs: 'unbounded' });
  if (raw === 'binary') return element('xs:element', { name: 'content', type: 'xs:base64Binary', ...ATTACHMENT });
  return element('xs:element', { name: 'content', type: 'xs:string' });
}

function sequenceType(sequence: XmlElement): XmlElement {
  return element('xs:complexType', {}, [sequence]);
}

const contentNotes: Readonly<Record<RawKind, string>> = {
  json: 'The content is JSON text.',
  xml: 'The content is XML: one element or more.',
  text: 'The content is text.',
  binary: 'The content is bytes.',
};
