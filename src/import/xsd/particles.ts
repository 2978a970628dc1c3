import type { XmlElement } from '../../wire/xml/tree.ts';
import { childrenOf } from '../../wire/xml/tree.ts';
import { ImportError, type Losses } from '../place.ts';
import { attribute, qnameKey } from '../xml.ts';
import { type Component, type Components, placeIn, type Schema } from './components.ts';
import { XSD } from './sources.ts';

// Content models (XML Schema 1.0 Part 1, section 3.8) in a normal form: groups that change nothing are dissolved.

export interface Occurrence {
  readonly min: number;
  /** `Infinity` for unbounded. */
  readonly max: number;
}

/** An element or a wildcard. */
export interface Term extends Occurrence {
  readonly kind: 'element' | 'any';
  readonly element: XmlElement;
  readonly schema: Schema;
}

/** A group whose items stand for one another, or follow one another. The order of `xs:all` is kept as written. */
export interface Group extends Occurrence {
  readonly kind: 'sequence' | 'choice';
  readonly items: readonly Particle[];
  /** The element that declares it. The same element is the same group, however often it is referred to. */
  readonly element: XmlElement;
  readonly schema: Schema;
  /** The name of the global group whose whole content it is. */
  readonly name?: string;
}

export type Particle = Term | Group;

/** Most items of one group after others were dissolved in it, and most groups inside each other. */
const MOST_ITEMS = 20_000;
const DEEPEST = 300;

/** Reads content models. */
export class Particles {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #groups = new Map<Component, Particle | undefined>();
  readonly #open = new Set<Component>();
  #depth = 0;

  constructor(components: Components, losses: Losses) {
    this.#components = components;
    this.#losses = losses;
  }

  /**
   * The content model that an element contains; `undefined` when it is empty.
   * @param within the group that is being read: one that redefines another means that by its own name
   */
  inside(element: XmlElement, schema: Schema, within?: Component): Particle | undefined {
    for (const child of childrenOf(element)) {
      if (child.namespace === XSD && GROUPS.has(child.local)) return this.#read(child, schema, within);
    }
    return undefined;
  }

  #read(element: XmlElement, schema: Schema, within: Component | undefined): Particle | undefined {
    const occurrence = this.#occurrenceOf(element, schema);
    if (occurrence.max === 0) return undefined;
    if (element.local === 'element' || element.local === 'any')
      return { kind: element.local, element, schema, ...occurrence };
    if (++this.#depth > DEEPEST)
      throw new ImportError(`groups are more than ${DEEPEST} levels deep`, placeIn(element, schema));
    const found =
      element.local === 'group'
        ? this.#referred(element, schema, within)
        : this.#normal(this.#compositor(element, schema, within));
    this.#depth--;
    return found === undefined ? undefined : repeated(found, { element, schema, ...occurrence });
  }

  /** A group as it is written, occurring once. */
  #compositor(element: XmlElement, schema: Schema, within: Component | undefined): Group {
    const items: Particle[] = [];
    let isEmptiable = false;
    for (const child of childrenOf(element)) {
      if (child.namespace !== XSD || !PARTICLES.has(child.local)) continue;
      const item = this.#read(child, schema, within);
      if (item !== undefined) items.push(item);
      else if (this.#occurrenceOf(child, schema).max > 0) isEmptiable = true;
    }
    if (element.local !== 'choice') return { kind: 'sequence', items, element, schema, min: 1, max: 1 };
    return { kind: 'choice', items, element, schema, min: isEmptiable ? 0 : 1, max: 1 };
  }

