import type { Format } from '../../binding/message.ts';
import type { DeliveredHandler } from '../../delivered/index.ts';
import type { Fault } from '../../model/fault.ts';
import type { Handler, Outcome } from '../../model/handler.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Services } from '../start/services.ts';
import type { Call } from './call.ts';
import type { WorkPorts } from './work.ts';

/** What answers are made of. */
export interface AnswerPorts extends WorkPorts {
  readonly services: Services;
  /** The gateway's address with its context, known once it listens. */
  readonly base: () => string;
}

/** What answers one operation. */
export interface Answerer {
  answer(input: DocumentValue, call: Call, as: Format): Outcome | Promise<Outcome>;
  /** The text that the fault document gets, where the operation's code has a say in it. */
  onError?(fault: Fault, input: DocumentValue | undefined, call: Call): string | Promise<string>;
  /** The form of replies and faults where the request's own values decide it, rather than Accept. */
  formatOf?: DeliveredHandler['formatOf'];
}

/** Code handlers of the project, by the name of their file without its ending. */
export type Handlers = ReadonlyMap<string, Handler>;
