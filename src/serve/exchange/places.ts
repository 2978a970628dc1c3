import { Fault } from '../../model/fault.ts';
import type { Exchange } from './exchange.ts';

/** Places for calls that run at the same time. */
export interface Places {
  /** Whose they are, for people: `of LOCATIONS_GET`. */
  readonly what: string;
  readonly most: number;
  taken: number;
}

/**
 * Takes a place of each for a call, until its reply has left or its caller is gone.
 * @throws Fault UNAVAILABLE where one has none free; nothing is taken then
 */
export function occupy(exchange: Exchange, all: readonly Places[]): void {
  if (all.length === 0) return;
  for (const { what, most, taken } of all) if (taken >= most) throw full(what);
  for (const places of all) places.taken += 1;
  let isFree = false;
  exchange.whenOver(() => {
    if (isFree) return;
    isFree = true;
    for (const places of all) places.taken -= 1;
  });
}

function full(what: string): Fault {
  return Fault.of(
    'UNAVAILABLE',
    { reason: `as many calls ${what} are being answered as may be at once` },
    { headers: { 'Retry-After': '1' }, reason: `concurrent calls ${what}` },
  );
}
