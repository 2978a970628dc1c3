import type { HandlerContext, Outcome } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { DocumentValue } from '../model/value.ts';
import type { QueryPort } from '../query/index.ts';
import { queryExecute } from './query-execute.ts';

/** What a delivered handler can reach beside the call's own context. */
export interface DeliveredPorts {
  readonly registry: Registry;
  readonly queries: QueryPort;
}

/** The call of a delivered handler: a handler's context, and the caller's grants. */
export interface DeliveredCall extends HandlerContext {
  /** @throws Fault FORBIDDEN where the caller may not run the query */
  authorise(query: Query): void;
}

/** A handler that ships in the package. */
export interface DeliveredHandler {
  onRequest(request: DocumentValue, call: DeliveredCall): Promise<Outcome>;
  /**
   * The form of replies and faults where the request's own values decide it. Asked before they are checked, so that
   * a fault about one of them has the right form already.
   * @param given a variable's text by its name; undefined where it is absent or not readable
   */
  formatOf?(given: (name: string) => string | undefined): 'json' | 'xml';
}

/** By the name in `handler:`. */
export const deliveredHandlers: ReadonlyMap<string, (ports: DeliveredPorts) => DeliveredHandler> = new Map([
  ['signalbox/query-execute', queryExecute],
]);
