import { Fault } from '../../model/fault.ts';
import type { Redactor } from '../../model/redactor.ts';
import { isFull, StoreBusyError, StoreError, UnwritableError } from '../../store/index.ts';
import { idsOf } from '../../trace/trace.ts';
import { duration } from '../../wire/duration.ts';
import { quote } from '../../wire/words.ts';
import { type Log, loggedError } from '../log/log.ts';
import type { Recorder } from '../log/record.ts';
import type { CallProgress, Compiled } from '../operations.ts';
import { withinTime } from './body.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';
import { checkHeaders, respondText, withHeaders } from './respond.ts';
import type { Throttle } from './throttle.ts';

/** A fault in the format that the caller gets. */
export interface WrittenFault {
  readonly contentType: string;
  readonly text: string;
  /** HTTP status; `undefined` for the fault's own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RefusalPorts {
  readonly log: Log;
  readonly record: Recorder;
  readonly throttle: Throttle | undefined;
  /** Milliseconds that an `onError` may take. */
  readonly timeout: number;
  /** Creates a redactor that masks the caller's credentials. */
  readonly redactorOf: (exchange: Exchange) => Redactor;
}

/** Replies to calls that ended with an error. */
export class Refusals {
  readonly #ports: RefusalPorts;

  constructor(ports: RefusalPorts) {
    this.#ports = ports;
  }

  /**
   * Replies with the fault for an error, after the operation's own code had the chance to change its message.
   * @param write writes the fault in the caller's format
   */
  async refuse(
    exchange: Exchange,
    progress: CallProgress,
    thrown: unknown,
    write: (fault: Fault) => WrittenFault,
  ): Promise<Response> {
    const { compiled, caller } = progress;
    const raised = await this.#counted(exchange, progress, this.#asFault(exchange, progress, thrown));
    const fault = withoutSecrets(await this.#spoken(exchange, progress, raised), progress.call?.redactor);
    const { contentType, text, status = fault.status, headers: given } = write(fault);
    const headers: ReplyHeaders = {
      ...withHeaders(compiled?.headers ?? {}, { ...fault.headers, ...given }),
      'Content-Type': contentType,
      'X-Trace-Id': exchange.trace.traceId,
    };
    await progress.once?.refused(fault, status, headers, text);
    progress.call?.done();
    return respondText(exchange, status, headers, text, (bytes, complete) =>
      this.#ports.record(exchange, {
        ...progress,
        operation: compiled?.operation,
        caller,
        status,
        bytes,
        complete,
        fault,
      }),
    );
  }

  /** Logs an error that was not caused by the caller. */
  logFailure(exchange: Exchange, { compiled, caller, call }: CallProgress, error: unknown, message: string): void {
    const facts = { ...idsOf(exchange.trace), operation: compiled?.operation.id, user: caller?.user.id };
    const redactor = call?.redactor ?? this.#ports.redactorOf(exchange);
    this.#ports.log.error({ ...facts, err: redactor.value(loggedError(error)) }, redactor.text(message));
  }

  /** Rejected credentials count towards the rate like calls. */
  async #counted(exchange: Exchange, { compiled }: CallProgress, fault: Fault): Promise<Fault> {
    if (this.#ports.throttle === undefined || fault.code !== 'UNAUTHENTICATED') return fault;
    return this.#ports.throttle.refused(exchange, compiled?.operation, fault);
  }

  /** An error other than a fault is a defect of the gateway or of a handler. Its cause is logged but not sent. */
  #asFault(exchange: Exchange, progress: CallProgress, thrown: unknown): Fault {
    if (!(thrown instanceof Fault) && exchange.gone.aborted) return Fault.of('ABANDONED', {});
    const fault = soundDocument(faultOf(thrown, progress.compiled?.operation.id ?? 'The request'), progress.compiled);
    if (fault.status >= 500 && (fault.cause !== undefined || fault.code === 'INTERNAL')) {
      this.logFailure(exchange, progress, fault.cause, fault.message);
    }
    return fault;
  }

  /** Lets the handler's `onError` word the message, if its `onRequest` was called. */
  async #spoken(exchange: Exchange, progress: CallProgress, fault: Fault): Promise<Fault> {
    const { compiled, input, call } = progress;
    const onError = compiled?.answerer.onError;
    if (onError === undefined || call === undefined || fault.code === 'ABANDONED') return fault;
    const { id } = call.operation;
    try {
      const said = (async () => onError(fault, input, call))();
      const text = await withinTime(said, this.#ports.timeout, () => timedOut(id, this.#ports.timeout));
      if (typeof text !== 'string') throw new TypeError(`onError returned ${text === null ? 'null' : typeof text}`);
      return fault.saying(text);
    } catch (error) {
      this.logFailure(exchange, progress, error, `onError of ${id} failed.`);
      return fault;
    }
  }
}

