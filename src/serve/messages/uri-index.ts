import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';

/**
 * Which of an operation's URI templates would carry what a message holds: of those whose required variables are all
 * given, the one that carries most of them, from 1; 0 where none would. So a handler that tells its URIs apart answers
 * over SOAP too.
 */
export function uriIndexOf({ uris }: Operation, input: DocumentValue): number {
  let best = 0;
  let most = -1;
  for (const { index, variables } of uris) {
    let carried = 0;
    const suits = variables.every(({ field, required }) => {
      const given = Object.hasOwn(input, field.name) && input[field.name] !== undefined;
      if (given) carried++;
      return given || !required;
    });
    if (suits && carried > most) {
      best = index;
      most = carried;
    }
  }
  return best;
}
