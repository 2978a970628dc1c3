import { defineAfterSave } from '../../generated/handlers.ts';

/** Records who saved a vehicle, in the transaction of the save. */
export default defineAfterSave('VEHICLE', {
  async onSave(save, { execute, caller }) {
    const { PLATE } = save.action === 'deleted' ? save.before : save.after;
    await execute(
      `insert into vehicle_history (save, plate, action, operator, status, revision)
       values (:save, :PLATE, :action, :operator, :status, :revision)`,
      {
        save: save.id,
        PLATE,
        action: save.action,
        operator: caller.user,
        status: save.after?.STATUS,
        revision: save.after?.REVISION ?? Number(save.before?.REVISION ?? 0) + 1,
      },
    );
  },
});
