import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeContract } from '../../../src/describe/index.ts';
import { repository } from '../../cli/support.ts';
import { connectorOf } from '../soap-support.ts';
import { type Served, serve } from '../support.ts';
import { collidingRegistry } from './colliding.ts';
import { generate, type Job, type Toolkit } from './generators.ts';
import { hasMaven, needsMaven } from './maven.ts';

/** The contracts of the sample: `Locations.v1.wadl` and so on. */
const contracts = readdirSync(join(repository, 'generated/contracts')).filter((name) =>
  /^\w+\.v\d+\.(wsdl|wadl|xsd)$/.test(name),
);
const colliding = ['Collide.v1.wsdl', 'Collide.v1.wadl', 'Collide.v1.xsd'];

/** The ways in which a contract is used, by its ending. */
const USES: Readonly<Record<string, readonly (Pick<Job, 'tool' | 'args'> & { readonly toolkit: Toolkit })[]>> = {
  wsdl: [
    { toolkit: 'CXF', tool: 'wsdl2java', args: [] },
    { toolkit: 'CXF', tool: 'wsdl2java', args: ['-p', 'one'] },
    { toolkit: 'Metro', tool: 'wsimport', args: [] },
    { toolkit: 'Metro', tool: 'wsimport', args: ['-p', 'one'] },
  ],
  wadl: [
    { toolkit: 'CXF', tool: 'wadl2java', args: [] },
    { toolkit: 'CXF', tool: 'wadl2java', args: ['-p', 'one'] },
  ],
  xsd: [
    { toolkit: 'CXF', tool: 'xjc', args: [] },
    { toolkit: 'CXF', tool: 'xjc', args: ['-p', 'one'] },
  ],
};
const uses = [...contracts, ...colliding].flatMap((contract) =>
  (USES[contract.split('.').at(-1) as string] ?? []).map((use, index) => ({ ...use, contract, index })),
);
type Use = (typeof uses)[number];

const folder = mkdtempSync(join(tmpdir(), 'signalbox-java-'));
const folderOf = ({ contract, tool, index }: Use): string => join(folder, `${contract}-${tool}-${index}`);
let gateway: Served;
const wrong = new Map<string, string>();

/** Where a tool finds a contract: the sample's at the gateway, as a partner would. */
function addressOf(contract: string): string {
  if (colliding.includes(contract)) return join(folder, contract);
  return contract.endsWith('.wadl') ? `${gateway.connector}/${contract}` : `${connectorOf(gateway)}/${contract}`;
}

beforeAll(async () => {
  if (!hasMaven) return;
  const registry = collidingRegistry();
  const service = registry.services.get('Collide.v1')!;
  for (const form of ['wsdl', 'wadl', 'xsd'] as const)
    for (const [name, text] of describeContract(registry, form, { service }, 'http://127.0.0.1:8080/gateway'))
      writeFileSync(join(folder, name), text);
  gateway = await serve();
  await Promise.all(
    (['CXF', 'Metro'] as const).map(async (toolkit) => {
      const jobs = uses
        .filter((use) => use.toolkit === toolkit)
        .map((use): Job => ({ ...use, folder: folderOf(use), args: [...use.args, addressOf(use.contract)] }));
      for (const [key, log] of await generate(toolkit, jobs)) wrong.set(key, log);
    }),
  );
}, 240_000);
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe(`a client in Java is generated from a contract, and compiles (${needsMaven})`, () => {
  test.skipIf(!hasMaven).each(uses.map((use) => ({ ...use, options: use.args.join(' ') })))(
    '$contract: $tool $options',
    (use) => {
      expect(wrong.get(folderOf(use))).toBe('');
    },
  );
});
