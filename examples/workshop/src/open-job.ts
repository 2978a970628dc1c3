import { Fault } from 'signalbox';
import type { JOB_OPEN_Context, Jobs_v2_JOB_OPEN_Context } from '../generated/handlers.ts';
import type { VEHICLE_Record } from '../generated/types.ts';

/** The context of either version. */
type Context = JOB_OPEN_Context | Jobs_v2_JOB_OPEN_Context;

interface ActiveVehicle {
  readonly vehicle: VEHICLE_Record;
  readonly etag: string;
}

/**
 * A vehicle that may come into the workshop.
 * @param reader the context of a request, or a transaction of it
 * @throws Fault NOT_FOUND for an unknown vehicle; VEHICLE_AWAY, 409
 */
export async function readActiveVehicle(reader: Pick<Context, 'readComponent'>, PLATE: string): Promise<ActiveVehicle> {
  const { record: vehicle, etag } = await reader.readComponent('VEHICLE', { PLATE });
  if (vehicle.STATUS === 'ACTIVE') return { vehicle, etag };
  throw Fault.custom(
    'VEHICLE_AWAY',
    409,
    `${PLATE} is ${vehicle.STATUS}; only an active vehicle comes into the workshop.`,
  );
}

/** A transaction of either version, or of the delivery of a message. */
type Transaction = Parameters<Parameters<Context['transaction']>[0]>[0];

interface NewJob {
  readonly PLATE: string;
  readonly TITLE: string;
}

/**
 * Opens a job and takes its vehicle into the workshop: both or neither.
 * @returns its number
 * @throws Fault as {@link readActiveVehicle}; PRECONDITION_FAILED when another job is opened at the same moment
 */
export function openJob(context: Pick<Context, 'transaction'>, job: NewJob): Promise<number | bigint> {
  return context.transaction((tx) => openJobIn(tx, job));
}

/** The same as a part of a transaction. */
export async function openJobIn(tx: Transaction, { PLATE, TITLE }: NewJob): Promise<number | bigint> {
  const { etag } = await readActiveVehicle(tx, PLATE);
  await tx.saveComponent('VEHICLE', { PLATE, STATUS: 'IN_SHOP' }, { action: 'patch', ifMatch: etag });
  const { rows } = await tx.execute<{ job_no: number | bigint }>(
    'insert into job (plate, title, opened) values (:PLATE, :TITLE, :OPENED) returning job_no',
    { PLATE, TITLE, OPENED: new Date().toISOString() },
  );
  return rows[0]!.job_no;
}
