import type { HandlerContext, Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Scheduler } from '../process/index.ts';
import type { QueryPort, QueryRuns, SavedQueries } from '../query/index.ts';
import { processReport, processReportFile } from './process/report.ts';
import { processFind, processGet, processMessages, processNames, processUpdate } from './process/requests.ts';
import { processSchedule } from './process/schedule.ts';
import { queryCancel } from './query/cancel.ts';
import { queryExecute } from './query/execute.ts';
import { queryFields } from './query/fields.ts';
import { queryFile } from './query/file.ts';
import { queryList } from './query/list.ts';
import { queryPoll } from './query/poll.ts';
import { queryPrompts } from './query/prompts.ts';
import { queryResults } from './query/results.ts';
import { queryDelete, querySave } from './query/save.ts';
import { queryStatus } from './query/status.ts';

/** What a delivered handler can reach beside the call's own context. */
export interface DeliveredPorts {
  readonly registry: Registry;
  readonly queries: QueryPort;
  readonly runs: QueryRuns;
  readonly saved: SavedQueries;
  readonly scheduler: Scheduler;
  /** The gateway's address with its context: `http://127.0.0.1:8080/gateway`; known once it listens. */
  readonly base: () => string;
}

/** The call of a delivered handler: a handler's context, and the caller's grants. */
export interface DeliveredCall extends HandlerContext {
  /** Who calls; undefined where the operation is public and no credentials came. */
  readonly user: User | undefined;
  /** Whether the caller may run the query. */
  may(query: Query): boolean;
}

/** A handler that ships in the package. */
export interface DeliveredHandler {
  /** @param as the form of the reply: over REST JSON or XML, over SOAP the element of the body */
  onRequest(request: DocumentValue, call: DeliveredCall, as: 'json' | 'xml' | 'soap'): Promise<Outcome>;
  /**
   * The form of replies and faults where the request's own values decide it; undefined where Accept does. Asked before they are checked, so that
   * a fault about one of them has the right form already.
   * @param given a variable's text by its name; undefined where it is absent or not readable
   */
  formatOf?(given: (name: string) => string | undefined): 'json' | 'xml' | undefined;
}

/** By the name in `handler:`. */
export const deliveredHandlers: ReadonlyMap<string, (ports: DeliveredPorts) => DeliveredHandler> = new Map([
  ['signalbox/process-find', processFind],
  ['signalbox/process-get', processGet],
  ['signalbox/process-messages', processMessages],
  ['signalbox/process-names', processNames],
  ['signalbox/process-report', processReport],
  ['signalbox/process-report-file', processReportFile],
  ['signalbox/process-schedule', processSchedule],
  ['signalbox/process-update', processUpdate],
  ['signalbox/query-cancel', queryCancel],
  ['signalbox/query-delete', queryDelete],
  ['signalbox/query-execute', queryExecute],
  ['signalbox/query-fields', queryFields],
  ['signalbox/query-file', queryFile],
  ['signalbox/query-list', queryList],
  ['signalbox/query-poll', queryPoll],
  ['signalbox/query-prompts', queryPrompts],
  ['signalbox/query-results', queryResults],
  ['signalbox/query-save', querySave],
  ['signalbox/query-status', queryStatus],
]);
