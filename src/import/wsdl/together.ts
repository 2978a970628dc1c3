import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import { attribute, isSameDeclaration, qnameKey } from '../xml.ts';
import { COMPONENT_KINDS } from '../xsd/components.ts';
import { schemasOf } from '../xsd/sources.ts';
import { WSDL } from './sources.ts';

/** The parts of WSDL that have names of their own by kind (WSDL 1.1, section 2.1). */
export const PARTS = ['message', 'portType', 'binding', 'service'] as const;

/**
 * WSDL files that can be read as one contract: what two of them declare by one name is the same. Versions of a contract that
 * are given together aren't, although each names the same things.
 */
export class Together {
  readonly #declared = new Map<string, XmlElement>();

  /** Adds a file; `false`, and nothing is changed, for one that declares something otherwise. */
  add(definitions: XmlElement): boolean {
    const own = [...declarationsOf(definitions)];
    for (const [key, element] of own) {
      const known = this.#declared.get(key);
      if (known !== undefined && !isSameDeclaration(known, element)) return false;
    }
    for (const [key, element] of own) if (!this.#declared.has(key)) this.#declared.set(key, element);
    return true;
  }
}

/** What a file itself declares, by kind and qualified name. */
function* declarationsOf(definitions: XmlElement): Generator<readonly [key: string, element: XmlElement]> {
  const kinds = new Set<string>(PARTS);
  const namespace = attribute(definitions, 'targetNamespace') ?? '';
  for (const each of childrenOf(definitions)) {
    if (each.namespace !== WSDL) continue;
    if (kinds.has(each.local)) yield keyed(each.local, namespace, each);
    else if (each.local === 'types') for (const schema of schemasOf(each)) yield* componentsOf(schema);
  }
}

function* componentsOf(schema: XmlElement): Generator<readonly [key: string, element: XmlElement]> {
  const namespace = attribute(schema, 'targetNamespace') ?? '';
  for (const each of childrenOf(schema)) {
    const kind = each.namespace === schema.namespace ? COMPONENT_KINDS[each.local] : undefined;
    if (kind !== undefined) yield keyed(kind, namespace, each);
  }
}

function keyed(kind: string, namespace: string, element: XmlElement): readonly [key: string, element: XmlElement] {
  return [`${kind} ${qnameKey({ namespace, local: attribute(element, 'name') ?? '' })}`, element];
}
