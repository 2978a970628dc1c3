import type { DraftDocument, DraftField } from '../draft.ts';
import type { Losses } from '../place.ts';

// Content of a type derived by restriction, in the fields of its base: groups that have no name of their own in a schema are
// fields, whose names come from what is in them, and a restriction has less in them (XML Schema 1.0 Part 1, section 3.9.6).

/**
 * Gives fields that restrict those of a base the names that they have there. A restriction whose content has another structure
 * than that of its base has the content of its base, which is recorded.
 * @param inherited the fields of the base, and of its bases
 */
export function alignWithBase(document: DraftDocument, inherited: readonly DraftField[], losses: Losses): void {
  const isContent = ({ options }: DraftField): boolean => options.attribute !== true;
  const base = inherited.filter(isContent);
  const own = document.fields.filter(isContent);
  const aligned = new Alignment(base).of(own);
  const known = new Set(base.map(({ name }) => name));
  const others = aligned.filter(({ name }) => !known.has(name));
  if (others.length === 0) {
    document.fields = [...aligned, ...document.fields.filter((field) => !isContent(field))];
    return;
  }
  const elements = new Set(base.flatMap(elementsOf));
  const isOpen = base.some(({ options }) => options.any !== undefined);
  if (!isOpen && !others.flatMap(elementsOf).every((name) => elements.has(name))) return;
  const what = `the restriction "${document.name}" of "${document.restricts?.name}", whose content has another structure`;
  losses.add(what, 'it has the content of its base', document.place);
  document.fields = base.map((field) => ({ ...field, options: { ...field.options } }));
}

/** Finds the fields of a base that those of a restriction restrict. */
class Alignment {
  readonly #base: readonly DraftField[];
  readonly #taken = new Set<DraftField>();

  constructor(base: readonly DraftField[]) {
    this.#base = base;
  }

  of(own: readonly DraftField[]): DraftField[] {
    const matches = own.map((field) => this.#same(field));
    const found: DraftField[] = [];
    const wrapped = new Map<DraftField, DraftDocument>();
    for (const [index, field] of own.entries()) {
      const match = matches[index];
      if (match !== undefined) found.push({ ...field, name: match.name });
      else if (isGroup(field)) found.push(this.#renamed(field));
      else {
        const group = this.#around(field);
        if (group === undefined) found.push(field);
        else this.#wrap(field, group, wrapped, found);
      }
    }
    return found;
  }

  /** The field for the same element, or the same wildcard. */
  #same(field: DraftField): DraftField | undefined {
    const match = this.#base.find(
      (each) =>
        !this.#taken.has(each) &&
        isGroup(each) === isGroup(field) &&
        (isGroup(field) ? each.name === field.name : wireName(each) === wireName(field)),
    );
    if (match !== undefined) this.#taken.add(match);
    return match;
  }

  /** A group under the name of that with its elements, and others, in the base. */
  #renamed(field: DraftField): DraftField {
    const own = elementsOf(field);
    const group = this.#base.find((each) => {
      if (!isGroup(each) || this.#taken.has(each) || each.type.kind !== field.type.kind) return false;
      const elements = elementsOf(each);
      return own.every((name) => elements.includes(name));
    });
    if (group === undefined) return field;
    this.#taken.add(group);
    return { ...field, name: group.name };
  }

  /** The group of the base, occurring once, in which an element is. */
  #around(field: DraftField): DraftField | undefined {
    return this.#base.find(
      (each) => isGroup(each) && each.type.kind === 'document' && elementsOf(each).includes(wireName(field)),
    );
  }

  /** Puts an element in a group of its own: one that the base has, and of which a restriction has left a single branch. */
  #wrap(field: DraftField, group: DraftField, wrapped: Map<DraftField, DraftDocument>, found: DraftField[]): void {
    const known = wrapped.get(group);
    if (known !== undefined) {
      known.fields.push(field);
      return;
    }
    if (this.#taken.has(group) || group.type.kind !== 'document') {
      found.push(field);
      return;
    }
    this.#taken.add(group);
    const { name, options } = group.type.document;
    const { named: _, ...others } = options;
    const document: DraftDocument = { name, place: field.place, named: false, options: others, fields: [field] };
    wrapped.set(group, document);
    const required = field.options.required === true ? { required: true } : {};
    found.push({
      name: group.name,
      place: field.place,
      type: { kind: 'document', document },
      options: { ...required, inline: true },
    });
  }
}

const isGroup = ({ options }: DraftField): boolean => options.inline === true;

const wireName = ({ name, options }: DraftField): string => (options.any === undefined ? (options.xml ?? name) : '*');

/** The names of the elements of a field: its own, or those in its group. */
function elementsOf(field: DraftField): string[] {
  const open = [field];
  const seen = new Set<DraftDocument>();
  const found: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const item = 'item' in next.type ? next.type.item : next.type;
    if (!isGroup(next) || item.kind !== 'document') found.push(wireName(next));
    else if (!seen.has(item.document)) {
      seen.add(item.document);
      open.push(...item.document.fields);
    }
  }
  return found;
}
