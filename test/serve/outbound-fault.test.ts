import { describe, expect, it } from 'vitest';
import { CodecError } from '../../src/codec/index.ts';
import { FlowError, InvokeError, type InvokeErrorOptions, ReplyFault, SoapFault } from '../../src/invoke/error.ts';
import { Fault } from '../../src/model/fault.ts';
import { NODE_DEFAULTS } from '../../src/model/node.ts';
import { faultOfCall } from '../../src/serve/answer/failed-call.ts';
import { LIBRARY, UPLOAD } from '../invoke/flow-support.ts';
import { registry } from '../support/registry.ts';

const CALLED = { operation: 'UPLOAD', requestId: 'r', address: 'http://secret.example/path' };
const circuit = { ...NODE_DEFAULTS.circuit, reset: 1500 };
const consumer = { ...UPLOAD, target: { ...UPLOAD.target, circuit } };
const known = { ...registry({}), consumers: new Map([['UPLOAD', consumer]]) };

const failed = (code: string, options?: InvokeErrorOptions): InvokeError =>
  new InvokeError(code, CALLED, 'words with http://secret.example', options);

/** An error as it is, and as one of a flow's step. */
const both = (error: InvokeError): InvokeError[] => [
  error,
  new FlowError(LIBRARY.id, { index: 3, of: 3, operation: 'UPLOAD' }, error, { steps: [] }),
];

describe('a call to another system that came to nothing', () => {
  it.each([
    ['CONNECTION', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['TLS', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['CUT', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['HTTP_STATUS', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['BAD_REPLY', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['REPLY_TOO_LARGE', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['CREDENTIAL', 502, 'UPSTREAM_FAILED', 'The call of UPLOAD failed.'],
    ['TIMEOUT', 504, 'UPSTREAM_TIMEOUT', 'The call of UPLOAD was not answered in time.'],
    ['ABORTED', 499, 'ABANDONED', 'The caller disconnected before the reply was ready.'],
  ])('by %s is %i', (code, status, faultCode, message) => {
    for (const error of both(failed(code))) {
      const fault = faultOfCall(error, known);
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({ status, code: faultCode, message, detail: '', headers: {}, cause: error });
    }
  });

  it('at a node that is left alone is 503, with the time after which to come again', () => {
    for (const error of both(failed('CIRCUIT_OPEN'))) {
      expect(faultOfCall(error, known)).toMatchObject({
        status: 503,
        code: 'UNAVAILABLE',
        message:
          'Temporarily unavailable: the system that UPLOAD calls does not answer; calls are suspended for a while.',
        headers: { 'Retry-After': '2' },
      });
    }
  });

  it('has the words of the target', () => {
    const soap = { code: 'Server', subcodes: [], reason: 'no more paper', detail: undefined, detailXml: '<a/>' };
    const rest = { fault: undefined, reason: 'no more ink', detail: 'at all' };
    expect(faultOfCall(new SoapFault(CALLED, soap), known)).toMatchObject({
      code: 'UPSTREAM_FAILED',
      detail: 'no more paper',
    });
    for (const error of both(new ReplyFault(CALLED, rest)))
      expect(faultOfCall(error, known)).toMatchObject({ code: 'UPSTREAM_FAILED', detail: 'no more ink; at all' });
  });

  it.each(['CONFIGURATION', 'UNKNOWN_OPERATION', 'BAD_INPUT'])('by %s of our own is a defect', (code) => {
    for (const error of both(failed(code))) {
      expect(faultOfCall(error, known)).toBe(error);
      expect(faultOfCall(error, known, { NAME: 'a' })).toBe(error);
    }
  });

  it('for a value of the caller is 400 where that was handed on as it came', () => {
    const cause = new CodecError('NAMES[2].FIRST', 'is longer than 5 characters');
    for (const error of both(failed('BAD_INPUT', { cause }))) {
      expect(faultOfCall(error, known, { NAMES: [] })).toMatchObject({
        status: 400,
        message: 'NAMES[2].FIRST is longer than 5 characters.',
      });
      expect(faultOfCall(error, known, { OTHER: 1 })).toBe(error);
      expect(faultOfCall(error, known)).toBe(error);
    }
  });

  it('by what was wrong with the request that it was to hand on is that', () => {
    const fault = Fault.of('BODY_TOO_LARGE', { limit: 10 });
    for (const error of [...both(failed('BAD_INPUT', { cause: fault })), ...both(failed('ABORTED', { cause: fault }))])
      expect(faultOfCall(error, known, {})).toBe(fault);
  });

  it('leaves other errors as they are', () => {
    const circle = new Error('a');
    circle.cause = circle;
    for (const error of [Fault.of('ABANDONED', {}), new TypeError('defect'), circle, 'a text', undefined])
      expect(faultOfCall(error, known, {})).toBe(error);
    expect(faultOfCall(failed('CUT', { cause: circle }), known)).toMatchObject({ code: 'UPSTREAM_FAILED' });
  });
});
