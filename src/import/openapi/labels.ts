import type { Facets } from '../draft.ts';
import type { Shape } from './shape.ts';
import type { Node } from './tree.ts';

// What listed values mean. OpenAPI has no keyword for it; these are those of generators and of editors, the best first.

/** Lists that are parallel to `enum`, or maps by value. Names for code come last. */
const KEYWORDS = ['x-enum-descriptions', 'x-enumDescriptions', 'x-enum-varnames', 'x-enumNames'] as const;

/** The labels of the values that a schema lists, by the texts of these. */
export function labelsOf(shape: Shape): Pick<Facets, 'labels'> {
  for (const keyword of KEYWORDS)
    for (const part of shape.parts) {
      const said = part.get(keyword);
      const labels = said?.map === undefined ? listedLabels(part, said) : mappedLabels(said);
      if (labels.length > 0) return { labels: Object.fromEntries(labels) };
    }
  for (const part of shape.parts) {
    const values = part.get('x-ms-enum')?.get('values')?.items() ?? [];
    const labels = values.flatMap((each) => labelFor(each.get('value'), each.get('description') ?? each.get('name')));
    if (labels.length > 0) return { labels: Object.fromEntries(labels) };
  }
  return {};
}

/** The labels of alternatives that are one value each: their titles, or their descriptions. */
export function labelsOfConstants(branches: readonly Node[]): Pick<Facets, 'labels'> {
  const labels = branches.flatMap((each) => {
    const [only, ...others] = each.get('enum')?.items() ?? [];
    const value = each.get('const') ?? (others.length === 0 ? only : undefined);
    return labelFor(value, each.get('title') ?? each.get('description'));
  });
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}

function listedLabels(part: Node, said: Node | undefined): [string, string][] {
  const texts = said?.items() ?? [];
  const values = part.get('enum')?.items() ?? [];
  return values.length === texts.length ? values.flatMap((value, index) => labelFor(value, texts[index])) : [];
}

function mappedLabels(said: Node): [string, string][] {
  return said.entries().flatMap(([value, { text }]) => labelled(value, text));
}

function labelFor(value: Node | undefined, label: Node | undefined): [string, string][] {
  const text = value?.text ?? value?.number;
  return text === undefined ? [] : labelled(text, label?.text);
}

/** A label that only repeats its value says nothing. */
function labelled(value: string, label: string | undefined): [string, string][] {
  const text = label?.trim() ?? '';
  return text === '' || text === value ? [] : [[value, text]];
}
