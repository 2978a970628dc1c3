import type { Range } from './read.ts';

/**
 * The code points that have a property of Unicode, by what the JavaScript engine knows: another library may have the tables
 * of another version.
 * @param name as in `\p{name}`: `Lu`, `Script=Greek`
 */
export function propertyRanges(name: string): readonly Range[] {
  const known = cache.get(name);
  if (known !== undefined) return known;
  samples ??= takeSamples();
  const { text, points } = samples;
  const ranges: [number, number][] = [];
  const run = new RegExp(`\\p{${name}}+`, 'gu');
  let index = 0;
  let unit = 0;
  const forward = (to: number): void => {
    for (; unit < to; index++) unit += (points[index] as number) > 0xffff ? 2 : 1;
  };
  for (const found of text.matchAll(run)) {
    forward(found.index);
    const from = points[index] as number;
    forward(found.index + found[0].length);
    ranges.push([from, (points[index] ?? 0x110000) - 1]);
  }
  cache.set(name, ranges);
  return ranges;
}

const cache = new Map<string, readonly Range[]>();
let samples: { readonly text: string; readonly points: readonly number[] } | undefined;

/** Code points, each of which stands for all up to the next: planes 4 to 13, 15 and 16 are of one kind but for their ends. */
function takeSamples(): { readonly text: string; readonly points: readonly number[] } {
  const points: number[] = [];
  const each = (from: number, to: number): void => {
    for (let code = from; code <= to; code++) points.push(code);
  };
  each(0, 0xd7ff);
  each(0xe000, 0x3ffff);
  for (let plane = 4; plane <= 16; plane++) {
    const start = plane * 0x10000;
    if (plane === 14) each(start, start + 0x1000);
    else points.push(start);
    each(start + 0xfffe, start + 0xffff);
  }
  let text = '';
  for (let from = 0; from < points.length; from += 4096)
    text += String.fromCodePoint(...points.slice(from, from + 4096));
  return { text, points };
}
