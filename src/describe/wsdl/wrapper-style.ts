import { type Document, foldedName } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import { rangeOf, traitsOf } from '../../model/scalar.ts';
import type { Message } from '../../model/service.ts';
import { integersWithin } from '../../wire/order.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import type { Scope, SoapOperation } from '../scope.ts';
import { isThere } from '../xsd/constraint.ts';
import { builtInType, namedTypeOf } from '../xsd/types.ts';

// Jakarta XML Web Services 3.0, section 2.3.1.2 (wrapper style) and 8.7.2 (enableWrapperStyle).

/** The namespace since JAX-WS 3.0 and the previous one. A tool reads its own and ignores the other. */
const BINDINGS = ['https://jakarta.ee/xml/ns/jaxws', 'http://java.sun.com/xml/ns/jaxws'];

/**
 * Prevents Java code generators from turning each element inside a wrapper into a parameter, when two elements would become
 * one parameter with two types, or one a reserved word: they refuse such a WSDL. The method then takes and returns whole
 * messages. Empty when the elements can be parameters; other tools ignore it.
 */
export function wrapperStyle({ soap }: SoapOperation, scope: Scope): XmlElement[] {
  if (soap.style !== undefined) return [];
  const { request, response } = soap;
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
  /** The name with its namespace. */
  readonly element: string;
  /** Distinguishes its Java type from others. */
  readonly type: string;
}

function childrenOf(message: Message, { documents, namespace }: Scope): Child[] {
  if (message.kind === 'document') {
    const { document } = message;
    return elementsIn(document).map(({ field, document: owner }) => {
      const { xmlName: name } = field;
      const own = documents.namespaceOf(owner);
      return { name, element: `{${field.namespace ?? own}}${name}`, type: javaType(field, document) };
    });
  }
  if (message.kind === 'none' || message.raw === 'xml') return [];
  return [{ name: 'content', element: `{${namespace}}content`, type: builtInType({ kind: message.raw }) }];
}

/** JAXB writes the class of a list's element inside the class of its document. */
function javaType(field: Field, document: Document): string {
  const { type, digits, xmlName, space } = field;
  if (type.kind === 'map' || (type.kind === 'list' && !type.flat)) return `${document.id}.${xmlName}`;
  const single = singleType(type);
  const many = type.kind === 'list' ? 'list of ' : '';
  if (single.kind === 'document') return `${many}${single.document.id}`;
  // An integer within bounds is an Integer or a Long, an xs:integer without them a BigInteger. A required one, like a required Boolean, is a primitive type.
  const { xml, primitive } = traitsOf(single);
  const range = xml.type === 'xs:integer' ? field.range : rangeOf(field);
  const { least, most } = primitive === 'integer' ? integersWithin(range ?? {}) : {};
  const bounds = digits !== undefined || (least !== undefined && most !== undefined) ? [least, most, digits] : [];
  const small = primitive === 'boolean' || bounds.length > 0;
  // A named type that lists values is a class, and CXF refuses one parameter with two types of the schema in any case.
  const name = namedTypeOf(field)?.id ?? builtInType(single, space);
  return `${many}${name} ${bounds} ${small && isThere(field)}`;
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
