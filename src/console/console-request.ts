import type { Fault } from '../model/fault.ts';
import type { User } from '../model/security.ts';

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
