import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { JsonValue } from '../../model/value.ts';
import type { DeliveredCall, DeliveredHandler, DeliveredPorts } from '../port.ts';

/** QAS_SAVE_QUERY_REST_POST, QAS_SAVE_QUERY_OPER: keeps a private query of the caller's. */
export function querySave({ saved }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest({ Definition }, call): Promise<Outcome> {
      const outcome = await saved.save(ownerOf(call), Definition as JsonValue);
      if ('problems' in outcome) {
        const [first = '', ...others] = outcome.problems;
        const detail = others.length === 0 ? {} : { detail: others.join('\n') };
        throw Fault.of('BAD_REQUEST', { reason: first.replace(/\.$/, '') }, detail);
      }
      const { query, replaced } = outcome;
      return { kind: 'value', value: { INFO_MESSAGE: `Query ${query.id} was ${replaced ? 'replaced' : 'saved'}.` } };
    },
  };
}

/** QAS_QUERY_DELETE_REST_DELETE, QAS_QUERY_DELETE_OPER: deletes one. */
export function queryDelete({ saved }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest({ QUERY_NAME }, call): Promise<Outcome> {
      const name = String(QUERY_NAME);
      if (!(await saved.delete(ownerOf(call), name))) throw Fault.of('NOT_FOUND', { what: `private query ${name}` });
      return { kind: 'value', value: { INFO_MESSAGE: `Query ${name} was deleted.` } };
    },
  };
}

/** @throws Fault FORBIDDEN where nobody is known, whose queries they would be */
function ownerOf({ user }: DeliveredCall): string {
  if (user === undefined) throw Fault.of('FORBIDDEN', { user: 'An anonymous caller', what: 'private queries' });
  return user.id;
}
