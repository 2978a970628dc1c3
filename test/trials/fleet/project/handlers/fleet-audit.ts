import { randomUUID } from 'node:crypto';
import { type ComponentEvent, ServiceInterface } from 'signalbox';
import { marked } from '../intervals.ts';

/** Class 1 of the component: writes a row for each save. */
export default class FleetAudit extends ServiceInterface<ComponentEvent<{ ID: string; STEP: number }>> {
  override async execute(event: ComponentEvent<{ ID: string; STEP: number }>): Promise<void> {
    const { ID, STEP } = event.after ?? { ID: '', STEP: 0 };
    await marked(`save ${event.save}`, randomUUID(), async () => {
      await event.execute('insert into fleet_audit (class, id, step) values (1, :ID, :STEP)', { ID, STEP });
    });
  }
}
