import { Fault } from '../model/fault.ts';
import type { ProcessContext, ProcessHandler, WorkContext } from '../model/handler.ts';
import type { Process } from '../model/process.ts';
import type { Redactor } from '../model/redactor.ts';
import { AttemptTimeout, isRetried, isUncertain, PROCESS_RETRY } from '../model/retry.ts';
import type { User } from '../model/security.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import { type Db, type Job, JobLost, runInTransaction, WorkerDied } from '../store/index.ts';
import { currentTrace, inSpan } from '../trace/trace.ts';
import { duration } from '../wire/duration.ts';
import { streamOf } from '../wire/measured.ts';
import { untilAborted } from '../wire/waiting.ts';
import { counted } from '../wire/words.ts';
import { RunningLog } from './message-log.ts';
import { isKept, queryOutput } from './output.ts';
import type { RunPorts } from './process-port.ts';
import { mayRun, type Program } from './program.ts';
import { keepReport } from './reports.ts';
import { parameterRedactor, parameterValues } from './request.ts';
import type { Step } from './status.ts';
import { begin, type End, endRequest, type Taken, unlessBegun } from './steps.ts';

/**
 * The text for an error in a message log, which callers read: it repeats messages of the process's own code. Messages of a
 * database or the operating system, which may contain SQL or addresses, are only in the gateway's log.
 */
export function errorWords(error: unknown): string {
  if (error instanceof Fault || error instanceof AttemptTimeout) return error.message;
  if (error instanceof WorkerDied) return 'The gateway that ran it has ended.';
  if (!(error instanceof Error)) return 'It failed.';
  const isForeign = 'code' in error || 'errno' in error || error.cause !== undefined;
  const words = isForeign ? '' : (error.message.split('\n', 1)[0] ?? '').trim();
  if (isUncertain(error)) return `${UNCERTAIN_CALL + inLog()}.`;
  return words === '' ? `It failed with ${error.name}; the gateway's log says more${inLog()}.` : words;
}

const UNCERTAIN_CALL =
  "uncertain: a call to another system was sent to its end and got no reply, so that its target may have taken it; the gateway's log says more";

/** How to find the error in the log. */
function inLog(): string {
  const trace = currentTrace();
  return trace === undefined ? '' : ` (requestId ${trace.requestId})`;
}

/** Whether a Fault that the caller or the code of the process has caused ends the request: another attempt would not help. */
export function isFinal(error: unknown, process: Process | undefined): error is Fault {
  return error instanceof Fault && error.status < 500 && !isRetried(process?.retry ?? PROCESS_RETRY, error.status);
}

type CodeWork = Parameters<ProcessContext['complete']>[0];

/** One attempt at a request. */
export class Attempt {
  readonly #ports: RunPorts;
  readonly #job: Job;
  readonly #taken: Taken;
  readonly #user: User | undefined;
  readonly #log: RunningLog;
  /** Knows the sensitive parameters once they are read. */
  #redactor: Redactor;
  readonly #ending = new AbortController();
  #reported = false;

  /** @param user the operator; `undefined` for one who is unknown or disabled by now */
  constructor(ports: RunPorts, job: Job, taken: Taken, user: User | undefined) {
    this.#ports = ports;
    this.#job = job;
    this.#taken = taken;
    this.#user = user;
    this.#redactor = ports.redactor;
    const { store, clock } = ports;
    const onLost = (): void => this.#ending.abort(new JobLost(`process request ${this.instance}`));
    this.#log = new RunningLog({ store, instance: this.instance, run: taken.run, now: clock.now, onLost });
  }

  get instance(): number {
    return this.#taken.row.prcsinstance;
  }

  /**
   * Runs the program, and ends the request with success.
   * @throws what the program throws; AttemptTimeout; JobLost when another attempt has the request
   */
  async run(): Promise<void> {
    const { program, row } = this.#taken;
    const user = this.#user;
    if (program === undefined) {
      throw Fault.of('NOT_FOUND', { what: `process ${row.prcsname} of the type ${row.prcstype} any more` });
    }
    if (user === undefined || !mayRun(user, program))
      throw Fault.of('FORBIDDEN', { user: `User ${row.oprid}`, what: `process ${program.id}` });
    const { texts } = this.#taken;
    const values = parameterValues(program, texts);
    this.#redactor = parameterRedactor(this.#ports.redactor, program, texts, values);
    await unlessBegun(() => this.#ports.store.transaction((tx) => begin(tx, this.#taken)));
    const step = await this.#timed(program, (signal) => this.#execute(program, user, values, signal)).catch((error) => {
      throw this.#redactor.error(error);
    });
    if (this.#job.completed) return;
    await this.#log.pause();
    await this.#end(step);
  }

