import { ImportError, type Losses } from '../place.ts';
import type { Sources } from '../source.ts';
import { type PartKind, takeValidPart } from './repair.ts';
import { type Node, pointerTokens, type Tree, type TreeMap, type TreeValue } from './tree.ts';
import { NAMED, type OpenApiVersion } from './validate.ts';

/** Members whose values are data, in which `$ref` means nothing. */
const DATA = new Set(['example', 'default', 'enum', 'const', 'value']);

/**
 * Visits each object that refers to another.
 *
 * @param base the `$id` of the schema around it, if one has one
 */
export function eachReference(
  root: Node,
  visit: (reference: Node, holder: Node, base: string | undefined) => void,
): void {
  const seen = new Set<unknown>();
  // Plain values are walked, and nodes made where there is a reference: contracts have millions of values.
  const walk = (value: TreeValue, areNames: boolean, around: string | undefined): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) {
      for (const item of value as readonly TreeValue[]) walk(item, false, around);
      return;
    }
    const map = value as TreeMap;
    const base = areNames ? around : baseWithin(map, around);
    for (const key in map) {
      const member = map[key] as TreeValue;
      if (!areNames && (key === '$ref' || key === '$dynamicRef') && typeof member === 'string') {
        const holder = root.tree.nodeOf(map);
        visit(holder.get(key) as Node, holder, base);
      }
      const isData = !areNames && (DATA.has(key) || (key === 'examples' && Array.isArray(member)));
      if (!isData) walk(member, !areNames && NAMED.has(key), base);
    }
  };
  walk(root.value, false, undefined);
}

function baseWithin(map: TreeMap, around: string | undefined): string | undefined {
  const id = map.$id ?? map.$self;
  return typeof id === 'string' ? joined(id, around) : around;
}

/** A reference in the scope of a base that is an address. */
export function joined(to: string, base: string | undefined): string {
  return base !== undefined && URL.canParse(to, base) ? new URL(to, base).href : to;
}

