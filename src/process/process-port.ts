import type { Blobs, StoredBlob } from '../model/blob.ts';
import type { Field } from '../model/field.ts';
import type { ProcessHandler, ScheduleOptions } from '../model/handler.ts';
import type { Process, Recurrence } from '../model/process.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Account, OpenWork } from '../model/work.ts';
import type { QueryPort, SavedQueries } from '../query/index.ts';
import type { Owners } from '../security/directory/directory-port.ts';
import type { Db, JobQueue, Retained, Store } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { GivenParameter } from './request.ts';

/** The process scheduler (field notes 2). */
export interface Scheduler extends RequestReader<StoredBlob> {
  /**
   * Enters a request.
   * @param actor the operator who enters it for the user, named in the trail; absent for a call of the user's own
   * @returns its instance number
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER naming the parameter; NOT_FOUND also for a process that the user may not run;
   * CONFLICT for a private query that is no longer valid
   */
  schedule(request: ScheduleRequest, user: User, actor?: string): Promise<number>;
  /**
   * Enters a request for a declared process as part of a transaction; {@link JobQueue.wake} follows its commit.
   * @param parameters by name
   * @returns its instance number
   * @throws Fault FORBIDDEN, BAD_PARAMETER naming the parameter; UNAVAILABLE when too many wait
   */
  scheduleInside(
    tx: Db,
    process: Process,
    parameters: DocumentValue,
    options: ScheduleOptions,
    user: User,
  ): Promise<number>;
  /** @throws Fault NOT_FOUND, FORBIDDEN */
  get(instance: number, user: User): Promise<ProcessRequest>;
  /**
   * Holds, cancels, restarts or deletes a request. Cancelling a running request signals it to end; once it has, its status is
   * Cancelled. The line of the trail is part of the transaction.
   * @param actor the name that the line has
   * @throws Fault NOT_FOUND, FORBIDDEN; CONFLICT if its status does not allow the action
   */
  update(instance: number, action: RequestAction, user: User, actor: string): Promise<ProcessRequest>;
  /** The instance number of the request with this report. @throws Fault NOT_FOUND */
  reported(contentId: number): Promise<number>;
  /** Names of the processes that a user may run, of all types or one; `PSQuery` is the type of stored queries. */
  names(type: string | undefined, user: User): Promise<readonly string[]>;
  /** What is removed of requests some time after their end. */
  readonly retained: readonly Retained[];
  /** Those of some users that have requests which have not ended. */
  readonly busy: (tx: Db, users: readonly string[]) => Promise<readonly string[]>;
}

/** Requests for reading, also without a scheduler that runs them. @typeParam Content of reports */
export interface RequestReader<Content> extends Monitor {
  /** Requests that the user may see, the newest first. @throws Fault BAD_PARAMETER */
  find(filter: RequestFilter, user: User): Promise<readonly ProcessRequest[]>;
  /** Lines of a request's message log. @throws Fault NOT_FOUND, FORBIDDEN */
  messages(instance: number, page: MessagePage, user: User): Promise<readonly ProcessMessage[]>;
  /**
   * Lines of a request's message log with what operators did at their places; the latter alone if the user may not read the log.
   * @throws Fault NOT_FOUND
   */
  log(instance: number, page: MessagePage, user: User): Promise<LogPage>;
  /** @throws Fault NOT_FOUND naming the status of a request without a report, FORBIDDEN */
  report(instance: number, user: User): Promise<ProcessReport<Content>>;
}

/** What operators see of the scheduler, beside the requests themselves. Each user sees what the user may. */
export interface Monitor {
  /** Whether a user has `process-requests: all`: sees the requests of others, of processes that the user may run. */
  seesOthers(user: User): boolean;
  /** @throws Fault NOT_FOUND */
  detail(instance: number, user: User): Promise<RequestDetail>;
  /** The processes and queries that a user may run, private ones too. */
  programs(user: User): Promise<readonly ProgramSummary[]>;
  /** What a request for a process or query takes. @throws Fault NOT_FOUND, BAD_PARAMETER; CONFLICT for a private query that is no longer valid */
  program(type: string, name: string, user: User): Promise<ProgramDetail>;
  /** All recurrences, with the processes that a user may run. */
  recurrences(user: User): Promise<readonly RecurrenceTimes[]>;
  /** How many requests ran in the last seven days. */
  load(user: User): Promise<ProcessLoad>;
  /** A text that is another one when any request has changed that had not ended. */
  pulse(): Promise<string>;
}

export interface RequestDetail {
  readonly request: ProcessRequest;
  readonly parameters: readonly GivenValue[];
  /** What the user may do with it now. */
  readonly actions: readonly RequestAction[];
  /** The user may read its message log and report. */
  readonly mayUse: boolean;
  /** The id of the job that runs it, or ran it last. */
  readonly job?: string;
  /** What operators did with it and its jobs, the oldest first. */
  readonly trail: readonly RequestTrailLine[];
}

