import type { DraftDocument } from '../draft.ts';
import type { Losses } from '../place.ts';
import { xmlNameOf } from './names.ts';

/** The member that names a document in JSON, unless `by:` sets another. */
const BY = 'type';

/** The documents that derive from one that derives from none, with that one. */
interface Family {
  readonly top: DraftDocument;
  readonly members: DraftDocument[];
}

/** The keys of a document that depend on what derives from it, and what it derives from. */
interface FamilyKeys {
  readonly abstract: true | undefined;
  readonly by: string | undefined;
  /** `false` where its base is, and it is not. */
  readonly unqualified: boolean | undefined;
  /** Whether it has a `namespace:` of its own, although it may be that of the services: others take it over otherwise. */
  readonly isInNamespace: boolean;
}

/** Which documents derive from each other, among all that are declared with an id. */
export class Families {
  readonly #families = new Map<DraftDocument, Family>();
  readonly #bases = new Set<DraftDocument>();

  constructor(documents: Iterable<DraftDocument>) {
    const byTop = new Map<DraftDocument, Family>();
    for (const document of documents) {
      const base = baseOf(document);
      if (base !== undefined) this.#bases.add(base);
      const top = topOf(document);
      const family = byTop.get(top) ?? { top, members: [] };
      byTop.set(top, family);
      family.members.push(document);
      this.#families.set(document, family);
    }
  }

  keysOf(document: DraftDocument, losses: Losses): FamilyKeys {
    const { abstract, by, unqualified } = document.options;
    const { top, members } = this.#families.get(document) as Family;
    const isBase = this.#bases.has(document);
    if (abstract && !isBase)
      losses.add(`\`abstract\` of ${document.name}`, 'declared without it: nothing derives from it', document.place);
    const ofBase = baseOf(document)?.options.unqualified === true;
    return {
      abstract: abstract && isBase ? true : undefined,
      by: document.choice ? by : isBase && top === document ? memberOf(by ?? BY, members) : undefined,
      unqualified: ofBase === (unqualified === true) ? unqualified || undefined : !ofBase,
      isInNamespace: new Set(members.map(({ options }) => options.namespace)).size > 1,
    };
  }
}

export function baseOf(document: DraftDocument): DraftDocument | undefined {
  return document.extends ?? document.restricts;
}

function topOf(document: DraftDocument): DraftDocument {
  const seen = new Set([document]);
  let top = document;
  for (let base = baseOf(top); base !== undefined && !seen.has(base); base = baseOf(top)) {
    seen.add(base);
    top = base;
  }
  return top;
}

/** A member of JSON that no document of a family has; `undefined` for the usual one. */
function memberOf(wanted: string, members: readonly DraftDocument[]): string | undefined {
  const taken = new Set(
    members.flatMap(({ fields }) => fields.flatMap(({ name, options }) => [xmlNameOf(name), options.json ?? name])),
  );
  const found = [wanted, 'kind', 'xsi-type'].find((each) => !taken.has(each));
  let name = found ?? wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
  return name === BY ? undefined : name;
}
