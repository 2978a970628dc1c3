// Whether the elements of a content tell, in their order, which particle they belong to: the rules Unique Particle Attribution
// and Element Declarations Consistent of XML Schema (1.0 Part 1, section 3.8.6), decided by the sets of positions that may follow
// each other (Glushkov). Documents that are linked and those of a contract that is being imported are asked by one port.
import { overlap, takesNamespace } from './wildcard.ts';

/** What the rules ask about a field with elements in a content. */
export interface Particle<P> {
  /** The local name of its element. */
  readonly name: string;
  /** The namespace of its element; of its document for elements of any name. */
  readonly namespace: string;
  /** The namespaces of elements of any name; `undefined` for an element of its own. */
  readonly any: string | undefined;
  readonly required: boolean;
  /** How often the element occurs in succession; `undefined` if it is not repeated. Infinite without a bound. */
  readonly repeated: { readonly minimum: number; readonly maximum: number } | undefined;
  /** What the content of its element is, compared by identity. */
  readonly type: unknown;
  /** The list or map inside its element that `type` is an entry of, in a word. */
  readonly collection: string;
  /** The content of a document that it has without an element of its own. */
  readonly inline: Content<P> | undefined;
}

/** The elements of a document, in their order. */
export interface Content<P> {
  /** The document: one that is inline in itself is found by it. */
  readonly of: object;
  /** One particle of a choice is there. */
  readonly isChoice: boolean;
  particles(): readonly P[];
}

/** A particle with an element of its own, or of any name, wherever it is in a content. */
export interface Position<P> {
  readonly particle: P;
  /** The particles whose inline documents it is in, from the outermost on, and itself. */
  readonly path: readonly P[];
}

/** The positions that may come next to each other. */
export interface ContentModel<P> {
  /** The positions that a content may begin with, and those that may follow each other. */
  readonly next: readonly (readonly Position<P>[])[];
  readonly positions: readonly Position<P>[];
}

/** What a part of the content begins and ends with. */
interface Part<P> {
  readonly first: readonly Position<P>[];
  readonly last: readonly Position<P>[];
  readonly mayBeEmpty: boolean;
}

type Follow<P> = Map<Position<P>, Set<Position<P>>>;

/** Whether the name of an element alone may not identify the particle of a content that it belongs to. */
export function needsOrder(
  particles: readonly (Pick<Particle<unknown>, 'name' | 'namespace' | 'any'> & { readonly inline: unknown })[],
): boolean {
  const names = new Set<string>();
  return particles.some(
    (particle) =>
      particle.any !== undefined ||
      particle.inline !== undefined ||
      names.size === names.add(elementName(particle)).size,
  );
}

export function contentModel<P extends Particle<P>>(content: Content<P>): ContentModel<P> {
  const follow: Follow<P> = new Map();
  const { first } = partOf(content, [], new Set(), follow);
  return { next: [first, ...[...follow.values()].map((each) => [...each])], positions: [...follow.keys()] };
}

/** Pairs of positions that may come next and take the same element. If either takes elements of any name, the first does. */
export function* clashesIn<P extends Particle<P>>({ next }: ContentModel<P>): Generator<[Position<P>, Position<P>]> {
  for (const positions of next) {
    const byName = new Map<string, Position<P>>();
    const wild = positions.filter(({ particle }) => particle.any !== undefined);
    for (const each of positions) {
      for (const other of wild) if (other !== each && bothTake(other.particle, each.particle)) yield [other, each];
      if (each.particle.any !== undefined) continue;
      const name = elementName(each.particle);
      const other = byName.get(name);
      if (other === undefined) byName.set(name, each);
      else if (other !== each) yield [other, each];
    }
  }
}

/** Pairs of positions whose elements have one name and different types; the first has that type first. */
export function* unlikeIn<P extends Particle<P>>({
  positions,
}: ContentModel<P>): Generator<[Position<P>, Position<P>]> {
  const byName = new Map<string, Position<P>>();
  for (const each of positions) {
    const { any, type, collection } = each.particle;
    if (any !== undefined) continue;
    const name = elementName(each.particle);
    const other = byName.get(name);
    if (other === undefined) byName.set(name, each);
    else if (other.particle.type !== type || other.particle.collection !== collection) yield [other, each];
  }
}

function elementName({ namespace, name }: Pick<Particle<unknown>, 'namespace' | 'name'>): string {
  return `${namespace} ${name}`;
}

/** @param wild takes elements of any name */
function bothTake(wild: Particle<unknown>, other: Particle<unknown>): boolean {
  const one = { any: wild.any as string, target: wild.namespace };
  return other.any === undefined
    ? takesNamespace(one.any, other.namespace, one.target)
    : overlap(one, { any: other.any, target: other.namespace });
}

/**
 * @param around the documents whose content this one is inline in
 * @param follow what may follow each position, which is added to
 */
function partOf<P extends Particle<P>>(
  content: Content<P>,
  path: readonly P[],
  around: ReadonlySet<object>,
  follow: Follow<P>,
): Part<P> {
  const nothing: Part<P> = { first: [], last: [], mayBeEmpty: true };
  // It never ends, which is reported elsewhere.
  if (around.has(content.of)) return nothing;
  const inside = new Set(around).add(content.of);
  const parts = content
    .particles()
    .map((each) => particlePart(each, [...path, each], content.isChoice, inside, follow));
  if (content.isChoice) {
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      mayBeEmpty: parts.some(({ mayBeEmpty }) => mayBeEmpty),
    };
  }
  return parts.reduce((before, next) => {
    connect(before.last, next.first, follow);
    return {
      first: before.mayBeEmpty ? [...before.first, ...next.first] : before.first,
      last: next.mayBeEmpty ? [...before.last, ...next.last] : next.last,
      mayBeEmpty: before.mayBeEmpty && next.mayBeEmpty,
    };
  }, nothing);
}

function particlePart<P extends Particle<P>>(
  particle: P,
  path: readonly P[],
  isBranch: boolean,
  around: ReadonlySet<object>,
  follow: Follow<P>,
): Part<P> {
  const { inline, repeated, required } = particle;
  const part = inline === undefined ? position(particle, path, follow) : partOf(inline, path, around, follow);
  if (repeated !== undefined && repeated.maximum > 1) connect(part.last, part.first, follow);
  const isOptional = (!isBranch && !required) || repeated?.minimum === 0;
  return { ...part, mayBeEmpty: part.mayBeEmpty || isOptional };
}

function position<P>(particle: P, path: readonly P[], follow: Follow<P>): Part<P> {
  const found: Position<P> = { particle, path };
  follow.set(found, new Set());
  return { first: [found], last: [found], mayBeEmpty: false };
}

function connect<P>(from: readonly Position<P>[], to: readonly Position<P>[], follow: Follow<P>): void {
  for (const each of from) for (const next of to) follow.get(each)?.add(next);
}
