import { Fault } from '../model/fault.ts';
import { isFull, StoreError } from '../store/index.ts';
import { duration } from '../wire/duration.ts';
import { EventTimeout } from './context.ts';
import type { Change, InsideFacts } from './inside.ts';

/** A new record violates a unique key: another transaction may have created it since it was looked up. */
export class RecordMade extends Error {
  override readonly name = 'RecordMade';
  /** The fault for the caller if it is not the record's own key. */
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.fault = fault;
  }
}

/** Faults of code, errors of the database and the reason of the signal stay as they are; anything else is INTERNAL. */
export function refusalOf(
  error: unknown,
  { name }: Pick<Change, 'name'>,
  { signal }: Pick<InsideFacts, 'signal'>,
  timeout: number,
): unknown {
  if ([Fault, RecordMade, StoreError].some((kind) => error instanceof kind) || isFull(error)) return error;
  if (signal?.aborted === true && error === signal.reason) return error;
  if (error instanceof EventTimeout)
    return Fault.of('TIMEOUT', { what: `The save of ${name}`, time: duration(timeout) });
  return Fault.of('INTERNAL', { operation: `The save of ${name}` }, { cause: error });
}
