import { ServiceInterface } from 'signalbox';
import type { VEHICLE_Event } from '../../generated/handlers.ts';

/** Runs once for each save of a vehicle, after it. */
export default class VehicleHistory extends ServiceInterface<VEHICLE_Event> {
  override async execute({ execute, save, action, before, after, caller }: VEHICLE_Event): Promise<void> {
    const vehicle = after ?? before;
    await execute(
      `insert into vehicle_history (save, plate, action, operator, status, revision)
       values (:save, :plate, :action, :operator, :status, :revision)`,
      {
        save,
        plate: vehicle?.PLATE,
        action,
        operator: caller.user,
        status: after?.STATUS,
        revision: after?.REVISION ?? Number(before?.REVISION ?? 0) + 1,
      },
    );
  }
}
