import type { DeliveredHandler, DeliveredPorts } from './port.ts';
import { processReport, processReportFile } from './process/report.ts';
import { processFind, processGet, processMessages, processNames, processUpdate } from './process/requests.ts';
import { processSchedule } from './process/schedule.ts';
import { queryFields, queryPrompts } from './query/describe.ts';
import { queryExecute, queryPoll } from './query/execute.ts';
import { queryFile } from './query/file.ts';
import { queryList } from './query/list.ts';
import { queryResults } from './query/results.ts';
import { queryDelete, querySave } from './query/save.ts';
import { queryCancel, queryStatus } from './query/status.ts';

export type { DeliveredHandler } from './port.ts';
export { originalBodies, originalShapes } from './shapes/index.ts';

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
