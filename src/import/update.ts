import { type Document, isMap, isScalar, type Pair, parseAllDocuments, type YAMLMap } from 'yaml';
import { type Declared, type DeclaredMap, type DeclaredValue, isMapValue, isSame } from './declare/declared.ts';
import { FACETS } from './declare/types.ts';
import { ImportError } from './place.ts';
import { nodeOf, yamlOf, yamlText } from './yaml.ts';

/** What an import does to one element of the definitions. */
export interface Change {
  /**
   * `kept`: the source and people both changed it, or people removed it; theirs stays. The others are done.
   */
  readonly kind: 'added' | 'changed' | 'removed' | 'kept';
  /** The element, as `document Order > fields > NUMBER`. */
  readonly path: readonly string[];
  readonly before?: DeclaredValue;
  readonly after?: DeclaredValue;
  readonly file: string;
}

/** The files after an import. */
export interface Update {
  /** Texts by path. Only files that change. An empty text means that nothing is left in a file. */
  readonly files: ReadonlyMap<string, string>;
  readonly changes: readonly Change[];
}

interface UpdateInput {
  /** All definition files of the project by path. */
  readonly files: ReadonlyMap<string, string>;
  /** What the last import of this contract declared; empty for the first one. */
  readonly before: readonly Declared[];
  readonly after: readonly Declared[];
  /** The path of a new file. */
  readonly pathOf: (file: string) => string;
}

/** Brings definitions up to date with one contract (see {@link DefinitionFiles.update}). */
export function update({ files, ...input }: UpdateInput): Update {
  return new DefinitionFiles(files).update(input);
}

/** The definition files of a project, parsed once and kept up to date between contracts: a project may have thousands. */
export class DefinitionFiles {
  /** Definitions that an import adds are parsed only if a later contract changes them. */
  readonly #documents = new Map<string, (Document | Declared)[]>();
  /** Where each definition is, by {@link keyOf}. */
  readonly #places = new Map<string, Placed>();
  readonly #touched = new Set<string>();
  #changes: Change[] = [];
  /** The ids of the named types of a contract, in its last import and in this one. */
  #types: ReadonlySet<string> = NOTHING;
  #file = '';

  /** @throws ImportError for a definition file that is not valid YAML */
  constructor(files: ReadonlyMap<string, string>) {
    for (const [path, text] of files) {
      const documents = [...(parseAllDocuments(text) as Iterable<Document>)];
      const [wrong] = documents.flatMap(({ errors }) => errors);
      if (wrong !== undefined) {
        const [{ line, col: column } = { line: 0, col: 0 }] = wrong.linePos ?? [];
        throw new ImportError(
          'this definition file is not valid YAML',
          { source: path, line, column },
          'Run signalbox check.',
        );
      }
      const kept = documents.filter(({ contents }) => contents !== null);
      this.#documents.set(path, kept);
      for (const { contents } of kept) this.#record(path, contents);
    }
  }

  #record(file: string, contents: unknown): void {
    if (!isMap(contents)) return;
    for (const { key, value } of contents.items) {
      const [name, id] = [key, value].map((each) => (isScalar(each) ? each.value : undefined));
      if (typeof name !== 'string' || typeof id !== 'string') continue;
      const placed = `${name} ${id}`;
      if (!this.#places.has(placed)) this.#places.set(placed, { file, map: contents, kind: name, id });
    }
  }

