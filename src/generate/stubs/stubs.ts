import type { Registry } from '../../model/registry.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { vocabulary } from '../vocabulary.ts';
import { classStubs } from './classes.ts';
import { operationStubs } from './operations.ts';
import { processStubs } from './processes.ts';

/**
 * The stubs of the files that are missing: handlers, code of processes and classes of related-content services. Of those
 * that share a file the first is the one.
 * @param existing paths under the project's folder, with `/`, of the files that are there; none of them is written
 */
export function handlerStubs(registry: Registry, existing: ReadonlySet<string>): Map<string, string> {
  const words = vocabulary(registry);
  const stubs = new Map<string, string>();
  for (const { file, text } of [
    ...operationStubs(words),
    ...classStubs(registry.relatedContent.values(), words),
    ...processStubs(words),
  ]) {
    const path = `${registry.gateway.handlers}/${file}.ts`;
    const up = '../'.repeat(path.split('/').length - 1);
    if (!existing.has(path) && !stubs.has(path)) stubs.set(path, text(`${up}${GENERATED_FOLDER}`));
  }
  return new Map([...stubs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
