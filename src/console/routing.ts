import type { ActionRoute, Area, PageRoute, Route } from './route.ts';

/** The route of a path, with the values of its variables. */
interface Found<R extends Route> {
  readonly area: Area;
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

interface Compiled {
  readonly area: Area;
  readonly route: Route;
  readonly segments: readonly string[];
}

/** The routes of all areas. Literal segments take precedence over variables, in whatever order the routes are declared. */
export class Routing {
  /** By kind and number of segments. */
  readonly #routes = new Map<string, Compiled[]>();

  constructor(areas: readonly Area[]) {
    for (const area of areas)
      for (const route of area.routes) {
        const segments = route.path.split('/');
        const key = `${route.kind} ${segments.length}`;
        const all = this.#routes.get(key) ?? [];
        this.#routes.set(key, [...all, { area, route, segments }].sort(byLiterals));
      }
  }

  find(kind: 'page', path: string): Found<PageRoute> | undefined;
  find(kind: 'action', path: string): Found<ActionRoute> | undefined;
  /** @param path raw, relative to the console */
  find(kind: Route['kind'], path: string): Found<Route> | undefined {
    const given = path.split('/');
    for (const { area, route, segments } of this.#routes.get(`${kind} ${given.length}`) ?? []) {
      const params = matched(segments, given);
      if (params !== undefined) return { area, route, params };
    }
    return undefined;
  }
}

const literals = ({ segments }: Compiled): string =>
  segments.map((each) => (each.startsWith(':') ? '1' : '0')).join('');

function byLiterals(a: Compiled, b: Compiled): number {
  return literals(a) < literals(b) ? -1 : 1;
}

function matched(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] as string;
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
      continue;
    }
    const text = decoded(value);
    if (text === undefined || text === '') return undefined;
    params[segment.slice(1)] = text;
  }
  return params;
}

/** `undefined` for a NUL: no name has one, and PostgreSQL refuses it in a text. */
function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}
