import { escapeAttribute, escapeText } from '../../../src/wire/xml/text.ts';

/** An element of an instance, which can be changed before it is written. */
export interface Node {
  local: string;
  namespace: string;
  attributes: NodeAttribute[];
  children: (Node | string)[];
}

interface NodeAttribute {
  local: string;
  namespace: string;
  value: string;
  /** The namespace that the prefix `t` of the value is bound to. */
  readonly bound?: string;
}

/** The text of an element, with a declaration of its namespace wherever it changes. */
export function nodeText({ local, namespace, attributes, children }: Node, around = ''): string {
  let declarations = namespace === around ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  const written = attributes.map((each, index) => {
    const prefix = each.namespace === XML ? 'xml:' : each.namespace === '' ? '' : `a${index}:`;
    if (prefix.startsWith('a')) declarations += ` xmlns:a${index}="${escapeAttribute(each.namespace)}"`;
    if (each.bound !== undefined) declarations += ` xmlns:t="${escapeAttribute(each.bound)}"`;
    return ` ${prefix}${each.local}="${escapeAttribute(each.value)}"`;
  });
  const inside = children.map((each) => (typeof each === 'string' ? escapeText(each) : nodeText(each, namespace)));
  return `<${local}${declarations}${written.join('')}>${inside.join('')}</${local}>`;
}

const XML = 'http://www.w3.org/XML/1998/namespace';

export function elementsIn({ children }: Node): Node[] {
  return children.filter((each) => typeof each !== 'string');
}

/** An element with all elements in it. */
export function allNodes(node: Node): Node[] {
  return [node, ...elementsIn(node).flatMap(allNodes)];
}