/** The addresses by which parts of a source name themselves (`$id`, `$self`). */
export function ownAddresses(root: Node): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  if (!/\$(?:id|self)\b/.test(root.tree.text)) return found;
  const seen = new Set<unknown>();
  const walk = (node: Node, around: string | undefined): void => {
    if (typeof node.value !== 'object' || node.value === null || seen.has(node.value)) return;
    seen.add(node.value);
    const base = node.map === undefined ? around : baseWithin(node.map, around);
    if (base !== undefined && base !== around) found.set(base.replace(/#$/, ''), node);
    for (const [, member] of node.entries()) walk(member, base);
    for (const item of node.items()) walk(item, base);
  };
  walk(root, undefined);
  return found;
}

/** References that may lead to one another, by themselves or in the pointer of one. */
const MOST_HOPS = 100;

/** Refuses references that lead to one another without end. @param hops how many were followed @throws ImportError */
export function checkHops(hops: number, reference: Node): void {
  if (hops > MOST_HOPS) throw new ImportError(`more than ${MOST_HOPS} references lead to one another`, reference.place);
}

/** What was removed of a source, by the tokens of its pointer with `/` between. */
interface LeftOut {
  readonly location: string;
  readonly pointers: ReadonlySet<string>;
}

/** What references of a contract lead to. */
export class References {
  readonly #sources: Sources<Tree>;
  readonly #losses: Losses;
  /** By source and text. */
  readonly #known = new Map<string, Node | undefined>();
  readonly #addresses = new Map<string, Node>();
  readonly #bases = new Map<unknown, string>();
  readonly #anchors = new Map<unknown, ReadonlyMap<string, Node>>();
  readonly #valid = new Set<unknown>();
  /** What stands for what is not there, by the text of the reference. */
  readonly #nothing = new Map<string, Node>();
  readonly #version: OpenApiVersion;
  readonly #leftOut: LeftOut;
  #depth = 0;

  /** @param leftOut what was removed of a source because it is not valid */
  constructor(sources: Sources<Tree>, version: OpenApiVersion, losses: Losses, leftOut: LeftOut) {
    this.#leftOut = leftOut;
    this.#sources = sources;
    this.#version = version;
    this.#losses = losses;
    for (const [, tree] of sources.entries()) {
      for (const [address, node] of ownAddresses(tree.root)) this.#addresses.set(address, node);
      if (this.#addresses.size > 0)
        eachReference(tree.root, (_, holder, base) => base === undefined || this.#bases.set(holder.value, base));
    }
  }

  /** Records all references of a contract that lead nowhere. */
  check(root: Node): void {
    eachReference(root, (reference, holder) => {
      if (this.#find(reference, holder) === undefined) this.#tellNowhere(reference, holder);
    });
  }

  /** Records a reference that leads nowhere. That a source is missing was recorded when it was not found. */
  #tellNowhere(reference: Node, holder: Node): void {
    const text = reference.text as string;
    if (this.#rootOf(text, reference.tree.location, this.#bases.get(holder.value)) === undefined) return;
    if (this.#wasLeftOut(text, reference)) {
      this.#losses.add(`what "${text}" refers to was left out`, 'what it declares is unknown', reference.place);
      return;
    }
    const hint = 'Add what it refers to, or correct the reference.';
    this.#losses.invalid(`the reference "${text}" leads nowhere`, 'what it declares is unknown', reference.place, hint);
  }

  #wasLeftOut(text: string, { tree }: Node): boolean {
    const { location, pointers } = this.#leftOut;
    if (tree.location !== location || !text.startsWith('#/')) return false;
    const tokens = pointerTokens(decoded(text.slice(1)));
    return tokens.some((_, index) => pointers.has(tokens.slice(0, index + 1).join('/')));
  }

  /**
   * What an object refers to, after all references in between; the object itself if it is not a reference.
   */
  follow(node: Node, kind?: PartKind): Node {
    let found = node;
    const seen = new Set<unknown>();
    for (let next = referenceOf(found); next !== undefined; next = referenceOf(found)) {
      if (seen.has(found.value)) {
        this.#losses.add(`the reference "${next.text}" leads to itself`, 'what it declares is unknown', next.place);
        return found;
      }
      seen.add(found.value);
      checkHops(seen.size, next);
      found = this.target(next, found);
    }
    if (kind !== undefined && found.tree !== node.tree) this.#validate(found, kind);
    return found;
  }

  /** Files that are referred to are not valid as a whole in many contracts: only what is used of them is checked. */
  #validate(node: Node, kind: PartKind): void {
    if (this.#valid.has(node.value)) return;
    this.#valid.add(node.value);
    takeValidPart(node, kind, this.#version, this.#losses);
  }

  /** What one reference leads to: an empty map if that is nothing, which is recorded. */
  target(reference: Node, holder: Node): Node {
    const found = this.#find(reference, holder);
    if (found !== undefined) return found;
    this.#tellNowhere(reference, holder);
    const nothing = this.#nothing.get(reference.text as string) ?? reference.standIn({});
    this.#nothing.set(reference.text as string, nothing);
    return nothing;
  }

  /** What a text refers to, as the values of a discriminator do. */
  at(text: string, from: Node): Node | undefined {
    return this.#resolve(text, from.tree.location, undefined);
  }

  #find(reference: Node, holder: Node): Node | undefined {
    const text = reference.text as string;
    const base = this.#bases.get(holder.value);
    const key = `${reference.tree.location} ${base ?? ''} ${text}`;
    if (!this.#known.has(key)) {
      // A pointer that leads through itself leads nowhere.
      this.#known.set(key, undefined);
      checkHops(++this.#depth, reference);
      this.#known.set(key, this.#resolve(text, reference.tree.location, base));
      this.#depth--;
    }
    return this.#known.get(key);
  }

  #resolve(text: string, location: string, base: string | undefined): Node | undefined {
    const [, fragment = ''] = text.split(/#(.*)/s);
    const root = this.#rootOf(text, location, base);
    if (root === undefined || fragment === '') return root;
    const pointer = decoded(fragment);
    if (!pointer.startsWith('/')) return this.#anchorsOf(root).get(pointer);
    return this.#walk(root, pointerTokens(pointer)) ?? root.at(pointerTokens(fragment));
  }

  /** What the fragment of a reference is looked up in: a part that names itself, or a source; `undefined` if that is missing. */
  #rootOf(text: string, location: string, base: string | undefined): Node | undefined {
    const [to = ''] = text.split('#');
    if (to === '')
      return (base === undefined ? undefined : this.#addresses.get(base)) ?? this.#sources.at(location)?.root;
    const address = joined(to, base).replace(/#.*$/s, '');
    return this.#addresses.get(address) ?? this.#sources.referred(location, to)?.content.root;
  }

  #anchorsOf(root: Node): ReadonlyMap<string, Node> {
    const found = this.#anchors.get(root.value) ?? anchorsIn(root);
    this.#anchors.set(root.value, found);
    return found;
  }

  /** What a pointer leads to. It may lead through references, as many contracts have it. */
  #walk(root: Node, tokens: readonly string[]): Node | undefined {
    let node: Node = root;
    for (const token of tokens) {
      let next = node.at([token]);
      for (let hops = 0; next === undefined && hops < MOST_HOPS; hops++) {
        const reference = referenceOf(node);
        const target = reference === undefined ? undefined : this.#find(reference, node);
        if (target === undefined) return undefined;
        node = target;
        next = node.at([token]);
      }
      if (next === undefined) return undefined;
      node = next;
    }
    return node;
  }
}

/** The reference of an object, if it is one. A dynamic one leads where its text says: what may be elsewhere, no contract shows. */
export function referenceOf(node: Node): Node | undefined {
  const reference = node.get('$ref') ?? node.get('$dynamicRef');
  return reference?.text === undefined ? undefined : reference;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The schemas with anchors in a part of a source. */
function anchorsIn(root: Node): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  const seen = new Set<unknown>();
  const search = (node: Node): void => {
    if (typeof node.value !== 'object' || node.value === null || seen.has(node.value)) return;
    seen.add(node.value);
    for (const key of ['$anchor', '$dynamicAnchor']) {
      const name = node.get(key)?.text;
      if (name !== undefined && !found.has(name)) found.set(name, node);
    }
    for (const [, member] of node.entries()) search(member);
    for (const item of node.items()) search(item);
  };
  search(root);
  return found;
}
