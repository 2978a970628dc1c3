// The contracts that a gateway publishes have no changes against the definitions that they were made from.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Contract, declareContract } from '../../src/cli/diff/contract.ts';
import { compareWithOurs, pairServices } from '../../src/cli/diff/ours.ts';
import { contractForms, describeContract } from '../../src/describe/index.ts';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function published(ours: Registry, service: Service, form: Contract['language']): Promise<Contract> {
  const files = describeContract(ours, form, { service }, 'https://gateway.example.org/gateway');
  const [name = ''] = files.keys();
  const read = async (location: string) => {
    const text = files.get(location);
    return text === undefined ? { missing: 'does not exist' } : { bytes: Buffer.from(text) };
  };
  return (await declareContract(name, read, () => true)).contract;
}

describe.each(['', 'examples/workshop'])('the definitions of /%s', (folder) => {
  const { registry: ours } = loadProject({
    ...{ root: `${root}${folder}`, definitions: 'definitions', handlers: 'ignore-missing' as const },
  });
  if (ours === undefined) throw new Error(`the definitions of ${folder} contain errors`);
  const contracts = [...ours.services.values()].flatMap((service) =>
    service.delivered
      ? []
      : contractForms(service).flatMap((form) => (form === 'xsd' ? [] : [[service.id, form, service] as const])),
  );

  it.each(contracts)('%s as %s', async (_, form, own) => {
    const contract = await published(ours, own, form);
    const [pair] = pairServices(
      contract.drafts,
      contract.drafts.map(({ name }) => name),
      {
        location: contract.location,
        ours,
      },
    );
    expect(pair?.own.id).toBe(own.id);
    const theirs = [...contract.registry.services.values()].find(({ delivered }) => !delivered) as Service;
    for (const isOld of [true, false])
      expect(await compareWithOurs({ theirs, own }, contract, { ours, isOld })).toEqual([]);
  });
});
