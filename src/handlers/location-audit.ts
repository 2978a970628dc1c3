import { ServiceInterface } from 'signalbox';
import type { LOCATION_SETUP_Event } from '../../generated/handlers.ts';

/**
 * Runs after each save of LOCATION_SETUP (specification 6.2): writes a row of location_audit, in the transaction that notes
 * the event as done, so that there is one row a save.
 */
export default class LocationAudit extends ServiceInterface<LOCATION_SETUP_Event> {
  override async execute({ execute, save, action, before, after, caller }: LOCATION_SETUP_Event): Promise<void> {
    const record = after ?? before;
    await execute(
      `insert into location_audit (save, region, location, action, oprid, audited, was, is_now)
       values (:save, :region, :location, :action, :user, :audited, :was, :now)`,
      {
        save,
        region: record?.REGION,
        location: record?.LOCATION,
        action,
        user: caller.user ?? '',
        audited: new Date().toISOString(),
        was: before && textOf(before),
        now: after && textOf(after),
      },
    );
  }
}

/** A record in JSON; an integer may be larger than a number of JavaScript. */
function textOf(record: object): string {
  return JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
