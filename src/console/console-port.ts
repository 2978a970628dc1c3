import type { Client, ConnectionTest, NodeFacts, NodeState } from '../invoke/index.ts';
import type { MessageControl } from '../messaging/run/index.ts';
import type { Spool } from '../model/blob.ts';
import type { BrokenEdit } from '../model/definition.ts';
import type { Fault } from '../model/fault.ts';
import type { Node } from '../model/node.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Scheduler } from '../process/index.ts';
import type { QueryPort, SavedQueries } from '../query/index.ts';
import type { TypedPassword } from '../security/sign-in/password.ts';
import type { Sessions } from '../security/sign-in/sessions.ts';
import type { Trails } from '../security/trail.ts';
import type { Users } from '../security/users/user-port.ts';
import type { LoadedDefinitions, QueueControl, StatisticsReader } from '../store/index.ts';

/** What the pages read and act through; the commands use the same. */
export interface ConsolePorts {
  readonly registry: Registry;
  /** The files of the definitions as they were loaded, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly queues: QueueControl;
  readonly messages: MessageControl;
  readonly statistics: StatisticsReader;
  /** The definitions that gateways have loaded, the newest first, with what each has changed. */
  readonly definitions: (most: number) => Promise<readonly LoadedDefinitions[]>;
  /** Calls other systems, and shows what it would send. */
  readonly outbound: Pick<Client, 'call' | 'flow'> & Previews;
  /** Stores attachments of replies while they are read. */
  readonly spool: Spool;
  readonly scheduler: Scheduler;
  readonly queries: QueryPort;
  /** Private queries. */
  readonly saved: SavedQueries;
  readonly nodes: NodePort;
  readonly redactor: Redactor;
  /** Users of the database and sessions of the console. */
  readonly people: PeoplePorts;
  /** Address of the gateway with its context, once it listens: `https://example.org/gateway`. */
  readonly base: () => string;
  /** Sample users can sign in. */
  readonly sampleUsers: boolean;
  /** The edit of the definitions that is not applied; absent of a gateway that follows no edits. */
  readonly brokenEdit?: (() => BrokenEdit | undefined) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What the pages of users read and act through. */
export interface PeoplePorts {
  /** The users of the database, for someone who acts under this name: `console:ada`. */
  readonly users: (actor: string) => Users;
  readonly sessions: Sessions;
  readonly trails: Trails;
  /** Checks the password of a user who has signed in. @throws Fault UNAUTHENTICATED, TOO_MANY_REQUESTS, UNAVAILABLE */
  readonly checkPassword: (typed: TypedPassword) => Promise<User>;
}

/** The requests of calls, with secrets masked. Nothing is sent. */
interface Previews {
  preview(...given: Parameters<Client['preview']>): Promise<ReturnType<Client['preview']>>;
  previewFlow(...given: Parameters<Client['previewFlow']>): Promise<ReturnType<Client['previewFlow']>>;
}

/** The nodes of a gateway. */
export interface NodePort {
  /** What is configured, without secrets. */
  facts(node: Node): Promise<NodeFacts>;
  /** What this gateway has found; `undefined` for a node that it has not called. */
  state(node: Node): NodeState | undefined;
  /** Closes the circuit of this gateway. @returns whether it was not closed */
  closeCircuit(node: Node): boolean;
  /** Connects to all addresses of a node, without sending a request. */
  test(node: Node, signal: AbortSignal): Promise<ConnectionTest>;
}

/** A request for the console, as the gateway passes it. */
export interface ConsoleRequest {
  /** The id by which the log has it. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Raw, below the console; empty or beginning with a slash. */
  readonly path: string;
  /** Raw, without its question mark. */
  readonly query: string | undefined;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The whole body. @param limit in bytes, if it is less than that of all forms @throws Fault BODY_TOO_LARGE, REQUEST_TIMEOUT */
  readonly body: (limit?: number) => Promise<Uint8Array>;
  /** The connection can't be read by others. */
  readonly secure: boolean;
  readonly remote: string | undefined;
  readonly gone: AbortSignal;
  /**
   * Calls an operation through the same stages as a call from outside, with the user as the authenticated caller: what the user is
   * not granted is refused.
   */
  readonly call: (request: InnerRequest) => Promise<InnerReply>;
  /** Notes whose request it is, for the audit log. */
  readonly caller: (user: User, action: ConsoleAction | undefined) => void;
  /** Notes why the request fails, for the audit log; what is no fault is logged. @returns the fault to report */
  readonly failed: (error: unknown) => Fault;
}

/** A call of an operation of this gateway, for the user who asks for it. */
export interface InnerRequest {
  readonly user: User;
  readonly method: string;
  /** Raw path and query: `/gateway/RESTListeningConnector/Locations.v1/?region=N`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface InnerReply {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Can be read once. The call ends when its reader stops. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Milliseconds until the head of the reply. */
  readonly ms: number;
}

/** An action in the audit log. */
export interface ConsoleAction {
  /** `queue.pause`. */
  readonly name: string;
  /** What was acted on. */
  readonly target: string;
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A reply for the gateway to send. */
export interface ConsoleReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Called when the body was sent, or will never be read. */
  readonly dispose?: () => void;
  /** The body may be compressed; not one that has a secret next to what a caller has chosen. */
  readonly compresses: boolean;
}
