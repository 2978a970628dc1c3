import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { Losses, Place } from '../place.ts';
import { resolveLocation, type Sources } from '../source.ts';
import { attribute, childrenNamed, placeOf, proseOf } from '../xml.ts';

/** All elements below one, without what is inside documentation. */
export function elementsOf(element: XmlElement): XmlElement[] {
  return childrenOf(element).flatMap((each) => (each.local === 'doc' ? [] : [each, ...elementsOf(each)]));
}

/** An element of a WADL with the file that it is in. */
export interface Node {
  readonly element: XmlElement;
  readonly location: string;
}

export function placeIn({ element, location }: Node): Place {
  return placeOf(element, location);
}

/** Children with a name, after references to others are followed. */
export class WadlTree {
  readonly #sources: Sources<XmlElement>;
  readonly #losses: Losses;
  readonly #byId = new Map<string, XmlElement>();

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

  /** Children with a name. One with `href` is replaced by what it refers to. */
  children({ element, location }: Node, ...locals: readonly string[]): Node[] {
    return childrenNamed(element, element.namespace, ...locals).flatMap((each) => {
      const href = attribute(each, 'href');
      return href === undefined
        ? [{ element: each, location }]
        : (this.referred(href, { element: each, location }) ?? []);
    });
  }

  /** What a reference `file.wadl#id` leads to; `undefined` when it does not exist, which is recorded. */
  referred(href: string, from: Node): Node | undefined {
    const [, file = '', id = ''] = /^([^#]*)#?(.*)$/s.exec(href) ?? [];
    const location = file === '' ? from.location : resolveLocation(file, from.location);
    const found = this.#byId.get(`${location}#${id}`);
    if (found !== undefined) return { element: found, location };
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