/** An action of an operator at a request, or at a job of it. */
export interface RequestTrailLine {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  /** `demo` by a call, `console:demo`, `ada@host` by a command. */
  readonly actor: string;
  readonly action: string;
}

/** The value of a parameter, without secrets. */
export interface GivenValue {
  readonly name: string;
  readonly value: string;
}

export interface ProgramSummary {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
}

export interface ProgramDetail extends ProgramSummary {
  readonly parameters: readonly Field[];
  /** Of the output, the usual one first. */
  readonly destinations: readonly string[];
  /** Of the output, the usual one first; empty if the program decides. */
  readonly formats: readonly string[];
}

export interface RecurrenceTimes {
  readonly recurrence: Recurrence;
  /** Its next times, in UTC; empty if none follows. */
  readonly next: readonly string[];
  /** Processes that recur by themselves. */
  readonly processes: readonly {
    readonly name: string;
    readonly type: string;
    readonly runAs: string;
    /** When the scheduler enters it next, in UTC. */
    readonly next?: string;
  }[];
}

/** Requests by process and hour of the day, in the gateway's zone, of the run times of seven days. */
export interface ProcessLoad {
  /** The beginning of an hour, xs:dateTime. */
  readonly since: string;
  /** The busiest first; `hours` has 24 numbers. */
  readonly processes: readonly {
    readonly type: string;
    readonly name: string;
    readonly hours: readonly number[];
    readonly total: number;
  }[];
  readonly total: number;
  /** There were more requests: since then, not for seven days. */
  readonly truncated: boolean;
}

/** A request as a caller sends it. */
export interface ScheduleRequest {
  readonly runControl: string;
  readonly type: string;
  readonly name: string;
  readonly server?: string;
  /** xs:dateTime; at once by default. */
  readonly runDateTime?: string;
  /** IANA zone, or an offset. */
  readonly timeZone?: string;
  readonly recurrence?: string;
  readonly destination?: string;
  readonly format?: string;
  readonly parameters?: readonly GivenParameter[];
}

export type RequestAction = 'Deleted' | 'Cancelled' | 'Hold' | 'Restart';

/** Selects requests. An absent member does not restrict. */
export interface RequestFilter {
  readonly from?: number;
  readonly to?: number;
  /** The run time is not earlier, in milliseconds since 1970. */
  readonly since?: number;
  readonly operator?: string;
  readonly type?: string;
  readonly name?: string;
  /** By name or number. */
  readonly runStatus?: string;
  readonly distribution?: string;
  /** Largest number of requests to return; 300 by default. */
  readonly count?: number;
}

/** A request as callers see it. Datetimes are xs:dateTime in the gateway's zone. */
export interface ProcessRequest {
  readonly instance: number;
  readonly name: string;
  readonly type: string;
  readonly runControl: string;
  /** The gateway that ran it; empty before that. */
  readonly server: string;
  readonly operator: string;
  readonly recurrence: string;
  readonly requested?: string;
  readonly runs?: string;
  readonly began?: string;
  readonly ended?: string;
  readonly destination?: string;
  readonly format?: string;
  /** By name: `Success With Warning`. */
  readonly runStatus: string;
  readonly distribution: string;
  readonly contentId?: number;
  readonly attempt?: number;
  /** From 0 to 100. */
  readonly percent?: number;
  readonly progress?: string;
}

export interface MessagePage {
  /** Sequence number of the first line, from 1. */
  readonly from: number;
  readonly count: number;
}

/** A line of a message log. */
export interface ProcessMessage {
  /** From 1. */
  readonly sequence: number;
  readonly level: string;
  readonly text: string;
  /** xs:dateTime. */
  readonly said: string;
  /** The same moment: UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
}

/** A message of a log, or an action of an operator among them. */
export interface LogEntry extends Partial<Pick<ProcessMessage, 'sequence' | 'said'>> {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  /** Of a message, or `action`. */
  readonly level: string;
  readonly text: string;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** `from` of the part after it; absent at the end. */
  readonly next?: number;
}

export interface ProcessReport<Content> {
  readonly contentId: number;
  readonly content: Content;
}

export interface RunPorts {
  readonly registry: Registry;
  /** Private queries, which requests can run too. */
  readonly saved: SavedQueries;
  readonly store: Store;
  readonly queue: JobQueue;
  /** Finds the operators of requests. */
  readonly directory: Owners;
  readonly queries: QueryPort;
  /** Content of reports. */
  readonly reports: Blobs;
  /** By file. */
  readonly handlers: ReadonlyMap<string, ProcessHandler>;
  readonly work: OpenWork<Db>;
  readonly redactor: Redactor;
  /** Name of this gateway in the request table, of at most eight characters. */
  readonly server: string;
  readonly clock: Clock;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Called for each attempt that has ended. */
  readonly account?: Account | undefined;
  /** Milliseconds that code has to end once its signal aborts, before it is abandoned. */
  readonly grace: number;
}
