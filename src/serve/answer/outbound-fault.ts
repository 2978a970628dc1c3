import { CONTENT } from '../../binding/message.ts';
import { CodecError } from '../../codec/index.ts';
import { FlowError, InvokeError, ReplyFault, SoapFault } from '../../invoke/error.ts';
import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { DocumentValue } from '../../model/value.ts';
import { causesOf } from '../log/causes.ts';

/**
 * What a caller is told of a call to another system that came to nothing: which one it was and what the target says, and
 * neither where it is nor what was sent. What is a mistake of the definitions or of code stays as it is.
 * @param given what the caller's own request gave to the call; undefined where code made its input
 */
export function faultOfCall(thrown: unknown, { consumers }: Registry, given?: DocumentValue): unknown {
  if (!(thrown instanceof InvokeError)) return thrown;
  const chain = [...causesOf(thrown)];
  // What was wrong with the caller's own request, or ended it, while it was handed on.
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
      const reason = `the system that ${operation} calls did not answer, and is left alone for a while`;
      const wait = Math.ceil((consumers.get(operation)?.target.circuit.reset ?? 0) / 1000);
      return Fault.of('UNAVAILABLE', { reason }, { headers: { 'Retry-After': String(Math.max(wait, 1)) }, cause });
    }
    default: {
      const isTold = error instanceof SoapFault || error instanceof ReplyFault;
      return Fault.of('UPSTREAM_FAILED', { operation }, { detail: isTold ? wordsOf(error) : '', cause });
    }
  }
}

/** What the target says, and what more it says. */
function wordsOf(error: SoapFault | ReplyFault): string {
  const { reason } = error;
  if (!(error instanceof ReplyFault) || error.detail === '') return reason;
  return reason === '' ? error.detail : `${reason}; ${error.detail}`;
}

/** A value of the caller's that the call does not take, or the body that the caller did not send. */
function refusedValue(chain: readonly unknown[], given: DocumentValue): Fault | undefined {
  const error = chain.find((each) => each instanceof CodecError);
  const [name = ''] = error?.path.split(/[.[]/, 1) ?? [];
  if (error === undefined) return undefined;
  if (!Object.hasOwn(given, name))
    return error.path === CONTENT ? Fault.of('BAD_BODY', { reason: 'there is none' }) : undefined;
  return Fault.of('BAD_PARAMETER', { name: error.path, reason: error.reason });
}
