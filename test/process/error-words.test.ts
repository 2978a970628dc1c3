import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import type { Process } from '../../src/model/process.ts';
import { AttemptTimeout, PROCESS_RETRY, queueRule, type Retry } from '../../src/model/retry.ts';
import { errorWords, isFinal } from '../../src/process/attempt.ts';
import { WorkerDied } from '../../src/store/index.ts';

describe('what a message log says of an error', () => {
  it.each<[string, unknown, string]>([
    ['its own words', new Error('The line is engaged.'), 'The line is engaged.'],
    ['the first line of them', new Error('First\nsecond'), 'First'],
    ['those of a fault', Fault.of('NOT_FOUND', { what: 'query X' }), 'There is no query X.'],
    [
      'those of a timeout',
      new AttemptTimeout('X took longer than 1 s and was stopped.'),
      'X took longer than 1 s and was stopped.',
    ],
    ['that its gateway has gone', new WorkerDied('worker 7'), 'The gateway that ran it has ended.'],
    [
      'nothing of a system',
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' }),
      "It failed with Error; the gateway's log says more.",
    ],
    [
      'nothing of what caused it',
      new TypeError('select * from x', { cause: 'y' }),
      "It failed with TypeError; the gateway's log says more.",
    ],
    ['that there are no words', new Error(''), "It failed with Error; the gateway's log says more."],
    ['nothing of what is no error', 'text', 'It failed.'],
  ])('is %s', (_, error, words) => {
    expect(errorWords(error)).toBe(words);
  });

  it('is not the last word where retry: names its status', () => {
    const fault = Fault.of('CONFLICT', { what: 'X', reason: 'is busy' });
    const on = (retried: Retry['on']) => ({ retry: { ...PROCESS_RETRY, on: retried } }) as Process;
    expect(isFinal(fault, on('failure'))).toBe(true);
    expect(isFinal(fault, on(new Set([503])))).toBe(true);
    expect(isFinal(fault, on(new Set([409])))).toBe(false);
    expect(isFinal(fault, on('any'))).toBe(false);
    expect(queueRule({ ...PROCESS_RETRY, on: new Set([504]) }).on(new AttemptTimeout('late'))).toBe(true);
    expect(queueRule({ ...PROCESS_RETRY, on: new Set([504]) }).on(new Error('broken'))).toBe(false);
  });

  it('is the last word where the caller is at fault, and not where something is out of order', () => {
    expect(isFinal(Fault.of('FORBIDDEN', { user: 'X', what: 'y' }), undefined)).toBe(true);
    expect(isFinal(Fault.of('UNAVAILABLE', { reason: 'x' }), undefined)).toBe(false);
    expect(isFinal(new Error('x'), undefined)).toBe(false);
  });
});