  /** Ends the request as not successful. @throws JobLost when another attempt has it */
  async refuse(fault: Fault): Promise<void> {
    await this.#flush();
    this.#log.add('error', fault.message);
    await this.#end('refuse');
  }

  /** Ends a request that was cancelled. @returns false if it was not */
  async settle(): Promise<boolean> {
    await this.#flush();
    const { store, clock } = this.#ports;
    try {
      await store.transaction((tx) => endRequest(tx, clock, this.#ended('end')));
      return true;
    } catch (error) {
      if (error instanceof JobLost) return false;
      throw error;
    }
  }

  /** Writes the remaining lines of the log. Nothing is written afterwards. */
  async close(): Promise<void> {
    await this.#flush();
    this.#log.close();
  }

  #ended(step: Step): End {
    return { step, instance: this.instance, run: this.#taken.run, reported: this.#reported };
  }

  /** Ends the request and its job, with the remaining lines of the log and the given work, in one transaction. */
  #end(step: Step, work?: (tx: Db) => Promise<void>): Promise<void> {
    return this.#job.complete(async (tx) => {
      await work?.(tx);
      await endRequest(tx, this.#ports.clock, this.#ended(step), (last) => this.#log.writeIn(last));
    });
  }

  /** Lines that can't be written are lost with the attempt. The gateway's log has the reason. */
  async #flush(): Promise<void> {
    await this.#log.flush().catch((error: Error) => this.#ports.onError(error, { instance: this.instance }));
  }

  async #timed<T>({ id, process }: Program, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeout } = process ?? {};
    const stop = (): void =>
      this.#ending.abort(new AttemptTimeout(`${id} took longer than ${duration(timeout ?? 0)} and was stopped.`));
    const timer = timeout === undefined ? undefined : setTimeout(stop, timeout);
    const signal = AbortSignal.any([this.#job.signal, this.#ending.signal]);
    try {
      return await untilAborted(work(signal), signal, this.#ports.grace);
    } catch (error) {
      throw this.#ending.signal.aborted ? this.#ending.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #execute(program: Program, user: User, values: DocumentValue, signal: AbortSignal): Promise<Step> {
    signal.throwIfAborted();
    const { process, query } = program;
    if (query !== undefined) return this.#runQuery({ ...program, query }, values as never, signal);
    const file = process?.answer.kind === 'handler' ? process.answer.file : '';
    const handler = this.#ports.handlers.get(file);
    if (process === undefined || handler === undefined) throw new Error(`process ${program.id} has no code`);
    return this.#runCode(process, { file, handler }, { user, values }, signal);
  }

  async #runCode(
    process: NonNullable<Program['process']>,
    { file, handler }: { readonly file: string; readonly handler: ProcessHandler },
    { user, values }: { readonly user: User; readonly values: DocumentValue },
    signal: AbortSignal,
  ): Promise<Step> {
    const { row, run, attempt } = this.#taken;
    const redactor = this.#redactor;
    const opened = this.#ports.work({
      user,
      requestId: currentTrace()?.requestId ?? run,
      scope: `process ${process.id}`,
      origin: 'process',
      named: { process: process.id, instance: this.instance },
      file,
      redactor,
      signal,
    });
    const facts = {
      process,
      instance: this.instance,
      runControl: row.runcntlid,
      attempt,
      log: this.#log,
      redactor,
      report: (content: Attachment) => this.#report(content),
      complete: (work: CodeWork) => this.#complete((tx) => runInTransaction(opened.inside(tx), work)),
    };
    const running = openRunning(facts, opened.context);
    const abandon = (): void => void setTimeout(() => running.end('was given up'), this.#ports.grace).unref();
    signal.addEventListener('abort', abandon, { once: true });
    try {
      const outcome = await inSpan(
        () => ({
          name: `process ${process.id}`,
          kind: 'internal',
          attributes: { 'signalbox.instance': this.instance },
        }),
        async () => handler.run(values as never, running.context),
      );
      return outcome === 'warning' ? 'warn' : 'succeed';
    } finally {
      signal.removeEventListener('abort', abandon);
      running.end('has ended');
      opened.done();
    }
  }

  async #complete(work: (tx: Db) => Promise<void>): Promise<void> {
    await this.#log.pause();
    try {
      await this.#end('succeed', work);
    } catch (error) {
      this.#log.resume();
      throw error;
    }
  }

  async #report(content: Attachment): Promise<void> {
    if (!isKept(this.#taken.row.destination ?? '')) return;
    await keepReport(this.#ports, this.#taken, content);
    this.#reported = true;
  }

  async #runQuery(
    program: Program & { readonly query: NonNullable<Program['query']> },
    prompts: Parameters<RunPorts['queries']['run']>[0]['prompts'],
    signal: AbortSignal,
  ): Promise<Step> {
    const { query } = program;
    const { format, ending } = queryOutput(this.#taken.row.format ?? '');
    const result = await this.#ports.queries.run({
      query,
      prompts,
      format,
      signal,
      caller: `user ${this.#taken.row.oprid}`,
    });
    try {
      const { contentType, length, body } = result;
      const name = `${query.id}.${ending}`;
      await this.#report({ contentType, name, length, stream: streamOf(body) });
    } finally {
      result.dispose?.();
    }
    this.#log.add('info', `The report has ${counted(result.rows, 'row')}.`);
    if (!result.truncated) return 'succeed';
    this.#log.add('warning', 'The limit of rows has cut it.');
    return 'warn';
  }
}

