import { readXml } from '../../src/wire/xml/read-xml.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../src/wire/xml/tree.ts';

/** A WSDL taken apart by namespaces, for the rules of the Basic Profile. */
export interface Wsdl {
  readonly text: string;
  readonly root: XmlElement;
  readonly schemas: readonly XmlElement[];
  readonly portTypes: readonly XmlElement[];
  readonly bindings: readonly Binding[];
}

export interface Binding {
  readonly element: XmlElement;
  readonly name: string;
  /** Namespace of its extension elements: that of SOAP 1.1 or of SOAP 1.2. */
  readonly dialect: string;
  readonly operations: readonly XmlElement[];
}

export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
export const SOAP11 = 'http://schemas.xmlsoap.org/wsdl/soap/';
export const SOAP12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
export const XS = 'http://www.w3.org/2001/XMLSchema';

export function readWsdl(text: string): Wsdl {
  const root = readXml(text);
  return {
    text,
    root,
    schemas: children(root, WSDL, 'types').flatMap((types) => children(types, XS, 'schema')),
    portTypes: children(root, WSDL, 'portType'),
    bindings: children(root, WSDL, 'binding').map((element) => ({
      element,
      name: attribute(element, 'name'),
      dialect: childrenOf(element).find((child) => child.namespace !== WSDL)?.namespace ?? '',
      operations: children(element, WSDL, 'operation'),
    })),
  };
}

/** The elements of a name right inside another. */
export function children(parent: XmlElement, namespace: string, local: string): XmlElement[] {
  return childrenOf(parent).filter((child) => child.namespace === namespace && child.local === local);
}

/** An attribute without a namespace; empty where there is none. */
export function attribute(element: XmlElement, name: string): string {
  return attributeOf(element, name) ?? '';
}

export function has(element: XmlElement, name: string): boolean {
  return attributeOf(element, name) !== undefined;
}

/** Every element below one, with what holds it. */
export function* below(parent: XmlElement): Generator<readonly [XmlElement, XmlElement]> {
  for (const child of childrenOf(parent)) {
    yield [child, parent];
    yield* below(child);
  }
}

/** What a QName in an attribute names: `{namespace}local`; undefined where its prefix is bound to nothing. */
export function named(element: XmlElement, name: string): string | undefined {
  const [prefix = '', local] = attribute(element, name).split(':') as [string, string?];
  const namespace = element.namespaceOf(local === undefined ? '' : prefix);
  if (local === undefined)
    return namespace === undefined || namespace === '' ? `{}${prefix}` : `{${namespace}}${prefix}`;
  return namespace === undefined ? undefined : `{${namespace}}${local}`;
}

/** The namespace of a name that {@link named} gives. */
export function namespaceIn(qname: string): string {
  return qname.slice(1, qname.indexOf('}'));
}

/** What a WSDL names with a QName: the components of a kind, as {@link named} gives them. */
export function components({ root }: Wsdl, kind: 'message' | 'portType' | 'binding'): Map<string, XmlElement> {
  const target = attribute(root, 'targetNamespace');
  return new Map(children(root, WSDL, kind).map((each) => [`{${target}}${attribute(each, 'name')}`, each]));
}

/** The components of the schemas inside: elements, types (simple or complex), groups, groups of attributes. */
export function schemaComponents({ schemas }: Wsdl, ...kinds: string[]): Set<string> {
  return new Set(
    schemas.flatMap((schema) =>
      kinds
        .flatMap((kind) => children(schema, XS, kind))
        .map((each) => `{${attribute(schema, 'targetNamespace')}}${attribute(each, 'name')}`),
    ),
  );
}

/** The parts of the message that an input, output or fault of a port type names. */
export function partsOf(wsdl: Wsdl, from: XmlElement): XmlElement[] {
  const message = components(wsdl, 'message').get(named(from, 'message') ?? '');
  return message === undefined ? [] : children(message, WSDL, 'part');
}

/** The operation of the port type that a binding's operation binds. */
export function abstractOf(wsdl: Wsdl, binding: Binding, operation: XmlElement): XmlElement | undefined {
  const portType = components(wsdl, 'portType').get(named(binding.element, 'type') ?? '');
  if (portType === undefined) return undefined;
  return children(portType, WSDL, 'operation').find((each) => attribute(each, 'name') === attribute(operation, 'name'));
}

/** Schemas of a WSDL as files of their own that import each other: `0.xsd` is that of the service. */
export function inlineSchemas(wsdl: string): Map<string, string> {
  const schemas = [...wsdl.matchAll(/<xs:schema [\s\S]*?<\/xs:schema>/g)].map(([schema]) => schema);
  const names = new Map(
    schemas.map((schema, index) => [/targetNamespace="([^"]*)"/.exec(schema)?.[1], `${index}.xsd`]),
  );
  return new Map(
    schemas.map((schema, index) => [
      `${index}.xsd`,
      schema.replace(
        /<xs:import namespace="([^"]*)"/g,
        (all, namespace: string) => `${all} schemaLocation="${names.get(namespace)}"`,
      ),
    ]),
  );
}
