import type { Claim } from '../../../src/store/queue/engine.ts';

/** A job as the model knows it. */
interface Job {
  readonly id: string;
  readonly key: string | undefined;
  /** Begun so often, less what was given back. */
  attempt: number;
  /** It waits until then, from then; without a beginning for a time of the day. */
  due: number;
  since: number | undefined;
  claim: Claim | undefined;
  cancelled: boolean;
}

/** Milliseconds by which a clock is taken to be set back; less comes of a look that began before a pause. */
const SET_BACK = 1000;

function startsLater({ due, since }: Job, now: number): boolean {
  return since !== undefined && since > now && (due === since || since > now + SET_BACK);
}

/** What a queue is to do, in memory and as plain as can be. */
export class Model {
  /** Claims that were ever made; ids that were ever entered. */
  readonly claims: Claim[] = [];
  readonly known: string[] = [];
  /** Milliseconds that a job waits after an attempt that failed. */
  readonly pause: number;
  readonly #now: () => number;
  readonly #jobs = new Map<string, Job>();
  /** Keys with the jobs that have a place in their lines, and jobs that will take one. */
  readonly #lines = new Map<string, Job[]>();
  readonly #coming: Job[] = [];

  constructor(now: () => number, pause: number) {
    this.#now = now;
    this.pause = pause;
  }

  send(id: string, key: string | undefined, delay = 0): void {
    const time = this.#now();
    const since = delay === 0 ? time : undefined;
    const job: Job = { id, key, attempt: 0, due: time + delay, since, claim: undefined, cancelled: false };
    this.known.push(id);
    this.#jobs.set(id, job);
    if (key !== undefined && delay > 0) this.#coming.push(job);
    else this.#stand(job);
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Jobs that may be taken now. */
  ready(): readonly Job[] {
    const now = this.#now();
    for (const job of this.#waiting()) if (startsLater(job, now)) job.due = job.since = now;
    for (const job of this.#coming.toSorted((a, b) => a.due - b.due)) {
      if (job.due > now) continue;
      this.#coming.splice(this.#coming.indexOf(job), 1);
      job.since = now;
      this.#stand(job);
    }
    return this.#waiting().filter(({ due }) => due <= now);
  }

  take(claim: Claim): void {
    const job = this.#jobs.get(claim.id) as Job;
    job.claim = claim;
    job.attempt++;
    this.claims.push(claim);
  }

  holds(claim: Claim): 'held' | 'cancelled' | undefined {
    const job = this.#jobs.get(claim.id);
    if (job?.claim !== claim) return undefined;
    return job.cancelled ? 'cancelled' : 'held';
  }

  cancel(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || job.cancelled) return false;
    if (job.claim !== undefined && job.key !== undefined) job.cancelled = true;
    else this.#remove(job);
    return true;
  }

  /** @returns whether it was held, and not cancelled */
  end(claim: Claim, how: 'finish' | 'postpone' | 'release' | 'clear'): boolean {
    const held = this.holds(claim);
    const job = this.#jobs.get(claim.id) as Job;
    if (how === 'clear') {
      if (held === 'cancelled') this.#remove(job);
      return false;
    }
    if (held !== 'held') return false;
    if (how === 'finish') this.#remove(job);
    job.claim = undefined;
    if (how === 'release') job.attempt--;
    if (how === 'postpone') {
      job.since = this.#now();
      job.due = job.since + this.pause;
    }
    return true;
  }

  /** Whoever held claims is no more. */
  die(): void {
    this.claims.splice(0);
    for (const job of this.#jobs.values()) {
      if (job.cancelled) this.#remove(job);
      job.claim = undefined;
    }
  }

  counts(): { readonly waiting: number; readonly running: number } {
    const running = [...this.#jobs.values()].filter(({ claim }) => claim !== undefined).length;
    return { waiting: this.#jobs.size - running, running };
  }

  /** Those that have no key, and the first of each. */
  #waiting(): readonly Job[] {
    const free = [...this.#jobs.values()].filter(({ key }) => key === undefined);
    const heads = [...this.#lines.values()].map(([head]) => head as Job);
    return [...free, ...heads].filter(({ claim }) => claim === undefined);
  }

  #stand(job: Job): void {
    if (job.key === undefined) return;
    this.#lines.set(job.key, [...(this.#lines.get(job.key) ?? []), job]);
  }

  #remove(job: Job): void {
    this.#jobs.delete(job.id);
    if (this.#coming.includes(job)) this.#coming.splice(this.#coming.indexOf(job), 1);
    if (job.key === undefined) return;
    const line = (this.#lines.get(job.key) ?? []).filter((each) => each !== job);
    if (line.length > 0) this.#lines.set(job.key, line);
    else this.#lines.delete(job.key);
  }
}
