import type { Operation } from '../../model/service.ts';
import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { quoted } from '../typescript.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { waysTo } from '../words.ts';
import type { Stub } from './stub.ts';

/** Of handlers, which answer 501. Operations that share a file are alike; the first of them gives the types. */
export function operationStubs({ operations, names }: Vocabulary): Stub[] {
  const byFile = Map.groupBy(operations, ({ answer }) => (answer.kind === 'handler' ? answer.file : ''));
  return [...byFile].map(([file, sharing]) => {
    const [first] = sharing as [Operation, ...Operation[]];
    const said = sharing.flatMap((operation) => [
      sentence(operation.description),
      ...waysTo(operation).map((way) => `${operation.id}: ${way}`),
    ]);
    const types = `The request is a ${names.request(first)} of ${GENERATED_FOLDER}/types.ts.`;
    return {
      file,
      text: (generated) => `import { Fault } from 'signalbox';
import { defineHandler } from '${generated}/handlers.ts';

${comment('', [...said, types])}export default defineHandler(${quoted(first.id)}, {
  onRequest(_request, context) {
    throw Fault.custom('NOT_WRITTEN', 501, \`\${context.operation.id} is declared, but its code is not written yet.\`);
  },
});
`,
    };
  });
}
