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
  /** The contract is not valid there. It is refused for this, unless only what is valid is to be taken. */
  readonly invalid?: true;
  /** What the user can do. */
  readonly hint?: string;
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

  /** Something that is not valid in the contract, with what is taken if the rest is taken all the same. */
  invalid(what: string, instead: string, place: Place, hint?: string): void {
    const key = `${placeWords(place)} ${what}`;
    if (!this.#all.has(key))
      this.#all.set(key, { place, what, instead, invalid: true, ...(hint === undefined ? {} : { hint }) });
  }

  /** In the order in which they were found. */
  all(): readonly Loss[] {
    return [...this.#all.values()];
  }
}

/** What to do with a contract that is not valid. */
const TOLERANT =
  'Correct the contract, or take what is valid with `signalbox import --tolerant`, which lists the rest.';

/** Refuses a contract for everything in it that is not valid, at once. @throws ImportError */
export function refuseInvalid(all: readonly Loss[]): void {
  const invalid = all.filter((loss) => loss.invalid === true);
  const [first, second] = invalid;
  if (first === undefined) return;
  const hints = new Set(invalid.flatMap(({ hint }) => hint ?? []));
  const hint = [...hints, TOLERANT].join('\n');
  if (second === undefined) throw new ImportError(first.what, first.place, hint);
  const lines = groupLosses(invalid).map(({ places, what }) => `  ${placesWords(places)}: ${what}`);
  throw new ImportError(`not valid in ${invalid.length} places:\n${lines.join('\n')}`, first.place, hint);
}

/** Losses that are the same at several places. */
export interface LossGroup extends Omit<Loss, 'place'> {
  readonly places: readonly [Place, ...Place[]];
}

/** Losses by what they say, in the order of the first of each. */
export function groupLosses(losses: readonly Loss[]): readonly LossGroup[] {
  const groups = new Map<string, { readonly loss: Omit<Loss, 'place'>; readonly places: [Place, ...Place[]] }>();
  for (const { place, ...loss } of losses) {
    const key = JSON.stringify([loss.what, loss.instead]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { loss, places: [place] });
    else known.places.push(place);
  }
  return [...groups.values()].map(({ loss, places }) => ({ ...loss, places }));
}

/** Most places that are named one by one. */
const MOST_PLACES = 3;

/** The words for several places: `partner.wsdl:12:5, 40:9 and 12 more`. */
export function placesWords(places: readonly [Place, ...Place[]]): string {
  const [first] = places;
  const others = places.slice(1, MOST_PLACES).map((each) => {
    const isSame = each.source === first.source && each.line !== 0;
    return isSame ? `${each.line}:${each.column}` : placeWords(each);
  });
  const more = places.length - others.length - 1;
  return [placeWords(first), ...others].join(', ') + (more > 0 ? ` and ${more} more` : '');
}