/** The fault for an operation whose code took longer than `ms` milliseconds. */
export function timedOut(operation: string, ms: number): Fault {
  return Fault.of('TIMEOUT', { what: operation, time: duration(ms) });
}

/** A fault without secrets. Only code can put secrets into a message, so faults from before it ran need no redaction. */
function withoutSecrets(fault: Fault, redactor: Redactor | undefined): Fault {
  if (redactor === undefined) return fault;
  const [message, detail] = [redactor.text(fault.message), redactor.text(fault.detail)];
  const errors = fault.errors.map((each) => ({ ...each, detail: redactor.text(each.detail) }));
  const isSame = errors.every((each, index) => each.detail === fault.errors[index]?.detail);
  return isSame && message === fault.message && detail === fault.detail ? fault : fault.saying(message, detail, errors);
}

/** The fault itself, unless code gave it a document that the operation's `faults:` do not have, or that does not fit. */
function soundDocument(fault: Fault, compiled: Compiled | undefined): Fault {
  if (fault.document === undefined || compiled === undefined) return fault;
  const { operation, soap } = compiled;
  try {
    const known = soap?.form.faults?.map(({ name }) => name) ?? [];
    if (!known.includes(fault.code))
      throw new TypeError(
        `${quote(fault.code)} is not in \`faults:\` of ${operation.id}: ${known.join(', ') || 'it has none'}`,
      );
    soap?.writeFaultDetail(fault);
    return fault;
  } catch (cause) {
    return Fault.of('INTERNAL', { operation: operation.id }, { cause });
  }
}

/** The fault itself, unless code gave it headers that can't be sent. */
function faultOf(thrown: unknown, operation: string): Fault {
  let cause = thrown;
  try {
    if (thrown instanceof Fault) {
      const fault = Fault.adopt(thrown);
      checkHeaders(fault.headers);
      return fault;
    }
  } catch (error) {
    cause = error;
  }
  return faultOfStore(cause) ?? Fault.of('INTERNAL', { operation }, { cause });
}

/** @param allowed methods that the path supports */
export function methodNotAllowed(method: string, allowed: readonly string[]): Fault {
  const Allow = allowed.join(', ');
  return Fault.of('METHOD_NOT_ALLOWED', { method: quote(method), allowed: Allow }, { headers: { Allow } });
}

/** The fault while a resource behind the gateway is unavailable. Only the log names a folder that can't be written. */
export function notReady(cause: unknown): Fault {
  return Fault.of('UNAVAILABLE', { reason: whyNotReady(cause) }, { cause, headers: { 'Retry-After': '1' } });
}

function whyNotReady(cause: unknown): string {
  if (cause instanceof UnwritableError)
    return "the folder of blobs can't be written, so no content or result can be kept";
  if (cause instanceof StoreBusyError) return 'the database is busy with another change';
  return 'the database does not answer';
}

/** The fault for an error of the gateway's own database; `undefined` for any other error. */
function faultOfStore(error: unknown): Fault | undefined {
  if (isFull(error)) return Fault.of('STORAGE_FULL', { what: 'What was to be saved' }, { cause: error });
  return error instanceof StoreError ? notReady(error) : undefined;
}

/** The refusal of a request whose line in the audit log would be lost. */
export function unaccountable(auditFile: { readonly broken: boolean } | undefined): Fault | undefined {
  if (!auditFile?.broken) return undefined;
  const reason = "calls can't be recorded";
  return Fault.of('UNAVAILABLE', { reason }, { headers: { 'Retry-After': '1' }, reason: 'audit log' });
}
