/** A place in a contract that is imported. Lines and columns count from 1; 0 when only the file is known. */
export interface Place {
  /** The file or address, as the user or a reference in another file names it. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** The words for a place: `partner.wsdl:12:5`. */
export function placeWords({ source, line, column }: Place): string {
  return line === 0 ? source : `${source}:${line}:${column}`;
}

/** A contract that can't be imported. The message names what is wrong, and the place where. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly reason: string;
  readonly place: Place;
  /** What the user can do. */
  readonly hint?: string;

  constructor(reason: string, place: Place, hint?: string) {
    super(`${placeWords(place)}: ${reason}`);
    this.reason = reason;
    this.place = place;
    if (hint !== undefined) this.hint = hint;
  }
}

/** Something of a contract that the definitions don't say, and what they say in its place. */
export interface Loss {
  readonly place: Place;
  /** What could not be carried: "xs:unique \"ids\" of element Order". */
  readonly what: string;
  /** What was done instead: "not checked". */
  readonly instead: string;
  /** What it says, for a comparison of two contracts, where that is known. */
  readonly content?: string;
  /** Nothing is missing in the definitions for it. */
  readonly note?: true;
}

/** Collects losses. The same one is recorded once, at its first place, however many things use what it is about. */
export class Losses {
  readonly #all = new Map<string, Loss>();

  add(what: string, instead: string, place: Place, content?: string): void {
    const key = `${placeWords(place)} ${what}`;
    if (!this.#all.has(key))
      this.#all.set(key, { place, what, instead, ...(content === undefined ? {} : { content }) });
  }

  /** Something that a reader should know, by which nothing is lost. */
  note(what: string, instead: string, place: Place): void {
    const key = `${placeWords(place)} ${what}`;
    if (!this.#all.has(key)) this.#all.set(key, { place, what, instead, note: true });
  }

  /** In the order in which they were found. */
  all(): readonly Loss[] {
    return [...this.#all.values()];
  }
}