interface RunningFacts extends Pick<ProcessContext, 'instance' | 'runControl' | 'attempt' | 'report'> {
  readonly process: Process;
  readonly log: RunningLog;
  readonly redactor: Redactor;
  /** Ends the request with success in the transaction of the work. */
  readonly complete: ProcessContext['complete'];
}

interface Running {
  readonly context: ProcessContext;
  /** Closes the context; `why` completes the error message for code that still uses it. */
  end(why: string): void;
}

/** Makes the context for the code of an attempt. It is closed once the attempt is over. */
function openRunning(facts: RunningFacts, work: WorkContext): Running {
  const { process, instance, runControl, attempt, log, redactor } = facts;
  const { caller, requestId, signal, blobs, settings } = work;
  let over: string | undefined;
  let completing = false;
  const end = (why: string): void => {
    over ??= `process request ${instance} ${why}`;
  };
  const check = (): void => {
    if (over !== undefined) throw new Error(over);
  };
  const context: ProcessContext = {
    ...{ process, instance, runControl, attempt, caller, requestId, signal, blobs, settings },
    progress(percent, text) {
      check();
      if (!(percent >= 0 && percent <= 100)) throw new RangeError(`progress must be from 0 to 100, not ${percent}`);
      log.progress(percent, text === undefined ? undefined : redactor.text(text));
    },
    message(level, text) {
      check();
      log.add(level, redactor.text(text));
    },
    async report(content) {
      check();
      if (completing) throw new Error('report was called after complete');
      await facts.report(content);
    },
    async complete(given) {
      check();
      if (completing) throw new Error('complete was called before');
      completing = true;
      try {
        await facts.complete(given);
        end('has ended');
      } catch (error) {
        // The transaction was rolled back: the code may go on.
        completing = false;
        throw error;
      }
    },
    transaction(given) {
      check();
      return work.transaction(given);
    },
    readComponent: (...given) => work.readComponent(...given),
    query: (...given) => work.query(...given),
    render: (...given) => work.render(...given),
    call: (...given) => work.call(...given),
    flow: (...given) => work.flow(...given),
    faultOf: (...given) => work.faultOf(...given),
    saveComponent(...given) {
      check();
      return work.saveComponent(...given);
    },
    publish(...given) {
      check();
      return work.publish(...given);
    },
    log: (...given) => work.log(...given),
  };
  return { context, end };
}
