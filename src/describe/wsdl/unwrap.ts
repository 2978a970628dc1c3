// Jakarta XML Web Services 3.0, section 2.3.1.2 (wrapper style) and 8.7.2 (enableWrapperStyle).
import { type Document, foldedName } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import type { Message } from '../../model/service.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import type { Scope, SoapOperation } from '../scope.ts';
import { builtInType } from '../xsd/types.ts';

/** The namespace since JAX-WS 3.0, and the one before. A tool takes its own and passes over the other. */
const BINDINGS = ['https://jakarta.ee/xml/ns/jaxws', 'http://java.sun.com/xml/ns/jaxws'];

/**
 * What keeps generators of Java from making a parameter of each element inside a wrapper, where two of these would be one
 * parameter of two types or a reserved word: they refuse such a WSDL. The method then takes and returns the messages as
 * they are. Empty where the elements can be parameters; other tools pass over it.
 */
export function wrapperStyle({ soap: { request, response } }: SoapOperation, scope: Scope): XmlElement[] {
  const [ins, outs] = [childrenOf(request, scope), childrenOf(response, scope)];
  const taken = new Map(ins.map((child) => [foldedName(child.name), child]));
  const clashes = outs.some(({ name, element, type }) => {
    const other = taken.get(foldedName(name));
    return other !== undefined && (other.element !== element || other.type !== type);
  });
  if (!clashes && ![...ins, ...outs].some(({ name }) => RESERVED.has(name))) return [];
  return BINDINGS.map((namespace) =>
    element('jaxws:bindings', { 'xmlns:jaxws': namespace }, [element('jaxws:enableWrapperStyle', {}, ['false'])]),
  );
}

/** An element inside a wrapper. */
interface Child {
  readonly name: string;
  /** With its namespace. */
  readonly element: string;
  /** What tells its Java type from others. */
  readonly type: string;
}

function childrenOf(message: Message, { documents, namespace }: Scope): Child[] {
  if (message.kind === 'document') {
    const { document } = message;
    const own = documents.namespaceOf(document);
    return document.fields
      .filter((field) => !field.attribute)
      .map((field) => {
        const { xmlName: name } = field;
        return { name, element: `{${field.namespace ?? own}}${name}`, type: javaType(field, document) };
      });
  }
  if (message.kind === 'none' || message.raw === 'xml') return [];
  return [{ name: 'content', element: `{${namespace}}content`, type: builtInType({ kind: message.raw }) }];
}

/** JAXB writes the class of a list's element inside that of its document. */
function javaType({ type, minimum, maximum, required, absent, xmlName }: Field, document: Document): string {
  if (type.kind === 'list' && !type.flat) return `${document.id}.${xmlName}`;
  const single = singleType(type);
  const many = type.kind === 'list' ? 'list of ' : '';
  if (single.kind === 'document') return `${many}${single.document.id}`;
  // An integer within bounds is an Integer or a Long. That and a Boolean are no objects where they are always there.
  const bounds = single.kind === 'integer' && minimum !== undefined && maximum !== undefined ? [minimum, maximum] : [];
  const small = single.kind === 'boolean' || bounds.length > 0;
  return `${many}${builtInType(single)} ${bounds} ${small && required && absent !== 'blank'}`;
}

/** The reserved words of Java (Java Language Specification 17, 3.9), with the literals. */
const RESERVED = new Set(
  (
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final ' +
    'finally float for goto if implements import instanceof int interface long native new package private protected ' +
    'public return short static strictfp super switch synchronized this throw throws transient try void volatile while ' +
    '_ true false null'
  ).split(' '),
);
