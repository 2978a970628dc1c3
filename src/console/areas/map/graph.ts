import type { Component } from '../../../model/component.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import type { Flow } from '../../../model/flow.ts';
import type { Node } from '../../../model/node.ts';
import type { Registry } from '../../../model/registry.ts';
import { type Answer, operationsOf } from '../../../model/service.ts';
import type { QueueOverview } from '../../../store/index.ts';
import { builtOnce } from '../../built.ts';

// The map of calls, from left to right: services, what answers them, and the nodes that these call.

/** Layers from left to right. */
export const LAYERS = ['Services', 'Answered by', 'Subscriptions', 'Calls', 'Nodes'] as const;

/** A box of the map. */
export interface Place {
  /** For example `service Locations.v1`. */
  readonly key: string;
  readonly kind:
    | 'service'
    | 'services'
    | 'code'
    | 'database'
    | 'datasource'
    | 'queue'
    | 'subscription'
    | 'flow'
    | 'called'
    | 'node';
  /** An id of the registry; for a group, that of its first service. */
  readonly id: string;
  /** Index of {@link LAYERS}. */
  readonly layer: number;
  /** The services of a group. */
  readonly members?: readonly string[];
}

/** A line of the map. */
export interface MapLine {
  readonly from: string;
  readonly to: string;
  /** Ids of the operations that lead there. The line shows how many there are. */
  readonly operations: ReadonlySet<string>;
}

export interface Graph {
  /** Whether code and the gateway's database, to which nearly everything leads, are left out. */
  readonly isReduced?: true;
  readonly places: ReadonlyMap<string, Place>;
  readonly lines: readonly MapLine[];
}

/** A whole map with more services shows services that lead to the same places as one box. */
const MOST_SINGLE = 40;

/** Collects places and lines. */
class Builder {
  readonly places = new Map<string, Place>();
  readonly lines = new Map<string, { from: string; to: string; operations: Set<string> }>();

  place(kind: Place['kind'], id: string, layer: number): string {
    const key = `${kind} ${id}`;
    if (!this.places.has(key)) this.places.set(key, { key, kind, id, layer });
    return key;
  }

  line(from: string, to: string, operation: string): void {
    const key = `${from}\n${to}`;
    const line = this.lines.get(key) ?? { from, to, operations: new Set() };
    line.operations.add(operation);
    this.lines.set(key, line);
  }
}

/** The whole map of a registry. */
export const graphOf = builtOnce(function* (registry: Registry): Generator<void, Graph> {
  const graph = new Builder();
  const ofNode = ({ id }: Node): string => graph.place('node', id, 4);
  /** The box of what is called, with its lines to nodes. */
  const ofCall = (call: ConsumerOperation | Flow): string => {
    const box = 'steps' in call ? graph.place('flow', call.id, 3) : graph.place('called', call.service.id, 3);
    for (const operation of operationsOf(call)) graph.line(box, ofNode(operation.target), operation.id);
    return box;
  };
  const ofAnswer = (answer: Answer): string[] => {
    switch (answer.kind) {
      case 'handler':
      case 'delivered':
      case 'reply':
        return [graph.place('code', answer.kind === 'handler' ? 'code of the project' : 'code of the package', 1)];
      case 'query':
        return [ofDatabase(answer.query.datasource)];
      case 'queries':
        return answer.lists.map(({ query }) => ofDatabase(query.datasource));
      case 'component':
        return [ofDatabase(undefined), ...(answer.action === 'read' ? [] : publishedBy(answer.component))];
      case 'call':
        return [ofCall(answer.call)];
      case 'version':
        return [graph.place('service', answer.operation.service.id, 0)];
      case 'queue':
        return [graph.place('queue', answer.queue.id, 1)];
    }
  };
  const publishedBy = ({ publications }: Component): string[] =>
    publications.flatMap(({ operation }) =>
      operation.answer.kind === 'queue' ? [graph.place('queue', operation.answer.queue.id, 1)] : [],
    );
  const ofDatabase = (source: { readonly id: string } | undefined): string =>
    source === undefined ? graph.place('database', 'gateway database', 1) : graph.place('datasource', source.id, 1);
  for (const service of registry.services.values()) {
    if (service.operations.length === 0) continue;
    const from = graph.place('service', service.id, 0);
    for (const { answer, id } of service.operations) for (const to of ofAnswer(answer)) graph.line(from, to, id);
    yield;
  }
  for (const call of [...registry.consumers.values(), ...registry.flows.values()]) ofCall(call);
  for (const node of registry.nodes.values()) ofNode(node);
  for (const queue of registry.messageQueues.values()) graph.place('queue', queue.id, 1);
  for (const { id, operation, target } of registry.subscriptions.values()) {
    const box = graph.place('subscription', id, 2);
    if (operation.answer.kind === 'queue') graph.line(`queue ${operation.answer.queue.id}`, box, operation.id);
    if (target.kind === 'call') graph.line(box, ofCall(target.call), operation.id);
    else if (target.kind === 'caller') graph.line(box, ofNode(target.node), operation.id);
    else graph.line(box, graph.place('code', 'code of subscriptions', 3), operation.id);
  }
  return { places: graph.places, lines: [...graph.lines.values()] };
});

export interface Filter {
  /** A service, with everything that it leads to. */
  readonly service?: string | undefined;
  /** A node, with everything that leads to it. */
  readonly node?: string | undefined;
  /** A part of ids: every box with it, with everything that it leads to and that leads to it. */
  readonly q?: string | undefined;
  /** A service: those that lead to the same places, each as a box of its own. */
  readonly like?: string | undefined;
}

