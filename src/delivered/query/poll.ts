import type { Outcome } from '../../model/handler.ts';
import type { DeliveredHandler, DeliveredPorts } from '../index.ts';
import { formByType } from './execute.ts';
import { type ExecuteRequest, readRun } from './request.ts';

/** QAS_EXECUTEQRYPOLL_REST_GET, QAS_EXECUTEQRYSYNCPOLL_OPER: enters a run of a query, once everything of it has been checked. */
export function queryPoll(ports: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const run = await readRun(ports, call, given as unknown as ExecuteRequest, as);
      return { kind: 'value', value: { QueryInstance: await ports.runs.enter(run, call.user) } };
    },
    formatOf: formByType,
  };
}
