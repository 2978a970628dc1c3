import type { DocumentValue } from '../model/value.ts';
import { FlowError, ReplyFault, SoapFault } from './error.ts';

/** The fault document of an operation in what a call or a flow has thrown; undefined where there is none. */
export function faultOf(operation: string, error: unknown): DocumentValue | undefined {
  const cause = error instanceof FlowError ? error.cause : error;
  if (cause instanceof ReplyFault) return cause.called.operation === operation ? cause.fault : undefined;
  if (cause instanceof SoapFault) return cause.called.operation === operation ? cause.detail : undefined;
  return undefined;
}
