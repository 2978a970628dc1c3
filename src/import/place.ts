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

/** What a loss is about, the worst first: the order in which losses are listed. */
export const LOSS_KINDS = [
  /** An operation can't be called or served, or is not declared at all. */
  'operation',
  /** The contract is not valid there. It is refused for this, unless only what is valid is to be taken. */
  'invalid',
  /** A value, a check or a rule of the contract is not in the definitions. */
  'value',
  /** Nothing is missing in the definitions for it. */
  'note',
] as const;

export type LossKind = (typeof LOSS_KINDS)[number];

/** Something of a contract that the definitions don't say, and what they say in its place. */
export interface Loss {
  readonly kind: LossKind;
  readonly place: Place;
  /** What could not be carried: "xs:unique \"ids\" of element Order". */
  readonly what: string;
  /** What was done instead: "not checked". */
  readonly instead: string;
  /** What it says, for a comparison of two contracts, where that is known. */
  readonly content?: string;
  /** What the user can do. */
  readonly hint?: string;
}

const BY_HAND = 'Write its type in the definitions if you know it: the next import keeps it.';

/** What the user can do, by what was done instead. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['what it declares is unknown', 'Add the part, or read it over the network with --fetch, and import again.'],
  ['what it asks for is unknown', 'Add the policy, and import again.'],
  ['taken as any XML', BY_HAND],
  ['taken as any JSON', BY_HAND],
  ['any XML is accepted', BY_HAND],
  ['any JSON is accepted', BY_HAND],
  ['any text is accepted', BY_HAND],
  ['entries are any JSON', BY_HAND],
  ['members are any JSON', BY_HAND],
  ['not checked', 'Check it in code where it matters.'],
  ['declared with `active: false`', 'Leave it so, or write it in a form that works, without `active: false`.'],
  [
    'declared without its messages and with `active: false`',
    'Leave it so, or write it in a form that `check` accepts, without `active: false`.',
  ],
  ['it is called with the credential of the node', 'Import it by itself, with a --name of its own, for another node.'],
  ['no credentials are sent', 'Give the node the `credential` that the partner asks for.'],
]);

/** Collects losses. The same one is recorded once, at its first place, however many things use what it is about. */
export class Losses {
  readonly #all = new Map<string, Loss>();

  /** A value, a check or a rule that is not carried. */
  add(what: string, instead: string, place: Place, content?: string, hint?: string): void {
    const more = { ...(content === undefined ? {} : { content }), ...(hint === undefined ? {} : { hint }) };
    this.#record({ kind: 'value', place, what, instead, ...more });
  }

  /** An operation that can't be called or served. */
  operation(what: string, instead: string, place: Place): void {
    this.#record({ kind: 'operation', place, what, instead });
  }

  /** Something that a reader should know, by which nothing is lost. */
  note(what: string, instead: string, place: Place): void {
    this.#record({ kind: 'note', place, what, instead });
  }

  /** Something that is not valid in the contract, with what is taken if the rest is taken all the same. */
  invalid(what: string, instead: string, place: Place, hint?: string): void {
    this.#record({ kind: 'invalid', place, what, instead, ...(hint === undefined ? {} : { hint }) });
  }

  /** Records what others have. */
  take(others: Losses): void {
    for (const each of others.all()) this.#record(each);
  }

  #record(loss: Loss): void {
    const key = `${placeWords(loss.place)} ${loss.what}`;
    if (this.#all.has(key)) return;
    const hint = loss.hint ?? REMEDIES.get(loss.instead);
    this.#all.set(key, hint === undefined ? loss : { ...loss, hint });
  }

