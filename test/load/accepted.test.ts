import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { compileRestCall } from '../../src/binding/call/call.ts';
import { compileRestReply } from '../../src/binding/reply/reply.ts';
import { compileRest } from '../../src/binding/rest/rest.ts';
import { compileSoap } from '../../src/binding/soap/soap.ts';
import { compileJsonReader } from '../../src/codec/json/read-json.ts';
import { compileJsonWriter } from '../../src/codec/json/write.ts';
import { compileXmlReader } from '../../src/codec/xml/compile-reader.ts';
import { compileXmlPieces, compileXmlWriter } from '../../src/codec/xml/write.ts';
import { contractForms, describeContract } from '../../src/describe/index.ts';
import { generate, knownIds } from '../../src/generate/index.ts';
import type { Member } from '../../src/kinds/kind.ts';
import { catalogue } from '../../src/load/diagnostic/catalogue.ts';
import { loadFiles } from '../../src/load/load.ts';
import { editorSchema } from '../../src/load/schema/editor.ts';
import type { Registry } from '../../src/model/registry.ts';
import { compileRoutes } from '../../src/serve/rest/routes.ts';
import { projectOf } from './project-text.ts';
import { diagnosticSample } from './samples.ts';

const folder = new URL('./cases/', import.meta.url);
const texts = [
  ...Object.keys(catalogue).map((code) => [`the right example of ${code}`, diagnosticSample(code).right] as const),
  ...readdirSync(folder).map(
    (name) => [name, readFileSync(new URL(name, folder), 'utf8').split(/^-{10,}\n/m)[0] ?? ''] as const,
  ),
];

const sound = texts.flatMap(([name, text]) => {
  const { registry } = loadFiles(projectOf(text), 'ignore-missing');
  return registry === undefined ? [] : [{ name, text, registry }];
});

/** Everything that is made of a registry before the first request. */
function compileAll(registry: Registry): void {
  const { namespace } = registry.gateway;
  compileRoutes(registry);
  // Not by compileDocument, which waits for the first use.
  for (const document of registry.documents.values()) {
    compileJsonReader(document);
    compileJsonWriter(document);
    compileXmlReader(document, namespace);
    compileXmlWriter(document, namespace);
    compileXmlPieces(document, namespace, undefined);
  }
  for (const operation of registry.operations.values()) {
    if (operation.method !== undefined) compileRest(operation, namespace);
    const { soap } = operation;
    if (soap !== undefined) compileSoap({ ...operation, soap }, namespace);
  }
  for (const consumer of registry.consumers.values()) {
    if (consumer.kind === 'soap') {
      compileSoap(consumer, namespace);
      continue;
    }
    compileRestCall(consumer, namespace);
    compileRestReply(consumer, namespace);
  }
  for (const service of registry.services.values()) {
    const base = 'http://127.0.0.1/gateway';
    for (const form of contractForms(service)) describeContract(registry, form, { service }, base);
  }
  generate(registry, { schema: editorSchema(knownIds(registry)) });
}

describe('what the loader accepts', () => {
  it('is most of the right examples', () => {
    expect(sound.length).toBeGreaterThanOrEqual(Object.keys(catalogue).length);
  });

  it('is accepted by editors, which know the ids', () => {
    const ids = sound.map(({ registry }) => knownIds(registry));
    const kinds = new Set(ids.flatMap((each) => Object.keys(each) as Member[]));
    const known = Object.fromEntries([...kinds].map((kind) => [kind, ids.flatMap((each) => each[kind] ?? [])]));
    const unique = Object.entries(known).map(([kind, all]) => [
      kind,
      [...new Map(all.map((each) => [each.id, each])).values()],
    ]);
    const validate = new Ajv({ strict: false, allErrors: true }).compile(editorSchema(Object.fromEntries(unique)));
    for (const { name, text } of sound) {
      for (const file of projectOf(text).definitions) {
        const documents = parseAllDocuments(file.kind === 'text' ? file.text : '');
        for (const each of documents) {
          const isAccepted = validate(each.toJS());
          expect(isAccepted || validate.errors, `${name}: ${String(each)}`).toBe(true);
        }
      }
    }
  });

  it.each(sound)('can be compiled, described and generated: $name', ({ registry }) => {
    compileAll(registry);
  });
});
