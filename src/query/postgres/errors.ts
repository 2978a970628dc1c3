import { Fault } from '../../model/fault.ts';
import { errorCode, errorText } from '../../store/error.ts';
import { isLost } from '../../store/postgres/error.ts';
import { faultOf, unavailable } from '../errors.ts';
import type { Plan } from '../plan.ts';

/**
 * What a failed query is to its caller, by the SQLSTATE (PostgreSQL's manual, appendix A): the connection is gone or none can
 * be had, the database is busy, a prompt's value is out of the range of its type, or the query itself is at fault, which is
 * for the log, or for its author where it is private.
 */
export function faultOfDatabase(plan: Pick<Plan, 'name' | 'prompts' | 'isPrivate'>, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isLost(error)) return unreachable(error);
  const code = errorCode(error);
  if (/^(?:40|53(?!400)|55P03)/.test(code)) return unavailable('the database is busy', error);
  const parameter = /parameter \$(\d+)/.exec(contextOf(error))?.[1];
  if (code.startsWith('22') && parameter !== undefined) {
    const name = plan.prompts[Number(parameter) - 1] ?? 'A prompt';
    return Fault.of('BAD_PARAMETER', { name, reason: 'is beyond what the database holds' }, { cause: error });
  }
  return faultOf(plan, { code, message: errorText(error) });
}

/** The database can't be had now. */
export function unreachable(cause: unknown): Fault {
  return unavailable("the database can't be reached", cause);
}

function contextOf(error: unknown): string {
  return error instanceof Error && 'where' in error && typeof error.where === 'string' ? error.where : '';
}

/** Whether a statement must be prepared anew: its tables were changed, or the session lost it. */
export function isOutdated(error: unknown): boolean {
  const code = errorCode(error);
  return code === '0A000' || code === '26000';
}
