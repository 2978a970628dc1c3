import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { describeOpenApi, describeWadl, describeWsdl, describeXsdFiles } from '../../src/describe/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { base, samples } from './samples.ts';

// One file a contract, `<service or path name>.<version>.<form>`. Adding one is adding an empty file of that name and
// running `npx vitest run test/describe/golden -u`.

const folder = new URL('./golden/', import.meta.url);

/** The service that a contract's name means: its own id, or the path name of operations of it. */
function find(name: string): { registry: Registry; service: Service; part: { pathName?: string } } {
  for (const registry of Object.values(samples)) {
    const own = registry.services.get(name);
    if (own !== undefined) return { registry, service: own, part: {} };
    for (const { service, pathName } of registry.operations.values()) {
      if (`${pathName}.${service.version}` === name) return { registry, service, part: { pathName } };
    }
  }
  throw new Error(`no sample has ${name}`);
}

function contract(file: string): string {
  const [, name = '', form = ''] = /^([^.]+\.v\d+)\.(.+)$/.exec(file) ?? [];
  const { registry, service, part } = find(name);
  if (form === 'wadl') return describeWadl(registry, service, { base, ...part });
  if (form === 'wsdl') return describeWsdl(registry, service, { base });
  if (form === 'openapi.json') return describeOpenApi(registry, service, { base, ...part });
  const text = describeXsdFiles(registry, service, part).get(file);
  if (text === undefined) throw new Error(`no schema of ${service.id} has the file name ${file}`);
  return text;
}

describe('contracts are as they were', () => {
  test.each(readdirSync(folder))('%s', async (file) => {
    await expect(contract(file)).toMatchFileSnapshot(fileURLToPath(new URL(file, folder)));
  });
});
