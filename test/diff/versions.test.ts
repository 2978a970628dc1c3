// What callers of a version have to change for the next one, for each pair of versions in the examples and the guide.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { judge } from '../../src/diff/accepted.ts';
import { compareVersions } from '../../src/diff/registries.ts';
import { toChangelog } from '../../src/diff/text.ts';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { linesOf, registryIn } from './sample.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The sample of docs/definitions.md, "Versions that live together", with the documents that it leaves out. */
function guide(): Registry {
  const text = readFileSync(`${root}docs/definitions.md`, 'utf8');
  const sample = /### Versions that live together[\s\S]*?```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return registryIn(`${sample}---
document: LOCATION
fields:
  code: { type: string(10), required: true }
  status: { type: string, enum: [active, inactive] }
  address: { fields: { city: string, street: string } }
---
document: LOC_DTL
fields:
  LOCATION: { type: string(10), required: true }
  CITY: string
  EFF_STATUS: { type: string, enum: [A, I] }
---
permission-list: LOCATIONS
`);
}

function project(folder: string): Registry {
  const { registry } = loadProject({
    root: `${root}${folder}`,
    definitions: 'definitions',
    handlers: 'ignore-missing',
  });
  if (registry === undefined) throw new Error(`the definitions of ${folder} contain errors`);
  return registry;
}

const PLACES: Readonly<Record<string, () => Registry>> = {
  guide,
  workshop: () => project('examples/workshop'),
  sample: () => project(''),
};

/** Versions that follow each other, as `Jobs.v1 > Jobs.v2`. */
function neighbours({ services }: Registry): [string, string][] {
  const versions = Map.groupBy(services.values(), ({ name }) => name);
  return [...versions.values()].flatMap((all) => {
    const ids = all
      .filter(({ delivered }) => !delivered)
      .toSorted((a, b) => Number(a.version.slice(1)) - Number(b.version.slice(1)))
      .map(({ id }) => id);
    return ids.slice(1).map((id, index): [string, string] => [ids[index] as string, id]);
  });
}

const pairs = Object.entries(PLACES).flatMap(([place, registry]) =>
  neighbours(registry()).map(([before, after]) => ({ place, before, after })),
);

it('finds the versions', () => {
  expect(pairs.map(({ place, before }) => `${place} ${before}`)).toEqual(['guide Locations.v1', 'workshop Jobs.v1']);
});

it.each(pairs)('$before > $after of the $place', ({ place, before, after }) => {
  const { services, gateway } = PLACES[place]?.() as Registry;
  const [old, now] = [before, after].map((id) => services.get(id));
  if (old === undefined || now === undefined) throw new Error('a version is missing');
  const changes = compareVersions(old, now, gateway);
  const text = `${linesOf(changes)}${'-'.repeat(20)}\n${toChangelog(judge(changes, [], ''))}`;
  const file = new URL(`./versions/${before}.case`, import.meta.url);
  if (process.env.SIGNALBOX_UPDATE === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});
