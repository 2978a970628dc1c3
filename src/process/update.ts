import { randomUUID } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Db } from '../store/index.ts';
import { instantText } from './clock.ts';
import { type EntryPorts, QUEUE, sendJob } from './enter.ts';
import { checkAccess } from './find.ts';
import type { RequestAction } from './port.ts';
import { findRow, type RequestRow, updateOwn } from './rows.ts';
import { DISTRIBUTION, mayTake, move, RUN_STATUS, type Step, wordOf } from './status.ts';

/** The possible steps of an action, and its participle for messages. */
const ACTIONS: Readonly<Record<RequestAction, { readonly steps: readonly Step[]; readonly words: string }>> = {
  Deleted: { steps: ['delete'], words: 'deleted' },
  Cancelled: { steps: ['cancel', 'ask'], words: 'cancelled' },
  Hold: { steps: ['hold'], words: 'put on hold' },
  Restart: { steps: ['restart'], words: 'restarted' },
};

/**
 * Takes the step of an action, as part of a transaction.
 * @returns the key of a report that is no longer needed, whose content has to be removed
 * @throws Fault NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function updateRequest(
  tx: Db,
  registry: Registry,
  ports: EntryPorts,
  { instance, action, user }: { instance: number; action: RequestAction; user: User },
): Promise<string | undefined> {
  const { steps, words } = ACTIONS[action];
  for (;;) {
    const row = await findRow(tx, instance);
    checkAccess(registry, row, user, 'use');
    const step = steps.find((each) => mayTake(each, row.runstatus));
    const conflict = (reason: string): Fault => Fault.of('CONFLICT', { what: `Process request ${instance}`, reason });
    if (step === undefined) throw conflict(`is ${wordOf(RUN_STATUS, row.runstatus)} and can't be ${words}`);
    if (step === 'restart' && row.job === null) throw conflict("was entered by another system and can't be restarted");
    // A worker may have taken a step since the row was read: then it is read again.
    if (await move(tx, step, instance, changesOf(step, row, ports))) return takeAlong(tx, step, row, ports);
  }
}

function changesOf(step: Step, row: RequestRow, { clock }: EntryPorts) {
  if (step === 'cancel') return { enddttm: clock.local(clock.now()) };
  if (step === 'restart') return { begindttm: null, enddttm: null, servernamerun: '', diststatus: DISTRIBUTION.None };
  return step === 'delete' && row.report !== null ? { diststatus: DISTRIBUTION.Delete } : {};
}

/** Changes the job and the gateway's own row along with a step. */
async function takeAlong(tx: Db, step: Step, row: RequestRow, ports: EntryPorts): Promise<string | undefined> {
  const { queue, clock } = ports;
  const { prcsinstance: instance, job, report } = row;
  if (job === null) return undefined;
  const update = (values: Parameters<typeof updateOwn>[2]) => updateOwn(tx, instance, values);
  const now = clock.now();
  if (step === 'restart') {
    const next = randomUUID();
    // A request that was put on hold before its time keeps that time.
    const runs = Math.max(now, Date.parse(row.runs ?? ''));
    const fresh = { run: null, attempt: 0, began: null, ended: null, cancelled: null, percent: null, progress: null };
    await update({ ...fresh, job: next, report: null, content: null });
    const { prcstype: type, prcsname: name, oprid: operator } = row;
    await sendJob(tx, queue, { instance, type, name, operator, job: next, runs, now });
    return report ?? undefined;
  }
  await queue.cancel(tx, QUEUE, job);
  if (step === 'ask') await update({ cancelled: instantText(now) });
  if (step === 'cancel') await update({ cancelled: instantText(now), ended: instantText(now) });
  if (step !== 'delete' || report === null) return undefined;
  await update({ report: null, content: null });
  return report;
}
