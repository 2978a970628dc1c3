import { Fault } from 'signalbox';
import type { JOB, JOB_PARTS_Row, JOB_Row } from '../generated/types.ts';

/** What reads jobs: the context of a request, or a transaction of it. */
interface Reader {
  query(name: 'JOB', prompts: { JOB_NO: number | bigint }): Promise<JOB_Row[]>;
  query(name: 'JOB_PARTS', prompts: { JOB_NO: number | bigint }): Promise<JOB_PARTS_Row[]>;
}

/** A job with its parts. @throws Fault NO_SUCH_JOB, 404 */
export async function readJob(reader: Reader, JOB_NO: number | bigint): Promise<JOB> {
  const [found] = await reader.query('JOB', { JOB_NO });
  if (found === undefined) throw Fault.custom('NO_SUCH_JOB', 404, `There is no job ${JOB_NO}.`);
  const { COST_CENTRE, INSURER, CLAIM, ...job } = found;
  const PARTS = await reader.query('JOB_PARTS', { JOB_NO });
  if (COST_CENTRE !== null) return { ...job, PARTS, PAYER: { costCentre: { NUMBER: COST_CENTRE } } };
  if (INSURER === null) return { ...job, PARTS };
  return { ...job, PARTS, PAYER: { insurer: { NAME: INSURER, CLAIM: CLAIM ?? '' } } };
}

/** The same for a job that is still open. @throws Fault NO_SUCH_JOB, 404; JOB_CLOSED, 409 */
export async function readOpenJob(reader: Reader, JOB_NO: number | bigint): Promise<JOB> {
  const job = await readJob(reader, JOB_NO);
  if (job.CLOSED !== null) throw Fault.custom('JOB_CLOSED', 409, `Job ${JOB_NO} was closed at ${job.CLOSED}.`);
  return job;
}
