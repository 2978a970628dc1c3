import type { Registry } from '../../model/registry.ts';
import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { quoted } from '../names.ts';
import { vocabulary } from '../vocabulary.ts';

/** Which of the two logs is whose. */
const SAYS = "context.progress and context.message are shown with the request; context.log is the gateway's own log.";

/**
 * A first version of each file of a process's code that is missing: it compiles, and ends as not successful until its
 * code is written.
 * @param existing paths under the project's folder, with `/`, of the files that are there; none of them is written
 */
export function processStubs(registry: Registry, existing: ReadonlySet<string>): Map<string, string> {
  const { processes, names } = vocabulary(registry);
  const stubs = new Map<string, string>();
  for (const process of processes) {
    if (process.answer.kind !== 'handler') continue;
    const path = `${registry.gateway.handlers}/${process.answer.file}.ts`;
    if (existing.has(path) || stubs.has(path)) continue;
    const up = '../'.repeat(path.split('/').length - 1);
    const types = `The parameters are ${names.parameters(process)} of ${GENERATED_FOLDER}/types.ts.`;
    stubs.set(
      path,
      `import { Fault } from 'signalbox';
import { defineProcess } from '${up}${GENERATED_FOLDER}/handlers.ts';

${comment('', [sentence(process.description), types, SAYS])}export default defineProcess(${quoted(process.id)}, {
  run(_parameters, context) {
    throw Fault.custom('NOT_WRITTEN', 400, \`\${context.process.id} is declared, but its code is not written yet.\`);
  },
});
`,
    );
  }
  return new Map([...stubs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
