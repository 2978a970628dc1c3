import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import { resolveLocation, type Sources } from '../source.ts';
import { attribute, childrenNamed, placeOf, proseOf } from '../xml.ts';
import { type Inclusion, inclusionIn } from './inclusion.ts';

/** All elements below one, without what is inside documentation. */
export function elementsOf(element: XmlElement): XmlElement[] {
  return childrenOf(element).flatMap((each) => (each.local === 'doc' ? [] : [each, ...elementsOf(each)]));
}

/** An element of a WADL with the file that it is in. */
export interface Node {
  readonly element: XmlElement;
  readonly location: string;
  /** Whether a reference or an inclusion led to it, or to something around it: as often as there are of these. */
  readonly isFollowed?: true;
}

export function placeIn({ element, location }: Node): Place {
  return placeOf(element, location);
}

/** Most inclusions that lead to one another. */
const DEEPEST_INCLUSION = 20;

/** Most elements that references and inclusions lead to, with those inside, each as often as it is reached. */
const MOST_FOLLOWED = 200_000;

/** Children with a name, after references to others are followed. */
export class WadlTree {
  readonly #sources: Sources<XmlElement>;
  readonly #losses: Losses;
  readonly #byId = new Map<string, XmlElement>();
  /** The inclusions that are followed now, which lead to one another. */
  readonly #including = new Set<XmlElement>();
  #followed = 0;

  constructor(sources: Sources<XmlElement>, losses: Losses) {
    this.#sources = sources;
    this.#losses = losses;
    for (const [location, root] of sources.entries()) {
      for (const each of elementsOf(root)) {
        const id = attribute(each, 'id');
        if (id !== undefined && !this.#byId.has(`${location}#${id}`)) this.#byId.set(`${location}#${id}`, each);
      }
    }
  }

  /** Children with a name. One with `href` is replaced by what it refers to, and `xi:include` by what it includes. */
  children(parent: Node, ...locals: readonly string[]): Node[] {
    const { namespace } = parent.element;
    return this.contentOf(parent).flatMap((each) => {
      if (each.element.namespace !== namespace || !locals.includes(each.element.local)) return [];
      const href = attribute(each.element, 'href');
      return href === undefined ? [each] : (this.referred(href, each) ?? []);
    });
  }

  /** The elements inside one, with those that it includes. @throws ImportError if inclusions and references lead to too many */
  contentOf(parent: Node): Node[] {
    return childrenOf(parent.element).flatMap((element) => {
      const each = { ...parent, element };
      if (parent.isFollowed) this.#count(each);
      const inclusion = inclusionIn(element);
      return inclusion === undefined ? [each] : this.#included(each, inclusion);
    });
  }

  /** What `xi:include` includes, which may be a further one; its `xi:fallback` if that is missing (XInclude, section 3.2). */
  #included(from: Node, inclusion: Inclusion): Node[] {
    const { element } = from;
    this.#count(from);
    const isCircle = this.#including.has(element);
    if (isCircle || this.#including.size > DEEPEST_INCLUSION) {
      const what = isCircle ? 'includes itself' : 'leads to too many further inclusions';
      this.#losses.add(`"${inclusion.href}" ${what}`, 'left out', placeIn(from));
      return [];
    }
    this.#including.add(element);
    try {
      return this.#inclusion(from, inclusion);
    } finally {
      this.#including.delete(element);
    }
  }

  #inclusion(from: Node, { href, id }: Inclusion): Node[] {
    const { element, location } = from;
    const target = href === '' ? location : resolveLocation(href, location);
    const root = this.#sources.at(target);
    if (root === undefined)
      return childrenOf(element).flatMap((each) =>
        each.local === 'fallback' ? this.contentOf({ ...from, element: each }) : [],
      );
    const found = id === '' ? root : this.#byId.get(`${target}#${id}`);
    const isText = attribute(element, 'parse') === 'text';
    if (found === undefined)
      this.#losses.add(`the part "${id}" of "${href}" does not exist`, 'left out', placeIn(from));
    if (found === undefined || isText) return [];
    const further = inclusionIn(found);
    const node: Node = { element: found, location: target, isFollowed: true };
    return further === undefined ? [node] : this.#included(node, further);
  }

  #count(node: Node): void {
    if (++this.#followed > MOST_FOLLOWED)
      throw new ImportError(`references and inclusions lead to more than ${MOST_FOLLOWED} elements`, placeIn(node));
  }

  /** What a reference `file.wadl#id` leads to; `undefined` when it does not exist, which is recorded. @throws ImportError as {@link contentOf} */
  referred(href: string, from: Node): Node | undefined {
    const [, file = '', id = ''] = /^([^#]*)#?(.*)$/s.exec(href) ?? [];
    const location = file === '' ? from.location : resolveLocation(file, from.location);
    const found = this.#byId.get(`${location}#${id}`);
    if (found !== undefined) {
      this.#count(from);
      return { element: found, location, isFollowed: true };
    }
    // A missing file was recorded when it was read.
    if (this.#sources.at(location) !== undefined)
      this.#losses.add(`the reference "${href}" leads nowhere`, 'left out', placeIn(from));
    return undefined;
  }
}

/** The documentation of an element: its title, or the text. */
export function documentationOf({ element }: Node): string | undefined {
  const docs = childrenNamed(element, element.namespace, 'doc');
  const english = docs.filter((each) => /^en/i.test(attribute(each, 'lang') ?? 'en'));
  return proseOf((english.length > 0 ? english : docs).map(wordsOf).filter((each) => each.trim() !== ''));
}

/** Longest description that is taken over, in characters: some documents are whole manuals. */
const LONGEST = 1000;

function wordsOf(doc: XmlElement): string {
  const title = attribute(doc, 'title');
  const text = proseIn(doc).trim();
  if (title !== undefined && title !== '') return text.length > LONGEST || text === '' ? title : `${title}\n\n${text}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/\s+\S*$/, '')}…` : text;
}

/** Elements that are examples rather than prose. */
const EXAMPLES: ReadonlySet<string> = new Set([
  'programlisting',
  'code',
  'screen',
  'example',
  'table',
  'informaltable',
  'pre',
]);

function proseIn(element: XmlElement): string {
  if (childrenOf(element).length === 0) return textOf(element);
  return element.content
    .map((each) => (typeof each === 'string' ? each : EXAMPLES.has(each.local) ? '' : proseIn(each)))
    .join(' ');
}
