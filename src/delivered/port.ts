import type { ReplyRoot } from '../model/document.ts';
import type { HandlerContext, Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Scheduler } from '../process/index.ts';
import type { QueryPort, QueryRuns, SavedQueries } from '../query/index.ts';

/** What a delivered handler can reach beside the call's own context. */
export interface DeliveredPorts {
  readonly registry: Registry;
  readonly queries: QueryPort;
  readonly runs: QueryRuns;
  readonly saved: SavedQueries;
  readonly scheduler: Scheduler;
  /** The gateway's address with its context: `http://127.0.0.1:8080/gateway`; known once it listens. */
  readonly base: () => string;
}

/** The call of a delivered handler: a handler's context, and the caller's grants. */
export interface DeliveredCall extends HandlerContext {
  /** Who calls; undefined where the operation is public and no credentials came. */
  readonly user: User | undefined;
  /** Whose share of the readers its queries take. */
  readonly sharer: string | undefined;
  /** The element around the reply, where it stands in an envelope. */
  readonly root: ReplyRoot | undefined;
  /** Whether the caller may run the query. */
  may(query: Query): boolean;
}

/** The form of a reply: over REST JSON or XML, over SOAP the element of the body. */
export type ReplyForm = 'json' | 'xml' | 'soap';

/** A handler that ships in the package. */
export interface DeliveredHandler {
  onRequest(request: DocumentValue, call: DeliveredCall, as: ReplyForm): Promise<Outcome>;
  /**
   * The form of replies and faults, or its media type, where the request's own values decide it; undefined where Accept does. Asked before they are checked, so that
   * a fault about one of them has the right form already.
   * @param given a variable's text by its name; undefined where it is absent or not readable
   * @param asked the index of the URI template, and the header Accept
   */
  formatOf?(
    given: (name: string) => string | undefined,
    asked: { readonly uriIndex: number; readonly accept: string | undefined },
  ): 'json' | 'xml' | 'text/xml' | undefined;
}
