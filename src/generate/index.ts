import type { Registry } from '../model/registry.ts';
import { clientFile } from './client-file.ts';
import { contractFiles } from './contracts.ts';
import { handlersFile } from './handlers/file.ts';
import { GENERATED_FOLDER, HEADER } from './header.ts';
import { jsonText } from './json-text.ts';
import { registryFile } from './registry/file.ts';
import { typesFile } from './types/file.ts';
import { vocabulary } from './vocabulary.ts';

export { GENERATED_FOLDER } from './header.ts';
export { knownIds } from './known-ids.ts';
export { handlerStubs } from './stubs/stubs.ts';
export { planWrite, type WritePlan } from './write-plan.ts';

export interface GenerateOptions {
  /** The JSON Schema of definition files, with the registry's ids as proposals. */
  readonly schema: { readonly $schema: string };
}

/**
 * Everything that is generated from a registry: path under the project's folder -> text. The same registry gives the
 * same texts to the byte, in whatever order its files were read; lines end in LF.
 */
export function generate(registry: Registry, { schema }: GenerateOptions): Map<string, string> {
  const words = vocabulary(registry);
  const { $schema, ...rest } = schema;
  return new Map([
    ...contractFiles(registry),
    [`${GENERATED_FOLDER}/client.ts`, clientFile(words)],
    [`${GENERATED_FOLDER}/definitions.schema.json`, jsonText({ $schema, $comment: HEADER, ...rest })],
    [`${GENERATED_FOLDER}/handlers.ts`, handlersFile(words)],
    [`${GENERATED_FOLDER}/registry.json`, registryFile(registry)],
    [`${GENERATED_FOLDER}/types.ts`, typesFile(words)],
  ]);
}
