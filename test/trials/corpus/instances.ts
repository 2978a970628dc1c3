import { attribute, childrenNamed, type QName, qnameKey } from '../../../src/import/xml.ts';
import type { Component, Components, Schema } from '../../../src/import/xsd/components.ts';
import { XSD } from '../../../src/import/xsd/sources.ts';
import type { Pick } from '../../../src/mock/instance.ts';
import { XSI } from '../../../src/wire/xml/namespaces.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../../src/wire/xml/tree.ts';
import type { Node } from './node.ts';
import { simpleText, Unmakeable } from './simple-text.ts';
import { NotSimple, restricted, type Simple, simpleOfElement, simpleOfName } from './simple-types.ts';

/** Nesting beyond which only what is required is made, and at which nothing can be made. */
const DEEP = 5;
const DEEPEST = 25;
/** Elements after which only what is required is made. */
const MANY = 150;
const MOST = 3000;

interface Declared {
  readonly element: XmlElement;
  readonly schema: Schema;
  /** What a component that redefines this one means by its name. */
  readonly own?: Component | undefined;
}

/**
 * Random instances of the elements of schemas. Of the import it shares only how components are found by their names: what a
 * type permits is read from the schema here, so that an instance shows what the import lost.
 */
export class Instances {
  readonly #components: Components;
  readonly #pick: Pick;
  readonly #derived: ReadonlyMap<string, readonly Component[]>;
  readonly #members: ReadonlyMap<string, readonly Component[]>;
  #made = 0;
  /** The constructs that the latest instance has. */
  readonly seen = new Set<string>();
  /** Attributes with a default or a fixed value, by their local names: they are there when they are not written. */
  readonly defaults = new Set<string>();
  /** Local names of elements with a default, which is the value of an empty one. */
  readonly elementDefaults = new Set<string>();

