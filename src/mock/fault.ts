import { STATUS_CODES } from 'node:http';
import { Fault, type FaultOptions, faults } from '../model/fault.ts';

/** What a fault that is asked for consists of. What is absent follows from the rest. */
export interface AskedFault {
  /** A word in capitals; that of the catalogue for its status by default. */
  readonly code?: string;
  /** 400 to 599; that of the catalogue for its code by default. */
  readonly status?: number;
  readonly message?: string;
}

/**
 * A fault that was asked for.
 * @param what the operation, for the message
 * @returns `undefined` for a code that is not in the catalogue and has no status
 */
export function faultOf(
  { code, status, message }: AskedFault,
  what: string,
  options: FaultOptions = {},
): Fault | undefined {
  const known = status ?? statusOf(code ?? '');
  if (known === undefined) return undefined;
  const words = message ?? `${STATUS_CODES[known] ?? known}: ${what} was asked for this fault.`;
  return Fault.custom(code ?? codeOf(known), known, words, options);
}

/** `503` or `UNAVAILABLE`. @returns `undefined` for any other text */
export function readFault(text: string): AskedFault | undefined {
  if (/^[45]\d\d$/.test(text)) return { status: Number(text) };
  return statusOf(text) === undefined ? undefined : { code: text };
}

/** The codes that a fault can be named by. */
export const FAULT_CODES: readonly string[] = Object.keys(faults);

function statusOf(code: string): number | undefined {
  return Object.hasOwn(faults, code) ? faults[code as keyof typeof faults].status : undefined;
}

/** The first code of the catalogue with a status. */
function codeOf(status: number): string {
  const [code = `STATUS_${status}`] = Object.entries(faults).find(([, entry]) => entry.status === status) ?? [];
  return code;
}
