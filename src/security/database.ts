// Waits for the gateway's database in the name of a caller.
import { Fault } from '../model/fault.ts';

/** Waits for a database for at most `ms` milliseconds. @param what follows `the database` where it took longer */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the database ${what}`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Fault UNAVAILABLE for whatever the database says */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unavailable(cause);
  }
}

export function unavailable(cause?: unknown): Fault {
  const reason = 'the database that knows the users does not answer';
  return Fault.of('UNAVAILABLE', { reason }, { headers: { 'Retry-After': '5' }, cause });
}
