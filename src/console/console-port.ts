import type { Client, ConnectionTest, NodeFacts, NodeState } from '../invoke/index.ts';
import type { MessageControl } from '../messaging/run/index.ts';
import type { Spool } from '../model/blob.ts';
import type { BrokenEdit } from '../model/definition.ts';
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
