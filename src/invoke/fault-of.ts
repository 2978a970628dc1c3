import type { Registry } from '../model/registry.ts';
import type { DocumentValue } from '../model/value.ts';
import { FlowError, ReplyFault, SoapFault } from './error.ts';
import { consumerNamed } from './find.ts';

/** The fault document of an operation, by its id, in what a call or a flow has thrown; undefined where there is none. */
export function faultOf(operation: string, error: unknown): DocumentValue | undefined {
  const cause = error instanceof FlowError ? error.cause : error;
  if (cause instanceof ReplyFault) return cause.called.operation === operation ? cause.fault : undefined;
  if (cause instanceof SoapFault) return cause.called.operation === operation ? cause.detail : undefined;
  return undefined;
}

/** {@link faultOf} an operation by one of its names. */
export function faultOfNamed(registry: Registry, name: string, error: unknown): DocumentValue | undefined {
  const operation = consumerNamed(registry, name);
  return typeof operation === 'string' ? undefined : faultOf(operation.id, error);
}
