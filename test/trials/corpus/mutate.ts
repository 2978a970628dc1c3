import type { Pick } from '../../../src/mock/instance.ts';
import { allNodes, elementsIn, type Node } from './node.ts';

type Mutation = (node: Node, pick: Pick) => boolean;

const TEXTS = [
  '',
  'x',
  '-1',
  '1.5',
  '99999999999999999999',
  '2026-13-45',
  ' 1 ',
  'x'.repeat(300),
  'a b',
  'tru',
  '1e400',
  'é&<',
];

/** What is done to an element; false when it can't be done to this one. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'an element removed': (node, pick) => {
    const all = elementsIn(node);
    if (all.length === 0) return false;
    const gone = all[pick(all.length)];
    node.children = node.children.filter((each) => each !== gone);
    return true;
  },
  'an element repeated': (node, pick) => {
    const all = elementsIn(node);
    const again = all[pick(Math.max(1, all.length))];
    if (again === undefined) return false;
    node.children.splice(node.children.indexOf(again), 0, structuredClone(again));
    return true;
  },
  'an unknown element': (node, pick) => {
    if (elementsIn(node).length === 0) return false;
    node.children.splice(pick(node.children.length + 1), 0, {
      local: 'unknownElement',
      namespace: node.namespace,
      attributes: [],
      children: [],
    });
    return true;
  },
  'two elements in the other order': (node, pick) => {
    if (node.children.length < 2) return false;
    const at = pick(node.children.length - 1);
    node.children.splice(at, 2, node.children[at + 1] as Node, node.children[at] as Node);
    return true;
  },
  'an element in another namespace': (node, pick) => {
    const all = elementsIn(node);
    const other = all[pick(Math.max(1, all.length))];
    if (other === undefined) return false;
    other.namespace = other.namespace === '' ? 'urn:mutated' : '';
    return true;
  },
  'another text': (node, pick) => {
    if (elementsIn(node).length > 0) return false;
    node.children = [TEXTS[pick(TEXTS.length)] as string];
    return true;
  },
  'text among elements': (node, pick) => {
    if (elementsIn(node).length === 0) return false;
    node.children.splice(pick(node.children.length + 1), 0, 'stray');
    return true;
  },
  'another value of an attribute': (node, pick) => {
    const one = node.attributes[pick(Math.max(1, node.attributes.length))];
    if (one === undefined || one.bound !== undefined) return false;
    one.value = TEXTS[pick(TEXTS.length)] as string;
    return true;
  },
  'an attribute removed': (node, pick) => {
    if (node.attributes.length === 0) return false;
    node.attributes.splice(pick(node.attributes.length), 1);
    return true;
  },
  'an unknown attribute': (node) => {
    node.attributes.push({ local: 'unknownAttribute', namespace: '', value: 'x' });
    return true;
  },
  'an element inside a text': (node) => {
    if (elementsIn(node).length > 0) return false;
    node.children.push({ local: 'unknownElement', namespace: node.namespace, attributes: [], children: [] });
    return true;
  },
};

/** A changed copy of an instance, with what was done. */
export function mutated(root: Node, pick: Pick): { readonly node: Node; readonly what: string } | undefined {
  const names = Object.keys(MUTATIONS);
  for (let n = 0; n < 20; n++) {
    const node = structuredClone(root);
    const all = allNodes(node);
    const what = names[pick(names.length)] as string;
    if (MUTATIONS[what]?.(all[pick(all.length)] as Node, pick)) return { node, what };
  }
  return undefined;
}
