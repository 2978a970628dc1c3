import type { Blobs } from '../model/blob.ts';
import type { Caller, OutboundCallOptions, OutboundOptions, WorkContext } from '../model/handler.ts';
import type { FlowReply, InvokeReply } from '../model/invoke-reply.ts';
import type { Redaction } from '../model/mask.ts';
import type { Process } from '../model/process.ts';
import type { ProcessContext } from '../model/process-handler.ts';
import type { SavedRecord, SaveOptions } from '../model/saved-record.ts';
import type { SqlTransaction } from '../model/sql.ts';
import type { Attachment, DocumentValue, Row, Value } from '../model/value.ts';
import type { RunningLog } from './running-log.ts';

/** What a running process is made of. */
interface RunningFacts {
  readonly process: Process;
  readonly instance: number;
  readonly runControl: string;
  readonly attempt: number;
  readonly log: RunningLog;
  /** Takes what is secret out of what code says. */
  readonly redact: Redaction | undefined;
  readonly report: (content: Attachment) => Promise<void>;
  /** Ends the request with success in the transaction of the work. */
  readonly complete: (work: (transaction: SqlTransaction) => Promise<void>) => Promise<void>;
}

/** The context that the code of a process sees. Once its attempt is over it takes nothing more. */
export class Running implements ProcessContext {
  readonly #facts: RunningFacts;
  readonly #work: WorkContext;
  #over: string | undefined;
  #completing = false;

  constructor(facts: RunningFacts, work: WorkContext) {
    this.#facts = facts;
    this.#work = work;
  }

  get process(): Process {
    return this.#facts.process;
  }

  get instance(): number {
    return this.#facts.instance;
  }

  get runControl(): string {
    return this.#facts.runControl;
  }

  get attempt(): number {
    return this.#facts.attempt;
  }

  progress(percent: number, text?: string): void {
    this.#check();
    if (!(percent >= 0 && percent <= 100)) throw new RangeError(`progress is from 0 to 100, not ${percent}`);
    this.#facts.log.progress(percent, text === undefined ? undefined : this.#unsaid(text));
  }

  message(level: 'info' | 'warning' | 'error', text: string): void {
    this.#check();
    this.#facts.log.add(level, this.#unsaid(text));
  }

  async report(content: Attachment): Promise<void> {
    this.#check();
    if (this.#completing) throw new Error('report was called after complete');
    await this.#facts.report(content);
  }

  async complete(work: (transaction: SqlTransaction) => Promise<void>): Promise<void> {
    this.#check();
    if (this.#completing) throw new Error('complete was called before');
    this.#completing = true;
    try {
      await this.#facts.complete(work);
      this.end('has ended');
    } catch (error) {
      // Nothing of it was kept.
      this.#completing = false;
      throw error;
    }
  }

  /** Takes nothing more; `why` is told to code that goes on all the same. */
  end(why: string): void {
    this.#over ??= `process request ${this.instance} ${why}`;
  }

  #unsaid(text: string): string {
    const { redact } = this.#facts;
    return redact === undefined ? text : (redact(text) as string);
  }

  #check(): void {
    if (this.#over !== undefined) throw new Error(this.#over);
  }

  get caller(): Caller {
    return this.#work.caller;
  }

  get requestId(): string {
    return this.#work.requestId;
  }

  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get blobs(): Blobs {
    return this.#work.blobs;
  }

  query(
    name: string,
    prompts?: Readonly<Record<string, Value>>,
    options?: { readonly maxrows?: number },
  ): Promise<Row[]> {
    return this.#work.query(name, prompts, options);
  }

  call(operation: string, input: DocumentValue, options?: OutboundCallOptions): Promise<InvokeReply> {
    return this.#work.call(operation, input, options);
  }

  flow(flow: string, input: DocumentValue, options?: OutboundOptions): Promise<FlowReply> {
    return this.#work.flow(flow, input, options);
  }

  faultOf(operation: string, error: unknown): DocumentValue | undefined {
    return this.#work.faultOf(operation, error);
  }

  saveComponent(component: string, record: DocumentValue, options?: SaveOptions): Promise<SavedRecord> {
    this.#check();
    return this.#work.saveComponent(component, record, options);
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Readonly<Record<string, unknown>>): void {
    this.#work.log(level, message, facts);
  }
}
