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

/** What pages read and act through; the commands use the same ports. */
export interface ConsolePorts {
  readonly registry: Registry;
  /** The files of the definitions as they were loaded, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly queues: QueueControl;
  readonly messages: MessageControl;
  readonly statistics: StatisticsReader;
  /** The definitions that gateways have loaded, the newest first, with what each has changed. */
  readonly definitions: (most: number) => Promise<readonly LoadedDefinitions[]>;
  /** Calls other systems, and shows the requests that it would send. */
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
  /** The edit of the definitions that was not applied; absent in a gateway that does not follow edits. */
  readonly brokenEdit?: (() => BrokenEdit | undefined) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What the pages about users read and act through. */
export interface PeoplePorts {
  /** The users of the database; changes are recorded under this name: `console:ada`. */
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
  /** What this gateway knows of a node; `undefined` for a node that it has not called. */
  state(node: Node): NodeState | undefined;
  /**
   * Closes the circuit of this gateway.
   * @returns whether it was open
   */
  closeCircuit(node: Node): boolean;
  /** Connects to all addresses of a node, without sending a request. */
  test(node: Node, signal: AbortSignal): Promise<ConnectionTest>;
}

/** A request for the console, as it is passed by the gateway. */
export interface ConsoleRequest {
  /** The id of the request in the log. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Raw, relative to the console; empty or beginning with a slash. */
  readonly path: string;
  /** Raw, without its question mark. */
  readonly query: string | undefined;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /**
   * The whole body.
   * @param limit in bytes, if it is lower than the limit for all forms
   * @throws Fault BODY_TOO_LARGE, REQUEST_TIMEOUT
   */
  readonly body: (limit?: number) => Promise<Uint8Array>;
  /** Whether the connection is encrypted or local. */
  readonly secure: boolean;
  readonly remote: string | undefined;
  readonly gone: AbortSignal;
  /**
   * Calls an operation through the same stages as a call from outside, with the user as the authenticated caller: the grants of
   * the user apply.
   */
  readonly call: (request: InnerRequest) => Promise<InnerReply>;
  /** Records the user of the request for the audit log. */
  readonly caller: (user: User, action: ConsoleAction | undefined) => void;
  /**
   * Records the failure of the request for the audit log; errors other than faults are logged.
   * @returns the fault to report
   */
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
  /** Can be read once. The call is aborted when its reader stops. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Milliseconds until the head of the reply. */
  readonly ms: number;
}

/** An action in the audit log. */
export interface ConsoleAction {
  /** `queue.pause`. */
  readonly name: string;
  /** The subject of the action. */
  readonly target: string;
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A reply for the gateway to send. */
export interface ConsoleReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Called when the body was sent, or when it will never be read. */
  readonly dispose?: () => void;
  /** Whether the body may be compressed: not if it has a secret next to text that the caller chose. */
  readonly compresses: boolean;
}
