import { Fault } from '../model/fault.ts';
import type { User } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { ProcessRequest, RequestAction, RequestFilter, ScheduleRequest } from '../process/index.ts';
import { dispositionOf } from '../wire/multipart/headers.ts';
import type { DeliveredCall, DeliveredHandler, DeliveredPorts } from './port.ts';

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

const instanceOf = ({ ProcessInstance }: DocumentValue): number => Number(ProcessInstance);

/** PRCS_GETREPORT: the number of a request's report, and where it is fetched from. Clients of the original name that number. */
export function processReport({ scheduler, base }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const user = operatorOf(call);
      const { ContentId } = given;
      const instance = ContentId === undefined ? instanceOf(given) : await scheduler.reported(Number(ContentId));
      const { contentId } = await scheduler.report(instance, user).catch((error: unknown) => {
        // Who names a report by its number is not told of whose request it is.
        if (ContentId === undefined || !(error instanceof Fault)) throw error;
        throw Fault.of('NOT_FOUND', { what: `report ${ContentId}` });
      });
      const url = `${requestAddress(base(), call.operation, instance)}/report/content`;
      return { kind: 'value', value: { ContentID: contentId, ReportURL: url } };
    },
  };
}

/** PRCS_GETREPORT_FILE: the report itself. */
export function processReportFile({ scheduler }: DeliveredPorts): DeliveredHandler {
  return {
    async onRequest(given, call) {
      const { content } = await scheduler.report(instanceOf(given), operatorOf(call));
      const { contentType, length, name = 'report' } = content;
      const headers = { 'Content-Disposition': dispositionOf(name) };
      return { kind: 'bytes', bytes: { contentType, length, headers, stored: content, body: () => content.stream() } };
    },
  };
}

/**
 * The address of a request over REST.
 * @param base the gateway's address with its context
 * @param operation any of the service
 */
function requestAddress(base: string, { pathName, service }: Operation, instance: number): string {
  return `${base}/RESTListeningConnector/${pathName}.${service.version}/requests/${instance}`;
}

/** Requests belong to users: nobody can't have one. @throws Fault UNAUTHENTICATED */
function operatorOf({ user }: Pick<DeliveredCall, 'user'>): User {
  if (user === undefined) throw Fault.of('UNAUTHENTICATED', { scheme: 'basic' });
  return user;
}
