import { foldedName } from '../../model/document.ts';
import { isXmlName } from '../../wire/xml/text.ts';

/** Names that are given out: each is distinct from all others by more than letter case and punctuation. */
export class Names {
  readonly #taken: Set<string>;
  /** The number to try next, by the wanted name: contracts have thousands of names that collide. */
  readonly #next = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(foldedName));
  }

  /** The name, or the first of `name_2`, `name_3` and so on that is not taken. */
  give(wanted: string): string {
    const folded = foldedName(wanted);
    let name = wanted;
    let next = this.#next.get(folded) ?? 2;
    for (; this.#taken.has(foldedName(name)); next++) name = `${wanted}_${next}`;
    this.#taken.add(foldedName(name));
    if (name !== wanted) this.#next.set(folded, next);
    return name;
  }

  has(name: string): boolean {
    return this.#taken.has(foldedName(name));
  }
}

/** A name of letters, digits and underscores that begins with a letter, as services and operations have. */
export function plainName(text: string, otherwise: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=[0-9])/, `${otherwise}_`);
  return name === '' ? otherwise : name;
}

/** The name as an XML name: other characters become underscores. */
export function xmlNameOf(text: string): string {
  if (isXmlName(text)) return text;
  const name = text.replace(/[^\p{L}\p{N}_.-]+/gu, '_').replace(/^(?=[\p{N}.-])/u, '_');
  return isXmlName(name) ? name : `_${name.replace(/[^A-Za-z0-9_.-]+/g, '_')}`;
}

/** A name that begins with a capital, as types have: `priceBand` becomes `PriceBand`, `price_band` becomes `Price_band`. */
export function capitalised(name: string): string {
  return name.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

/** A name in capitals, as nodes, permission lists and settings have: `PartnerService` becomes `PARTNER_SERVICE`. */
export function capitalName(text: string): string {
  return plainName(text, 'PARTNER')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/_+/g, '_')
    .toUpperCase();
}

/** An operation, by its name in the source and the name of the element around its messages, if it has one. */
interface NamedOperation {
  readonly name: string;
  readonly element?: string | undefined;
}

/**
 * Ids of the operations of a service that is served here. The element of a request names its operation as well, so that no other
 * operation has that name, by more than letter case; its own has it, if it differs by letter case alone.
 */
export function servedIds(operations: readonly NamedOperation[]): readonly string[] {
  const names = new Names(operations.flatMap(({ element }) => element ?? []));
  const given = new Set<string>();
  return operations.map(({ name, element }) => {
    const wanted = plainName(name, 'Operation');
    const own = element !== undefined && wanted.toLowerCase() === element.toLowerCase() ? element : undefined;
    const id = own !== undefined && !given.has(own) ? own : names.give(wanted);
    given.add(id);
    return id;
  });
}
