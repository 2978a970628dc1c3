/**
 * Ids by the code that `defineHandler`, `defineAfterSave`, `defineProcess` and `defineSubscription` of a project's `generated/handlers.ts` were called with. They are
 * kept beside the code, which has no member of ours, and in one place for all copies of the package in a process.
 */
const PLACE = Symbol.for('signalbox.defined');
const shared = globalThis as { [PLACE]?: WeakMap<object, Set<string>> };
shared[PLACE] ??= new WeakMap();
const known = shared[PLACE];

/**
 * Notes what code is for, and returns the code unchanged. `generated/handlers.ts` calls it: `signalbox check` and the start of
 * a gateway compare the ids with the operation, component, process or subscription that uses the file.
 * @param ids of operations, of a component, of a process or of a subscription, as the code names them
 */
export function define<T>(ids: string | readonly string[], code: T): T {
  if ((typeof code !== 'object' && typeof code !== 'function') || code === null) return code;
  const all = known.get(code) ?? new Set<string>();
  for (const id of [ids].flat()) all.add(id);
  known.set(code, all);
  return code;
}

/** The ids that code was defined with; `undefined` for code that was not. */
export function definedAs(code: unknown): ReadonlySet<string> | undefined {
  return known.get(code as object);
}
