import { loadProject } from '../../../../src/load/index.ts';
import { compileRoutes, type RouteTable } from '../../../../src/serve/rest/routes.ts';
import { parseQueryString } from '../../../../src/wire/query-string.ts';
import type { Figure } from '../figure.ts';
import { pathOf, writeProject } from '../generated-project.ts';
import type { Bench, Row } from '../harness.ts';

/** Numbers of services, of ten operations each. */
const SIZES = [1, 10, 100, 1000] as const;
/** Paths matched in turn: the same number for each size, so that only the size of the table differs. */
const PATHS = 4096;

interface Subject {
  readonly operations: number;
  readonly routes: RouteTable;
  readonly paths: readonly string[];
}

export const routing: Row = {
  name: 'routing',
  about: 'a match among 100, 1,000 and 10,000 operations; limit: a match among 10',
  async measure(bench) {
    const sizes = bench.smoke ? SIZES.slice(0, 2) : SIZES;
    const [ten, ...larger] = sizes.map((services) => subject(bench, services)) as [Subject, ...Subject[]];
    const matches = bench.smoke ? 50_000 : 1_000_000;
    for (const each of [ten, ...larger]) time(each, matches);
    const figures: Figure[] = [];
    for (const each of larger) {
      const name = `routing, ${each.operations.toLocaleString('en')} operations`;
      const pair = await bench.compare(
        name,
        async () => time(ten, matches),
        async () => time(each, matches),
      );
      figures.push({ job: name, beside: 'among 10', unit: 'ns', ...pair, target: { kind: 'at-most', ratio: 2 } });
    }
    return figures;
  },
};

function subject(bench: Bench, services: number): Subject {
  bench.say(`routing: ${services * 10} operations`);
  const { registry } = loadProject({ root: writeProject(bench, services), handlers: 'ignore-missing' });
  if (registry === undefined) throw new Error(`the definitions of ${services} services do not load`);
  // A prime step visits the whole table before it repeats.
  const paths = Array.from({ length: PATHS }, (_, index) => pathOf(index * 7919, services));
  return { operations: registry.operations.size, routes: compileRoutes(registry), paths };
}

const NO_QUERY = parseQueryString('', 100);

/** Nanoseconds per match. */
function time({ routes, paths }: Subject, matches: number): number {
  let variables = 0;
  const start = performance.now();
  for (let index = 0; index < matches; index += 1) {
    const found = routes.findPath(paths[index % PATHS] as string);
    variables += routes.pick(found, 'GET', NO_QUERY).raw.length;
  }
  const ns = ((performance.now() - start) * 1e6) / matches;
  if (variables !== matches * 3) throw new Error('a path matched the wrong operation');
  return ns;
}
