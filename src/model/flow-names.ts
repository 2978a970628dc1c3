import type { Flow } from './flow.ts';

/** What a flow may be called by, the shortest first: without the version too, where that is the default one. */
export function flowNames({
  id,
  name,
  service,
}: Pick<Flow, 'id' | 'name' | 'service'>): readonly [string, ...string[]] {
  return service.default ? [`${service.name}.${name}`, id] : [id];
}
