import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWsdl } from '../../../src/describe/index.ts';
import { loadProject } from '../../../src/load/index.ts';
import type { Registry } from '../../../src/model/registry.ts';
import type { Service } from '../../../src/model/service.ts';

/** The definitions of the bench. @throws Error if they do not load */
export function benchRegistry(): Registry {
  const { registry, diagnostics } = loadProject({ root: fileURLToPath(new URL('project/', import.meta.url)) });
  if (registry === undefined) throw new Error(`the definitions of the bench do not load: ${diagnostics[0]?.message}`);
  return registry;
}

/** A file with the gateway's WSDL of the echo service. */
export function echoWsdl(folder: string): string {
  const registry = benchRegistry();
  const service = registry.services.get('Echo.v1') as Service;
  const file = join(folder, 'echo.wsdl');
  writeFileSync(file, describeWsdl(registry, service, { base: 'http://127.0.0.1/gateway' }));
  return file;
}
