import type { FaultCode } from '../model/fault.ts';
import type { Operation } from '../model/service.ts';

/** What a handler of the package adds to what is said of every operation. */
interface DeliveredFacts {
  /** Headers of its reply. */
  readonly headers?: readonly DeliveredHeader[];
  /** Faults that no operation without it has. */
  readonly faults?: readonly FaultCode[];
  /** What the JSON of its body is, where the definition of the operation has no document for it. */
  readonly body?: 'private-query';
}

/** A header that a handler of the package sends. */
export type DeliveredHeader = 'Location' | 'Content-Disposition' | 'Rows-Truncated' | 'Query-Status';

const NONE: DeliveredFacts = {};

/** By the name in `handler:`. A private query may be acceptable no longer, which is a conflict wherever one is named. */
export const DELIVERED_FACTS: Readonly<Record<string, DeliveredFacts>> = {
  'signalbox/process-schedule': { headers: ['Location'], faults: ['CONFLICT'] },
  'signalbox/process-update': { faults: ['CONFLICT'] },
  'signalbox/process-report-file': { headers: ['Content-Disposition'] },
  'signalbox/query-execute': { headers: ['Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-fields': { faults: ['CONFLICT'] },
  'signalbox/query-file': { headers: ['Content-Disposition', 'Rows-Truncated'], faults: ['CONFLICT'] },
  'signalbox/query-poll': { faults: ['CONFLICT'] },
  'signalbox/query-prompts': { faults: ['CONFLICT'] },
  'signalbox/query-results': { headers: ['Rows-Truncated', 'Query-Status'], faults: ['CONFLICT'] },
  'signalbox/query-save': { body: 'private-query' },
};

/** The facts of the handler that answers an operation; empty unless it is of the package. */
export function deliveredFacts({ answer }: Operation): DeliveredFacts {
  return answer.kind === 'delivered' ? (DELIVERED_FACTS[answer.name] ?? NONE) : NONE;
}