  constructor(components: Components, pick: Pick) {
    this.#components = components;
    this.#pick = pick;
    for (const root of new Set([...components.all()].map(({ schema }) => schema.root))) this.#addDefaults(root);
    this.#derived = this.#group('type', ({ element, schema }) => {
      const [content] = childrenNamed(element, XSD, 'complexContent', 'simpleContent');
      const [derivation] = content === undefined ? [] : childrenNamed(content, XSD, 'extension', 'restriction');
      return derivation && components.nameIn(derivation, 'base', schema);
    });
    this.#members = this.#group('element', ({ element, schema }) =>
      components.nameIn(element, 'substitutionGroup', schema),
    );
  }

  #group(kind: string, keyOf: (component: Component) => QName | undefined): Map<string, Component[]> {
    const groups = new Map<string, Component[]>();
    for (const component of this.#components.all()) {
      const name = component.kind === kind ? keyOf(component) : undefined;
      if (name === undefined || qnameKey(name) === qnameKey(component.name)) continue;
      groups.set(qnameKey(name), [...(groups.get(qnameKey(name)) ?? []), component]);
    }
    return groups;
  }

  #addDefaults(element: XmlElement): void {
    const isPreset = attribute(element, 'default') ?? attribute(element, 'fixed');
    const local = attribute(element, 'name') ?? attribute(element, 'ref')?.replace(/.*:/, '');
    if (isPreset !== undefined && local !== undefined)
      (element.local === 'attribute' ? this.defaults : this.elementDefaults).add(local);
    for (const each of childrenOf(element)) this.#addDefaults(each);
  }

  /** An instance of a global element. @throws Unmakeable, NotSimple */
  root(component: Component): Node {
    this.#made = 0;
    this.seen.clear();
    return this.#declaredElement(component, component.name, 0);
  }

  #chance(of: number): boolean {
    return this.#pick(of) === 0;
  }

  #isSparse(depth: number): boolean {
    return depth > DEEP || this.#made > MANY;
  }

  #globalElement(component: Component, depth: number): Node {
    const members = this.#allOf(this.#members, component).filter(({ element }) => !isTrue(element, 'abstract'));
    const isAbstract = isTrue(component.element, 'abstract');
    if (members.length > 0 && (isAbstract || this.#chance(2))) {
      this.seen.add('substitution group');
      const member = members[this.#pick(members.length)] as Component;
      return this.#declaredElement(member, member.name, depth);
    }
    if (isAbstract) throw new Unmakeable(`abstract element ${component.name.local}`);
    return this.#declaredElement(component, component.name, depth);
  }

  #allOf(groups: ReadonlyMap<string, readonly Component[]>, { name }: { readonly name: QName }): Component[] {
    const found = new Set<Component>();
    const open = [...(groups.get(qnameKey(name)) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(groups.get(qnameKey(next.name)) ?? []));
    }
    return [...found];
  }

  #declaredElement({ element, schema }: Declared, { namespace, local }: QName, depth: number): Node {
    this.#made += 1;
    if (depth > DEEPEST || this.#made > MOST) throw new Unmakeable('too deep or too large');
    const node: Node = { local, namespace, attributes: [], children: [] };
    this.#fill(node, { element, schema }, depth);
    if (isTrue(element, 'nillable') && depth > 0 && this.#chance(4)) {
      this.seen.add('nil');
      node.children = [];
      node.attributes.push({ local: 'nil', namespace: XSI, value: 'true' });
      return node;
    }
    const fixed = attributeOf(element, 'fixed');
    if (fixed !== undefined) {
      this.seen.add('fixed');
      node.children = [fixed];
    } else if (attributeOf(element, 'default') !== undefined && this.#chance(2)) {
      this.seen.add('default');
      node.children = [];
    }
    return node;
  }

  /** Gives an element the content of its type. */
  #fill(node: Node, { element, schema }: Declared, depth: number): void {
    const name = this.#components.nameIn(element, 'type', schema);
    if (name !== undefined) {
      this.#fillNamed(node, name, depth);
      return;
    }
    const [inPlace] = childrenNamed(element, XSD, 'simpleType', 'complexType');
    if (inPlace?.local === 'simpleType') {
      this.#fillSimple(node, simpleOfElement(inPlace, schema, this.#components));
      return;
    }
    if (inPlace !== undefined) {
      this.#fillComplex(node, { element: inPlace, schema }, depth);
      return;
    }
    const head = this.#components.nameIn(element, 'substitutionGroup', schema);
    const component = head && this.#components.find('element', head);
    if (component !== undefined) {
      this.#fill(node, component, depth);
      return;
    }
    this.#fillAny(node);
  }

  #fillSimple(node: Node, simple: Simple): void {
    this.#noteSimple(simple);
    node.children = [simpleText(simple, this.#pick)];
  }

  #noteSimple(simple: Simple): void {
    if (simple.kind !== 'atomic') this.seen.add(simple.kind);
    else this.seen.add(`xs:${simple.builtIn}`);
    for (const step of simple.steps) for (const facet of step.keys()) this.seen.add(facet);
  }

  #fillNamed(node: Node, name: QName, depth: number): void {
    if (name.namespace === XSD && name.local === 'anyType') {
      this.#fillAny(node);
      return;
    }
    const component = this.#components.find('type', name);
    if (component?.element.local !== 'complexType') {
      this.#fillSimple(node, simpleOfName(name, this.#components));
      return;
    }
    const derived = this.#allOf(this.#derived, component).filter(({ element }) => !isTrue(element, 'abstract'));
    const isAbstract = isTrue(component.element, 'abstract');
    if (derived.length > 0 && (isAbstract || this.#chance(5))) {
      this.seen.add('xsi:type');
      const type = derived[this.#pick(derived.length)] as Component;
      node.attributes.push({
        local: 'type',
        namespace: XSI,
        value: `t:${type.name.local}`,
        bound: type.name.namespace,
      });
      if (type.name.namespace === '') throw new Unmakeable('a type without a namespace');
      this.#fillComplex(node, { ...type, own: type.redefined }, depth);
      return;
    }
    if (isAbstract) throw new Unmakeable(`abstract type ${name.local}`);
    this.#fillComplex(node, { ...component, own: component.redefined }, depth);
  }

  #fillAny(node: Node): void {
    this.seen.add('anyType');
    node.children = [
      ['', 'text', { local: 'other', namespace: 'urn:other', attributes: [], children: ['x'] }][this.#pick(3)] as Node,
    ];
  }

  /** @param type an xs:complexType */
  #fillComplex(node: Node, type: Declared, depth: number): void {
    node.attributes.push(...[...this.#attributesOf(type).values()].flatMap((each) => this.#attribute(each)));
    if (this.#hasAnyAttribute(type) && this.#chance(3)) {
      this.seen.add('anyAttribute');
      node.attributes.push({ local: 'other', namespace: 'urn:other', value: 'x' });
    }
    const simple = this.#simpleContent(type);
    if (simple !== undefined) {
      this.seen.add('simpleContent');
      this.#fillSimple(node, simple);
      return;
    }
    for (const particle of this.#particlesOf(type)) this.#particle(node, particle, depth + 1, 1);
    if (this.#isMixed(type)) {
      this.seen.add('mixed');
      node.children = node.children.flatMap((each) => (this.#chance(2) ? ['text & more ', each] : [each]));
      if (this.#chance(2)) node.children.push('at the end');
    }
  }

  #derivation({
    element,
    schema,
    own,
  }: Declared): { how: XmlElement; base: Declared | undefined; name: QName } | undefined {
    const [content] = childrenNamed(element, XSD, 'complexContent', 'simpleContent');
    const [how] = content === undefined ? [] : childrenNamed(content, XSD, 'extension', 'restriction');
    const name = how && this.#components.nameIn(how, 'base', schema);
    if (how === undefined || name === undefined) return undefined;
    const isOwn = own !== undefined && qnameKey(own.name) === qnameKey(name);
    const found = isOwn ? own : this.#components.find('type', name);
    const base = found?.element.local === 'complexType' ? { ...found, own: found.redefined } : undefined;
    return { how, base, name };
  }

  #simpleContent(type: Declared): Simple | undefined {
    if (childrenNamed(type.element, XSD, 'simpleContent').length === 0) return undefined;
    const derivation = this.#derivation(type);
    if (derivation === undefined) throw new NotSimple('simpleContent');
    const { how, base, name } = derivation;
    const [inPlace] = childrenNamed(how, XSD, 'simpleType');
    const inner =
      inPlace !== undefined
        ? simpleOfElement(inPlace, type.schema, this.#components)
        : base === undefined
          ? simpleOfName(name, this.#components)
          : this.#simpleContent(base);
    if (inner === undefined) throw new NotSimple(name.local);
    return how.local === 'restriction' ? restricted(inner, how) : inner;
  }

  #particlesOf(type: Declared): Declared[] {
    const derivation = this.#derivation(type);
    const holder = derivation?.how ?? type.element;
    const own = childrenNamed(holder, XSD, 'sequence', 'choice', 'all', 'group').map((element) => ({
      element,
      schema: type.schema,
    }));
    if (derivation?.how.local !== 'extension' || derivation.base === undefined) return own;
    this.seen.add('extension');
    return [...this.#particlesOf(derivation.base), ...own];
  }

  #isMixed(type: Declared): boolean {
    const [content] = childrenNamed(type.element, XSD, 'complexContent');
    const said = (content && attribute(content, 'mixed')) ?? attribute(type.element, 'mixed');
    if (said !== undefined) return said === 'true' || said === '1';
    const derivation = this.#derivation(type);
    return derivation?.base !== undefined && derivation.how.local === 'extension' && this.#isMixed(derivation.base);
  }

  #attributesOf(type: Declared): Map<string, Declared> {
    const derivation = this.#derivation(type);
    const all = derivation?.base === undefined ? new Map<string, Declared>() : this.#attributesOf(derivation.base);
    this.#addAttributes(all, derivation?.how ?? type.element, type.schema);
    return all;
  }

  #addAttributes(all: Map<string, Declared>, holder: XmlElement, schema: Schema): void {
    for (const element of childrenNamed(holder, XSD, 'attribute', 'attributeGroup')) {
      const ref = this.#components.nameIn(element, 'ref', schema);
      if (element.local === 'attributeGroup') {
        const group = ref && this.#components.find('attributeGroup', ref);
        if (group !== undefined) this.#addAttributes(all, group.element, group.schema);
        continue;
      }
      const key = ref === undefined ? (attribute(element, 'name') ?? '') : qnameKey(ref);
      if (attribute(element, 'use') === 'prohibited') all.delete(key);
      else all.set(key, { element, schema });
    }
  }

  #hasAnyAttribute(type: Declared): boolean {
    const derivation = this.#derivation(type);
    const holder = derivation?.how ?? type.element;
    const permits = (element: XmlElement): boolean => {
      const words = attribute(element, 'namespace') ?? '##any';
      return (
        attribute(element, 'processContents') !== undefined &&
        attribute(element, 'processContents') !== 'strict' &&
        /##any|##other/.test(words)
      );
    };
    return (
      childrenNamed(holder, XSD, 'anyAttribute').some(permits) ||
      (derivation?.how.local === 'extension' && derivation.base !== undefined && this.#hasAnyAttribute(derivation.base))
    );
  }

  #attribute({ element, schema }: Declared): Node['attributes'] {
    if (attribute(element, 'use') !== 'required' && this.#chance(2)) return [];
    this.seen.add('attribute');
    const ref = this.#components.nameIn(element, 'ref', schema);
    const global = ref && this.#components.find('attribute', ref);
    // Those of XML and of SOAP's encoding, which schemas do not declare.
    if (ref !== undefined && global === undefined) {
      if (ref.namespace !== 'http://www.w3.org/XML/1998/namespace') return [];
      return [{ ...ref, value: ref.local === 'space' ? 'preserve' : 'en' }];
    }
    const declared = global ?? { element, schema };
    const namespace = ref?.namespace ?? (isQualified(element, schema, 'attributeFormDefault') ? schema.namespace : '');
    const local = ref?.local ?? attribute(element, 'name') ?? '';
    const fixed = attributeOf(element, 'fixed') ?? attributeOf(declared.element, 'fixed');
    const value = fixed ?? simpleText(this.#attributeType(declared), this.#pick);
    return [{ local, namespace, value }];
  }

  #attributeType({ element, schema }: Declared): Simple {
    const name = this.#components.nameIn(element, 'type', schema);
    const [inPlace] = childrenNamed(element, XSD, 'simpleType');
    const simple =
      name !== undefined
        ? simpleOfName(name, this.#components)
        : inPlace === undefined
          ? ({ kind: 'atomic', builtIn: 'string', steps: [] } as const)
          : simpleOfElement(inPlace, schema, this.#components);
    this.#noteSimple(simple);
    return simple;
  }

  /** Adds the elements of a particle as often as it may occur. */
  #particle(node: Node, particle: Declared, depth: number, around: number): void {
    const { element } = particle;
    const least = Number(attribute(element, 'minOccurs') ?? 1);
    const most = attribute(element, 'maxOccurs') ?? '1';
    const highest = most === 'unbounded' ? least + 3 : Math.min(Number(most), least + 3);
    if (highest > 1 && element.local !== 'element') this.seen.add(`repeated ${element.local}`);
    const count = this.#isSparse(depth) ? least : least + this.#pick(highest - least + 1);
    for (let n = 0; n < Math.min(count, most === '0' ? 0 : count); n++) this.#once(node, particle, depth, around);
  }

  #once(node: Node, { element, schema }: Declared, depth: number, around: number): void {
    const inside = (): Declared[] =>
      childrenOf(element)
        .filter(isParticle)
        .map((each) => ({ element: each, schema }));
    switch (element.local) {
      case 'element':
        node.children.push(this.#element({ element, schema }, depth));
        return;
      case 'any':
        this.#any(node, element, schema);
        return;
      case 'group': {
        this.seen.add('group');
        const ref = this.#components.nameIn(element, 'ref', schema);
        const group = ref && this.#components.find('group', ref);
        if (group === undefined) throw new Unmakeable('an unknown group');
        for (const each of childrenOf(group.element).filter(isParticle))
          this.#particle(node, { element: each, schema: group.schema }, depth, around + 1);
        return;
      }
      case 'choice': {
        this.seen.add('choice');
        const branches = inside();
        const chosen = this.#isSparse(depth) ? shallowest(branches) : branches[this.#pick(branches.length)];
        if (chosen !== undefined) this.#particle(node, chosen, depth, around + 1);
        return;
      }
      case 'all':
        this.seen.add('all');
        for (const each of shuffled(inside(), this.#pick)) this.#particle(node, each, depth, around + 1);
        return;
      default:
        for (const each of inside()) this.#particle(node, each, depth, around + 1);
    }
  }

  #element({ element, schema }: Declared, depth: number): Node {
    const ref = this.#components.nameIn(element, 'ref', schema);
    if (ref !== undefined) {
      const component = this.#components.find('element', ref);
      if (component === undefined) throw new Unmakeable(`unknown element ${ref.local}`);
      return this.#globalElement(component, depth);
    }
    const namespace = isQualified(element, schema, 'elementFormDefault') ? schema.namespace : '';
    return this.#declaredElement({ element, schema }, { namespace, local: attribute(element, 'name') ?? '' }, depth);
  }

  #any(node: Node, element: XmlElement, schema: Schema): void {
    this.seen.add('any');
    const words = attribute(element, 'namespace') ?? '##any';
    if (/^(skip|lax)$/.test(attribute(element, 'processContents') ?? 'strict')) {
      const namespace = /##(any|other)/.test(words) ? 'urn:other' : words === '##local' ? '' : undefined;
      if (namespace === undefined) throw new Unmakeable('xs:any of its own namespace');
      const inner: Node = {
        local: 'inner',
        namespace,
        attributes: [{ local: 'a', namespace: '', value: '1' }],
        children: ['t'],
      };
      node.children.push({ local: 'other', namespace, attributes: [], children: [inner] });
      return;
    }
    const found = [...this.#components.all()].filter(
      ({ kind, name, element: each }) =>
        kind === 'element' &&
        !isTrue(each, 'abstract') &&
        (words === '##any' || (words === '##other' && name.namespace !== schema.namespace)),
    );
    const chosen = found[this.#pick(Math.max(1, found.length))];
    if (chosen === undefined) throw new Unmakeable('a strict xs:any');
    node.children.push(this.#declaredElement(chosen, chosen.name, DEEP + 1));
  }
}

function isParticle({ namespace, local }: XmlElement): boolean {
  return namespace === XSD && ['element', 'group', 'sequence', 'choice', 'all', 'any'].includes(local);
}

/** The branch that ends soonest: one that may be absent, else one of a simple type. */
function shallowest(branches: readonly Declared[]): Declared | undefined {
  const isOptional = ({ element }: Declared): boolean => attribute(element, 'minOccurs') === '0';
  const isSimple = ({ element }: Declared): boolean =>
    element.local === 'element' && /^xsd?:/.test(attribute(element, 'type') ?? '');
  return branches.find(isOptional) ?? branches.find(isSimple) ?? branches[0];
}

function shuffled<T>(all: readonly T[], pick: Pick): T[] {
  const left = [...all];
  return all.map(() => left.splice(pick(left.length), 1)[0] as T);
}

function isTrue(element: XmlElement, local: string): boolean {
  return /^(true|1)$/.test(attribute(element, local) ?? '');
}

function isQualified(element: XmlElement, { root }: Schema, byDefault: string): boolean {
  return (attribute(element, 'form') ?? attribute(root, byDefault)) === 'qualified';
}
