import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Registry } from '../../../model/registry.ts';
import { type Filter, type Graph, graphOf, type MapLine, narrowed } from './graph.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The positions in a map, in pixels from the top left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of each box, by its key. */
  readonly boxes: ReadonlyMap<string, Point>;
  readonly paths: ReadonlyMap<MapLine, readonly Point[]>;
  /** The titles of the layers that have boxes, and their left edges. */
  readonly titles: readonly { readonly text: string; readonly x: number }[];
}

export const BOX = { width: 172, height: 28 } as const;
/** Space above the boxes for the titles of the layers. */
export const TOP = 32;

/** Maximum number of drawn boxes; a larger part of the map is shown as a table only. */
const MOST_DRAWN = 240;
/** Maximum number of parts that are kept of one registry. */
const MOST_KEPT = 30;

/** A part of the map. */
export interface Part {
  readonly graph: Graph;
  /** Absent when it is too large to be drawn. Resolves to `undefined` if newer parts replaced it before its turn. */
  readonly layout?: Promise<Layout | undefined>;
}

const kept = new WeakMap<Registry, Map<string, Part>>();

/** The part of a map that a filter selects. A thread lays it out once; only those that need the layout wait for it. */
export async function partOf(registry: Registry, filter: Filter): Promise<Part> {
  const graph = await graphOf(registry);
  const all = kept.get(registry) ?? new Map<string, Part>();
  kept.set(registry, all);
  const { service, node, q, like } = filter;
  const name = JSON.stringify([service, node, q, like]);
  const known = all.get(name) ?? newPart(narrowed(graph, filter), () => all.has(name));
  // A part whose layout failed is tried again at the next request.
  if (!all.has(name)) known.layout?.catch(() => all.delete(name));
  // The part that was requested last is removed last.
  all.delete(name);
  all.set(name, known);
  const [oldest] = all.keys();
  if (all.size > MOST_KEPT && oldest !== undefined) all.delete(oldest);
  return known;
}

/** The input of the thread. */
export interface ToDraw {
  /** The layer of each box, by its key. */
  readonly places: ReadonlyMap<string, number>;
  readonly lines: readonly (readonly [from: string, to: string])[];
}

/** The reply of the thread. */
export interface Drawn extends Pick<Layout, 'width' | 'height' | 'boxes' | 'titles'> {
  /** In the order of the lines. */
  readonly paths: readonly (readonly Point[])[];
}

/** The previous layout. Layouts follow each other, so that those that are no longer wanted cost nothing. */
let before: Promise<unknown> = Promise.resolve();

function newPart(graph: Graph, isWanted: () => boolean): Part {
  if (graph.places.size > MOST_DRAWN) return { graph };
  const layout = before.then(() => (isWanted() ? layOut(graph) : undefined));
  before = layout.catch(() => {});
  return { graph, layout };
}

async function layOut({ places, lines }: Graph): Promise<Layout> {
  const { paths, ...drawn } = await threadDraws({
    places: new Map([...places].map(([key, { layer }]) => [key, layer])),
    lines: lines.map(({ from, to }) => [from, to] as const),
  });
  return { ...drawn, paths: new Map(lines.map((line, index) => [line, paths[index] ?? []])) };
}

/** Milliseconds without work after which the thread ends. */
const IDLE = 60_000;

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/** Has the thread draw a map; it draws one at a time. @throws Error when the thread fails */
async function threadDraws(given: ToDraw): Promise<Drawn> {
  clearTimeout(idle);
  const worker = thread ?? startThread();
  thread = worker;
  try {
    const drawn = once(worker, 'message') as Promise<[Drawn]>;
    worker.postMessage(given);
    return (await drawn)[0];
  } catch (error) {
    thread = undefined;
    throw error;
  } finally {
    idle = setTimeout(endThread, IDLE);
    idle.unref();
  }
}

function startThread(): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./layout-thread.${ending}`, import.meta.url), { execArgv: [] });
  worker.unref();
  return worker;
}

function endThread(): void {
  void thread?.terminate();
  thread = undefined;
}
