import { ImportError } from '../place.ts';
import { attribute, qnameKey } from '../xml.ts';
import { type Component, type Components, placeIn } from './components.ts';

/** Most elements that may stand for one: each is a branch of a choice. */
const MOST_MEMBERS = 2000;

/** Which elements may stand for others: substitution groups (XML Schema 1.0 Part 1, section 3.3.2.2). */
export class Substitutions {
  /** Elements that name a head, by the key of its name. */
  readonly #members = new Map<string, Component[]>();

  constructor(components: Components) {
    for (const component of components.all()) {
      if (component.kind !== 'element') continue;
      const head = components.nameIn(component.element, 'substitutionGroup', component.schema);
      if (head === undefined) continue;
      const members = this.#members.get(qnameKey(head));
      if (members === undefined) this.#members.set(qnameKey(head), [component]);
      else members.push(component);
    }
  }

  /**
   * The elements that may be where an element is expected, without those that are abstract.
   * @returns `undefined` when only the element itself may be there
   */
  of(head: Component): readonly Component[] | undefined {
    const all = this.#closure(head);
    if (all.length === 1 && !isAbstract(head)) return undefined;
    return all.filter((each) => !isAbstract(each));
  }

  #closure(head: Component): readonly Component[] {
    const found = new Set([head]);
    for (const each of found) {
      if (found.size > MOST_MEMBERS)
        throw new ImportError(
          `more than ${MOST_MEMBERS} elements may stand for one`,
          placeIn(head.element, head.schema),
        );
      if (blocksSubstitution(each)) continue;
      for (const member of this.#members.get(qnameKey(each.name)) ?? []) found.add(member);
    }
    return [...found];
  }
}

export function isAbstract({ element }: Pick<Component, 'element'>): boolean {
  return /^(?:true|1)$/.test(attribute(element, 'abstract') ?? '');
}

function blocksSubstitution({ element, schema }: Component): boolean {
  const words = attribute(element, 'block') ?? attribute(schema.root, 'blockDefault') ?? '';
  return /(?:^|\s)(?:substitution|#all)(?:\s|$)/.test(words);
}
