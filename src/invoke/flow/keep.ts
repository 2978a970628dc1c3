import type { FlowStep, ReplyPath } from '../../model/flow.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { type Called, InvokeError } from '../error.ts';
import { marginOf } from '../limits.ts';
import type { Given } from './cache.ts';

/**
 * Takes what a step keeps out of its reply.
 * @param start when it was called: from then on counts the time for which it holds
 * @throws InvokeError BAD_REPLY where the reply lacks it
 */
export function keptOf(step: FlowStep, reply: InvokeReply, start: number, called: Called): Given {
  const values = step.keep.map(({ name, from }): [string, Value] => {
    const value = valueAt(reply.value, from);
    if (value !== undefined && value !== null) return [name, value];
    const reason = `the reply has no ${from.path.join('.')}, which is kept as ${name}`;
    const error = new InvokeError('BAD_REPLY', called, reason, { httpResponseCode: reply.httpResponseCode });
    throw Object.assign(error, { attempts: reply.attempts });
  });
  const { httpResponseCode, attempts, timings } = reply;
  const milliseconds = step.holds === undefined ? 0 : millisecondsOf(valueAt(reply.value, step.holds));
  return {
    values: Object.fromEntries(values),
    until: milliseconds > 0 ? start + milliseconds - marginOf(milliseconds) : undefined,
    trace: { operation: step.operation.id, kept: false, httpResponseCode, attempts, timings },
  };
}

function valueAt(value: DocumentValue, { path }: ReplyPath): Value {
  let at: Value = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as DocumentValue)[name];
  }
  return at;
}

/** From seconds, in a number or in digits; 0 where they say nothing. */
function millisecondsOf(seconds: Value): number {
  const isDigits = typeof seconds === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(seconds);
  if (!isDigits && typeof seconds !== 'number' && typeof seconds !== 'bigint') return 0;
  const number = Number(seconds);
  return Number.isNaN(number) ? 0 : number * 1000;
}
