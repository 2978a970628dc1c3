import type { Registry } from '../../model/registry.ts';
import type { Operation } from '../../model/service.ts';
import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { quoted } from '../names.ts';
import { type Vocabulary, vocabulary } from '../vocabulary.ts';
import { waysTo } from '../words.ts';
import { classStubs } from './class-stubs.ts';
import { processStubs } from './process-stubs.ts';

/**
 * A first version of each handler file that is missing: it compiles, and answers 501 until its code is written.
 * @param existing paths under the project's folder, with `/`, of the handler files that are there; none of them is written
 */
export function handlerStubs(registry: Registry, existing: ReadonlySet<string>): Map<string, string> {
  const words = vocabulary(registry);
  const byPath = new Map<string, Operation[]>();
  for (const operation of words.operations) {
    if (operation.answer.kind !== 'handler') continue;
    const path = `${registry.gateway.handlers}/${operation.answer.file}.ts`;
    byPath.set(path, [...(byPath.get(path) ?? []), operation]);
  }
  const paths = [...byPath.keys()].filter((path) => !existing.has(path)).sort();
  const stubs = new Map(paths.map((path) => [path, stubText(path, byPath.get(path) ?? [], words)]));
  return new Map([...stubs, ...classStubs(registry, existing), ...processStubs(registry, existing)]);
}

/** Operations that share a file are alike; the first of them gives the types. */
function stubText(path: string, operations: readonly Operation[], { names }: Vocabulary): string {
  const [first] = operations as readonly [Operation, ...Operation[]];
  const up = '../'.repeat(path.split('/').length - 1);
  const said = operations.flatMap((operation) => [
    sentence(operation.description),
    ...waysTo(operation).map((way) => `${operation.id}: ${way}`),
  ]);
  const types = `The request is a ${names.request(first)} of ${GENERATED_FOLDER}/types.ts.`;
  return `import { Fault } from 'signalbox';
import { defineHandler } from '${up}${GENERATED_FOLDER}/handlers.ts';

${comment('', [...said, types])}export default defineHandler(${quoted(first.id)}, {
  onRequest(_request, context) {
    throw Fault.custom('NOT_WRITTEN', 501, \`\${context.operation.id} is declared, but its code is not written yet.\`);
  },
});
`;
}
