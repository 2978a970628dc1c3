import { type Db, type Job, JobLost } from '../store/index.ts';
import { instantText } from './clock.ts';
import { enterRequest } from './enter.ts';
import { move } from './move.ts';
import type { ParameterTexts } from './parameters.ts';
import type { Program } from './program.ts';
import { type RequestRow, selectRequests } from './rows.ts';
import type { RunPorts } from './run-ports.ts';
import { followingRequest } from './schedule.ts';
import { DISTRIBUTION } from './status.ts';

/** A request that an attempt has taken up. */
export interface Taken {
  readonly row: RequestRow;
  /** Undefined where it is not declared any more. */
  readonly program: Program | undefined;
  readonly texts: ParameterTexts;
  /** The attempt, for as long as the request is its own. */
  readonly run: string;
  /** From 1. */
  readonly attempt: number;
}

/**
 * Takes up a request for an attempt, and enters the one that follows it by its recurrence, once.
 * @returns undefined where there is nothing to run: it was held, cancelled or deleted, or has ended
 */
export async function initiate(
  tx: Db,
  ports: RunPorts,
  { id, attempt, instance, program }: Pick<Job, 'id' | 'attempt'> & Pick<Taken, 'program'> & { instance: number },
  run: string,
): Promise<Taken | undefined> {
  const { clock, server } = ports;
  // Locks it before it is looked at: what another attempt does at the same time is seen.
  await tx
    .updateTable('psprcsrqst')
    .set(({ ref }) => ({ runstatus: ref('runstatus') }))
    .where('prcsinstance', '=', instance)
    .execute();
  const row = await selectRequests(tx).where('prcsinstance', '=', instance).executeTakeFirst();
  // A later attempt than this may have it already, and a restart gives it another job.
  if (row === undefined || row.job !== id || (row.attempt ?? 0) > attempt) return undefined;
  const now = clock.now();
  const changes = { servernamerun: server, begindttm: clock.local(now), diststatus: DISTRIBUTION.Processing };
  if (!(await move(tx, 'initiate', instance, changes))) return undefined;
  await tx
    .updateTable('signalbox_process_request')
    .set({ run, attempt, began: instantText(now), followed: 1 })
    .set({ percent: null, progress: null, report: null, content: null })
    .where('instance', '=', instance)
    .execute();
  const texts = JSON.parse(row.parameters ?? '{}') as ParameterTexts;
  if (row.followed === 0 && program !== undefined) await follow(tx, ports, row, texts);
  return { row, program, texts, run, attempt };
}

async function follow(tx: Db, ports: RunPorts, row: RequestRow, parameters: ParameterTexts): Promise<void> {
  const following = followingRequest(ports.registry, ports.clock, {
    type: row.prcstype,
    name: row.prcsname,
    operator: row.oprid,
    runControl: row.runcntlid,
    server: row.servernamerqst,
    parameters,
    output: { destination: row.destination ?? '', format: row.format ?? '' },
    runs: Date.parse(row.runs ?? ''),
    recurrence: row.recurname,
  });
  if (following !== undefined) await enterRequest(tx, ports, following);
}

/** The code begins. @throws JobLost where the request is not this attempt's any more */
export async function begin(tx: Db, { row, run }: Taken): Promise<void> {
  if (!(await move(tx, 'begin', row.prcsinstance, { run }))) throw new JobLost(`process request ${row.prcsinstance}`);
}
