import type { Outcome } from '../../model/handler.ts';
import type { QueryRun, QueryRuns } from '../../query/index.ts';
import type { DeliveredCall, DeliveredHandler, DeliveredPorts } from '../port.ts';
import { formByJsonResp } from './form.ts';

/** QAS_INSTANCE_REQ. */
interface InstanceRequest {
  readonly instanceid: string;
}

/** A run of the caller's own; those of others are not there for him. */
export async function ownRun(runs: QueryRuns, call: DeliveredCall, id: string): Promise<QueryRun | undefined> {
  const run = await runs.find(id.toLowerCase());
  return run?.owner === (call.user?.id ?? '') ? run : undefined;
}

/** QAS_QUERYSTATUS_REST_GET, QAS_QUERYSTATUS_OPER: how a run goes. */
export function queryStatus({ runs }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const { instanceid } = given as unknown as InstanceRequest;
      const run = await ownRun(runs, call, instanceid);
      const { columns = 0, rows = 0, blocks = 0, bytes = 0, truncated = false, message } = run ?? {};
      const value = {
        status: run?.state ?? 'idNotFound',
        ...(message === undefined ? {} : { message }),
        NumCols: columns,
        TotalRows: rows,
        TotalBlocks: blocks,
        TotalBytes: bytes,
        RowsTruncated: truncated ? 'Y' : 'N',
        // Over SOAP the shape of the original has the name of its own.
        ...(as === 'soap' ? {} : { NumColumns: columns }),
      };
      return { kind: 'value', value };
    },
    formatOf: formByJsonResp,
  };
}

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
