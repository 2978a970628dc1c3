import type { ConsumerOperation } from '../model/consumer.ts';
import type { Flow } from '../model/flow.ts';
import { flowNames } from '../model/flow-names.ts';
import type { Registry } from '../model/registry.ts';
import { InvokeError } from './error.ts';

/** @throws InvokeError UNKNOWN_OPERATION */
export function findOperation(
  registry: Registry,
  given: string | ConsumerOperation,
  requestId: string,
): ConsumerOperation {
  const operation = typeof given === 'string' ? registry.consumers.get(given) : given;
  const called = { operation: typeof given === 'string' ? given : given.id, requestId };
  if (operation === undefined) {
    const reason = registry.operations.has(called.operation)
      ? 'it is answered here, and calls no other system'
      : 'there is no such operation to call';
    throw new InvokeError('UNKNOWN_OPERATION', called, reason);
  }
  if (!operation.active) throw new InvokeError('UNKNOWN_OPERATION', called, 'it is not active');
  return operation;
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
