import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWsdl } from '../../src/describe/index.ts';
import { declare, importContracts } from '../../src/import/index.ts';
import type { Service } from '../../src/model/service.ts';
import { yamlOf } from '../import/support.ts';
import { load } from '../load/linked.ts';

// Contracts of others, and what is described of them once they are served here: a client that is generated anew has the same names.

const CORPUS = new URL('../../../shared/corpus/import/files/', import.meta.url).pathname;
const AXIS = 'apache+axis-axis2-java-core/modules';

/** What zeep finds in a WSDL, one name in a line. */
const NAMES = `
import sys, zeep
wsdl = zeep.Client(sys.argv[1]).wsdl
for service in wsdl.services.values():
    print('service', service.name)
    for port in service.ports.values():
        print('port', service.name, port.name, port.binding.name.text, port.binding.port_type.name.text)
        for name in port.binding._operations: print('operation', name)
for type in wsdl.types.types:
    if type.qname and type.qname.namespace != 'http://www.w3.org/2001/XMLSchema' and type.is_global: print('type', type.qname.text)
`;

/** What one side has and the other one has not. */
function differences(before: readonly string[], after: readonly string[]): readonly string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...[...old].filter((each) => !now.has(each)).map((each) => `- ${each}`),
    ...[...now].filter((each) => !old.has(each)).map((each) => `+ ${each}`),
  ].sort();
}

/** Types that only what is described has. */
function typesOf(namespace: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `+ type {${namespace}}${name}`);
}

/** The service that a contract becomes, and the registry with it. */
async function served(path: string) {
  const [imported] = await importContracts([join(CORPUS, path)], async (location) =>
    existsSync(location) ? { bytes: await readFile(location) } : { missing: 'does not exist' },
  );
  if (imported === undefined) throw new Error(`${path} was not imported`);
  const taken = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };
  const declared = declare(imported.contract, { as: 'provider', name: 'PARTNER', taken }, imported.losses);
  const registry = load(Object.values(yamlOf(declared)).join('\n---\n'));
  const service = [...registry.services.values()].find((each) => !each.delivered) as Service;
  return { registry, service };
}

describe.skipIf(!existsSync(CORPUS))('names of contracts that are served here (needs ../shared/corpus)', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'names-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const namesIn = async (file: string): Promise<readonly string[]> => {
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', NAMES, file]);
    return stdout.trim().split('\n');
  };

  /** What is different: types that a contract declares in place, at an element, have names here, which no other type has. */
  const WSDLS: Readonly<Record<string, readonly string[]>> = {
    [`${AXIS}/metadata/test-resources/wsdl/ProxyDocLitWrapped.wsdl`]: typesOf('http://doclitwrapped.proxy.test.org', [
      'ReturnType',
      'finOp_REQUEST',
      'finOp_RESPONSE',
      'invoke',
      'oneWayVoid_REQUEST',
      'oneWay_REQUEST',
      'twoWay',
      'twoWayHolder',
    ]),
    [`${AXIS}/jaxws/test-resources/wsdl/shapes.wsdl`]: typesOf('http://wrapper.shape.test.org', [
      'draw',
      'draw3D',
      'drawResponse',
    ]),
    'TechSpokes+typescript-wsdl-client/test/conformance/fixtures/wsdl/bindings/binding-soap12-first.wsdl': typesOf(
      'urn:conformance:binding-soap12-first',
      ['Ping_REQUEST', 'Ping_RESPONSE'],
    ),
    [`${AXIS}/xmlbeans/test-resources/interoptestdoclitparameters.wsdl`]: typesOf(
      'http://soapinterop.org/xsd',
      ['echoStringArray', 'echoString', 'echoStruct', 'echoVoid'].flatMap((each) => [
        `${each}_REQUEST`,
        `${each}_RESPONSE`,
      ]),
    ),
  };

  test.each(Object.entries(WSDLS))('%s, as zeep reads it', { timeout: 60_000 }, async (path, different) => {
    const { registry, service } = await served(path);
    const file = join(folder, 'described.wsdl');
    await writeFile(file, describeWsdl(registry, service, { base: 'http://127.0.0.1/gateway' }));
    const [before, after] = [await namesIn(join(CORPUS, path)), await namesIn(file)];
    expect(before.filter((each) => each.startsWith('operation')).length).toBeGreaterThan(0);
    expect(differences(before, after)).toEqual(different);
  });
});
