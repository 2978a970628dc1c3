import { Fault, ServiceInterface } from 'signalbox';
import type { VEHICLE_Event } from '../../generated/handlers.ts';

/** Runs in the transaction of each save of a vehicle, which it can refuse. */
export default class VehicleRules extends ServiceInterface<VEHICLE_Event> {
  override async execute({ execute, after }: VEHICLE_Event): Promise<void> {
    if (after?.STATUS !== 'RETIRED') return;
    const { rows } = await execute<{ job_no: number | bigint }>(
      'select job_no from job where plate = :PLATE and closed is null order by job_no',
      { PLATE: after.PLATE },
    );
    const [open] = rows;
    if (open === undefined) return;
    throw Fault.custom('JOB_OPEN', 409, `Job ${open.job_no} of ${after.PLATE} is open: close it first.`);
  }
}
