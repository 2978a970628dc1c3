import type { XmlElement } from '../../src/wire/xml/tree.ts';
import { attribute, type Binding, below, children, components, WSDL, type Wsdl } from './wsdl-reader.ts';

/** A rule: its number, what it says, what breaks it in a WSDL, and a change by which a good WSDL breaks it. */
export type Rule = readonly [number: string, says: string, broken: (wsdl: Wsdl) => readonly string[], spoil: Spoil];
/** A change of a text. */
export type Spoil = (text: string) => string;

export const replace =
  (pattern: RegExp | string, by: string): Spoil =>
  (text) =>
    text.replace(pattern, by);

/** Names of the elements that a condition holds for. */
export function which(elements: Iterable<XmlElement>, condition: (element: XmlElement) => boolean): string[] {
  return [...elements].filter(condition).map((each) => `${each.local} ${attribute(each, 'name')} in line ${each.line}`);
}

export const everything = ({ root }: Wsdl): XmlElement[] => [...below(root)].map(([element]) => element);
export const imports = ({ root }: Wsdl): XmlElement[] => children(root, WSDL, 'import');
const messages = (wsdl: Wsdl): XmlElement[] => [...components(wsdl, 'message').values()];
export const parts = (wsdl: Wsdl): XmlElement[] => messages(wsdl).flatMap((message) => children(message, WSDL, 'part'));
export const abstract = ({ portTypes }: Wsdl): XmlElement[] =>
  portTypes.flatMap((each) => children(each, WSDL, 'operation'));

/** The extension elements of a name in bindings: `soap:body` with the `wsdl:input` around it, and so on. */
export function extensions({ bindings }: Wsdl, ...names: string[]): (readonly [XmlElement, XmlElement, Binding])[] {
  return bindings.flatMap((binding) =>
    [...below(binding.element)]
      .filter(([element]) => element.namespace === binding.dialect && names.includes(element.local))
      .map(([element, around]) => [element, around, binding] as const),
  );
}

export function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
