import type { Outcome } from '../../model/handler.ts';
import { readInput } from '../../query/index.ts';
import type { DeliveredHandler, DeliveredPorts, ReplyForm } from '../port.ts';
import { fileUrl, formByJsonResp, rootOf, truncation } from './form.ts';
import { type ExecuteRequest, readRun } from './request.ts';

/** QAS_EXECUTEQRY_REST_GET, QAS_EXECUTEQRYSYNC_OPER: runs a stored query (specification 4.1, field notes 1). */
export function queryExecute(ports: DeliveredPorts): DeliveredHandler {
  const { queries, runs, base } = ports;
  return {
    async onRequest(given, call, as): Promise<Outcome> {
      const run = await readRun(ports, call, given as unknown as ExecuteRequest, as);
      if (run.file) {
        const kept = await runs.keepFile(run, call);
        const value = fileReply(fileUrl(base(), kept.id, kept.file ?? ''), 'success', as);
        return { kind: 'value', value, headers: truncation(kept) };
      }
      const { query, input, format } = run;
      const bytes = await queries.run({
        ...readInput(query, input),
        format,
        signal: call.signal,
        caller: call.sharer,
        ...rootOf(call, format),
      });
      return { kind: 'bytes', bytes };
    },
    formatOf: formByType,
  };
}

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

/** `json_resp`, else what is XML by its type (field notes 1); undefined where the URI says neither. */
function formByType(given: (name: string) => string | undefined): 'json' | 'xml' | undefined {
  const asked = formByJsonResp(given);
  if (asked !== undefined) return asked;
  const type = given('OutResultType')?.toUpperCase();
  if (type === undefined) return undefined;
  return type === 'XMLP' || type === 'WEBROWSET' ? 'xml' : 'json';
}

/** The address of a result in a file, in the shape of each form. */
export function fileReply(url: string, status: string, as: ReplyForm) {
  return as === 'json' ? { status, data: { fileurl: url } } : { FILEURL: url, status };
}
