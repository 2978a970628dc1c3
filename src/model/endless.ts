/** A way in which a document may have a value. */
interface Way<D> {
  readonly owner: D;
  /** How many documents that a value contains are not known to have one of their own. */
  left: number;
}

/**
 * The documents that have a finite value, of which others contain themselves without end. It takes linear time, and no calls
 * inside calls: documents of a contract contain one another thousands of levels deep.
 */
export class FiniteDocuments<D> {
  readonly #known: ReadonlySet<D>;
  readonly #found = new Set<D>();
  readonly #waysWith = new Map<D, Way<D>[]>();

  /**
   * @param waysOf the ways in which a document may have a value, each by the documents that such a value contains: a single one
   * for its required fields, one for each branch of a choice and for each document that may stand in its place
   */
  constructor(documents: readonly D[], waysOf: (document: D) => readonly (readonly D[])[]) {
    this.#known = new Set(documents);
    const ways = documents.flatMap((owner) =>
      waysOf(owner).map((needed): Way<D> => {
        const inner = new Set(needed.filter((each) => this.#known.has(each)));
        const way = { owner, left: inner.size };
        for (const each of inner) {
          const others = this.#waysWith.get(each);
          if (others === undefined) this.#waysWith.set(each, [way]);
          else others.push(way);
        }
        return way;
      }),
    );
    for (const { owner, left } of ways) if (left === 0) this.add(owner);
  }

  isEndless(document: D): boolean {
    return this.#known.has(document) && !this.#found.has(document);
  }

  /** Takes a document as finite, and with it those that contain it and are finite then. */
  add(document: D): void {
    const open = [document];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#found.has(next)) continue;
      this.#found.add(next);
      for (const way of this.#waysWith.get(next) ?? []) {
        way.left -= 1;
        if (way.left === 0) open.push(way.owner);
      }
    }
  }
}
