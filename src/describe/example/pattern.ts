import { propertyRanges } from '../../wire/pattern.ts';
import { type CharacterClass, complement, type PatternNode } from '../../wire/pattern-syntax.ts';
import { readWholePattern } from '../field.ts';

/** A text that matches, for each pattern. */
export function samplesOf(patterns: readonly string[], length: number): string[] {
  return patterns.map((pattern) => samplePattern(readWholePattern(pattern), length));
}

/** The shortest text that matches, extended by repetitions to `length` characters if the pattern permits it. */
export function samplePattern(node: PatternNode, length = 0): string {
  switch (node.kind) {
    case 'class':
      return sampleClass(node);
    case 'assertion':
      return '';
    case 'choice':
      return samplePattern(node.items[0] as PatternNode, length);
    case 'sequence':
      return sampleSequence(node.items, length);
    case 'repeat': {
      const one = samplePattern(node.item);
      const wanted = one.length === 0 ? node.least : Math.ceil(length / one.length);
      return one.repeat(Math.min(Math.max(node.least, wanted), node.most));
    }
  }
}

/** Parts that can grow make up for the missing length, the first such part first. */
function sampleSequence(items: readonly PatternNode[], length: number): string {
  const texts = items.map((item) => samplePattern(item));
  let missing = length - texts.join('').length;
  for (const [index, item] of items.entries()) {
    if (missing <= 0) break;
    const short = texts[index] as string;
    const grown = samplePattern(item, short.length + missing);
    texts[index] = grown;
    missing -= grown.length - short.length;
  }
  return texts.join('');
}

/** Letters and digits before anything else. */
const candidates = [...'A1a-_ .,:/@', 'é', '€'];

function sampleClass({ negated, ranges, properties }: CharacterClass): string {
  const named = [
    ...ranges,
    ...properties.flatMap(({ name, negated: not }) => (not ? complement(propertyRanges(name)) : propertyRanges(name))),
  ];
  const held = negated ? complement(named) : named;
  const holds = (candidate: string): boolean => {
    const code = candidate.codePointAt(0) as number;
    return held.some(([from, to]) => code >= from && code <= to);
  };
  const [first] = held;
  return candidates.find(holds) ?? (first === undefined ? '' : String.fromCodePoint(first[0]));
}
