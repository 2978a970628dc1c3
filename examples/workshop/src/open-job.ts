import { Fault } from 'signalbox';
import type { JOB_OPEN_Context, Jobs_v2_JOB_OPEN_Context } from '../generated/handlers.ts';

interface NewJob {
  readonly PLATE: string;
  readonly TITLE: string;
}

/** What a new job has beside its number. */
interface Opened {
  readonly JOB_NO: number | bigint;
  readonly VIN: string;
}

/**
 * Opens a job and takes its vehicle into the workshop: both or neither.
 * @throws Fault NOT_FOUND for an unknown vehicle; VEHICLE_AWAY, 409
 */
export function openJob(
  context: Pick<JOB_OPEN_Context, 'transaction'> | Pick<Jobs_v2_JOB_OPEN_Context, 'transaction'>,
  { PLATE, TITLE }: NewJob,
): Promise<Opened> {
  return context.transaction(async (tx) => {
    const { record: vehicle, etag } = await tx.readComponent('VEHICLE', { PLATE });
    if (vehicle.STATUS !== 'ACTIVE') {
      throw Fault.custom(
        'VEHICLE_AWAY',
        409,
        `${PLATE} is ${vehicle.STATUS}; only an active vehicle comes into the workshop.`,
      );
    }
    // Two jobs for one vehicle at the same moment: the second finds another entity tag, and is refused.
    await tx.saveComponent('VEHICLE', { PLATE, STATUS: 'IN_SHOP' }, { action: 'patch', ifMatch: etag });
    const { rows } = await tx.execute<{ job_no: number | bigint }>(
      'insert into job (plate, title, opened) values (:PLATE, :TITLE, :OPENED) returning job_no',
      { PLATE, TITLE, OPENED: new Date().toISOString() },
    );
    return { JOB_NO: rows[0]!.job_no, VIN: vehicle.VIN };
  });
}
