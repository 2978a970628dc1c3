import type {
  DraftCompound,
  DraftContract,
  DraftDocument,
  DraftField,
  DraftScalar,
  DraftSimpleType,
  DraftType,
  Facets,
  FieldOptions,
} from '../draft.ts';
import type { Place } from '../place.ts';
import { type Declared, type DeclaredMap, given, isSame } from './declared.ts';
import { capitalised, type Names, xmlNameOf } from './names.ts';
import { placeKey } from './settled.ts';

/** The facets of a single value, and of the entries of a list. */
export const FACETS = [
  ...(['enum', 'labels', 'pattern', 'space'] as const),
  ...(['minimum', 'maximum', 'above', 'below', 'digits', 'fraction'] as const),
] as const satisfies readonly (keyof Facets)[];

/** The facets that a list may have beside its number of entries, which are those of each entry. */
const OF_ENTRIES = ['enum', 'labels', 'pattern', 'space'] as const satisfies readonly (typeof FACETS)[number][];

/** A type without a name of its own is named if so many fields of one name have it. */
const OFTEN = 3;

/** The types of single values that a contract names, or that its fields repeat, with their ids. */
export class DeclaredTypes {
  readonly #ids = new Map<DraftSimpleType, string>();
  /** Types without a name in the source, by the name of their fields and what they are. */
  readonly #repeated = new Map<string, DraftSimpleType>();
  readonly #isXml: boolean;
  readonly #namespace: string | undefined;

  /**
   * @param namespace the namespace that all services have, which types then need not name
   * @param names those of documents, which types share
   */
  constructor(
    { language, services }: DraftContract,
    documents: Iterable<DraftDocument>,
    namespace: string | undefined,
    names: Names,
  ) {
    this.#isXml = language !== 'openapi';
    this.#namespace = namespace;
    const fields = [...documents].flatMap((document) => document.fields);
    const named = new Set(fields.flatMap((field) => namedOf(field) ?? []));
    for (const { request, responses } of services.flatMap(({ operations }) => operations))
      for (const message of [request, ...responses.map((each) => each.message)])
        if (message.kind === 'type') for (const type of singleNamed(message.type)) named.add(type);
    for (const type of named) this.#ids.set(type, idOf(xmlNameOf(type.name), names));
    for (const [key, all] of Map.groupBy(fields.filter(isUnnamed), keyOf)) {
      const [first] = all as [DraftField];
      if (all.length < OFTEN) continue;
      const { word, facets } = singleValue(first) as Value;
      const id = idOf(capitalised(xmlNameOf(first.name)), names);
      const type: DraftSimpleType = { name: id, place: first.place, word, facets };
      this.#repeated.set(key, type);
      this.#ids.set(type, id);
    }
  }

  /** A field whose type is the id of a named one, without its facets; `undefined` for any other. */
  referring(field: DraftField): { readonly type: string; readonly options: FieldOptions } | undefined {
    const type = namedOf(field) ?? (isUnnamed(field) ? this.#repeated.get(keyOf(field)) : undefined);
    if (type === undefined) return undefined;
    const { type: own, options } = field;
    const id = this.#ids.get(type) as string;
    if (own.kind !== 'list' && own.kind !== 'map') return { type: id, options: without(options, FACETS) };
    const { entry, ...others } = without(options, OF_ENTRIES);
    const left = without(entry ?? {}, FACETS);
    const rest = Object.keys(left).length === 0 ? others : { ...others, entry: left };
    return { type: `${own.kind} of ${id}`, options: rest };
  }

  /** The id of the type of a message that is a single value; `undefined` if it has no name. */
  idOf({ named }: DraftScalar): string | undefined {
    return named && this.#ids.get(named);
  }

  /** @param spelled a type word and facets as definitions have them */
  all(spelled: (value: Value) => Value): readonly Declared[] {
    return [...this.#ids].map(([type, id]) => {
      const { word, facets } = spelled(type);
      const { description, example, namespace, name } = type;
      const isOwn = this.#isXml && namespace !== undefined;
      return {
        kind: 'type',
        id,
        keys: given({
          description,
          base: word,
          ...(withKnownLabels(facets) as DeclaredMap),
          example: fitting(example, facets),
          'xml-type': isOwn && name !== id ? name : undefined,
          namespace: isOwn && namespace !== '' && namespace !== this.#namespace ? namespace : undefined,
        }),
        file: 'types',
      };
    });
  }

