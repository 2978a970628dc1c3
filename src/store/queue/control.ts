import { randomUUID } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Retained } from '../retention.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import { exhume } from './dead-letters.ts';
import type { QueueContext } from './engine.ts';
import { checkQueue, clockOf, type FoundJob, findJob, listJobs, readQueues, withoutData } from './kept.ts';
import type { ControlOptions, KeptJob, QueueAction, QueueControl, ResubmittedAll } from './operator.ts';

/** Dead letters that run again in one transaction. */
const BATCH = 50;

/** Sorts before every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What an operator does with the queues of a database. @param wake wakes the workers of a queue in this gateway */
export function openControl(
  { store, engine, now }: QueueContext,
  { owners, removed, redactor }: ControlOptions,
  wake: (queue: string) => void,
): QueueControl {
  const clock = () => clockOf(store.kind, now);
  const ownerOf = (queue: string) => owners.get(queue) ?? removed(queue);
  const note = (tx: Db, action: string, actor: string, queue: string) =>
    noteAction(tx, { at: new Date(now()).toISOString(), actor, action, queue });
  const noteJob = (tx: Db, action: string, actor: string, { queue, id: job, data }: FoundJob) => {
    const request = ownerOf(queue).requestOf?.(data);
    const at = new Date(now()).toISOString();
    return noteAction(tx, { at, actor, action, queue, job, ...(request !== undefined && { request }) });
  };
  /** Finds a job for an action that those that run are excluded from. */
  const find = async (tx: Db, id: string, running: string) => {
    const { state, ...job } = await findJob(tx, id, clock());
    if (state === 'running') throw conflict(job, running);
    return { job: { ...job, state }, owner: ownerOf(job.queue) };
  };
  const resubmitBatch = (jobs: readonly FoundJob[], actor: string) =>
    store.transaction(async (tx) => {
      const refused: { id: string; reason: string }[] = [];
      let resubmitted = 0;
      for (const job of jobs) {
        const reason = await ownerOf(job.queue).onResubmitted(tx, { ...job, state: 'dead' }, actor);
        if (reason !== undefined) refused.push({ id: job.id, reason });
        else if (await revive(tx, job)) {
          resubmitted++;
          await noteJob(tx, 'resubmit', actor, job);
        }
      }
      return { resubmitted, refused };
    });
  /** Runs an action at a queue, with its line of the trail when it has changed something. */
  const change = async (
    action: 'pause' | 'resume',
    queue: string,
    actor: string,
    work: (tx: Db) => Promise<boolean>,
  ) => {
    await checkQueue(await store.tables(), owners, queue);
    return store.transaction(async (tx) => {
      const changed = await work(tx);
      if (changed) await note(tx, action, actor, queue);
      return changed;
    });
  };

  /** Enters a dead letter again. @returns whether it was one still */
  async function revive(tx: Db, { queue, id }: Pick<FoundJob, 'queue' | 'id'>): Promise<boolean> {
    const letter = await exhume(tx, queue, id);
    if (letter === undefined) return false;
    const { entered, ...job } = letter;
    if ((await engine.insert(tx, [job])).length === 0)
      throw conflict({ queue, id }, 'was entered again, and waits or runs');
    await tx
      .updateTable('signalbox_job')
      .set({ recorded: 1, entered })
      .where('queue', '=', queue)
      .where('id', '=', id)
      .execute();
    return true;
  }

  /** How a job is run again, by its state. @returns whether it was in that state still */
  const RUN: Readonly<Record<'dead' | 'held' | 'delayed', (tx: Db, job: FoundJob) => Promise<boolean>>> = {
    dead: revive,
    held: async (tx, { queue, id }) => (await engine.unhold(tx, queue, { id })) > 0,
    delayed: (tx, { queue, id }) => engine.hasten(tx, queue, id),
  };

  return {
    ...readQueues({ store, owners, removed, redactor, now }),
    async resubmit(id, actor) {
      const found = await store.transaction(async (tx) => {
        const { job, owner } = await find(tx, id, 'runs already');
        if (job.state === 'waiting') throw conflict(job, 'is due already, and runs as soon as a gateway takes it');
        const refusal = await owner.onResubmitted(tx, job, actor);
        if (refusal !== undefined) throw conflict(job, `can't run again: ${refusal}`);
        const done = await RUN[job.state](tx, job);
        if (!done) throw conflict(job, 'is in another state by now');
        await noteJob(tx, 'resubmit', actor, job);
        return withoutData(job, owner);
      });
      wake(found.queue);
      return found;
    },
    async resubmitFailed(queue, { since, most, after: begin }, actor) {
      await checkQueue(await store.tables(), owners, queue);
      const begun = new Date(now()).toISOString();
      const all = { resubmitted: 0, refused: [] as { id: string; reason: string }[] };
      let after = begin ?? (since === undefined ? undefined : `${since.toISOString()}/${FIRST_ID}`);
      for (let left = most; ; left -= BATCH) {
        const filter = {
          state: 'dead',
          limit: Math.min(BATCH, left),
          ...(after === undefined ? {} : { after }),
        } as const;
        const { jobs, next } = await listJobs(await store.tables(), queue, filter, clock());
        // One that has died again meanwhile is left for the next time.
        const those = jobs.filter(({ died = '' }) => died <= begun);
        const { resubmitted, refused } = await resubmitBatch(those, actor);
        all.resubmitted += resubmitted;
        all.refused.push(...refused);
        wake(queue);
        if (next === undefined || those.length < jobs.length) return all satisfies ResubmittedAll;
        if (left <= BATCH) return { ...all, next } satisfies ResubmittedAll;
        after = next;
      }
    },
    cancel: (id, actor) =>
      store.transaction(async (tx) => {
        const { job, owner } = await find(tx, id, 'runs; cancel what it belongs to instead');
        if (!(await take(tx, job))) throw conflict(job, 'is in another state by now');
        await owner.onCancelled(tx, job, actor);
        await noteJob(tx, 'cancel', actor, job);
        return withoutData(job, owner);
      }),
    pause: (queue, actor) =>
      change('pause', queue, actor, async (tx) => {
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('signalbox_paused_queue')
          .values({ queue, actor, paused: new Date(now()).toISOString() })
          .onConflict((conflict) => conflict.column('queue').doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      }),
    resume: (queue, actor) =>
      change('resume', queue, actor, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('signalbox_paused_queue')
          .where('queue', '=', queue)
          .executeTakeFirst();
        return numDeletedRows === 1n;
      }),
  };

  /** Takes a job out of the queue. */
  async function take(tx: Db, { queue, id, state }: FoundJob): Promise<boolean> {
    if (state !== 'dead') return engine.remove(tx, queue, id, { unlessRunning: true });
    if ((await exhume(tx, queue, id)) === undefined) return false;
    await forgetAttempts(tx, [{ queue, id }]);
    return true;
  }
}

/** Adds a line to the trail of what operators did. */
export async function noteAction(
  tx: Db,
  { job = null, ...line }: Omit<QueueAction, 'job'> & { readonly job?: string | null },
): Promise<void> {
  await tx
    .insertInto('signalbox_job_audit')
    .values({ id: randomUUID(), ...line, job })
    .execute();
}

/** The trail of what operators did, of which lines are removed after some time. */
export function retainedActions(keep: RetentionPeriod): Retained {
  return {
    kind: 'actions',
    keep,
    async remove(tx, { before, most }) {
      const old = tx.selectFrom('signalbox_job_audit').select('id').where('at', '<', before).orderBy('at').limit(most);
      const { numDeletedRows } = await tx.deleteFrom('signalbox_job_audit').where('id', 'in', old).executeTakeFirst();
      return { count: Number(numDeletedRows), more: Number(numDeletedRows) === most };
    },
  };
}

function conflict({ id, queue }: Pick<KeptJob, 'id' | 'queue'>, reason: string): Fault {
  return Fault.of('CONFLICT', { what: `Job ${id} of ${queue}`, reason });
}
