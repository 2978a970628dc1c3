import type { DocumentValue } from '../../model/value.ts';
import type { ProcessRequest, RequestAction, RequestFilter } from '../../process/index.ts';
import type { DeliveredHandler, DeliveredPorts } from '../port.ts';
import { operatorOf } from './operator.ts';

/** An integer of a request. One that a number can't hold is beyond everything that there is. */
type Integer = number | bigint;

/** PRQ_FINDREQUESTS_REQ, as it stands in processrequest.yaml. */
interface FindRequest {
  readonly ProcessInstanceFrom?: Integer;
  readonly ProcessInstanceTo?: Integer;
  readonly OperatorId?: string;
  readonly ProcessType?: string;
  readonly ProcessName?: string;
  readonly RunStatus?: string;
  readonly DistributionStatus?: string;
  readonly ProcessRequestCount: Integer;
}

/** PRCS_FINDREQUESTS: requests that a filter lets through. */
export function processFind({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const found = await scheduler.find(readFilter(given as unknown as FindRequest), operatorOf(call));
      return { kind: 'value', value: { requests: found.map(requestDocument) } };
    },
  };
}

/** PRCS_GETREQUEST: one request. */
export function processGet({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const { ProcessInstance } = given as unknown as { readonly ProcessInstance: Integer };
      const request = await scheduler.get(Number(ProcessInstance), operatorOf(call));
      return { kind: 'value', value: requestDocument(request) };
    },
  };
}

/** PRCS_UPDATEREQUEST: holds, cancels, restarts or deletes a request. */
export function processUpdate({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const body = given as unknown as { readonly ProcessInstance: Integer; readonly RunStatus: RequestAction };
      const request = await scheduler.update(Number(body.ProcessInstance), body.RunStatus, operatorOf(call));
      return { kind: 'value', value: requestDocument(request) };
    },
  };
}

/** PRCS_GETMESSAGES: lines of a request's message log. */
export function processMessages({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const { ProcessInstance, MessageFrom, MessageCount } = given as unknown as {
        readonly ProcessInstance: Integer;
        readonly MessageFrom: Integer;
        readonly MessageCount: Integer;
      };
      const page = { from: Number(MessageFrom), count: Number(MessageCount) };
      const lines = await scheduler.messages(Number(ProcessInstance), page, operatorOf(call));
      const messages = lines.map(({ sequence, level, text, said }) => {
        return { Sequence: sequence, Level: level, Text: text, DateTime: said };
      });
      return { kind: 'value', value: { messages } };
    },
  };
}

/** PRCS_GETPROCESSNAMES: names of the processes that the caller may run. */
export function processNames({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const { ProcessType } = given as { readonly ProcessType?: string };
      const type = ProcessType === '' ? undefined : ProcessType;
      return { kind: 'value', value: { names: [...(await scheduler.names(type, operatorOf(call)))] } };
    },
  };
}

/** Callers send what they do not fill in empty, too. */
function readFilter(given: FindRequest): RequestFilter {
  const text = <K extends string>(key: K, value: string | undefined): { [key in K]?: string } =>
    (value === undefined || value === '' ? {} : { [key]: value }) as { [key in K]?: string };
  const { ProcessInstanceFrom: from, ProcessInstanceTo: to } = given;
  return {
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
    ...text('operator', given.OperatorId),
    ...text('type', given.ProcessType),
    ...text('name', given.ProcessName),
    ...text('runStatus', given.RunStatus),
    ...text('distribution', given.DistributionStatus),
    count: Number(given.ProcessRequestCount),
  };
}

/** PRQ_REQUEST. */
function requestDocument(request: ProcessRequest): DocumentValue {
  return {
    ProcessInstance: request.instance,
    ProcessName: request.name,
    ProcessType: request.type,
    RunControlID: request.runControl,
    ServerNameRun: request.server,
    OperatorID: request.operator,
    RequestDateTime: request.requested,
    RunDateTime: request.runs,
    BeginDateTime: request.began,
    EndDateTime: request.ended,
    OutputDestinationType: request.destination,
    OutputDestinationFormat: request.format,
    RunStatus: request.runStatus,
    DistributionStatus: request.distribution,
    ContentId: request.contentId,
    Recurrence: request.recurrence,
    Attempt: request.attempt,
    ProgressPercent: request.percent,
    ProgressText: request.progress,
  };
}
