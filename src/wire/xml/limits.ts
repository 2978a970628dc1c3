/** How much a document may hold. Characters are UTF-16 units. */
export interface XmlLimits {
  /** Characters of the document. */
  readonly document: number;
  /** Elements inside each other, the root among them. */
  readonly depth: number;
  /** Elements of the document. */
  readonly elements: number;
  /** Attributes of one element, declarations of namespaces among them. */
  readonly attributes: number;
  /** Characters of one name, with its prefix. */
  readonly name: number;
  /** Characters of one text or attribute value, references resolved. */
  readonly text: number;
}

export const XML_LIMITS: XmlLimits = {
  document: 64 * 1024 ** 2,
  depth: 100,
  elements: 500_000,
  attributes: 250,
  name: 1000,
  text: 64 * 1024 ** 2,
};
