import type { Outcome } from '../../model/handler.ts';
import type { DeliveredHandler, DeliveredPorts } from '../index.ts';
import { formByJsonResp } from './form.ts';
import type { InstanceRequest } from './status.ts';

/** QAS_CANCELQUERY_REST_GET and _DELETE, QAS_CANCELQUERY_OPER: stops a run of the caller's. */
export function queryCancel({ runs }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call): Promise<Outcome> {
      const { instanceid } = given as unknown as InstanceRequest;
      return { kind: 'value', value: { status: await runs.cancel(instanceid.toLowerCase(), call.user?.id ?? '') } };
    },
    formatOf: formByJsonResp,
  };
}
