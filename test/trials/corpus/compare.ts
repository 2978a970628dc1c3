import { XSI } from '../../../src/wire/xml/namespaces.ts';
import { childrenOf, textOf, type XmlElement } from '../../../src/wire/xml/tree.ts';

/**
 * Compares the content of two elements.
 * @param presets local names of attributes that may be added, since they have a default
 * @returns the first difference, `undefined` when there is none
 */
export function differenceOf(
  before: XmlElement,
  after: XmlElement,
  presets: ReadonlySet<string> = new Set(),
): string | undefined {
  if (before.local !== after.local || before.namespace !== after.namespace)
    return `the element {${before.namespace}}${before.local} is {${after.namespace}}${after.local}`;
  return attributeDifference(before, after, presets) ?? contentDifference(before, after, presets);
}

function attributeDifference(before: XmlElement, after: XmlElement, presets: ReadonlySet<string>): string | undefined {
  const own = ({ attributes }: XmlElement): Map<string, string> =>
    new Map(attributes.map(({ namespace, local, value }) => [`{${namespace}}${local}`, value]));
  const [was, is] = [own(before), own(after)];
  for (const [name, value] of was) {
    const now = is.get(name);
    if (now === undefined) return `attribute ${name} of ${before.local} is gone`;
    const isType = name === `{${XSI}}type`;
    if (isType ? value.replace(/.*:/, '') !== now.replace(/.*:/, '') : !isSameText(value, now))
      return `attribute ${name} of ${before.local}: ${value} | ${now}`;
  }
  const added = [...is.keys()].find((name) => !was.has(name) && !presets.has(name.replace(/.*\}/, '')));
  return added === undefined ? undefined : `attribute ${added} of ${before.local} was added`;
}

function contentDifference(before: XmlElement, after: XmlElement, presets: ReadonlySet<string>): string | undefined {
  const [was, is] = [childrenOf(before), childrenOf(after)];
  if (was.length === 0 && is.length === 0) {
    if (isSameText(textOf(before), textOf(after))) return undefined;
    return `text of ${before.local}: ${JSON.stringify(textOf(before))} | ${JSON.stringify(textOf(after))}`;
  }
  if (textOf(before).trim() !== textOf(after).trim()) return `text between elements of ${before.local}`;
  const [wasNames, isNames] = [was, is].map((all) => all.map(({ namespace, local }) => `{${namespace}}${local}`)) as [
    string[],
    string[],
  ];
  if (wasNames.join() !== isNames.join()) {
    if ([...wasNames].sort().join() === [...isNames].sort().join()) return orderDifference(before, was, is, presets);
    return `elements of ${before.local}: ${wasNames.join(' ')} | ${isNames.join(' ')}`;
  }
  for (const [index, each] of was.entries()) {
    const difference = differenceOf(each, is[index] as XmlElement, presets);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function orderDifference(
  { local }: XmlElement,
  was: readonly XmlElement[],
  is: readonly XmlElement[],
  presets: ReadonlySet<string>,
): string {
  const sorted = (all: readonly XmlElement[]): XmlElement[] =>
    [...all].sort((a, b) => (a.local < b.local ? -1 : a.local > b.local ? 1 : 0));
  const after = sorted(is);
  for (const [index, each] of sorted(was).entries()) {
    const difference = differenceOf(each, after[index] as XmlElement, presets);
    if (difference !== undefined) return difference;
  }
  return `${ORDER} of ${local}`;
}

/** How a difference of the order alone begins, which does not matter in an xs:all. */
export const ORDER = 'order of elements';

/** Whether two texts are lexical forms of the same value, or of lists of such values. */
function isSameText(a: string, b: string): boolean {
  if (a === b) return true;
  const [x, y] = [a, b].map((text) => text.trim().replace(/\s+/g, ' ')) as [string, string];
  if (x === y) return true;
  if (x.includes(' ') && x.split(' ').length === y.split(' ').length) {
    const words = y.split(' ');
    return x.split(' ').every((word, index) => isSameText(word, words[index] as string));
  }
  if (NUMBER.test(x) && NUMBER.test(y)) return numberOf(x) === numberOf(y);
  if (BOOLEANS[x] !== undefined) return BOOLEANS[x] === BOOLEANS[y];
  if (/^\d{4}-|^\d\d:/.test(x) && moment(x) === moment(y)) return true;
  return /^(?:[0-9a-fA-F]{2})*$/.test(x) && x.toLowerCase() === y.toLowerCase();
}

const NUMBER = /^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?INF)$/;

function numberOf(text: string): number {
  return Number(text.replace('INF', 'Infinity'));
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function moment(text: string): string {
  return text
    .replace(/(\.\d*?)0+(?=Z|[-+]|$)/, '$1')
    .replace(/\.(?=Z|[-+]|$)/, '')
    .replace(/[-+]00:00$/, 'Z');
}
