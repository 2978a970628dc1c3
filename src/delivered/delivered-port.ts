import type { MessageControl } from '../messaging/run/index.ts';
import type { ReplyRoot } from '../model/document.ts';
import { Fault } from '../model/fault.ts';
import type { HandlerContext, Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Scheduler } from '../process/index.ts';
import type { QueryPort, QueryRuns, SavedQueries } from '../query/index.ts';
import type { QueueControl } from '../store/index.ts';

/** What a delivered handler can use besides the context of the call. */
export interface DeliveredPorts {
  readonly registry: Registry;
  readonly queries: QueryPort;
  readonly runs: QueryRuns;
  readonly saved: SavedQueries;
  readonly scheduler: Scheduler;
  readonly queues: QueueControl;
  readonly messageControl: MessageControl;
  /** The gateway's address with its context: `http://127.0.0.1:8080/gateway`; known once it listens. */
  readonly base: () => string;
}

/** The call of a delivered handler: a handler's context, and the caller's grants. */
export interface DeliveredCall extends HandlerContext {
  /** The caller; `undefined` when the operation is public and the request has no credentials. */
  readonly user: User | undefined;
  /** The caller whose share of the query readers it uses. */
  readonly sharer: string | undefined;
  /** The element around the reply when it is in an envelope. */
  readonly root: ReplyRoot | undefined;
  /** Whether the caller may run the query. */
  may(query: Query): boolean;
}

/** The form of a reply: JSON or XML over REST, the element of the body over SOAP. */
export type ReplyForm = 'json' | 'xml' | 'soap';

/** A handler that ships in the package. */
export interface DeliveredHandler {
  onRequest(request: DocumentValue, call: DeliveredCall, as: ReplyForm): Promise<Outcome>;
  /**
   * The form of replies and faults, or its media type, when values of the request decide it; `undefined` when Accept does.
   * Called before the values are checked, so that a fault about one of them has the right form.
   * @param given returns the text of a variable; `undefined` when it is absent or not readable
   * @param asked the index of the URI template and the Accept header
   */
  formatOf?(
    given: (name: string) => string | undefined,
    asked: { readonly uriIndex: number; readonly accept: string | undefined },
  ): 'json' | 'xml' | 'text/xml' | undefined;
}

/**
 * A handler whose request has the shape that the operation's definition gives it.
 * @param formatOf see {@link DeliveredHandler.formatOf}
 */
export function answering<Request>(
  answer: (request: Request, call: DeliveredCall, as: ReplyForm) => Promise<Outcome>,
  formatOf?: DeliveredHandler['formatOf'],
): DeliveredHandler {
  return {
    onRequest: (request, call, as) => answer(request as unknown as Request, call, as),
    ...(formatOf === undefined ? {} : { formatOf }),
  };
}

/**
 * A handler of a service that serves users only, such as the owners of process requests.
 * @throws Fault UNAUTHENTICATED
 */
export function answeringUser<Request>(
  answer: (request: Request, user: User, call: DeliveredCall) => Promise<Outcome>,
): DeliveredHandler {
  return answering<Request>((request, call) => {
    if (call.user === undefined) throw Fault.of('UNAUTHENTICATED', { scheme: 'basic' });
    return answer(request, call.user, call);
  });
}

/** A reply whose message is a document. */
export function reply(value: DocumentValue, headers?: Readonly<Record<string, string>>): Outcome {
  return { kind: 'value', value, ...(headers === undefined ? {} : { headers }) };
}
