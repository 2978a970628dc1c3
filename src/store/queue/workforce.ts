import { AsyncLocalStorage } from 'node:async_hooks';
import { continueTrace, endTrace, inTrace, type SpanStart, type Trace } from '../../trace/trace.ts';
import { Ending } from './ending.ts';
import { type Claim, messageOf, type QueueContext, type Succession } from './engine.ts';
import { HeldJob } from './job.ts';
import { type Worker, WorkerDied } from './queue-port.ts';

/** Jobs of a key that run one right after the other while other jobs may wait. */
const MOST_FOLLOWED = 32;

/** The jobs of one queue that this gateway runs. */
class Lane {
  readonly #queue: string;
  readonly #worker: Worker;
  readonly #context: QueueContext;
  readonly #ending: Ending;
  /** A lane that is woken inside a transaction must not run in it: the jobs appear with its commit. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #running = new Map<HeldJob, Promise<void>>();
  /** The number of jobs of the same key that ran right before a job. */
  readonly #followed = new WeakMap<Claim, number>();
  #timer: NodeJS.Timeout | undefined;
  #open = true;
  #wanted = false;
  #taking: Promise<void> | undefined;

  constructor(queue: string, worker: Worker, context: QueueContext) {
    this.#queue = queue;
    this.#worker = worker;
    this.#context = context;
    this.#ending = new Ending(worker, context, (jobs) => this.#onward(jobs));
  }

