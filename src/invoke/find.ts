import { attachmentsIn } from '../codec/binary.ts';
import type { ConsumerOperation, SoapConsumer } from '../model/consumer.ts';
import { type Flow, flowNames } from '../model/flow.ts';
import type { Node } from '../model/node.ts';
import { alternatives, operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import { FlowError, InvokeError, ReplyFault, SoapFault } from './error.ts';

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

/**
 * A provider operation with a SOAP form as one to call at a node that offers it: at the gateway's own services connector,
 * or at that of another gateway with the same definitions. Binary content of the input travels as attachments.
 * @throws TypeError for one without a SOAP form
 */
export function asConsumer(operation: Operation, target: Node, input: DocumentValue): SoapConsumer {
  const { id, name, service, soap, fault, permissions, active, at } = operation;
  if (soap === undefined) throw new TypeError(`${id} has no SOAP form`);
  return {
    kind: 'soap',
    id,
    name,
    service,
    target,
    soap,
    headers: [],
    properties: {
      mtom: !attachmentsIn(input).next().done,
      upContent: true,
      compress: false,
      segmentContentTransfer: 'binary',
    },
    permissions,
    public: operation.public,
    active,
    ...(fault === undefined ? {} : { fault }),
    at,
  };
}

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
