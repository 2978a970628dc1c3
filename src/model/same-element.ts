import { type Document, itemName, namespaceOf } from './document.ts';
import { type Field, type FieldType, singleType } from './field.ts';

/** The content of an element: a document, in the namespace of its elements. */
export interface ElementContent {
  readonly document: Document;
  readonly namespace: string;
}

/** Keys of a field that say nothing about its form in XML. */
const NOT_OF_XML: ReadonlySet<string> = new Set<keyof Field>([
  'name',
  'jsonName',
  'description',
  'example',
  'sensitive',
  'header',
  'url',
  'at',
  'type',
  'namespace',
]);

/**
 * Whether two documents are the same in XML, so that one declaration of an element is right for both. Their ids, their names in
 * JSON and their descriptions may differ.
 * @param service the namespace of documents that declare none
 */
export function isSameElement(one: ElementContent, other: ElementContent, service: string): boolean {
  return new Comparison(service).isSame(one, other);
}

class Comparison {
  readonly #service: string;
  /** Pairs that are being compared: in a circle they are the same if all else is. */
  readonly #assumed = new Map<Document, Set<Document>>();

  constructor(service: string) {
    this.#service = service;
  }

  isSame(one: ElementContent, other: ElementContent): boolean {
    const [a, b] = [one.document, other.document];
    if (one.namespace !== other.namespace) return false;
    if (a === b) return true;
    const known = this.#assumed.get(a) ?? new Set();
    if (known.has(b)) return true;
    this.#assumed.set(a, known.add(b));
    return (
      a.open === b.open &&
      a.bare === b.bare &&
      a.abstract === b.abstract &&
      (a.choice === undefined) === (b.choice === undefined) &&
      a.kinds?.derived.length === b.kinds?.derived.length &&
      this.#isSameBase(a, b) &&
      a.fields.length === b.fields.length &&
      a.fields.every((field, index) => this.#isSameField([field, one], [b.fields[index] as Field, other]))
    );
  }

  #isSameBase({ derivation: one }: Document, { derivation: other }: Document): boolean {
    if (one === undefined || other === undefined) return one === other;
    return one.by === other.by && one.base === other.base;
  }

  #isSameField([one, inOne]: [Field, ElementContent], [other, inOther]: [Field, ElementContent]): boolean {
    const around = one.namespace ?? inOne.namespace;
    if (around !== (other.namespace ?? inOther.namespace) || formOf(one) !== formOf(other)) return false;
    const [type, otherType] = [singleType(one.type), singleType(other.type)];
    if (wordsOf(one.type) !== wordsOf(other.type)) return false;
    if (type.kind !== 'document' || otherType.kind !== 'document') return true;
    const contentOf = (document: Document, { namespace }: ElementContent): ElementContent => ({
      document,
      namespace: namespaceOf(document, namespace, this.#service),
    });
    return this.isSame(contentOf(type.document, inOne), contentOf(otherType.document, inOther));
  }
}

/** What a field says about its form in XML, but for its type. */
function formOf(field: Field): string {
  const entries = Object.entries(field).filter(([key, value]) => value !== undefined && !NOT_OF_XML.has(key));
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A type without the documents in it, but with the name of their elements in a list. */
function wordsOf(type: FieldType): string {
  const item = type.kind === 'list' && !type.flat ? itemName(type) : '';
  return item + JSON.stringify(type, (key, value: unknown) => (key === 'document' ? undefined : value));
}
