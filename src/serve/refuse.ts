import { problemText } from '../binding/problem.ts';
import { Fault } from '../model/fault.ts';
import { problemMediaType } from '../wire/problem.ts';
import { withinTime } from './deadline.ts';
import type { Exchange } from './exchange.ts';
import { checkHeaders, withHeaders } from './headers.ts';
import type { Log } from './log.ts';
import { formOfFault, type Progress } from './progress.ts';
import type { Recorder } from './record.ts';
import { type ReplyHeaders, respondText } from './respond.ts';

/** Answers where a stage of the spine ended with an error. */
export class Refusals {
  readonly #log: Log;
  readonly #record: Recorder;
  /** Milliseconds that an onError may take. */
  readonly #timeout: number;

  constructor(log: Log, record: Recorder, timeout: number) {
    this.#log = log;
    this.#record = record;
    this.#timeout = timeout;
  }

  /** A fault in the caller's form: the operation's document, or problem details where no operation is known. */
  async refuse(exchange: Exchange, progress: Progress, thrown: unknown): Promise<Response> {
    const { compiled, user } = progress;
    const as = formOfFault(exchange, progress);
    const fault = await this.#spoken(exchange, progress, this.#asFault(exchange, progress, thrown));
    const { contentType, text } =
      compiled === undefined || as === undefined
        ? { contentType: problemMediaType, text: problemText(fault, exchange.requestId) }
        : compiled.binding.writeFault(fault, as, exchange.requestId);
    const headers: ReplyHeaders = {
      ...withHeaders(compiled?.headers ?? {}, fault.headers),
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': exchange.requestId,
    };
    const { status, code } = fault;
    return respondText(exchange, status, headers, text, (bytes, complete) =>
      this.#record(exchange, { operation: compiled?.operation, user: user?.id, status, bytes, complete, fault: code }),
    );
  }

  /** What went wrong here rather than at the caller's. */
  logFailure(exchange: Exchange, { compiled, user }: Progress, error: unknown, message: string): void {
    const facts = { requestId: exchange.requestId, operation: compiled?.operation.id, user: user?.id };
    this.#log.error({ ...facts, err: error }, message);
  }

  /** What is not a fault is a defect of the gateway or of a handler: logged with its cause, told without it. */
  #asFault(exchange: Exchange, progress: Progress, thrown: unknown): Fault {
    if (!(thrown instanceof Fault) && exchange.gone.aborted) return Fault.of('ABANDONED', {});
    const fault = faultOf(thrown, progress.compiled?.operation.id ?? 'The request');
    if (fault.status >= 500 && (fault.cause !== undefined || fault.code === 'INTERNAL')) {
      this.logFailure(exchange, progress, fault.cause, fault.message);
    }
    return fault;
  }

  /** The handler's onError says what the caller reads, once its onRequest was entered. */
  async #spoken(exchange: Exchange, progress: Progress, fault: Fault): Promise<Fault> {
    const { compiled, input, call } = progress;
    const onError = compiled?.answerer.onError;
    if (onError === undefined || call === undefined || fault.code === 'ABANDONED') return fault;
    const { id } = call.operation;
    try {
      const said = (async () => onError(fault, input, call))();
      const text = await withinTime(said, this.#timeout, () => timedOut(id, this.#timeout));
      if (typeof text !== 'string') throw new TypeError(`onError returned ${text === null ? 'null' : typeof text}`);
      return fault.saying(text);
    } catch (error) {
      this.logFailure(exchange, progress, error, `onError of ${id} failed.`);
      return fault;
    }
  }
}

/** The fault of an operation whose code took too long. `ms`: milliseconds that it had. */
export function timedOut(operation: string, ms: number): Fault {
  return Fault.of('TIMEOUT', { what: operation, seconds: ms / 1000 });
}

/** A fault as it is, unless code gave it headers that can't be sent. */
function faultOf(thrown: unknown, operation: string): Fault {
  let cause = thrown;
  try {
    if (thrown instanceof Fault) {
      checkHeaders(thrown.headers);
      return thrown;
    }
  } catch (error) {
    cause = error;
  }
  return Fault.of('INTERNAL', { operation }, { cause });
}
