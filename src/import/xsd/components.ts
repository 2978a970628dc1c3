import { isXmlName } from '../../wire/xml/text.ts';
import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import type { Sources } from '../source.ts';
import { attribute, childrenNamed, isSameDeclaration, placeOf, type QName, qnameKey, readQName } from '../xml.ts';
import { schemasOf, XSD } from './sources.ts';

// The global components of schemas (XML Schema 1.0 Part 1, section 4), with those of included, imported and redefined ones.

/** A schema, and the location of the file that contains it. */
export interface SchemaPart {
  /** An `xs:schema`. */
  readonly root: XmlElement;
  readonly location: string;
}

/** A schema in the namespace that it has where it is used: one without a namespace has that of the schema that includes it. */
export interface Schema extends SchemaPart {
  readonly namespace: string;
  /** Whether it has its namespace from the schema that includes it. */
  readonly chameleon: boolean;
}

/** Components that share names: simple and complex types do. */
export type ComponentKind = 'element' | 'attribute' | 'type' | 'group' | 'attributeGroup';

export interface Component {
  readonly kind: ComponentKind;
  readonly name: QName;
  readonly element: XmlElement;
  readonly schema: Schema;
  /** What this one redefines, and means by its own name. */
  readonly redefined?: Component;
}

/** The kinds of components by the local names of their elements. */
export const COMPONENT_KINDS: Readonly<Record<string, ComponentKind>> = {
  element: 'element',
  attribute: 'attribute',
  simpleType: 'type',
  complexType: 'type',
  group: 'group',
  attributeGroup: 'attributeGroup',
};

/** All components of a contract's schemas, by kind and name. */
export class Components {
  readonly #sources: Sources<XmlElement>;
  readonly #losses: Losses;
  readonly #found = new Map<string, Component>();
  readonly #seen = new Map<XmlElement, Set<string>>();

  constructor(parts: readonly SchemaPart[], sources: Sources<XmlElement>, losses: Losses) {
    this.#sources = sources;
    this.#losses = losses;
    for (const part of parts) this.#load([{ ...part, namespace: targetOf(part.root), chameleon: false }]);
  }

  find(kind: ComponentKind, name: QName): Component | undefined {
    return this.#found.get(`${kind} ${qnameKey(name)}`);
  }

  /** In the order of the sources. */
  all(): Iterable<Component> {
    return this.#found.values();
  }

  /** The name in an attribute of an element of a schema; `undefined` without the attribute. */
  nameIn(element: XmlElement, local: string, schema: Schema): QName | undefined {
    const text = attribute(element, local);
    return text === undefined || text === '' ? undefined : this.resolve(text, element, schema);
  }

  /** A name that a schema refers to. */
  resolve(text: string, element: XmlElement, schema: Schema): QName {
    const name = readQName(text, element, schema.location, this.#losses);
    return name.namespace === '' && schema.chameleon ? { ...name, namespace: schema.namespace } : name;
  }

  /** Loads schemas with what they refer to, each before the schemas that redefine it. */
  #load(open: Schema[]): void {
    const pending: (Schema | (() => void))[] = open.reverse();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (typeof next === 'function') next();
      else if (this.#isNew(next)) for (const step of this.#stepsOf(next).reverse()) pending.push(step);
    }
  }

  #isNew({ root, namespace, location }: Schema): boolean {
    const namespaces = this.#seen.get(root) ?? new Set();
    this.#seen.set(root, namespaces);
    if (namespaces.has(namespace)) return false;
    if (namespaces.size === 0) {
      checkNames(root, location);
      tellUnread(root, location, this.#losses);
    }
    namespaces.add(namespace);
    return true;
  }

