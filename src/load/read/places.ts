import type { Place } from '../diagnostic/diagnostic.ts';

/** A definition file and its text. */
export interface SourceText {
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** A range of text by offsets; `to` is exclusive. */
export type Stretch = readonly [from: number, to: number];

/** Finds the lines of a file, as the `LineCounter` of the yaml package does. */
export interface Lines {
  /** Line and column of an offset, both from 1; line 0 when nothing was read. */
  linePos(offset: number): { readonly line: number; readonly col: number };
}

/** The offsets of a map or list and its contents. Only offsets are kept, so that the nodes of the parser can be freed. */
export interface Layout {
  readonly source: SourceText;
  readonly lines: Lines;
  readonly whole: Stretch;
  /** Written with braces or brackets. */
  readonly inBraces: boolean;
  /** Unique keys of a map in source order; empty for a list. */
  readonly keys: readonly string[];
  /** Four offsets for each key of a map (of the key, then of its value), or two for each entry of a list. */
  readonly offsets: readonly number[];
}

/** The places of the maps and lists of a tree in their files, and of their keys, values and entries. */
export interface Places {
  /** Records the layout of a map or list. */
  tie(container: object, layout: Layout): void;
  /** Gives a generated map the place of another. */
  alias(made: object, container: object): void;
  /** The beginning of a map or list. */
  start(container: object): Place;
  /** The place of a key, or the beginning of the map when it has no such key. */
  key(container: object, key: string): Place;
  /** The place of the value of a key, or of an entry of a list. */
  value(container: object, key: string | number): Place;
  /** The place of a range of characters in a text; the whole value when it is folded or contains escapes. */
  inText(container: object, key: string | number, offset: number, length: number): Place;
  /** An unquoted single value as it is written, before it was read as a number. */
  written(container: object, key: string | number): string | undefined;
  /** Whether a map is written with braces. */
  inBraces(container: object): boolean;
}

const FEW = 16;

export function createPlaces(): Places {
  // Not weak: both end with the loader's run, and a weak map costs the garbage collector twice the time.
  const layouts = new Map<object, Layout>();
  const indexes = new Map<Layout, Map<string, number>>();

  function layoutOf(container: object): Layout {
    const layout = layouts.get(container);
    if (layout === undefined) throw new TypeError('not a map or list of a definition');
    return layout;
  }

  function indexOf(layout: Layout, key: string): number {
    // Most maps have few keys, for which a search is cheaper than building a Map.
    if (layout.keys.length <= FEW) return layout.keys.indexOf(key);
    let index = indexes.get(layout);
    if (index === undefined) {
      index = new Map(layout.keys.map((each, position) => [each, position]));
      indexes.set(layout, index);
    }
    return index.get(key) ?? -1;
  }

  function keyStretch(layout: Layout, key: string): Stretch | undefined {
    const index = indexOf(layout, key);
    return index < 0 ? undefined : [layout.offsets[4 * index] as number, layout.offsets[4 * index + 1] as number];
  }

  function valueStretch(layout: Layout, key: string | number): Stretch | undefined {
    const at = typeof key === 'number' ? 2 * key : 4 * indexOf(layout, key) + 2;
    const from = layout.offsets[at];
    const to = layout.offsets[at + 1];
    return from === undefined || to === undefined ? undefined : [from, to];
  }

  const here = ({ source, lines }: Layout, [from, to]: Stretch): Place => placeAt(source, lines, from, to);

  function value(container: object, key: string | number): Place {
    const layout = layoutOf(container);
    const stretch = valueStretch(layout, key);
    // An empty value has no extent, so its key is shown.
    if (stretch !== undefined && stretch[0] < stretch[1]) return here(layout, stretch);
    return here(layout, (typeof key === 'string' ? keyStretch(layout, key) : stretch) ?? layout.whole);
  }

  return {
    tie: (container, layout) => void layouts.set(container, layout),
    alias: (made, container) => void layouts.set(made, layoutOf(container)),
    start: (container) => here(layoutOf(container), layoutOf(container).whole),
    key(container, key) {
      const layout = layoutOf(container);
      return here(layout, keyStretch(layout, key) ?? layout.whole);
    },
    value,
    inText(container, key, offset, length) {
      const layout = layoutOf(container);
      const stretch = valueStretch(layout, key);
      const text = (container as Readonly<Record<string | number, unknown>>)[key];
      const from =
        typeof text === 'string' && stretch !== undefined ? offsetOf(text, layout, stretch, offset) : undefined;
      return from === undefined ? value(container, key) : placeAt(layout.source, layout.lines, from, from + length);
    },
    written(container, key) {
      const layout = layoutOf(container);
      const stretch = valueStretch(layout, key);
      if (stretch === undefined) return undefined;
      const text = layout.source.text.slice(...stretch);
      return /^["'|>]/.test(text) ? undefined : text.trim();
    },
    inBraces: (container) => layoutOf(container).inBraces,
  };
}

/** The offset of a character of a text in its file; `undefined` when it can't be counted. */
function offsetOf(
  value: string,
  { source: { text } }: Layout,
  [from, to]: Stretch,
  offset: number,
): number | undefined {
  if (text[from] !== '|') {
    const start = from + (text[from] === '"' || text[from] === "'" ? 1 : 0);
    return text.startsWith(value, start) ? start + offset : undefined;
  }
  // The lines of a literal block follow its header, each with the same indent.
  const before = value.slice(0, offset).split('\n');
  const lines = text.slice(from, to).split('\n');
  const indent = /^ */.exec(lines.slice(1).find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const skipped = lines.slice(0, before.length).reduce((sum, line) => sum + line.length + 1, 0);
  return from + skipped + indent + (before.at(-1) as string).length;
}

/** The place of a range of offsets. It ends with its first line. */
export function placeAt({ file, text }: SourceText, lines: Lines, from: number, to: number): Place {
  const start = Math.min(from, text.length);
  const { line, col } = lines.linePos(start);
  // Only the range itself is searched, because a line may be the whole file.
  const lineEnd = text.slice(start, to).indexOf('\n');
  let end = lineEnd < 0 ? Math.min(to, text.length) : start + lineEnd;
  while (end > start && /\s/.test(text[end - 1] as string)) end--;
  // linePos returns line 0 when nothing was read.
  return { file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, end - start) };
}
