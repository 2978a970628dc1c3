import type { Document } from '../../model/document.ts';
import type { Message, RawKind } from '../../model/service.ts';
import { bareMessages, replyName } from '../../model/soap.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import type { SoapOperation } from '../scope.ts';
import { ATTACHMENT, annotation } from './elements.ts';

// The elements around messages over SOAP (WSDL 1.1, document/literal wrapped).

/** An element of the service's namespace whose content is a message. */
export interface Wrapper {
  readonly name: string;
  /** That of the service if absent. */
  readonly namespace?: string | undefined;
  readonly message: Message;
  readonly description?: string | undefined;
}

/**
 * The wrappers of operations: one for the request, and one for the reply unless the operation is one-way; none for the
 * documents and the empty messages of document/literal bare, and for rpc/literal.
 */
export function wrappersOf(operations: readonly SoapOperation[]): Wrapper[] {
  return operations.flatMap(({ description, soap }) => {
    if (soap.style === 'rpc') return [];
    const { name, namespace, request, response } = soap;
    const ask: Wrapper = { name, namespace, message: request, description };
    const answer: Wrapper = { name: replyName(soap), namespace, message: response, description: `Reply of ${name}.` };
    const both = response.kind === 'none' ? [ask] : [ask, answer];
    return both.filter(({ message }) => message.kind === 'raw' || !bareMessages(soap).includes(message));
  });
}

/**
 * Declares a wrapper. The wrapper of a document has the document's named type rather than an anonymous one: the fields stay in
 * the document's namespace, REST and all operations that share the document use one type, and JAX-WS (2.3.1.2), zeep and PHP
 * unwrap both forms.
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

/** The content of a wrapper for a message without a document: clients only unwrap a sequence. */
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
  xml: 'The content is XML: one or more elements.',
  text: 'The content is text.',
  binary: 'The content is bytes.',
};
