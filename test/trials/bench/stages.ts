/** A node of a CPU profile (V8's inspector protocol, `Profiler.ProfileNode`). */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A CPU profile (`Profiler.Profile`). */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Waiting, and the profiler itself. */
const NOT_SHOWN = '';

/**
 * The stages of a request, by the function that runs: the first pattern that matches its file and name, as in
 * `src/serve/rest/routes.ts findPath`. A function without one, such as a helper of several stages, belongs to the stage of
 * its caller.
 */
const STAGES: readonly (readonly [stage: string, functions: RegExp])[] = [
  [NOT_SHOWN, /^ \(idle\)|test\/trials\/bench\/profiler/],
  ['garbage collection', /^ \(garbage collector\)/],
  ['native: reading, parser, event loop', /^ \((program|root)\)/],
  ['writing to the socket', /^ (write(Latin1|Utf8|Ascii|Ucs2)String|writeBuffer|writev)$/],
  [
    "Node's http and streams",
    /^node:(_http|net|events|internal\/(http|stream_base|streams|dtrace)|stream|diagnostics_channel)/,
  ],
  [
    'promises, ticks and timers',
    /^node:internal\/(process\/(task_queues|promises)|timers|async_hooks|async_context)|^ runMicrotasks/,
  ],
  ['Hono and its adapter', /node_modules\/(hono|@hono)\//],
  ['metrics', /node_modules\/prom-client|src\/serve\/log\/(metrics|readings)/],
  [
    'log line',
    /node_modules\/(pino|sonic-boom|thread-stream|safe-stable)|src\/serve\/log\/|src\/serve\/stages\.ts (leave|sent|failed)/,
  ],
  ['trace', /src\/trace\//],
  [
    'admit',
    /src\/security\/(authorise|grants|rate-limit)|src\/serve\/exchange\/(throttle|cors)|src\/serve\/stages\.ts admit/,
  ],
  ['authenticate', /node_modules\/jose|src\/security\/|src\/serve\/stages\.ts authenticate/],
  ['answer (the handler)', /test\/trials\/bench\/|src\/serve\/answer\/|src\/serve\/stages\.ts answer/],
  [
    'encode',
    /src\/codec\/(json|xml)\/write|src\/wire\/xml\/(encoding|build)|src\/serve\/exchange\/(respond|select|refuse)|src\/binding\/.* (write|reply)|src\/serve\/.* #?(encode|respond)$/,
  ],
  [
    'decode',
    /src\/codec\/(json|xml)\/|src\/wire\/(xml|soap|multipart|charset)|src\/serve\/exchange\/body|src\/binding\/.* (read|complete)|src\/serve\/.* #?decode$/,
  ],
  [
    'arrive and route',
    /src\/serve\/(listen|rest|exchange|messages|app|plain-routes|stages)|src\/wire\/(uri-template|query-string)/,
  ],
  ['jobs in the background', /src\/(store\/)?queue\//],
];

const OTHERS = 'other';

/** A stage of a profile. */
export interface StageTime {
  readonly stage: string;
  /** Microseconds in all samples. */
  readonly time: number;
  /** Its functions, by the time that they took themselves. */
  readonly functions: readonly { readonly name: string; readonly time: number }[];
}

/** Time by stage, longest first. Time in which the thread waited is left out. */
export function byStage({ nodes, samples, timeDeltas }: Profile): StageTime[] {
  const own = new Map<number, number>();
  samples.forEach((id, index) => {
    own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] as number));
  });
  const known = new Map(nodes.map((node) => [node.id, node]));
  const stages = new Map<string, Map<string, number>>();
  const visit = (id: number, above: string): void => {
    const { callFrame, children = [] } = known.get(id) as ProfileNode;
    const name = `${fileOf(callFrame.url)} ${callFrame.functionName || '(anonymous)'}`;
    const stage = STAGES.find(([, functions]) => functions.test(name))?.[0] ?? above;
    const functions = stages.get(stage) ?? new Map<string, number>();
    stages.set(stage, functions);
    functions.set(name, (functions.get(name) ?? 0) + (own.get(id) ?? 0));
    for (const child of children) visit(child, name === ' (root)' ? OTHERS : stage);
  };
  visit((nodes[0] as ProfileNode).id, OTHERS);
  stages.delete(NOT_SHOWN);
  return [...stages]
    .map(([stage, functions]) => {
      const sorted = [...functions].map(([name, time]) => ({ name, time })).sort((a, b) => b.time - a.time);
      return { stage, functions: sorted, time: sorted.reduce((sum, { time }) => sum + time, 0) };
    })
    .filter(({ time }) => time > 0)
    .sort((a, b) => b.time - a.time);
}

/** A path from the repository's folder on. */
function fileOf(url: string): string {
  return url.replace(/^file:\/\/.*?\/(?=(src|test|node_modules)\/)/, '');
}
