import {
  messageAct,
  messageActAll,
  messageCount,
  messageEdit,
  messageFind,
  messageGet,
  messageHeld,
  messagePartition,
  messagePayload,
  messageWhole,
} from '../messaging/delivered/messages.ts';
import type { OriginalRequest, OriginalShape } from '../model/original-shape.ts';
import type { DeliveredHandler, DeliveredPorts } from './delivered-port.ts';
import {
  processFind,
  processGet,
  processMessages,
  processNames,
  processReport,
  processReportFile,
  processSchedule,
  processUpdate,
} from './process.ts';
import { queryDelete, queryFields, queryList, queryPrompts, querySave } from './query/catalogue.ts';
import { queryExecute, queryPoll } from './query/execute.ts';
import { queryCancel, queryFile, queryResults, queryStatus } from './query/runs.ts';
import { queryBodies, queryShapes } from './query-shapes.ts';
import {
  queueActions,
  queueCancel,
  queueFind,
  queueJob,
  queueJobs,
  queuePause,
  queuePayload,
  queueResubmit,
  queueResubmitAll,
  queueResume,
} from './queues.ts';
import { processShapes } from './shapes.ts';

export type { DeliveredHandler } from './delivered-port.ts';

/** Handlers by the name in `handler:`. */
export const deliveredHandlers: ReadonlyMap<string, (ports: DeliveredPorts) => DeliveredHandler> = new Map([
  ['signalbox/message-cancel', messageAct('cancel')],
  ['signalbox/message-cancel-all', messageActAll('cancel')],
  ['signalbox/message-count', messageCount],
  ['signalbox/message-edit', messageEdit],
  ['signalbox/message-find', messageFind],
  ['signalbox/message-get', messageGet],
  ['signalbox/message-held', messageHeld],
  ['signalbox/message-hold', messageAct('hold')],
  ['signalbox/message-hold-all', messageActAll('hold')],
  ['signalbox/message-hold-partition', messagePartition('hold')],
  ['signalbox/message-hold-whole', messageWhole('hold')],
  ['signalbox/message-payload', messagePayload],
  ['signalbox/message-release', messageAct('release')],
  ['signalbox/message-release-all', messageActAll('release')],
  ['signalbox/message-release-partition', messagePartition('release')],
  ['signalbox/message-release-whole', messageWhole('release')],
  ['signalbox/message-resubmit', messageAct('resubmit')],
  ['signalbox/message-resubmit-all', messageActAll('resubmit')],
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
  ['signalbox/queue-actions', queueActions],
  ['signalbox/queue-cancel', queueCancel],
  ['signalbox/queue-find', queueFind],
  ['signalbox/queue-job', queueJob],
  ['signalbox/queue-jobs', queueJobs],
  ['signalbox/queue-pause', queuePause],
  ['signalbox/queue-payload', queuePayload],
  ['signalbox/queue-resume', queueResume],
  ['signalbox/queue-resubmit', queueResubmit],
  ['signalbox/queue-resubmit-all', queueResubmitAll],
]);

/** SOAP messages of clients of the original, by the names of operations. */
export const originalShapes: ReadonlyMap<string, OriginalShape> = new Map(
  Object.entries({ ...queryShapes, ...processShapes }),
);

/** XML that clients of the original post over REST, by the ids of operations. */
export const originalBodies: ReadonlyMap<string, OriginalRequest> = new Map(Object.entries(queryBodies));
