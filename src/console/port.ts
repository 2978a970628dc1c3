import type { MessageControl } from '../message/index.ts';
import type { BrokenEdit } from '../model/definition.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { QueueControl } from '../store/index.ts';

/** What the pages read and act through; the commands use the same. */
export interface ConsolePorts {
  readonly registry: Registry;
  /** The files of the definitions as they were loaded, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly queues: QueueControl;
  readonly messages: MessageControl;
  readonly redactor: Redactor;
  /** Address of the gateway with its context, once it listens: `https://example.org/gateway`. */
  readonly base: () => string;
  /** Sample users can sign in. */
  readonly sampleUsers: boolean;
  /** The edit of the definitions that is not applied; absent of a gateway that follows no edits. */
  readonly brokenEdit?: (() => BrokenEdit | undefined) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who has signed in. */
export interface Session {
  readonly id: string;
  readonly user: User;
}

/** Sessions of browsers. Every gateway over the same database knows them. */
export interface Sessions {
  /** @returns the token for the cookie */
  open(user: User, facts: SessionFacts): Promise<string>;
  /** `undefined` for an unknown token, and for a session that has ended or whose user may no longer sign in. */
  find(token: string): Promise<Session | undefined>;
  end(token: string): Promise<void>;
}

export interface SessionFacts {
  readonly scheme: string;
  readonly remote: string | undefined;
  readonly agent: string | undefined;
}

/** A request for the console, as the gateway passes it. */
export interface ConsoleRequest {
  readonly method: 'GET' | 'POST';
  /** Raw, below the console; empty or beginning with a slash. */
  readonly path: string;
  /** Raw, without its question mark. */
  readonly query: string | undefined;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The whole body. @throws Fault BODY_TOO_LARGE, REQUEST_TIMEOUT */
  readonly body: () => Promise<Uint8Array>;
  /** The connection can't be read by others. */
  readonly secure: boolean;
  readonly remote: string | undefined;
  readonly gone: AbortSignal;
  /** Notes whose request it is, for the audit log. */
  readonly caller: (user: User, action: ConsoleAction | undefined) => void;
}

/** An action in the audit log. */
export interface ConsoleAction {
  /** `queue.pause`. */
  readonly name: string;
  /** What was acted on. */
  readonly target: string;
}

/** A reply for the gateway to send. */
export interface ConsoleReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The body may be compressed; not one that has a secret next to what a caller has chosen. */
  readonly compresses: boolean;
}