/** The part of a map that a filter selects. Services that lead to the same places are one box if there are many. */
export function narrowed(graph: Graph, { service, node, q, like }: Filter): Graph {
  const shapes = shapesOf(graph);
  const word = q?.trim().toLowerCase() ?? '';
  const chosen = [...graph.places.values()].filter(
    ({ kind, id, key }) =>
      (service === undefined || (kind === 'service' && id === service) || (kind === 'called' && id === service)) &&
      (node === undefined || (kind === 'node' && id === node)) &&
      (like === undefined ||
        (kind === 'service' && (shapes.get(key) ?? '') === (shapes.get(`service ${like}`) ?? ''))) &&
      (word === '' || id.toLowerCase().includes(word)),
  );
  const isWhole = service === undefined && node === undefined && like === undefined && word === '';
  const part = isWhole ? graph : around(graph, chosen);
  const services = [...part.places.values()].filter(({ kind }) => kind === 'service');
  return like !== undefined || services.length <= MOST_SINGLE ? part : grouped(withoutHubs(part), shapes);
}

/** Boxes with everything that they lead to, and everything that leads to them. */
function around({ places, lines }: Graph, chosen: readonly Place[]): Graph {
  const forward = Map.groupBy(lines, ({ from }) => from);
  const backward = Map.groupBy(lines, ({ to }) => to);
  const kept = new Set<MapLine>();
  const seen = new Set(chosen.map(({ key }) => key));
  const walk = (index: ReadonlyMap<string, readonly MapLine[]>, next: (line: MapLine) => string): void => {
    const reached = new Set(chosen.map(({ key }) => key));
    // The loop also visits what is added to the set meanwhile.
    for (const key of reached)
      for (const line of index.get(key) ?? []) {
        kept.add(line);
        reached.add(next(line));
      }
    for (const key of reached) seen.add(key);
  };
  walk(forward, ({ to }) => to);
  walk(backward, ({ from }) => from);
  return { places: new Map([...places].filter(([key]) => seen.has(key))), lines: [...kept] };
}

const isHub = (place: Place | undefined): boolean => place?.kind === 'code' || place?.kind === 'database';

function withoutHubs({ places, lines }: Graph): Graph {
  return {
    places: new Map([...places].filter(([, place]) => !isHub(place))),
    lines: lines.filter(({ to }) => !isHub(places.get(to))),
    isReduced: true,
  };
}

/**
 * By service, the places that it leads to besides code and the gateway's database, as a text. Services that lead nowhere else
 * are absent.
 */
function shapesOf({ places, lines }: Graph): ReadonlyMap<string, string> {
  const targets = Map.groupBy(
    lines.filter(({ from, to }) => from.startsWith('service ') && !isHub(places.get(to))),
    ({ from }) => from,
  );
  return new Map(
    [...targets].map(([from, all]) => [
      from,
      all
        .map(({ to }) => to)
        .sort()
        .join('\n'),
    ]),
  );
}

/** Services that lead to the same places become one box. */
function grouped({ places, lines }: Graph, shapes: ReadonlyMap<string, string>): Graph {
  const services = [...places.values()].filter(({ kind }) => kind === 'service');
  const boxes = new Map<string, Place>();
  for (const same of Map.groupBy(services, ({ key }) => shapes.get(key) ?? '').values()) {
    const [first] = same as [Place];
    const members = same.map(({ id }) => id);
    const box: Place = same.length === 1 ? first : { ...first, key: `services ${first.id}`, kind: 'services', members };
    for (const { key } of same) boxes.set(key, box);
  }
  const graph = new Builder();
  for (const [key, place] of places) {
    const box = boxes.get(key) ?? place;
    graph.places.set(box.key, box);
  }
  for (const { from, to, operations } of lines)
    for (const operation of operations) graph.line(boxes.get(from)?.key ?? from, to, operation);
  return { places: graph.places, lines: [...graph.lines.values()], isReduced: true };
}

/** Calls of an operation in some period. */
export interface Calls {
  readonly calls: number;
  readonly failures: number;
}

/** The state of a line. */
export interface LineState extends Calls {
  /** Why the line counts as failing; absent if it does not. */
  readonly reason?: string;
}

/**
 * The states of the lines of a map.
 * @param totals calls by operation; operations that were not called are absent
 * @param queues the jobs of subscriptions: held and dead jobs count as failures
 */
export function statesOf(
  { lines, places }: Graph,
  totals: ReadonlyMap<string, Calls>,
  queues: readonly QueueOverview[],
): ReadonlyMap<MapLine, LineState> {
  const stuck = new Map(
    queues.flatMap((queue) => {
      const reason = stuckReason(queue);
      return reason === undefined ? [] : [[queue.queue, reason] as const];
    }),
  );
  return new Map(
    lines.map((line) => {
      const sum = { calls: 0, failures: 0 };
      for (const operation of line.operations) {
        const own = totals.get(operation);
        sum.calls += own?.calls ?? 0;
        sum.failures += own?.failures ?? 0;
      }
      const [from, to] = [places.get(line.from), places.get(line.to)];
      const subscription = from?.kind === 'subscription' ? from : to?.kind === 'subscription' ? to : undefined;
      const reason =
        (subscription && stuck.get(subscription.id)) ??
        (sum.failures > 0 ? `${sum.failures} of ${sum.calls} calls failed` : undefined);
      return [line, { ...sum, ...(reason === undefined ? {} : { reason }) }];
    }),
  );
}

function stuckReason({ paused, dead, held }: QueueOverview): string | undefined {
  if (paused !== undefined) return paused.with === undefined ? 'paused' : `held with ${paused.with}`;
  if (dead > 0) return `${dead} dead letters`;
  return held > 0 ? `${held} deliveries held` : undefined;
}
