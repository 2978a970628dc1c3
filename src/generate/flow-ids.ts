import type { Flow } from '../model/flow.ts';

/** What a flow may be called by: without the version too, where that is the default one. */
export function flowIds({ id, name, service }: Flow): string[] {
  return service.default ? [`${service.name}.${name}`, id] : [id];
}