  #occurrenceOf(element: XmlElement, schema: Schema): Occurrence {
    const count = (local: string): number => {
      const text = attribute(element, local);
      if (text === undefined) return 1;
      if (local === 'maxOccurs' && text === 'unbounded') return Number.POSITIVE_INFINITY;
      if (/^\+?\d{1,15}$/.test(text)) return Number(text);
      this.#losses.add(`${local}="${text}" is not a number`, 'taken as 1', placeIn(element, schema));
      return 1;
    };
    const [min, max] = [count('minOccurs'), count('maxOccurs')];
    return { min: Math.min(min, max), max };
  }

  #referred(element: XmlElement, schema: Schema, within: Component | undefined): Particle | undefined {
    const name = this.#components.nameIn(element, 'ref', schema);
    if (name === undefined) return undefined;
    const isRedefined = within?.redefined !== undefined && qnameKey(within.name) === qnameKey(name);
    const component = isRedefined ? within.redefined : this.#components.find('group', name);
    if (component === undefined) {
      this.#losses.add(`the group "${name.local}" is not declared`, 'left out', placeIn(element, schema));
      return undefined;
    }
    if (this.#open.has(component)) {
      this.#losses.add(`the group "${name.local}" contains itself`, 'left out', placeIn(element, schema));
      return undefined;
    }
    return this.#global(component);
  }

  #global(component: Component): Particle | undefined {
    if (this.#groups.has(component)) return this.#groups.get(component);
    const { element, schema, name } = component;
    this.#open.add(component);
    const found = this.inside(element, schema, component);
    this.#open.delete(component);
    const isGroup = found?.kind === 'sequence' || found?.kind === 'choice';
    const group = isGroup && found.name === undefined ? { ...found, name: name.local } : found;
    this.#groups.set(component, group);
    return group;
  }

  /** A group without groups that could be dissolved in it, and itself dissolved where it has one item. */
  #normal(group: Group): Particle | undefined {
    const isChoice = group.kind === 'choice';
    const items = isChoice ? alternatives(group) : this.#sequence(group);
    const [only] = items;
    if (only === undefined) return undefined;
    if (items.length > MOST_ITEMS)
      throw new ImportError(`a group has more than ${MOST_ITEMS} items`, placeIn(group.element, group.schema));
    // A choice with a branch that may be empty may be empty itself.
    const min = isChoice && group.items.some(isOptional) ? 0 : group.min;
    if (items.length === 1) return repeated(only, { ...group, min });
    return { ...group, items, min };
  }

  /** Items of a sequence: those of a group that occurs once are items of their own. */
  #sequence({ items }: Group): Particle[] {
    const all = items.flatMap((item) => (isOnce(item) && item.kind === 'sequence' ? item.items : [item]));
    const found: Particle[] = [];
    const places = new Map<string, number>();
    for (const item of all) {
      const key = item.kind === 'element' ? elementKey(item) : undefined;
      const at = key === undefined ? undefined : places.get(key);
      if (at !== undefined && this.#join(found, at, item as Term)) continue;
      if (key !== undefined) places.set(key, found.length);
      found.push(item);
    }
    return found;
  }

  /** Joins an element with an earlier one of the same name, unless the elements between them distinguish the two. */
  #join(found: Particle[], at: number, item: Term): boolean {
    const before = found[at] as Term;
    const between = found.slice(at + 1);
    if (between.length > 0 && (before.min === before.max || !between.every(isOptional))) return false;
    found[at] = { ...before, min: before.min + item.min, max: before.max + item.max };
    if (between.length > 0) {
      const name = attribute(item.element, 'name') ?? attribute(item.element, 'ref');
      const what = `the element "${name}" occurs at several places of a sequence that can't be distinguished`;
      this.#losses.add(what, 'written together, as one list', placeIn(item.element, item.schema));
    }
    return true;
  }
}

const PARTICLES: ReadonlySet<string> = new Set(['element', 'any', 'group', 'all', 'choice', 'sequence']);
const GROUPS: ReadonlySet<string> = new Set(['group', 'all', 'choice', 'sequence']);

/** Elements with the same name in the same place are one. */
function elementKey({ element, schema }: Term): string {
  const ref = attribute(element, 'ref');
  if (ref === undefined) return `${attribute(element, 'form') ?? ''} ${schema.namespace} ${attribute(element, 'name')}`;
  const [prefix, local] = ref.includes(':') ? ref.split(':') : ['', ref];
  return `ref ${element.namespaceOf(prefix as string)} ${local}`;
}

/** Branches of a choice: those of a choice in it are its own. That one may be empty is stated by the choice. */
function alternatives({ items }: Group): Particle[] {
  const seen = new Set<string>();
  return items
    .flatMap((item) => (item.kind === 'choice' && item.max === 1 ? item.items : [item]))
    .map((item) => (item.min === 0 ? { ...item, min: 1 } : item))
    .filter((item) => {
      if (item.kind !== 'element' || item.max !== 1) return true;
      const key = elementKey(item);
      return !seen.has(key) && seen.add(key) !== undefined;
    });
}

/** Whether a particle occurs exactly once. */
export function isOnce({ min, max }: Occurrence): boolean {
  return min === 1 && max === 1;
}

/** Whether a particle may be absent. */
function isOptional(particle: Particle): boolean {
  return particle.min === 0 || (particle.kind === 'sequence' && particle.items.every(isOptional));
}

/** A particle inside a group that occurs several times, as one of them where that is the same. */
function repeated(particle: Particle, outer: Occurrence & Pick<Group, 'element' | 'schema'>): Particle {
  if (isOnce(outer)) return particle;
  // A group whose items may all be absent does not need to be absent.
  if (outer.max === 1 && particle.max === 1 && particle.kind === 'sequence' && isOptional(particle)) return particle;
  const { min, max } = particle;
  // From one number of repetitions to the next there must be no gap: n * max + 1 >= (n + 1) * min.
  const isGapless = outer.min === outer.max || product(outer.min, max) + 1 >= (outer.min + 1) * min;
  if (isGapless) return { ...particle, min: product(outer.min, min), max: product(outer.max, max) };
  return { kind: 'sequence', items: [particle], ...outer };
}

/** Without the NaN of zero times infinity. */
function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
