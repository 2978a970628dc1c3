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

/** Finds an operation of another system by its name or qualified name. @returns a text with the reason if there is none */
export function consumerNamed(registry: Registry, name: string): ConsumerOperation | string {
  const meant = operationsByName(registry).get(name) ?? [];
  const [found] = meant;
  if (found === undefined) return 'the operation does not exist';
  if (meant.length > 1) return `the name is ambiguous: ${alternatives(meant)}`;
  return 'target' in found ? found : 'the gateway itself provides the operation; it does not call another system';
}

export function flowNamed({ flows }: Registry, name: string): Flow | undefined {
  return flows.get(name) ?? [...flows.values()].find((flow) => flowNames(flow).includes(name));
}

/** @throws InvokeError UNKNOWN_OPERATION */
export function findFlow(registry: Registry, given: string | Flow, requestId: string): Flow {
  const flow = typeof given === 'string' ? flowNamed(registry, given) : given;
  const called = { operation: typeof given === 'string' ? given : given.id, requestId };
  if (flow === undefined) throw new InvokeError('UNKNOWN_OPERATION', called, 'the flow does not exist');
  if (!flow.active) throw new InvokeError('UNKNOWN_OPERATION', called, inactiveWords(flow));
  return flow;
}

function inactiveWords({ service, steps }: Flow): string {
  const off = steps.find(({ operation }) => !operation.active);
  return service.active && off !== undefined ? `its step ${off.operation.id} is not active` : 'it is not active';
}

/**
 * Turns a provided operation with a SOAP form into one to call at a node: the gateway's own services connector, or that of
 * another gateway with the same definitions. Binary content of the input is sent as attachments.
 * @throws TypeError for an operation without a SOAP form
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
    soap: service.addressing === 'required' ? { ...soap, addressing: true } : soap,
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

/** The fault document of an operation, given by its id, in an error of a call or a flow. */
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