  /** In the order in which they were found. */
  all(): readonly Loss[] {
    return [...this.#all.values()];
  }
}

/** What to do with a contract that is not valid. */
const TOLERANT =
  'Correct the contract, or take what is valid with `signalbox import --tolerant`, which lists the rest.';

/** Refuses a contract for everything in it that is not valid, at once. @param way what the user can do @throws ImportError */
export function refuseInvalid(all: readonly Loss[], way = TOLERANT): void {
  const invalid = all.filter(({ kind }) => kind === 'invalid');
  const [first, second] = invalid;
  if (first === undefined) return;
  const hints = new Set(invalid.flatMap(({ hint }) => hint ?? []));
  const hint = [...hints, way].join('\n');
  if (second === undefined) throw new ImportError(first.what, first.place, hint);
  const lines = groupLosses(invalid).map(({ places, what }) => `  ${placesWords(places)}: ${what}`);
  throw new ImportError(`not valid in ${invalid.length} places:\n${lines.join('\n')}`, first.place, hint);
}

/** Losses that are the same but for the names in them. */
export interface LossGroup {
  /** The first of them. */
  readonly first: Loss;
  readonly places: readonly [Place, ...Place[]];
  /** What is lost. Names that differ are listed, as far as they are few: `the header "A", "B" and 12 more of replies`. */
  readonly what: string;
}

/**
 * What a person reads as one: losses that differ in their quoted names alone, in the order of the first of each. Where several of their
 * names differ, those are one group that agree in the name with the fewest values.
 */
export function groupLosses(losses: readonly Loss[]): readonly LossGroup[] {
  const alike = Map.groupBy(losses, ({ kind, what, instead }) =>
    JSON.stringify([kind, what.replace(QUOTED, '""'), instead.replace(QUOTED, '""')]),
  );
  const groups = [...alike.values()].flatMap((all) => withCommonName(all));
  return groups.map((all) => {
    const [first, ...others] = all as [Loss, ...Loss[]];
    return { first, places: [first.place, ...others.map(({ place }) => place)], what: commonWords(all) };
  });
}

function withCommonName(all: readonly Loss[]): readonly (readonly Loss[])[] {
  const columns = differingNames(all);
  const [fewest] = columns.toSorted((one, other) => one.names.size - other.names.size || other.index - one.index);
  // Where all names differ, groups would be as many as there are losses.
  const isCommon = fewest !== undefined && (fewest.names.size * 2 <= all.length || all.length <= MOST_LISTED);
  if (columns.length < 2 || !isCommon) return [all];
  return [...Map.groupBy(all, ({ what }) => what.match(QUOTED)?.[fewest.index]).values()];
}

const QUOTED = /"[^"]*"/g;

/** Most places, and names, that are listed one by one. */
const MOST_LISTED = 3;

/** The text of several losses. Where one name differs, the names are listed; where more differ, it is the first text. */
function commonWords(all: readonly Loss[]): string {
  const { what: first } = all[0] as Loss;
  const [only, ...others] = differingNames(all);
  if (only === undefined) return first;
  if (others.length > 0) return `${first}, and the like`;
  let index = 0;
  return first.replace(QUOTED, (name) => (index++ === only.index ? listed([...only.names]) : name));
}

/** The names that differ in texts of one form, by their position. */
function differingNames(
  all: readonly Loss[],
): readonly { readonly index: number; readonly names: ReadonlySet<string> }[] {
  const each = all.map(({ what }) => what.match(QUOTED) ?? []);
  const columns = (each[0] ?? []).map((_, index) => ({
    index,
    names: new Set(each.map((names) => names[index] ?? '')),
  }));
  return columns.filter(({ names }) => names.size > 1);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** The words for several places: `partner.wsdl:12:5, 40:9 and 12 more`. */
export function placesWords(places: readonly [Place, ...Place[]]): string {
  const [first] = places;
  const others = places.slice(1, MOST_LISTED).map((each) => {
    const isSame = each.source === first.source && each.line !== 0;
    return isSame ? `${each.line}:${each.column}` : placeWords(each);
  });
  const more = places.length - others.length - 1;
  return [placeWords(first), ...others].join(', ') + (more > 0 ? ` and ${more} more` : '');
}
