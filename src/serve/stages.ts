import type { Format } from '../binding/message.ts';
import type { Fault } from '../model/fault.ts';
import type { Outcome } from '../model/handler.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Operation } from '../model/service.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import { authorise } from '../security/authorise.ts';
import { addressKey } from '../security/rate-limit.ts';
import type { Authenticator, Caller } from '../security/security-port.ts';
import type { Answers, FirstAnswer } from '../store/index.ts';
import { idsOf, inContext } from '../trace/trace.ts';
import { uncodedTags } from '../wire/entity-tag.ts';
import type { ReplyAddressing } from '../wire/soap/addressing.ts';
import { type AnswerPorts, Call, type Handlers } from './answer/call.ts';
import { compileQueryRows, type QueryRows } from './answer/query-rows.ts';
import { type Pace, withinTime } from './exchange/body.ts';
import { isWrite, refuseCrossSite } from './exchange/cors.ts';
import type { Exchange } from './exchange/exchange.ts';
import { type ContentDigest, keyOf, NamedCall } from './exchange/once.ts';
import { Refusals, timedOut, type WrittenFault } from './exchange/refuse.ts';
import { respondCoded, type Sent } from './exchange/respond.ts';
import { selectCoding } from './exchange/select.ts';
import type { Throttle } from './exchange/throttle.ts';
import type { Metrics } from './log/metrics.ts';
import { credentialHeaders, type Recorder } from './log/record.ts';
import type { CallProgress, Compiled } from './operations.ts';

export interface ConnectorPorts extends AnswerPorts {
  readonly handlers: Handlers;
  readonly authenticator: Authenticator;
  readonly record: Recorder;
  /** `undefined` if no rate or concurrency limit is declared. */
  readonly throttle: Throttle | undefined;
  /** The first answers of calls that callers may repeat; `undefined` for a mock. */
  readonly answers: Answers | undefined;
  readonly metrics: Metrics;
  /** The slowest accepted transfer of a request's body. */
  readonly pace: Pace;
}

/** Callbacks for a reply that is being sent. */
interface Leaving {
  /** Logs the reply. */
  readonly sent: Sent;
  /** Logs why the rest of the reply could not be sent. */
  readonly failed: (error: unknown) => void;
}

/**
 * The stages of a call that all connectors share. A stage that does not wait returns no promise: each turn of the
 * microtask queue costs a small request one percent.
 */
export class Stages {
  readonly #ports: ConnectorPorts;
  readonly #rows: QueryRows;
  readonly #refusals: Refusals;
  readonly #credentials: ReadonlySet<string>;