  /** Where types are in the source. */
  places(): readonly (readonly [string, Place])[] {
    return [...this.#ids].map(([{ place }, id]) => [placeKey({ kind: 'type', id }), place]);
  }
}

/** The id of a type: its name, unless a document has it. */
function idOf(name: string, names: Names): string {
  return names.give(names.has(name) && !names.has(`${name}Type`) ? `${name}Type` : name);
}

/** A type word and facets: of a single value, or of each entry of a list or a map. */
export interface Value {
  readonly word: string;
  readonly facets: Facets;
}

/** The single value of a field; `undefined` for a document. */
function singleValue({ type, options }: DraftField): (Value & Pick<DraftScalar, 'named'>) | undefined {
  const single = singleOf(type);
  const isCollection = single !== type;
  if (single.kind === 'document') return undefined;
  const facets = isCollection ? { ...picked(options, OF_ENTRIES), ...picked(options.entry ?? {}, FACETS) } : options;
  return { ...single, facets: picked(facets, FACETS) };
}

/** The named type that a field has without any other facets. */
function namedOf(field: DraftField): DraftSimpleType | undefined {
  const { named, word, facets } = singleValue(field) ?? {};
  if (named?.word !== word || named === undefined) return undefined;
  // Entries with spaces between them have none inside.
  const ofType = field.options.spaced ? without(named.facets, ['space']) : named.facets;
  return isSame(ofType as DeclaredMap, facets as DeclaredMap) ? named : undefined;
}

/** The type of one value: that of the entries of a list or a map, or the type itself. */
function singleOf(type: DraftType): DraftScalar | DraftCompound {
  return 'item' in type ? type.item : type;
}

/** The named types of a message without a document, whose facets are those of its type. */
function singleNamed(type: DraftType): readonly DraftSimpleType[] {
  const single = singleOf(type);
  return single.kind === 'scalar' && single.named?.word === single.word ? [single.named] : [];
}

/** Whether a field has a type that deserves a name, and has none: one with listed values or a pattern. */
function isUnnamed(field: DraftField): boolean {
  const { facets } = singleValue(field) ?? {};
  if (facets === undefined || namedOf(field) !== undefined || field.options.fixed !== undefined) return false;
  return facets.pattern !== undefined || (facets.enum?.length ?? 0) > 1;
}

function keyOf(field: DraftField): string {
  const { word, facets = {} } = singleValue(field) ?? {};
  return JSON.stringify([field.name.toLowerCase(), word, ...FACETS.map((key) => facets[key] ?? null)]);
}

function picked<K extends string, T extends Partial<Record<K, unknown>>>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])),
  ) as unknown as Pick<T, K>;
}

function without<T extends object, K extends string>(from: T, keys: readonly K[]): Omit<T, K> {
  const left = Object.entries(from).filter(([key]) => !(keys as readonly string[]).includes(key));
  return Object.fromEntries(left) as Omit<T, K>;
}

/** Facets with the labels of values that `enum` lists: a field may have fewer values than its type. */
export function withKnownLabels<T extends Facets>(facets: T): T {
  const { labels, enum: listed = [] } = facets;
  if (labels === undefined) return facets;
  const values = new Set(listed.map(String));
  const known = Object.entries(labels).filter(([value]) => values.has(value));
  const entries = Object.entries(facets).flatMap(([key, value]) => {
    if (key !== 'labels') return [[key, value]];
    return known.length === 0 ? [] : [[key, Object.fromEntries(known)]];
  });
  return Object.fromEntries(entries) as T;
}

function fitting(example: DraftSimpleType['example'], { enum: values }: Facets): DraftSimpleType['example'] {
  return example !== undefined && values?.includes(example) === false ? undefined : example;
}
