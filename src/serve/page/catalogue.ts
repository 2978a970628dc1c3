import { createHash } from 'node:crypto';
import { activeOperations, rootsOf } from '../../describe/scope.ts';
import { documentName } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Operation } from '../../model/service.ts';
import { quote } from '../../wire/words.ts';
import {
  type Listed,
  LONGEST_SEARCH,
  OPERATIONS_PER_PAGE,
  type PageParts,
  type Part,
  renderList,
  renderServicePage,
  renderWhole,
} from './html.ts';

export { CONTENT_POLICY } from './html.ts';

interface CataloguePage {
  readonly html: string;
  readonly etag: string;
}

/** The pages of the catalogue. */
export interface Catalogue {
  /**
   * The page of a query string: `page=2` of all services, `q=words` for those that a search finds, `service=Locations.v1` for
   * one of them. Other parameters are ignored, and so are numbers of pages that do not exist.
   * @throws Fault NOT_FOUND for an unknown service
   */
  find(query: string | undefined): CataloguePage;
}

/** A gateway with at most this many operations, and bytes on the page, has all of them on one page. */
const MOST_ON_ONE = 60;
const LARGEST = 100_000;

const SERVICES_PER_PAGE = 50;

/** Pages that are kept. Those of searches never are: callers could ask for any number of them. */
const MOST_KEPT = 50;

/** The registry does not change, so neither does a page. */
export function createCatalogue(parts: PageParts): Catalogue {
  const active = [...parts.registry.services.values()]
    .map((service): Listed => ({ service, operations: activeOperations({ service }) }))
    .filter(({ operations }) => operations.length > 0);
  const byId = new Map(active.map((listed) => [listed.service.id, listed]));
  const whole = wholePage(parts, active);
  const search = createSearch(active);
  const kept = new Map<string, CataloguePage>();

  /** @param key the address in its shortest form, of which there are as many as pages */
  const keep = (key: string, render: () => string): CataloguePage => {
    const page = kept.get(key) ?? pageOf(render());
    kept.delete(key);
    kept.set(key, page);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    return page;
  };
  const one = (id: string, page: string | null): CataloguePage => {
    const listed = byId.get(id);
    if (listed === undefined)
      throw Fault.of('NOT_FOUND', { what: `service ${quote(id)}; the services are listed at /` });
    const part = partOf(listed.operations, OPERATIONS_PER_PAGE, page);
    return keep(`${part.page} ${id}`, () => renderServicePage(parts, listed.service, part));
  };
  const all = (page: string | null): CataloguePage => {
    if (whole !== undefined) return keep('', () => whole);
    const part = partOf(active, SERVICES_PER_PAGE, page);
    const items = part.items.map((listed) => ({ ...listed, hits: [] }));
    return keep(String(part.page), () => renderList(parts, active, '', { ...part, items }));
  };

  return {
    find(query) {
      const parameters = new URLSearchParams(query);
      const page = parameters.get('page');
      const id = parameters.get('service');
      if (id !== null) return one(id, page);
      const text = (parameters.get('q') ?? '').slice(0, LONGEST_SEARCH).toWellFormed().trim();
      const words = wordsOf(text);
      if (words.length === 0) return all(page);
      const part = partOf(search.find(words), SERVICES_PER_PAGE, page);
      const items = part.items.map((found) => ({ ...found, hits: search.hits(found, words) }));
      return pageOf(renderList(parts, active, text, { ...part, items }));
    },
  };
}

function pageOf(html: string): CataloguePage {
  return { html, etag: `"${createHash('sha256').update(html).digest('base64url')}"` };
}

/** All services with their commands on one page; `undefined` if they are too many for it. */
function wholePage(parts: PageParts, active: readonly Listed[]): string | undefined {
  const operations = active.reduce((sum, listed) => sum + listed.operations.length, 0);
  if (operations > MOST_ON_ONE) return undefined;
  const html = renderWhole(parts, active);
  return Buffer.byteLength(html) <= LARGEST ? html : undefined;
}

/** @param given the number of the page as the caller wrote it; the first page if it is not a number, the last if it is too large */
function partOf<T>(all: readonly T[], size: number, given: string | null): Part<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = /^[1-9][0-9]*$/.test(given ?? '') ? Math.min(Number(given), pages) : 1;
  const from = (page - 1) * size;
  return { items: all.slice(from, from + size), from, total: all.length, page, pages };
}

/** Words of a search that are read: each costs a look at every operation. */
const MOST_WORDS = 8;

function wordsOf(text: string): readonly string[] {
  return [...new Set(plain(text).split(/\s+/))].filter((word) => word !== '').slice(0, MOST_WORDS);
}

/** Text in the form in which it is compared. */
function plain(text: string): string {
  return text.normalize().toLowerCase();
}

interface Search {
  /** The services that have each word somewhere, first those that have all words in their names. */
  find(words: readonly string[]): readonly Listed[];
  /** The operations of a service that was found by which it was found; none if the service itself has all words. */
  hits(found: Listed, words: readonly string[]): readonly Operation[];
}

interface Indexed {
  readonly name: string;
  /** Name and description. */
  readonly head: string;
  /** What is searched of each operation. */
  readonly texts: readonly string[];
}

/** The index is built at the first search. */
function createSearch(active: readonly Listed[]): Search {
  let index: ReadonlyMap<Listed, Indexed> | undefined;
  const indexed = (): ReadonlyMap<Listed, Indexed> => {
    index ??= new Map(active.map((listed) => [listed, indexOf(listed)]));
    return index;
  };
  return {
    find(words) {
      const has =
        ({ head, texts }: Indexed) =>
        (word: string) =>
          head.includes(word) || texts.some((text) => text.includes(word));
      const found = [...indexed()].filter(([, each]) => words.every(has(each)));
      const isNamed = ([, { name }]: (typeof found)[number]): boolean => words.every((word) => name.includes(word));
      return [...found.filter(isNamed), ...found.filter((each) => !isNamed(each))].map(([listed]) => listed);
    },
    hits(found, words) {
      const { head, texts } = indexed().get(found)!;
      const others = words.filter((word) => !head.includes(word));
      return found.operations.filter((_, at) => others.some((word) => texts[at]!.includes(word)));
    },
  };
}

function indexOf({ service, operations }: Listed): Indexed {
  const name = plain(service.id);
  const head = `${name}\n${plain(service.description ?? '')}`;
  return { name, head, texts: operations.map((operation) => plain(textOf(operation))) };
}

function textOf(operation: Operation): string {
  const { name, description = '', pathName, service, uris, soap } = operation;
  const paths = uris.map(({ template }) => `${pathName}.${service.version}/${template.text}`);
  const documents = rootsOf(operation).map(documentName);
  return [name, description, ...paths, soap?.action ?? '', ...documents].join('\n');
}