  /** What a schema consists of, in its order: other schemas, and steps that add a component. */
  #stepsOf(schema: Schema): (Schema | (() => void))[] {
    return childrenOf(schema.root).flatMap((child): (Schema | (() => void))[] => {
      if (child.namespace !== XSD) return [];
      if (child.local === 'include') return this.#included(child, schema);
      if (child.local === 'import') return this.#imported(child, schema);
      if (child.local === 'redefine') return [...this.#included(child, schema), () => this.#redefine(child, schema)];
      return COMPONENT_KINDS[child.local] === undefined ? [] : [() => this.#add(child, schema, false)];
    });
  }

  #included(element: XmlElement, schema: Schema): Schema[] {
    return this.#referred(element, schema).flatMap(({ root, location }): Schema[] => {
      const namespace = targetOf(root);
      if (namespace !== '' && namespace !== schema.namespace) {
        this.#losses.add(
          `a schema of namespace "${namespace}" is included in one of "${schema.namespace}"`,
          'taken in its own namespace',
          placeOf(element, schema.location),
        );
        return [{ root, location, namespace, chameleon: false }];
      }
      return [{ root, location, namespace: schema.namespace, chameleon: namespace === '' && schema.namespace !== '' }];
    });
  }

  #imported(element: XmlElement, schema: Schema): Schema[] {
    return this.#referred(element, schema).map((part) => ({
      ...part,
      namespace: targetOf(part.root),
      chameleon: false,
    }));
  }

  /** The schemas of the file that an element refers to; none when it is missing, which was recorded. */
  #referred(element: XmlElement, schema: Schema): SchemaPart[] {
    const to = attribute(element, 'schemaLocation');
    const found = to === undefined || to === '' ? undefined : this.#sources.referred(schema.location, to);
    if (found === undefined) return [];
    const schemas = schemasOf(found.content);
    if (schemas.length === 0) {
      const what = `"${to}" is a document "${found.content.local}" without schemas`;
      this.#losses.add(what, 'what it declares is unknown', placeOf(element, schema.location));
    }
    return schemas.map((root) => ({ root, location: found.location }));
  }

  #redefine(redefinition: XmlElement, schema: Schema): void {
    for (const child of childrenOf(redefinition)) {
      if (child.namespace === XSD && COMPONENT_KINDS[child.local] !== undefined) this.#add(child, schema, true);
    }
  }

  #add(element: XmlElement, schema: Schema, redefines: boolean): void {
    const kind = COMPONENT_KINDS[element.local] as ComponentKind;
    const local = attribute(element, 'name');
    const place = placeOf(element, schema.location);
    if (local === undefined || local === '') {
      this.#losses.add(`a global xs:${element.local} without a name`, 'left out', place);
      return;
    }
    const name = { namespace: schema.namespace, local };
    const key = `${kind} ${qnameKey(name)}`;
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { kind, name, element, schema });
    else if (redefines) this.#found.set(key, { kind, name, element, schema, redefined: known });
    else if (!isRepeated(known, element)) {
      this.#losses.add(`a second, different xs:${element.local} "${local}"`, 'the first one is taken', place);
    }
  }
}

/** Whether an element declares a component again in the same way, or the one that a component redefines. */
function isRepeated({ element, redefined }: Component, again: XmlElement): boolean {
  return isSameDeclaration(element, again) || (redefined !== undefined && isRepeated(redefined, again));
}

/** Refuses names that no element or attribute can have. @throws ImportError */
function checkNames(element: XmlElement, location: string): void {
  const name = element.namespace === XSD ? attribute(element, 'name') : undefined;
  if (name !== undefined && name !== '' && !isXmlName(name))
    throw new ImportError(`${JSON.stringify(name)} is not a name of XML`, placeOf(element, location));
  for (const child of childrenOf(element)) checkNames(child, location);
}

/** Elements of XML Schema 1.0 (Part 1, appendix A). */
const READ: ReadonlySet<string> = new Set(
  `all any anyAttribute attribute attributeGroup choice complexContent complexType element enumeration extension field
  fractionDigits group import include key keyref length list maxExclusive maxInclusive maxLength minExclusive minInclusive
  minLength notation pattern redefine restriction schema selector sequence simpleContent simpleType totalDigits union unique
  whiteSpace`.split(/\s+/),
);

/** Records elements that XML Schema 1.0 does not have: those of version 1.1, and spelling mistakes. */
function tellUnread(element: XmlElement, location: string, losses: Losses): void {
  for (const child of childrenOf(element)) {
    if (child.namespace !== XSD || child.local === 'annotation') continue;
    if (READ.has(child.local)) tellUnread(child, location, losses);
    else losses.add(`xs:${child.local}, which XML Schema 1.0 does not have`, 'not read', placeOf(child, location));
  }
}

function targetOf(root: XmlElement): string {
  return attribute(root, 'targetNamespace') ?? '';
}

/** The documentation of a component or a part of it. */
export function documentationOf(element: XmlElement): string[] {
  return childrenNamed(element, XSD, 'annotation').flatMap((each) =>
    childrenNamed(each, XSD, 'documentation').map(allText),
  );
}

function allText(element: XmlElement): string {
  if (childrenOf(element).length === 0) return textOf(element);
  return element.content.map((each) => (typeof each === 'string' ? each : ` ${allText(each)} `)).join('');
}

/** The place of an element of a schema. */
export function placeIn(element: XmlElement, { location }: Schema): Place {
  return placeOf(element, location);
}
