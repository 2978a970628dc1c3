import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { quoted } from '../typescript.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { waysTo } from '../words.ts';
import type { Stub } from './stub.ts';

/** Of handlers, which answer 501. Operations that share a file share its handler. */
export function operationStubs({ operations, names }: Vocabulary): Stub[] {
  const byFile = Map.groupBy(operations, ({ answer }) => (answer.kind === 'handler' ? answer.file : ''));
  return [...byFile].map(([file, sharing]) => {
    const said = sharing.flatMap((operation) => [
      sentence(operation.description),
      ...waysTo(operation).map((way) => `${operation.id}: ${way}`),
    ]);
    const requests = sharing.map((operation) => names.request(operation)).join(' or a ');
    const types = `The request is a ${requests} of ${GENERATED_FOLDER}/types.ts.`;
    const ids = sharing.map(({ id }) => quoted(id)).join(', ');
    return {
      file,
      text: (generated) => `import { Fault } from 'signalbox';
import { defineHandler } from '${generated}/handlers.ts';

${comment('', [...said, types])}export default defineHandler(${sharing.length === 1 ? ids : `[${ids}]`}, {
  onRequest(_request, context) {
    throw Fault.custom('NOT_WRITTEN', 501, \`\${context.operation.id} is declared, but its code is not written yet.\`);
  },
});
`,
    };
  });
}
