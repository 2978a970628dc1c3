import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from '../model/registry.ts';
import { eachThing, type Thing } from '../security/grants.ts';

// Data for pages that is derived from all definitions. With 10,000 operations that takes a tenth of a second; meanwhile calls
// are answered.

/** Milliseconds after which other work gets its turn. */
const SLICE = 5;

/**
 * Data that is derived from the definitions of a gateway once, at its first use.
 * @param build yields at points at which other work may run
 */
export function builtOnce<T>(build: (registry: Registry) => Generator<unknown, T>): (registry: Registry) => Promise<T> {
  const known = new WeakMap<Registry, Promise<T>>();
  return (registry) => {
    const built = known.get(registry) ?? inSlices(build(registry));
    known.set(registry, built);
    return built;
  };
}

async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  let begin = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - begin < SLICE) continue;
    await turn();
    begin = performance.now();
  }
}

/** All definitions with grants. */
interface Things {
  readonly all: readonly Thing[];
  /** By the definition that is granted; flows, which have no grants of their own, by their id. */
  readonly byGranted: ReadonlyMap<object | string, Thing>;
}

export const thingsOf = builtOnce(function* (registry): Generator<void, Things> {
  const all: Thing[] = [];
  const byGranted = new Map<object | string, Thing>();
  for (const thing of eachThing(registry)) {
    all.push(thing);
    const granted = thing.kind === 'flow' ? thing.id : thing.needs[0]?.granted;
    if (granted !== undefined) byGranted.set(granted, thing);
    yield;
  }
  return { all, byGranted };
});
