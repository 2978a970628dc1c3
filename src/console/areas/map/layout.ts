import type { Registry } from '../../../model/registry.ts';
import { type Filter, type Graph, graphOf, LAYERS, type Line, narrowed } from './graph.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A map with places: pixels from the top left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of each box by its key. */
  readonly boxes: ReadonlyMap<string, Point>;
  readonly paths: ReadonlyMap<Line, readonly Point[]>;
  /** The titles of the layers that have boxes, with their left edges. */
  readonly titles: readonly { readonly text: string; readonly x: number }[];
}

export const BOX = { width: 172, height: 28 } as const;
/** Above the boxes, for the titles of the layers. */
const TOP = 32;

/** Boxes that are drawn; a larger part of the map is only in the table. */
const MOST_DRAWN = 240;
/** Parts that are kept of one registry. */
const MOST_KEPT = 30;

/** A part of the map. */
export interface Part {
  readonly graph: Graph;
  /** Absent when it is too large to be drawn. */
  readonly layout?: Layout;
}

const kept = new WeakMap<Registry, Map<string, Promise<Part>>>();

/** The part of a map that a filter asks for, computed once. */
export function partOf(registry: Registry, filter: Filter): Promise<Part> {
  const all = kept.get(registry) ?? new Map<string, Promise<Part>>();
  kept.set(registry, all);
  const { service, node, q, like } = filter;
  const name = JSON.stringify([service, node, q, like]);
  const known = all.get(name) ?? drawnPart(registry, filter);
  // The one that was asked for last is the last to go.
  all.delete(name);
  all.set(name, known);
  const [oldest] = all.keys();
  if (all.size > MOST_KEPT && oldest !== undefined) all.delete(oldest);
  return known;
}

async function drawnPart(registry: Registry, filter: Filter): Promise<Part> {
  const graph = narrowed(graphOf(registry), filter);
  return graph.places.size > MOST_DRAWN ? { graph } : { graph, layout: await layOut(graph) };
}

async function layOut({ places, lines }: Graph): Promise<Layout> {
  const { Graph: DagreGraph, layout } = await import('@dagrejs/dagre');
  const used = LAYERS.map((_, layer) => layer).filter((layer) =>
    places.values().some((place) => place.layer === layer),
  );
  const rank = (key: string): number => used.indexOf(places.get(key)?.layer ?? 0);
  const drawn = new DagreGraph({ multigraph: false });
  drawn.setGraph({ rankdir: 'LR', nodesep: 8, edgesep: 6, ranksep: 40, marginx: 8, marginy: 8, ranker: 'tight-tree' });
  drawn.setDefaultEdgeLabel(() => ({}));
  for (const key of places.keys()) drawn.setNode(key, { ...BOX });
  const targets = new Set<string>();
  for (const { from, to } of lines) {
    targets.add(to);
    // Columns are layers, however short a way is.
    drawn.setEdge(from, to, { minlen: Math.max(1, rank(to) - rank(from)) });
  }
  // What nothing leads to stays in its column.
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
  const columns = used.map((layer) => {
    const first = [...places.values()].find((place) => place.layer === layer);
    return { text: LAYERS[layer] as string, x: (boxes.get(first?.key ?? '')?.x ?? 0) - BOX.width / 2 };
  });
  return {
    ...{ width: Math.ceil(width), height: Math.ceil(height) + TOP, boxes, titles: columns },
    paths: new Map(
      lines.map((line) => {
        // From the middle of the right edge to the middle of the left one, by those bends that lie between other columns.
        const bends = (drawn.edge(line.from, line.to).points ?? []) as Point[];
        const between = bends.length <= 3 ? [] : bends.slice(1, -1).map(({ x, y }) => ({ x, y: y + TOP }));
        const [from, to] = [at(line.from), at(line.to)];
        const points = [{ ...from, x: from.x + BOX.width / 2 }, ...between, { ...to, x: to.x - BOX.width / 2 }];
        return [line, points];
      }),
    ),
  };
}

/** In front of boxes that nothing leads to; not drawn. */
const ROOT = '\n';
