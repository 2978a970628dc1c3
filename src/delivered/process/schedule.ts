import type { ScheduleRequest } from '../../process/index.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
import { requestAddress } from './address.ts';
import { operatorOf } from './operator.ts';

/** PRQ_SCHEDULE_REQ, as it stands in processrequest.yaml. */
interface ScheduleBody {
  readonly RunControlId: string;
  readonly ProcessType: string;
  readonly ProcessName: string;
  readonly ServerName?: string;
  readonly RunDateTime?: string;
  readonly TimeZone?: string;
  readonly Recurrence?: string;
  readonly OutputDestinationType?: string;
  readonly OutputDestinationFormat?: string;
  readonly parameters?: readonly { readonly Name: string; readonly Value?: string }[];
}

/** PRCS_SCHEDULE and PRCS_SCHEDULE_PSQUERY: a request that a process, or a stored query, be run (field notes 2). */
export function processSchedule({ scheduler, base }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const instance = await scheduler.schedule(readBody(given as unknown as ScheduleBody), operatorOf(call));
      const headers = { Location: requestAddress(base(), call.operation, instance) };
      return { kind: 'value', value: { ProcessInstance: instance }, headers };
    },
  };
}

function readBody(body: ScheduleBody): ScheduleRequest {
  const { ServerName, RunDateTime, TimeZone, Recurrence, OutputDestinationType, OutputDestinationFormat } = body;
  return {
    runControl: body.RunControlId,
    type: body.ProcessType,
    name: body.ProcessName,
    ...(ServerName === undefined ? {} : { server: ServerName }),
    ...(RunDateTime === undefined ? {} : { runDateTime: RunDateTime }),
    ...(TimeZone === undefined ? {} : { timeZone: TimeZone }),
    ...(Recurrence === undefined ? {} : { recurrence: Recurrence }),
    ...(OutputDestinationType === undefined ? {} : { destination: OutputDestinationType }),
    ...(OutputDestinationFormat === undefined ? {} : { format: OutputDestinationFormat }),
    ...(body.parameters === undefined ? {} : { parameters: body.parameters }),
  };
}
