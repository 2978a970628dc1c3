import type { Blobs, StoredBlob } from '../model/blob.ts';
import type { ProcessHandler } from '../model/handler.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Account, OpenWork } from '../model/work.ts';
import type { QueryPort, SavedQueries } from '../query/index.ts';
import type { Owners } from '../security/directory/port.ts';
import type { JobQueue, Store } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { GivenParameter } from './request.ts';

/** The process scheduler: requests that processes be run, and what became of them (field notes 2). */
export interface Scheduler {
  /**
   * Enters a request. Returns its instance number.
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER naming what is wrong; FORBIDDEN; CONFLICT for a saved query that is
   * acceptable no longer
   */
  schedule(request: ScheduleRequest, user: User): Promise<number>;
  /** Requests that the user may see, the newest first. @throws Fault BAD_PARAMETER */
  find(filter: RequestFilter, user: User): Promise<readonly ProcessRequest[]>;
  /** @throws Fault NOT_FOUND, FORBIDDEN */
  get(instance: number, user: User): Promise<ProcessRequest>;
  /**
   * Holds, cancels, restarts or deletes a request. One that runs is asked to end, which it has done once its status is
   * Cancelled.
   * @throws Fault NOT_FOUND, FORBIDDEN; CONFLICT where its status does not allow it
   */
  update(instance: number, action: RequestAction, user: User): Promise<ProcessRequest>;
  /** Lines of a request's message log, in their order. @throws Fault NOT_FOUND, FORBIDDEN */
  messages(instance: number, page: MessagePage, user: User): Promise<readonly ProcessMessage[]>;
  /** The report of a request. @throws Fault NOT_FOUND naming its status where there is none, FORBIDDEN */
  report(instance: number, user: User): Promise<ProcessReport>;
  /** The request whose report has this number. @throws Fault NOT_FOUND */
  reported(contentId: number): Promise<number>;
  /** Names of the processes that a user may run; of one type alone where that is given, of stored queries for `PSQuery`. */
  names(type: string | undefined, user: User): Promise<readonly string[]>;
  /** Removes reports that are older than they are kept. */
  sweep(): Promise<void>;
}

/** What a caller asks for. */
export interface ScheduleRequest {
  readonly runControl: string;
  readonly type: string;
  readonly name: string;
  readonly server?: string;
  /** xs:dateTime; at once where it is left out. */
  readonly runDateTime?: string;
  /** IANA zone, or an offset. */
  readonly timeZone?: string;
  readonly recurrence?: string;
  readonly destination?: string;
  readonly format?: string;
  readonly parameters?: readonly GivenParameter[];
}

/** What a caller asks of a request. */
export type RequestAction = 'Deleted' | 'Cancelled' | 'Hold' | 'Restart';

/** Which requests; what is left out does not restrict. */
export interface RequestFilter {
  readonly from?: number;
  readonly to?: number;
  readonly operator?: string;
  readonly type?: string;
  readonly name?: string;
  /** A word or digits. */
  readonly runStatus?: string;
  readonly distribution?: string;
  /** Most requests to return; 300. */
  readonly count?: number;
}

/** A request as callers see it. Datetimes are xs:dateTime in the gateway's zone. */
export interface ProcessRequest {
  readonly instance: number;
  readonly name: string;
  readonly type: string;
  readonly runControl: string;
  /** The gateway that ran it; empty before. */
  readonly server: string;
  readonly operator: string;
  readonly recurrence: string;
  readonly requested?: string;
  readonly runs?: string;
  readonly began?: string;
  readonly ended?: string;
  readonly destination?: string;
  readonly format?: string;
  /** In words: `Success With Warning`. */
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
}

export interface ProcessReport {
  readonly contentId: number;
  readonly content: StoredBlob;
}

/** What running requests needs. */
export interface RunPorts {
  readonly registry: Registry;
  /** Private queries, which requests may run too. */
  readonly saved: SavedQueries;
  readonly store: Store;
  readonly queue: JobQueue;
  /** In whose names requests run. */
  readonly directory: Owners;
  readonly queries: QueryPort;
  /** Content of reports. */
  readonly reports: Blobs;
  /** By file. */
  readonly handlers: ReadonlyMap<string, ProcessHandler>;
  readonly work: OpenWork;
  readonly redactor: Redactor;
  /** Name of this gateway, of at most eight characters: the server that a request was run by. */
  readonly server: string;
  readonly clock: Clock;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Told of each attempt that has ended. */
  readonly account?: Account | undefined;
  /** Milliseconds that code has to end once its signal aborts; what goes on longer is left to itself. */
  readonly grace: number;
}
