import { KIND_WORDS, type KindWord, kindsAmong } from '../../kinds/kinds.ts';
import { type Place, placeText, type Report } from '../diagnostic/diagnostic.ts';
import type { Places, SourceText } from './places.ts';
import { isTreeMap, type TreeMap, type TreeValue } from './tree.ts';

/** One definition: its kind, its id and its contents. */
export interface Declaration<V = TreeMap> {
  readonly kind: KindWord;
  readonly id: string;
  readonly value: V;
  /** Of the id. */
  readonly at: Place;
  /** Part of the package. */
  readonly delivered: boolean;
}

/** Reads the kind and id of a root, which has not more than one. A root without a kind is reported. */
export function readDeclaration(
  root: TreeValue,
  places: Places,
  at: Place,
  report: Report,
  delivered: boolean,
): Declaration | undefined {
  if (!isTreeMap(root)) {
    report.raise('no-kind', { keys: [] }, at);
    return undefined;
  }
  const [kind] = kindsAmong(Object.keys(root));
  if (kind === undefined) {
    const [first] = Object.keys(root);
    report.raise('no-kind', { keys: Object.keys(root) }, first === undefined ? at : places.key(root, first));
    return undefined;
  }
  const id = root[kind];
  const text = typeof id === 'number' ? (places.written(root, kind) ?? String(id)) : id;
  if (typeof text !== 'string') {
    report.raise(
      'wrong-type',
      { name: kind, expected: 'text', given: id as TreeValue, examples: [] },
      places.value(root, kind),
    );
    return undefined;
  }
  root[kind] = text;
  return { kind, id: text, value: root, at: places.value(root, kind), delivered };
}

/** The declarations of every kind by id, in the order read. The ids of rejected definitions are kept too. */
export class Declarations {
  private readonly byKind = new Map<KindWord, Map<string, Declaration>>(KIND_WORDS.map((kind) => [kind, new Map()]));
  private readonly unusable = new Map<KindWord | 'operation', Set<string>>();
  /** False when a part of a file that may declare anything could not be read. */
  whole = true;

  /**
   * Adds a declaration. A second one of the same kind and id is reported and left out.
   * @returns false when it is left out
   */
  add(declaration: Declaration, report: Report): boolean {
    const { kind, id, at } = declaration;
    const first = this.of(kind).get(id);
    if (first === undefined) this.of(kind).set(id, declaration);
    else report.raise('duplicate-id', { what: `${kind} ${id}`, first: placeText(first.at) }, at);
    return first === undefined;
  }

  of(kind: KindWord): Map<string, Declaration> {
    return this.byKind.get(kind) as Map<string, Declaration>;
  }

  /** Removes a definition, or the name of an operation, that can't be used. */
  reject(kind: KindWord | 'operation', id: string): void {
    if (kind !== 'operation') this.of(kind).delete(id);
    this.unusable.set(kind, this.rejected(kind).add(id));
  }

  /** Ids of definitions, and names of operations, that were found and can't be used: a reference to one is not an error. */
  rejected(kind: KindWord | 'operation'): Set<string> {
    return this.unusable.get(kind) ?? new Set();
  }
}

const DECLARED = new RegExp(`^(${KIND_WORDS.join('|')}):[ \\t]*["']?([\\w.~-]+)`, 'gm');

/** Ids that a file declares, as far as they are recognisable in one that could not be parsed. */
export function glimpseIds({ text }: SourceText): { kind: KindWord; id: string }[] {
  const found = text.matchAll(DECLARED);
  return [...found].map(([, kind, id]) => ({ kind: kind as KindWord, id: id as string }));
}
