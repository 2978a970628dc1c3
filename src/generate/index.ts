import { contractForms, describeContract } from '../describe/index.ts';
import type { Registry } from '../model/registry.ts';
import { clientFile } from './client-file.ts';
import { GENERATED_FOLDER, HEADER, withJsonHeader, withXmlHeader } from './files.ts';
import { handlersFile } from './handlers-file.ts';
import { jsonText } from './json-text.ts';
import { mocksSchema } from './mocks-schema.ts';
import { registryFile } from './registry-file.ts';
import { typesFile } from './types-file.ts';
import { knownIds, sorted, vocabulary } from './vocabulary.ts';

export { GENERATED_FOLDER, planWrite, type WritePlan } from './files.ts';
export { handlerStubs } from './stubs.ts';
export { knownIds };

export interface GenerateOptions {
  /** The JSON Schema of definition files, which proposes the registry's ids. */
  readonly schema: { readonly $schema: string };
}

/**
 * All generated files of a registry: texts by their paths relative to the project's folder. The same registry gives the same
 * bytes, in whatever order its files were read. Lines end in LF.
 */
export function generate(registry: Registry, { schema }: GenerateOptions): Map<string, string> {
  const words = vocabulary(registry);
  const { $schema, ...rest } = schema;
  const mocks = mocksSchema(knownIds(registry).operations ?? []);
  return new Map([
    ...contractFiles(registry),
    [`${GENERATED_FOLDER}/client.ts`, clientFile(words)],
    [`${GENERATED_FOLDER}/definitions.schema.json`, jsonText({ $schema, $comment: HEADER, ...rest })],
    [`${GENERATED_FOLDER}/handlers.ts`, handlersFile(words)],
    [`${GENERATED_FOLDER}/mocks.schema.json`, jsonText({ $schema: mocks.$schema, $comment: HEADER, ...mocks })],
    [`${GENERATED_FOLDER}/registry.json`, registryFile(registry)],
    [`${GENERATED_FOLDER}/types.ts`, typesFile(words)],
  ]);
}

/** Placeholder for the gateway's address, which a committed contract can't know (`.invalid`: RFC 2606, section 2). */
const PLACEHOLDER = 'https://gateway.invalid';

/** The contracts of every service: OpenAPI and WADL for REST, WSDL for SOAP, and XSD. */
function contractFiles(registry: Registry): Map<string, string> {
  const base = `${PLACEHOLDER}/${registry.gateway.context}`;
  const files = new Map<string, string>();
  for (const service of sorted(registry.services)) {
    for (const form of contractForms(service)) {
      for (const [file, text] of describeContract(registry, form, { service }, base)) {
        const marked = form === 'openapi' ? withJsonHeader(text, 'x-generated') : withXmlHeader(text);
        files.set(`${GENERATED_FOLDER}/contracts/${file}`, marked);
      }
    }
  }
  return files;
}
