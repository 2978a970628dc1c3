import { CONTENT } from '../../binding/message.ts';
import { CodecError } from '../../codec/index.ts';
import { FlowError, InvokeError, ReplyFault, SoapFault } from '../../invoke/error.ts';
import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { DocumentValue } from '../../model/value.ts';
import { causesOf } from '../log/log.ts';

/**
 * The fault that a caller gets for a failed call to another system: it names the call and quotes the target's message, but
 * neither the target's address nor the data sent. Errors in the definitions or in code are returned unchanged.
 * @param given the values of the caller's own request that were passed to the call; `undefined` when code built its input
 */
export function faultOfCall(thrown: unknown, { consumers }: Registry, given?: DocumentValue): unknown {
  if (!(thrown instanceof InvokeError)) return thrown;
  const chain = [...causesOf(thrown)];
  // A fault of the caller's own request that occurred while it was passed on.
  const own = chain.find((each) => each instanceof Fault);
  if (own !== undefined) return own;
  const error = thrown instanceof FlowError ? thrown.cause : thrown;
  const { operation } = error.called;
  const cause = thrown;
  switch (error.code) {
    case 'BAD_INPUT':
      return given === undefined ? thrown : (refusedValue(chain, given) ?? thrown);
    case 'CONFIGURATION':
    case 'UNKNOWN_OPERATION':
      return thrown;
    case 'ABORTED':
      return Fault.of('ABANDONED', {}, { cause });
    case 'TIMEOUT':
      return Fault.of('UPSTREAM_TIMEOUT', { operation }, { cause });
    case 'CIRCUIT_OPEN': {
      const reason = `the system that ${operation} calls does not answer; calls are suspended for a while`;
      const wait = Math.ceil((consumers.get(operation)?.target.circuit.reset ?? 0) / 1000);
      return Fault.of('UNAVAILABLE', { reason }, { headers: { 'Retry-After': String(Math.max(wait, 1)) }, cause });
    }
    default: {
      const isTold = error instanceof SoapFault || error instanceof ReplyFault;
      return Fault.of('UPSTREAM_FAILED', { operation }, { detail: isTold ? wordsOf(error) : '', cause });
    }
  }
}

/** The target's error message, and its details. */
function wordsOf(error: SoapFault | ReplyFault): string {
  const { reason } = error;
  if (!(error instanceof ReplyFault) || error.detail === '') return reason;
  return reason === '' ? error.detail : `${reason}; ${error.detail}`;
}

/** The fault for a value of the caller's that the call rejects, or for a missing body. */
function refusedValue(chain: readonly unknown[], given: DocumentValue): Fault | undefined {
  const error = chain.find((each) => each instanceof CodecError);
  const [name = ''] = error?.path.split(/[.[]/, 1) ?? [];
  if (error === undefined) return undefined;
  if (!Object.hasOwn(given, name))
    return error.path === CONTENT ? Fault.of('BAD_BODY', { reason: 'it is missing' }) : undefined;
  return Fault.of('BAD_PARAMETER', { name: error.path, reason: error.reason });
}
