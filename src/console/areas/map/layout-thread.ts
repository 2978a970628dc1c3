import { parentPort } from 'node:worker_threads';
import { Graph as DagreGraph, layout } from '@dagrejs/dagre';
import { LAYERS } from './graph.ts';
import { BOX, type Drawn, TOP, type ToDraw } from './layout.ts';

// The thread that lays out maps. Hundreds of boxes take a second, in which the gateway must answer calls.

interface Point {
  readonly x: number;
  readonly y: number;
}

parentPort?.on('message', (given: ToDraw) => parentPort?.postMessage(layOut(given)));

/** Precedes boxes that nothing leads to; it is not drawn. */
const ROOT = '\n';

function layOut({ places, lines }: ToDraw): Drawn {
  const used = LAYERS.map((_, layer) => layer).filter((layer) => [...places.values()].includes(layer));
  const rank = (key: string): number => used.indexOf(places.get(key) ?? 0);
  const drawn = new DagreGraph({ multigraph: false });
  drawn.setGraph({ rankdir: 'LR', nodesep: 8, edgesep: 6, ranksep: 40, marginx: 8, marginy: 8, ranker: 'tight-tree' });
  drawn.setDefaultEdgeLabel(() => ({}));
  for (const key of places.keys()) drawn.setNode(key, { ...BOX });
  const targets = new Set<string>();
  for (const [from, to] of lines) {
    targets.add(to);
    // Columns are layers, even if a box could be further left.
    drawn.setEdge(from, to, { minlen: Math.max(1, rank(to) - rank(from)) });
  }
  // Boxes that nothing leads to stay in their column.
  const lonely = [...places.keys()].filter((key) => rank(key) > 0 && !targets.has(key));
  if (lonely.length > 0) drawn.setNode(ROOT, { width: 0, height: 0 });
  for (const key of lonely) drawn.setEdge(ROOT, key, { minlen: rank(key), weight: 0 });
  layout(drawn);
  const at = (key: string): Point => {
    const { x = 0, y = 0 } = drawn.node(key);
    return { x, y: y + TOP };
  };
  const boxes = new Map([...places.keys()].map((key) => [key, at(key)]));
  const { width = 0, height = 0 } = drawn.graph();
  const titles = used.map((layer) => {
    const [first = ''] = [...places].find(([, each]) => each === layer) ?? [];
    return { text: LAYERS[layer] as string, x: (boxes.get(first)?.x ?? 0) - BOX.width / 2 };
  });
  const paths = lines.map(([from, to]) => {
    // From the middle of the right edge to the middle of the left edge, through those bends that are between other columns.
    const bends = (drawn.edge(from, to).points ?? []) as Point[];
    const between = bends.length <= 3 ? [] : bends.slice(1, -1).map(({ x, y }) => ({ x, y: y + TOP }));
    const [begin, end] = [at(from), at(to)];
    return [{ ...begin, x: begin.x + BOX.width / 2 }, ...between, { ...end, x: end.x - BOX.width / 2 }];
  });
  return { width: Math.ceil(width), height: Math.ceil(height) + TOP, boxes, paths, titles };
}
