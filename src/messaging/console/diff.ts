/** A line of one of two texts, or of both. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Products of lines that are compared: a table of 16 MB. */
const MOST_CELLS = 4_000_000;

/**
 * The lines by which a text becomes another: those of a longest common subsequence are the same.
 * @returns `undefined` when what differs is too long
 */
export function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return middle && [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function between(a: readonly string[], b: readonly string[]): readonly DiffLine[] | undefined {
  const width = b.length + 1;
  if ((a.length + 1) * width > MOST_CELLS) return undefined;
  // The length of the longest common subsequence of what follows line i of a and line j of b.
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ kind: 'same', text: a[i] as string });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      found.push({ kind: 'removed', text: a[i++] as string });
    } else found.push({ kind: 'added', text: b[j++] as string });
  }
  return found;
}
