import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import { flowNames } from '../model/flow-names.ts';
import { alternatives, operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import { InvokeError } from './error.ts';

/** @throws InvokeError UNKNOWN_OPERATION */
export function findOperation(
  registry: Registry,
  given: string | ConsumerOperation,
  requestId: string,
): ConsumerOperation {
  const operation = typeof given === 'string' ? consumerNamed(registry, given) : given;
  const called = { operation: typeof given === 'string' ? given : given.id, requestId };
  if (typeof operation === 'string') throw new InvokeError('UNKNOWN_OPERATION', called, operation);
  if (!operation.active) throw new InvokeError('UNKNOWN_OPERATION', called, 'it is not active');
  return operation;
}

/** An operation of another system by its name or qualified name; why there is none in words. */
export function consumerNamed(registry: Registry, name: string): ConsumerOperation | string {
  const meant = operationsByName(registry).get(name) ?? [];
  const [found] = meant;
  if (found === undefined) return 'there is no such operation to call';
  if (meant.length > 1) return `it may be ${alternatives(meant)}`;
  return 'target' in found ? found : 'it is answered here, and calls no other system';
}

/** A flow by one of its names. */
export function flowNamed({ flows }: Registry, name: string): Flow | undefined {
  return flows.get(name) ?? [...flows.values()].find((flow) => flowNames(flow).includes(name));
}

/** @throws InvokeError UNKNOWN_OPERATION */
export function findFlow(registry: Registry, given: string | Flow, requestId: string): Flow {
  const flow = typeof given === 'string' ? flowNamed(registry, given) : given;
  const called = { operation: typeof given === 'string' ? given : given.id, requestId };
  if (flow === undefined) throw new InvokeError('UNKNOWN_OPERATION', called, 'there is no such flow');
  if (!flow.active) throw new InvokeError('UNKNOWN_OPERATION', called, inactiveWords(flow));
  return flow;
}

function inactiveWords({ service, steps }: Flow): string {
  const off = steps.find(({ operation }) => !operation.active);
  return service.active && off !== undefined ? `its step ${off.operation.id} is not active` : 'it is not active';
}
