import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { quoted } from '../typescript.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Stub } from './stub.ts';

/** Which of the two logs is whose. */
const SAYS = "context.progress and context.message are shown with the request; context.log is the gateway's own log.";

/** Of the code of processes, which ends as not successful. */
export function processStubs({ processes, names }: Vocabulary): Stub[] {
  return processes.flatMap((process): Stub[] => {
    if (process.answer.kind !== 'handler') return [];
    const types = `The parameters are ${names.parameters(process)} of ${GENERATED_FOLDER}/types.ts.`;
    return [
      {
        file: process.answer.file,
        text: (generated) => `import { Fault } from 'signalbox';
import { defineProcess } from '${generated}/handlers.ts';

${comment('', [sentence(process.description), types, SAYS])}export default defineProcess(${quoted(process.id)}, {
  run(_parameters, context) {
    throw Fault.custom('NOT_WRITTEN', 400, \`\${context.process.id} is declared, but its code is not written yet.\`);
  },
});
`,
      },
    ];
  });
}