  constructor(ports: ConnectorPorts) {
    this.#ports = ports;
    this.#rows = compileQueryRows(ports);
    this.#credentials = credentialHeaders(ports.registry);
    const redactorOf = (exchange: Exchange): Redactor =>
      ports.redactor.knowing({ secrets: () => exchange.credentials(this.#credentials) });
    this.#refusals = new Refusals({ ...ports, timeout: ports.registry.gateway.limits.timeout, redactorOf });
  }

  /**
   * Runs a call. Its use of the database ends in time for the reply, and is rolled back then: no caller gets an error for
   * something that is stored later. The time in which the request's body is received does not count.
   */
  inTime<T>(exchange: Exchange, call: () => T): T {
    const { timeout } = this.#ports.registry.gateway.limits;
    const time = timeout - Math.min(1000, timeout / 5);
    let end = exchange.started + time;
    const left = (): number | undefined => {
      if (exchange.leaving) return undefined;
      const received = Math.max(0, exchange.lastRead - exchange.readSince);
      return end + received - performance.now();
    };
    const extend = (ms: number): void => {
      end = Math.max(end, performance.now() + ms);
    };
    // It stays in force when the call is abandoned: what still runs then must not store anything.
    exchange.deadline = { left, extend };
    return call();
  }

  /** Checks that need no credentials. @throws Fault TOO_MANY_REQUESTS */
  arrive(exchange: Exchange, operation?: Operation): void | Promise<void> {
    return this.#ports.throttle?.arrive(exchange, operation);
  }

  /** The caller by the credentials outside the message; `undefined` for a public operation. @throws Fault UNAUTHENTICATED */
  authenticate(exchange: Exchange, operation: Operation): Caller | undefined | Promise<Caller> {
    if (operation.public) return undefined;
    return exchange.vouched?.caller ?? this.#ports.authenticator.authenticate(exchange, operation.requires);
  }

  /** Admits a permitted caller and counts the call. @throws Fault FORBIDDEN, TOO_MANY_REQUESTS, UNAVAILABLE */
  admit(
    exchange: Exchange,
    progress: CallProgress,
    { operation }: Compiled,
    caller: Caller | undefined,
  ): void | Promise<void> {
    if (caller !== undefined) progress.caller = caller;
    if (isWrite(operation)) refuseCrossSite(exchange, caller, operation);
    const user = caller?.user;
    authorise(user, operation, 'operation');
    const entered = this.#ports.throttle?.enter(exchange, operation, user);
    const admitted = (): void => {
      exchange.admitted = true;
    };
    return entered === undefined ? admitted() : entered.then(admitted);
  }

  /**
   * Notes the key of a call of an operation with `once`, before its body is read.
   * @param about of the request: its connector, digest, how the rest of it is read, and the MessageID of WS-Addressing
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER
   */
  name(
    exchange: Exchange,
    progress: CallProgress,
    { operation, once }: Compiled,
    about: {
      readonly connector: 'rest' | 'messages';
      readonly digest: () => ContentDigest;
      readonly readOn: (digest: ContentDigest) => Promise<void>;
      readonly messageId?: string | undefined;
    },
  ): void {
    const { answers, log } = this.#ports;
    if (once === undefined || answers === undefined) return;
    const { connector, messageId } = about;
    const rule = { operation, once, connector };
    const key = keyOf(exchange, rule, messageId);
    if (key === undefined) return;
    const digest = about.digest();
    const facts = { ...idsOf(exchange.trace), operation: operation.id };
    progress.once = new NamedCall(exchange, {
      ...{ ...rule, key, caller: progress.caller, digest, answers },
      readOn: () => about.readOn(digest),
      onError: (err) =>
        log.warn({ ...facts, err }, `The answer of ${operation.id} could not be kept for repeated calls.`),
    });
  }

  /**
   * Begins a call that has a key. One that only reads needs none.
   * @returns the first answer, if the call is a repeated one @throws Fault CALL_RUNNING, ANSWER_NOT_KEPT, KEY_REUSED
   */
  begin(
    progress: CallProgress,
    { operation }: Compiled,
    input: DocumentValue,
  ): FirstAnswer | undefined | Promise<FirstAnswer | undefined> {
    if (progress.once === undefined) return undefined;
    if (isWrite(operation, input)) return progress.once.begin();
    delete progress.once;
    return undefined;
  }

  /** Sends the first answer again. */
  repeat(
    exchange: Exchange,
    { caller, files }: CallProgress,
    { operation }: Compiled,
    { status, headers: first, body }: FirstAnswer,
    compresses: boolean,
  ): Response | Promise<Response> {
    exchange.leaving = true;
    this.#ports.metrics.repeated(operation.id);
    const headers = { ...first, 'Idempotency-Replayed': 'true' };
    if (status >= 400) Object.assign(headers, { 'X-Trace-Id': exchange.trace.traceId });
    const contentType = first['Content-Type'];
    const content = { contentType: contentType ?? '', length: body.byteLength };
    const coding = compresses && contentType !== undefined ? selectCoding(exchange, headers, content) : undefined;
    const sent: Sent = (bytes, complete) => {
      files?.close();
      this.#ports.record(exchange, { operation, caller, status, bytes, complete, repeated: true });
    };
    return respondCoded(exchange, status, headers, body, sent, coding);
  }

  /**
   * Runs the operation's answer.
   * @param input the request, whose sensitive values are masked in log lines of code
   * @param segments those that accompany its document
   * @param replyTo where its reply is sent, if the request names an address outside of its document
   */
  answer(
    exchange: Exchange,
    progress: CallProgress,
    compiled: Compiled,
    input: DocumentValue,
    {
      uriIndex,
      as,
      segments,
      replyTo,
    }: {
      uriIndex: number;
      as: Format;
      segments?: (() => AsyncIterable<Attachment>) | undefined;
      replyTo?: ReplyAddressing | undefined;
    },
  ): Outcome | Promise<Outcome> {
    const { operation, answerer, secrets: read, timeout } = compiled;
    if (isWrite(operation, input)) refuseCrossSite(exchange, progress.caller, operation);
    // Read before the answer runs: code may change its input and then log a value that it removed.
    const sensitive = read && [...read(input)];
    const call = new Call(this.#ports, this.#rows, {
      operation,
      uriIndex,
      requestId: exchange.requestId,
      user: progress.caller?.user,
      address: progress.caller === undefined ? `address ${addressKey(exchange.remote)}` : undefined,
      gone: () => exchange.gone,
      segments,
      replyTo,
      root: as === 'soap' ? compiled.soap?.replyRoot : undefined,
      header: (name) => headerOf(exchange, name),
      takeEffect: progress.once?.takeEffect,
      secrets: () => [...(sensitive ?? []), ...exchange.credentials(this.#credentials)],
    });
    progress.input = input;
    progress.call = call;
    const outcome = answerer.answer(input, call, as);
    if (timeout === undefined || !(outcome instanceof Promise)) return outcome;
    const late = (): Fault => {
      const fault = timedOut(operation.id, timeout);
      call.abort(fault);
      return fault;
    };
    // While the request is still being received, the idle limit applies instead.
    return withinTime(outcome, timeout, late, { unwanted: disposeOf, since: () => exchange.lastRead });
  }

  leave(
    exchange: Exchange,
    progress: CallProgress,
    { operation }: Compiled,
    status: number,
    outcome: Outcome,
  ): Leaving {
    const { caller, input, call } = progress;
    exchange.leaving = true;
    return {
      sent: (bytes, complete) => {
        call?.done();
        progress.files?.close();
        this.#ports.record(exchange, { operation, caller, status, input, outcome, bytes, complete, call });
      },
      failed: (error) =>
        this.#refusals.logFailure(
          exchange,
          progress,
          error,
          `The reply of ${operation.id} could not be sent completely.`,
        ),
    };
  }

  /**
   * Replies after a stage ended with an error. The deadline of the call does not apply to that.
   * @param write writes the fault in the caller's format
   */
  refuse(
    exchange: Exchange,
    progress: CallProgress,
    thrown: unknown,
    write: (fault: Fault) => WrittenFault,
  ): Promise<Response> {
    return inContext({ trace: exchange.trace }, () => this.#refusals.refuse(exchange, progress, thrown, write));
  }
}

/** A header as code and records see it: entity tags without the content coding that replies add to them. */
export function headerOf(exchange: Exchange, name: string): string | undefined {
  const value = exchange.header(name);
  return value !== undefined && (name === 'if-match' || name === 'if-none-match') ? uncodedTags(value) : value;
}

/** Frees an outcome that is not sent. */
export function disposeOf(outcome: Outcome): void {
  if (outcome.kind === 'bytes') outcome.bytes.dispose?.();
}
