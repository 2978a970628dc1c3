import { describe, expect, test } from 'vitest';
import { callFailure } from '../../src/cli/invoke/print.ts';
import { FlowError, InvokeError } from '../../src/invoke/index.ts';

const called = { operation: 'FILE_PUT', requestId: 'r-1' };
const tried = (code: string, attempts: number): InvokeError => {
  const address = attempts === 0 ? {} : { address: 'http://files.example/a' };
  return Object.assign(new InvokeError(code, { ...called, ...address }, 'it failed'), { attempts });
};
const step = { index: 2, of: 2, operation: 'FILE_PUT' };

describe('a call that did not succeed', () => {
  test.each([
    [2, 'an input that is refused before anything is sent', tried('BAD_INPUT', 0)],
    [2, 'an operation that there is not', tried('UNKNOWN_OPERATION', 0)],
    [1, 'configuration that is missing', tried('CONFIGURATION', 0)],
    [1, 'content that can not be read any further', tried('BAD_INPUT', 1)],
    [
      1,
      'an input that a later step refuses',
      new FlowError('Files.v1.put', step, tried('BAD_INPUT', 0), { steps: [] }),
    ],
    [1, 'a target that is not there', tried('CONNECTION', 3)],
  ])('ends with %i for %s', (exitCode, _, error) => {
    expect(callFailure(error)).toMatchObject({ exitCode, message: error.message, cause: error });
  });

  test('says where it went, and how often', () => {
    expect(callFailure(tried('CONNECTION', 1))).toMatchObject({ hint: 'http://files.example/a, call r-1' });
    expect(callFailure(tried('CONNECTION', 3))).toMatchObject({ hint: 'http://files.example/a, 3 attempts, call r-1' });
  });

  test('is left as it is where it is none', () => {
    const defect = new TypeError('a defect');
    expect(callFailure(defect)).toBe(defect);
  });
});