  /** The files that have definitions. */
  paths(): readonly string[] {
    return [...this.#documents].flatMap(([path, documents]) => (documents.length === 0 ? [] : [path]));
  }

  /** The file of a service, by its name without a version. */
  serviceAt(name: string): string | undefined {
    const all = [...this.#places.values()];
    return all.find(({ kind, id }) => kind === 'service' && id.replace(/\.v\d+$/, '') === name)?.file;
  }

  /** The ids of definitions by kind, without those of `own`. */
  idsBesides(own: readonly Declared[]): ReadonlyMap<string, readonly string[]> {
    const ours = new Set(own.map(keyOf));
    const ids = new Map<string, string[]>();
    for (const [key, { kind, id }] of this.#places) {
      if (ours.has(key)) continue;
      const same = ids.get(kind);
      if (same === undefined) ids.set(kind, [id]);
      else same.push(id);
    }
    return ids;
  }

  /**
   * Brings the definitions up to date with a contract. Each element, down to one option of a field, is compared with what the
   * last import declared: what people added or changed since then stays, and everything else follows the contract.
   *
   * @returns what this contract changes; later contracts find the definitions as it leaves them
   */
  update({ before, after, pathOf }: Omit<UpdateInput, 'files'>): Update {
    this.#touched.clear();
    this.#changes = [];
    this.#types = new Set([...before, ...after].flatMap(({ kind, id }) => (kind === 'type' ? [id] : [])));
    const known = new Map(before.map((each) => [keyOf(each), each]));
    const wanted = new Map(after.map((each) => [keyOf(each), each]));
    for (const each of after) this.#bring(each, known.get(keyOf(each)), pathOf);
    for (const each of before) if (!wanted.has(keyOf(each))) this.#drop(each);
    const files = new Map([...this.#touched].map((path) => [path, yamlText(this.#documents.get(path) ?? [])]));
    return { files, changes: this.#changes };
  }

  /** Adds a definition, or brings it up to date. */
  #bring(wanted: Declared, base: Declared | undefined, pathOf: (file: string) => string): void {
    const found = this.#places.get(keyOf(wanted));
    const path = [`${wanted.kind} ${wanted.id}`];
    if (found === undefined) {
      this.#file = pathOf(wanted.file);
      if (base !== undefined) {
        // Someone removed it.
        if (!isSame(base.keys, wanted.keys)) this.#note('kept', path, undefined, wanted.keys);
        return;
      }
      const documents = this.#documents.get(this.#file);
      if (documents === undefined) this.#documents.set(this.#file, [wanted]);
      else documents.push(wanted);
      const { kind, id } = wanted;
      this.#places.set(keyOf(wanted), { file: this.#file, kind, id });
      this.#touched.add(this.#file);
      this.#note('added', path);
      return;
    }
    this.#file = found.file;
    this.#merge(this.#mapOf(found), base?.keys ?? {}, wanted.keys, path);
  }

  /** The map of a definition, which is parsed now if an import has added it. */
  #mapOf(placed: Placed): YAMLMap {
    if (placed.map !== undefined) return placed.map;
    const documents = this.#documents.get(placed.file) ?? [];
    const index = documents.findIndex((each) => 'kind' in each && each.kind === placed.kind && each.id === placed.id);
    const document = yamlOf(documents[index] as Declared);
    documents[index] = document;
    placed.map = document.contents as YAMLMap;
    return placed.map;
  }

  /** Removes a definition that the contract no longer has, unless people changed it. */
  #drop(base: Declared): void {
    const found = this.#places.get(keyOf(base));
    if (found === undefined) return;
    this.#file = found.file;
    const path = [`${base.kind} ${base.id}`];
    const its = this.#mapOf(found);
    const { [base.kind]: _, ...mine } = its.toJSON() as DeclaredMap;
    if (!isSame(mine, base.keys)) {
      this.#note('kept', path);
      return;
    }
    const rest = (this.#documents.get(found.file) ?? []).filter((each) => 'kind' in each || each.contents !== its);
    this.#documents.set(found.file, rest);
    for (const [key, { map }] of this.#places) if (map === its) this.#places.delete(key);
    this.#touched.add(found.file);
    this.#note('removed', path);
  }

  #note(kind: Change['kind'], path: readonly string[], before?: DeclaredValue, after?: DeclaredValue): void {
    const values = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    this.#changes.push({ kind, path, file: this.#file, ...values });
    if (kind !== 'kept') this.#touched.add(this.#file);
  }

  /** Brings the keys of a map up to date. */
  #merge(map: YAMLMap, base: DeclaredMap, wanted: DeclaredMap, path: readonly string[]): void {
    const isOfFields = TYPED.has(path.at(-1) ?? '');
    const kept = TYPED.has(path.at(-2) ?? '') ? this.#keptType(map, base, wanted, path) : NOTHING;
    for (const key of new Set([...Object.keys(base), ...Object.keys(wanted)])) {
      if (kept.has(key)) continue;
      const values = { mine: valueIn(map, key), base: base[key], wanted: wanted[key] };
      this.#mergeKey(map, key, isOfFields ? mapValues(values, asMap) : values, wanted, [...path, key]);
    }
  }

  /**
   * The keys of a field's type and restrictions, which stay together where people changed one of them and a named type comes or
   * goes: that has the restrictions which the field had itself.
   */
  #keptType(map: YAMLMap, base: DeclaredMap, wanted: DeclaredMap, path: readonly string[]): ReadonlySet<string> {
    const isNamed = [base.type, wanted.type].some((each) => this.#types.has(String(each).replace(COLLECTED, '')));
    if (!isNamed || isSame(base.type, wanted.type)) return NOTHING;
    const isMine = [...OF_TYPE].some((key) => !isSame(valueIn(map, key), base[key]));
    if (!isMine) return NOTHING;
    this.#note('kept', [...path, 'type'], valueIn(map, 'type'), wanted.type);
    return OF_TYPE;
  }

  #mergeKey(map: YAMLMap, key: string, values: Values, around: DeclaredMap, path: readonly string[]): void {
    const { mine, base, wanted } = values;
    if (isSame(base, wanted) || isSame(mine, wanted)) return;
    if (mine === undefined && isExcluded(map, key, path)) {
      this.#note('kept', path, mine, wanted);
      return;
    }
    const node: unknown = map.get(key, true);
    // A map over several lines is brought up to date line by line, with its comments.
    const isBlock = isMap(node) && node.flow !== true && isMapValue(base) && isMapValue(wanted);
    // What is left of an element without what the contract said of it may be nothing that is valid: it stays whole.
    const isWhole = wanted === undefined && ELEMENTS.has(path.at(-2) ?? '');
    if (isSame(mine, base) && !isBlock) {
      if (wanted === undefined) map.delete(key);
      else place(map, key, around[key] as DeclaredValue, Object.keys(around));
      this.#note(wanted === undefined ? 'removed' : mine === undefined ? 'added' : 'changed', path, mine, wanted);
    } else if (isMapValue(mine) && isMapValue(base ?? {}) && isMapValue(wanted ?? {}) && !isWhole) {
      this.#merge(innerMap(map, key, mine), (base ?? {}) as DeclaredMap, (wanted ?? {}) as DeclaredMap, path);
    } else this.#note('kept', path, mine, wanted);
  }
}

/** A definition in a file. */
interface Placed {
  readonly file: string;
  /** Absent for one that an import has added. */
  map?: YAMLMap;
  readonly kind: string;
  readonly id: string;
}

/** The map at a key; a field that is a type word becomes one. */
function innerMap(map: YAMLMap, key: string, value: DeclaredMap): YAMLMap {
  const inner: unknown = map.get(key, true);
  if (isMap(inner)) return inner;
  const made = nodeOf(value) as YAMLMap;
  map.set(key, made);
  return made;
}

/** The type of a field, and what restricts it. */
const OF_TYPE: ReadonlySet<string> = new Set(['type', 'entry', ...FACETS]);
const NOTHING: ReadonlySet<string> = new Set();
const COLLECTED = /^(?:list|map) of /;

/** Maps whose members are fields, each of which may be a type word. */
const TYPED: ReadonlySet<string> = new Set(['fields', 'one-of']);
/** Maps whose members are declarations of their own. */
const ELEMENTS: ReadonlySet<string> = new Set([...TYPED, 'operations']);

/** Options of a field of which one leaves no place for the other. */
const EXCLUDING: Readonly<Record<string, readonly string[] | undefined>> = {
  assumed: ['default', 'fixed'],
  enum: ['fixed'],
  fixed: ['default', 'assumed', 'enum'],
};

/** Whether a new option of a field contradicts one that people changed or added, which stays. */
function isExcluded(map: YAMLMap, key: string, path: readonly string[]): boolean {
  return TYPED.has(path.at(-3) ?? '') && EXCLUDING[key]?.some((each) => map.has(each)) === true;
}

interface Values {
  /** The value in the file. */
  readonly mine: DeclaredValue | undefined;
  readonly base: DeclaredValue | undefined;
  readonly wanted: DeclaredValue | undefined;
}

function mapValues(
  { mine, base, wanted }: Values,
  by: (value: DeclaredValue | undefined) => DeclaredValue | undefined,
): Values {
  return { mine: by(mine), base: by(base), wanted: by(wanted) };
}

/** A field as a map: `string` is `{ type: string }`. */
function asMap(value: DeclaredValue | undefined): DeclaredValue | undefined {
  return typeof value === 'string' ? { type: value } : value;
}

function valueIn(map: YAMLMap, key: string): DeclaredValue | undefined {
  const node = map.get(key, true) as { toJSON?: () => DeclaredValue } | undefined;
  if (node === undefined || node === null) return undefined;
  return isScalar(node) ? (node.value as DeclaredValue) : node.toJSON?.();
}

/** Sets a key of a map; a new one behind the last key that precedes it in `order`. */
function place(map: YAMLMap, key: string, value: DeclaredValue, order: readonly string[]): void {
  const node = nodeOf(value);
  if (map.has(key)) {
    map.set(key, node);
    return;
  }
  const before = new Set(order.slice(0, order.indexOf(key)));
  const at = map.items.findLastIndex(({ key: each }) => before.has(isScalar(each) ? String(each.value) : String(each)));
  map.set(key, node);
  const added = map.items.pop() as Pair;
  map.items.splice(at === -1 ? map.items.length : at + 1, 0, added);
}

function keyOf({ kind, id }: Declared): string {
  return `${kind} ${id}`;
}