  get running(): readonly HeldJob[] {
    return [...this.#running.keys()];
  }

  /** Looks for jobs, now or as soon as one more can run. */
  wake(): void {
    this.#wanted = true;
    if (!this.#open || this.#taking !== undefined) return;
    clearTimeout(this.#timer);
    this.#taking = this.#outside(() => this.#take())
      .catch((error: Error) => this.#context.report(error, { queue: this.#queue }))
      .finally(() => this.#taken());
  }

  get #free(): number {
    return this.#most - this.#running.size;
  }

  get #most(): number {
    const { concurrency, room } = this.#worker;
    return room === undefined ? concurrency : Math.min(concurrency, room());
  }

  #taken(): void {
    this.#taking = undefined;
    if (!this.#open) return;
    // It was woken again while the last look ended.
    if (this.#wanted && this.#free > 0) this.wake();
    // At equal intervals gateways would keep their order: one that leaves a job could always be the first to see it again.
    else this.#timer = setTimeout(() => this.wake(), this.#context.engine.poll * (1 - Math.random() / 2));
  }

  /** Takes no more jobs; those that run go on. */
  stopTaking(): void {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  /** Takes no more jobs, and resolves when those that run have ended. */
  async close(): Promise<void> {
    this.stopTaking();
    await this.#taking;
    // One that ends may be followed by the next of its key, which is given back.
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #take(): Promise<void> {
    while (this.#wanted && this.#open) {
      const free = this.#free;
      // The next job that ends wakes the lane again.
      if (free <= 0) return;
      this.#wanted = false;
      if (this.#context.pace.isPaused(this.#queue)) return;
      // Taken before the query: the lease begins when the database runs it.
      const asked = performance.now();
      const { engine, gateway } = this.#context;
      const claims = await engine.claim(this.#queue, free, this.#ending.unknownKinds, gateway);
      for (const claim of claims) this.#begin(claim, asked);
      if (claims.length === free) this.#wanted = true;
    }
  }

  /** Takes the next jobs of keys with the ends of those before, unless others have waited for too long meanwhile. */
  #onward(jobs: readonly HeldJob[]): Succession {
    const follows = (claim: Claim): boolean => (this.#followed.get(claim) ?? 0) < MOST_FOLLOWED;
    // The jobs that end make room for those that follow them.
    const hasRoom = this.#worker.room === undefined || this.#running.size <= this.#most;
    const isOpen = this.#open && hasRoom && !this.#context.pace.isPaused(this.#queue);
    const those = new Set(isOpen ? jobs.map(({ claim }) => claim).filter(follows) : []);
    return { follows: (claim) => those.has(claim), but: this.#ending.unknownKinds, gateway: this.#context.gateway };
  }

  #begin(claim: Claim, confirmed: number): void {
    const job: HeldJob = new HeldJob(claim, this.#context, confirmed, () => this.#onward([job]));
    const trace = traceOf(claim, this.#context);
    const run = inTrace(trace, () => this.#attempt(job))
      .catch((error: Error) => this.#context.report(error, { queue: this.#queue, job: claim.id }))
      .finally(() => {
        endTrace(trace, job.failure);
        this.#running.delete(job);
        if (job.next === undefined) return this.wake();
        this.#followed.set(job.next.claim, (this.#followed.get(claim) ?? 0) + 1);
        this.#begin(job.next.claim, job.next.confirmed);
      });
    this.#running.set(job, run);
  }

  async #attempt(job: HeldJob): Promise<void> {
    await this.#run(job);
    if (job.lost && job.key !== undefined) await this.#ending.clear(job);
  }

  async #run(job: HeldJob): Promise<void> {
    if (!this.#open) return this.#ending.giveBack(job);
    if (this.#ending.isSpent(job)) {
      const { queue, attempt } = job;
      return this.#ending.bury(
        job,
        attempt - 1,
        new WorkerDied(`the process that ran attempt ${attempt - 1} in ${queue} died`),
      );
    }
    try {
      await this.#worker.run(job);
    } catch (error) {
      return this.#ending.failed(job, error);
    }
    if (!job.completed && !job.lost) await this.#ending.done(job);
    if (!job.lost) this.#context.pace.done(this.#queue);
  }
}

/** An attempt is in the trace that its job was entered in; a job without a cause begins one, named by the job. */
function traceOf({ id, queue, cause, attempt }: Claim, { tracer }: QueueContext): Trace {
  const attributes = tracer && {
    ...messageOf(queue, id),
    'messaging.operation.type': 'process',
    'signalbox.attempt': attempt,
  };
  const span: SpanStart = { name: `process ${queue}`, kind: 'consumer', attributes: attributes ?? {} };
  return continueTrace({ requestId: id, ...cause }, tracer, span);
}

/** Milliseconds between two checks whether this gateway still holds its jobs; a check also notices cancelled ones. */
const BEAT = 400;

/** Milliseconds for jobs to stop once they were asked to. */
const GRACE = 2000;

/** All workers of this gateway. */
export class Workforce {
  readonly #context: QueueContext;
  readonly #workers = new Map<string, Worker>();
  readonly #lanes = new Map<string, Lane>();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  add(queue: string, worker: Worker): void {
    if (this.#workers.has(queue)) throw new Error(`queue ${queue} has a worker already`);
    this.#workers.set(queue, worker);
  }

  /** The queues that have a worker. */
  get queues(): Iterable<string> {
    return this.#workers.keys();
  }

  async start(): Promise<void> {
    if (this.#workers.size === 0) return;
    await this.#context.engine.begin([...this.#workers.keys()], {
      wake: (queue) => this.wake(queue),
      report: (error) => this.#context.report(error, {}),
    });
    for (const [queue, worker] of this.#workers) this.#lanes.set(queue, new Lane(queue, worker, this.#context));
    this.#timer = setInterval(() => this.#beat(), BEAT);
    const kinds = [...this.#workers.values()].flatMap((worker) => [...(worker.kinds?.() ?? [])]);
    await this.#context.engine.announce?.(kinds, this.#context.unknown);
    this.wake();
  }

  /** @param queue all queues when absent */
  wake(queue?: string): void {
    if (queue === undefined) for (const lane of this.#lanes.values()) lane.wake();
    else this.#lanes.get(queue)?.wake();
  }

  /** Takes no more jobs. Those that run go on, and this gateway keeps on holding them. */
  stopTaking(): void {
    for (const lane of this.#lanes.values()) lane.stopTaking();
  }

  async close(timeoutMs: number): Promise<void> {
    const closed = Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
    await within(closed, timeoutMs);
    for (const job of this.#running()) job.stop();
    await within(closed, GRACE);
    clearInterval(this.#timer);
    // A database that does not answer must not delay the close.
    if (this.#asking !== undefined) await within(this.#asking, GRACE);
    const left = this.#running();
    // They run on, so no other gateway may begin them before this process has ended.
    for (const { queue, id } of left) {
      this.#context.report(new Error(`job ${id} of ${queue} does not stop`), { queue, job: id });
    }
    await this.#context.engine.end(left.length > 0);
  }

  #running(): HeldJob[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.running);
  }

  #beat(): void {
    // Lost jobs too, as long as they run: no other gateway begins them before they have stopped.
    const running = this.#running().filter((job) => !job.completed);
    const { lease } = this.#context.engine;
    if (lease !== undefined) {
      for (const job of running) if (performance.now() - job.confirmed > lease) job.lose();
    }
    // A job that began since the last check needs none.
    const asked = running.filter((job) => performance.now() - job.confirmed >= BEAT / 2);
    if (asked.length === 0 || this.#asking !== undefined) return;
    this.#asking = this.#ask(asked)
      .catch((error: Error) => this.#context.report(error, {}))
      .finally(() => {
        this.#asking = undefined;
      });
  }

  async #ask(jobs: readonly HeldJob[]): Promise<void> {
    const asked = performance.now();
    const held = await this.#context.engine.held(jobs.map((job) => job.claim));
    for (const job of jobs) {
      const said = held.get(job.claim);
      if (said === 'held') job.confirmed = asked;
      else if (said === 'cancelled') job.lose();
      // A job that has ended meanwhile, or is about to, is not found either.
      else if (!job.completing && this.#lanes.get(job.queue)?.running.includes(job)) job.lose();
    }
  }
}

/** Waits for work to end, up to a time. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
