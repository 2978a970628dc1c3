import { Fault } from '../model/fault.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import type { ProcessRequest, RequestAction, RequestFilter, ScheduleRequest } from '../process/index.ts';
import { dispositionOf } from '../wire/multipart/content-disposition.ts';
import { answeringUser, type DeliveredHandler, type DeliveredPorts, reply } from './delivered-port.ts';

/** An integer of a request. One that a number can't hold is larger than any that exists. */
type Integer = number | bigint;

/** PRQ_FINDREQUESTS_REQ of processrequest.yaml. */
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

interface InstanceRequest {
  readonly ProcessInstance: Integer;
}

/** PRCS_FINDREQUESTS: the requests that pass a filter. */
export function processFind({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<FindRequest>(async (request, user) => {
    const found = await scheduler.find(readFilter(request), user);
    return reply({ requests: found.map(requestDocument) });
  });
}

/** PRCS_GETREQUEST: one request. */
export function processGet({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<InstanceRequest>(async ({ ProcessInstance }, user) =>
    reply(requestDocument(await scheduler.get(Number(ProcessInstance), user))),
  );
}

/** PRCS_UPDATEREQUEST: holds, cancels, restarts or deletes a request. */
export function processUpdate({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<InstanceRequest & { readonly RunStatus: RequestAction }>(
    async ({ ProcessInstance, RunStatus }, user) =>
      reply(requestDocument(await scheduler.update(Number(ProcessInstance), RunStatus, user, user.id))),
  );
}

interface MessagesRequest extends InstanceRequest {
  readonly MessageFrom: Integer;
  readonly MessageCount: Integer;
}

/** PRCS_GETMESSAGES: lines of a request's message log. */
export function processMessages({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<MessagesRequest>(async ({ ProcessInstance, MessageFrom, MessageCount }, user) => {
    const page = { from: Number(MessageFrom), count: Number(MessageCount) };
    const lines = await scheduler.messages(Number(ProcessInstance), page, user);
    const messages = lines.map(({ sequence, level, text, said }) => {
      return { Sequence: sequence, Level: level, Text: text, DateTime: said };
    });
    return reply({ messages });
  });
}

/** PRCS_GETPROCESSNAMES: the names of the processes that the caller may run. */
export function processNames({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<{ readonly ProcessType?: string }>(async ({ ProcessType }, user) => {
    const names = await scheduler.names(ProcessType === '' ? undefined : ProcessType, user);
    return reply({ names: [...names] });
  });
}

/** Callers may also send fields that they don't use as empty. */
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

/** PRQ_SCHEDULE_REQ of processrequest.yaml. */
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

/** PRCS_SCHEDULE and PRCS_SCHEDULE_PSQUERY: requests a run of a process or of a stored query (field notes 2). */
export function processSchedule({ scheduler, base }: DeliveredPorts): DeliveredHandler {
  return answeringUser<ScheduleBody>(async (request, user, { operation }) => {
    const instance = await scheduler.schedule(readBody(request), user);
    return reply({ ProcessInstance: instance }, { Location: requestAddress(base(), operation, instance) });
  });
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

interface ReportRequest extends InstanceRequest {
  readonly ContentId?: Integer;
}

/** PRCS_GETREPORT: the number of a request's report and the address of its content. Clients of the original send that number. */
export function processReport({ scheduler, base }: DeliveredPorts): DeliveredHandler {
  return answeringUser<ReportRequest>(async ({ ContentId, ProcessInstance }, user, { operation }) => {
    const instance = ContentId === undefined ? Number(ProcessInstance) : await scheduler.reported(Number(ContentId));
    const { contentId } = await scheduler.report(instance, user).catch((error: unknown) => {
      // A caller that sends the number of a report must not learn whose request it is.
      if (ContentId === undefined || !(error instanceof Fault)) throw error;
      throw Fault.of('NOT_FOUND', { what: `report ${ContentId}` });
    });
    const url = `${requestAddress(base(), operation, instance)}/report/content`;
    return reply({ ContentID: contentId, ReportURL: url });
  });
}

/** PRCS_GETREPORT_FILE: the report itself. */
export function processReportFile({ scheduler }: DeliveredPorts): DeliveredHandler {
  return answeringUser<InstanceRequest>(async ({ ProcessInstance }, user) => {
    const { content } = await scheduler.report(Number(ProcessInstance), user);
    const { contentType, length, name = 'report' } = content;
    const headers = { 'Content-Disposition': dispositionOf(name) };
    return { kind: 'bytes', bytes: { contentType, length, headers, stored: content, body: () => content.stream() } };
  });
}

/**
 * The address of a request over REST.
 * @param base the gateway's address with its context
 * @param operation any operation of the service
 */
function requestAddress(base: string, { pathName, service }: Operation, instance: number): string {
  return `${base}/RESTListeningConnector/${pathName}.${service.version}/requests/${instance}`;
}
