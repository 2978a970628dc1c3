import { comment } from '../comment.ts';
import { isPresent } from '../vocabulary.ts';
import { block, property, type Writing } from './members.ts';

/** The types of processes' parameters, of `types.ts`: after checks and defaults, absent where a request gives none. */
export function parameterTypes(words: Writing): string[] {
  return words.processes.map((process) => {
    const lines = process.parameters.map((field) => property(field, 'received', isPresent(field), words));
    const title = comment('', [`Parameters of ${process.id}.`]);
    return `${title}export type ${words.names.parameters(process)} = ${block(lines, 'never')}`;
  });
}
