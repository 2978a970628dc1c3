import type { Format } from '../binding/rest.ts';
import { redactionOf } from '../codec/redact/redact-value.ts';
import type { Fault } from '../model/fault.ts';
import type { Outcome } from '../model/handler.ts';
import type { User } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import type { Authenticator, Caller } from '../security/port.ts';
import type { AnswerPorts, Handlers } from './answer/answer.ts';
import { Call } from './answer/call.ts';
import { compileQueryRows, type QueryRows } from './answer/work.ts';
import type { Pace } from './exchange/body.ts';
import { withinTime } from './exchange/deadline.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Compiled } from './exchange/progress.ts';
import { timedOut } from './exchange/refuse.ts';
import type { Throttle } from './exchange/throttle.ts';
import type { Recorder } from './log/record.ts';

/** What a connector stands on. */
export interface ConnectorPorts extends AnswerPorts {
  readonly handlers: Handlers;
  readonly authenticator: Authenticator;
  readonly record: Recorder;
  /** Where some bound of calls is declared. */
  readonly throttle?: Throttle | undefined;
  /** How slowly a request's body may come. */
  readonly pace: Pace;
}

/** The stages of a call that are the same whichever connector it comes through. */
export class Stages {
  readonly #ports: ConnectorPorts;
  readonly #rows: QueryRows;

  constructor(ports: ConnectorPorts) {
    this.#ports = ports;
    this.#rows = compileQueryRows(ports);
  }

  /** Whom the credentials outside the message show; undefined where anybody may call. @throws Fault UNAUTHENTICATED */
  authenticate(exchange: Exchange, operation: Operation): Caller | undefined | Promise<Caller> {
    return operation.public ? undefined : this.#ports.authenticator.authenticate(exchange, operation.requires);
  }

  /**
   * @param input the request, whose sensitive values code does not bring into the log
   * @param segments those that came with it beside its document
   */
  call(
    exchange: Exchange,
    { operation, secrets: read }: Compiled,
    user: User | undefined,
    input: DocumentValue,
    uriIndex: number,
    segments?: () => AsyncIterable<Attachment>,
  ): Call {
    const { requestId } = exchange;
    const header = (name: string): string | undefined => exchange.header(name);
    const redact = read && redactionOf(() => read(input));
    const facts = { operation, uriIndex, requestId, user, gone: () => exchange.gone, segments, header, redact };
    return new Call(this.#ports, this.#rows, facts);
  }

  handle(
    { operation, answerer, timeout }: Compiled,
    exchange: Exchange,
    input: DocumentValue,
    call: Call,
    as: Format,
  ): Outcome | Promise<Outcome> {
    const outcome = answerer.answer(input, call, as);
    if (timeout === undefined || !(outcome instanceof Promise)) return outcome;
    const late = (): Fault => {
      const fault = timedOut(operation.id, timeout);
      call.abort(fault);
      return fault;
    };
    // While the request still comes in, it is the idle limit that counts.
    return withinTime(outcome, timeout, late, { unwanted: disposeOf, since: () => exchange.lastRead });
  }
}

/** Frees an outcome that nobody gets. */
export function disposeOf(outcome: Outcome): void {
  if (outcome.kind === 'bytes') outcome.bytes.dispose?.();
}
