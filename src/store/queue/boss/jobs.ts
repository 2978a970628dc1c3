import { sql } from 'kysely';
import { type CommandResponse, fromKysely, type Job, type PgBoss } from 'pg-boss';
import type { Db } from '../../tables.ts';
import type { Claim } from '../engine.ts';
import type { NewJob } from '../port.ts';
import { BossQueues, JOB } from './boss.ts';

/** What a job of pg-boss carries. */
export interface Carried {
  /** JSON as text, because JSON there knows no U+0000 and keeps no order. */
  readonly data: string;
  readonly key?: string;
  /** How often it was given back: attempts that do not count. */
  readonly released: number;
  /** Whether it has no place in the line of its key before it is due. */
  readonly coming?: boolean;
}

/** A job as pg-boss has it. */
interface Known {
  readonly active: boolean;
  readonly carried: Carried;
}

/**
 * The jobs of pg-boss. One that has ended is deleted; how often it is tried, and when, is not left to pg-boss, and neither
 * is its key: a look at a queue whose jobs have keys goes through all that wait.
 */
export class BossJobs {
  readonly #boss: PgBoss;
  readonly #queues: BossQueues;

  constructor(boss: PgBoss) {
    this.#boss = boss;
    this.#queues = new BossQueues(boss);
  }

  /** Makes the queue where there is none. */
  ensure(queue: string): Promise<void> {
    return this.#queues.ensure(queue);
  }

  /** @returns whether there was none with that id */
  async put(tx: Db, { queue, id, after }: Omit<NewJob, 'data'> & { id: string }, carried: Carried): Promise<boolean> {
    await this.ensure(queue);
    const options = { id, ...(after !== undefined && { startAfter: after }), db: fromKysely(tx) };
    return (await this.#boss.send(queue, carried, options)) !== null;
  }

  /** Takes jobs that are due, those first that were put first. */
  fetch(queue: string, limit: number): Promise<readonly Job<Carried>[]> {
    return this.#boss.fetch<Carried>(queue, { batchSize: limit });
  }

  /** What is known of a job, which nobody else changes until the transaction ends; undefined where there is none. */
  async lock(tx: Db, queue: string, id: string): Promise<Known | undefined> {
    const { rows } = await sql<Known>`
      select state = 'active' as active, data as carried from ${JOB}
      where name = ${queue} and id = ${id} for update
    `.execute(tx);
    return rows[0];
  }

  /** Deletes what is held. @returns those that were */
  async end(tx: Db, claims: readonly Claim[]): Promise<readonly Claim[]> {
    return this.#each(claims, (queue, jobs) => this.#boss.deleteJob(queue, jobs, { db: fromKysely(tx) }));
  }

  /** Says of what is held that this gateway lives. @returns those that are held */
  touch(claims: readonly Claim[]): Promise<readonly Claim[]> {
    return this.#each(claims, (queue, jobs) => this.#boss.touch(queue, jobs));
  }

  /** Lets what is held wait again. @returns whether it was held */
  async giveUp(tx: Db, claim: Claim, then: { readonly pause?: number; readonly carried?: Carried }): Promise<boolean> {
    const { queue, id } = claim;
    const db = fromKysely(tx);
    const failed = await this.#boss.fail(queue, attemptOf(claim), null, { db });
    if (settled(failed).length === 0) return false;
    const { pause, carried } = then;
    await this.#boss.update(queue, carried, { id, db, ...(pause !== undefined && { startAfter: pause / 1000 }) });
    return true;
  }

  /** One queue after the other: they may be in one transaction. */
  async #each(
    claims: readonly Claim[],
    command: (queue: string, jobs: Pick<Job, 'id' | 'retryCount'>[]) => Promise<CommandResponse>,
  ): Promise<readonly Claim[]> {
    const done: Claim[] = [];
    for (const [queue, jobs] of Map.groupBy(claims, (claim) => claim.queue)) {
      const ids = new Set(settled(await command(queue, jobs.map(attemptOf))));
      // Of one that was lost and taken again, both while it ran on, the later is meant.
      const latest = new Map(jobs.toSorted((a, b) => a.mark - b.mark).map((job) => [job.id, job]));
      done.push(...[...latest.values()].filter(({ id }) => ids.has(id)));
    }
    return done;
  }
}

function attemptOf({ id, mark }: Claim): Pick<Job, 'id' | 'retryCount'> {
  return { id, retryCount: mark };
}

/** Ids of the jobs that a command found as it was told that they are. Its type says nothing of them. */
function settled(response: CommandResponse): readonly string[] {
  return (response as { readonly settled?: readonly string[] }).settled ?? [];
}
