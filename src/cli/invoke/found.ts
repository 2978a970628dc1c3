import { flowNamed } from '../../invoke/index.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { type Flow, flowNames } from '../../model/flow.ts';
import { alternatives, operationsByName, qualifiedName, shortestName } from '../../model/operation-names.ts';
import type { Registry } from '../../model/registry.ts';
import type { MediaMessage, Message, Operation, SoapForm } from '../../model/service.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { wrongUsage } from '../failure.ts';
import { propose } from '../proposal.ts';

/** What may be called. */
export type Found = OneOperation | { readonly kind: 'flow'; readonly flow: Flow };

export type OneOperation =
  | { readonly kind: 'consumer'; readonly operation: ConsumerOperation }
  | { readonly kind: 'provider'; readonly operation: Operation; readonly soap: SoapForm };

/** An operation or a flow by its id; an operation that is answered here needs a node to be called at. @throws CliFailure */
export function findCallable(registry: Registry, id: string, node: string | undefined): Found {
  const flow = flowNamed(registry, id);
  if (flow !== undefined) return { kind: 'flow', flow };
  const operation = operationCalled(registry, id);
  if ('target' in operation) return { kind: 'consumer', operation };
  const { gateway } = registry;
  if (operation.soap === undefined)
    throw wrongUsage(`operation ${id} has no SOAP form`, 'Its definition gets one by `soap: true`.');
  if (node === undefined)
    throw wrongUsage(
      `operation ${id} is answered here, and calls no other system`,
      `--node ${gateway.id} calls it at the running gateway.`,
    );
  return { kind: 'provider', operation, soap: operation.soap };
}

/** @throws CliFailure that says which there are */
function operationCalled(registry: Registry, name: string): Operation | ConsumerOperation {
  const { consumers, operations, flows } = registry;
  const byName = operationsByName(registry);
  const meant = byName.get(name) ?? [];
  const [found] = meant;
  if (found === undefined) {
    const spell = (each: Operation | ConsumerOperation): string => shortestName(byName, each);
    const known = [
      ...[...consumers.values()].map(spell),
      ...[...flows.values()].map((flow) => flowNames(flow)[0]),
      ...[...operations.values()].map(spell),
    ];
    throw wrongUsage(`there is no operation ${name}`, propose(name, known));
  }
  if (meant.length === 1) return found;
  throw wrongUsage(`${name} may be ${alternatives(meant)}`, `Write one of them in full: ${qualifiedName(found)}.`);
}

/**
 * Options that say how one operation is called, by their names; undefined where they are not given.
 * @throws CliFailure where there are several operations
 */
export function checkOptions({ kind }: Found, options: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(options).find((name) => options[name] !== undefined);
  if (kind === 'flow' && given !== undefined)
    throw wrongUsage(`${given} is for one operation`, 'A flow says itself how its steps are called.');
}

/** What the command line may say. Over REST a body without a document is a field beside those of the URI. */
export function requestOf(found: Found): Message {
  if (found.kind === 'flow') return { kind: 'document', document: found.flow.input };
  if (found.kind === 'provider') return found.soap.request;
  const { operation } = found;
  if (operation.kind === 'soap') return operation.soap.request;
  const { body, input } = operation;
  // JSON is sent as it is written, digits and order with it.
  if (body.kind === 'raw' && input.fields.length === 1)
    return { kind: 'raw', raw: body.raw === 'json' ? 'text' : body.raw };
  return input.fields.length === 0 ? { kind: 'none' } : { kind: 'document', document: input };
}

/** What a reply of that type holds. */
export function responseOf(found: Found, contentType: string | undefined): Message {
  if (found.kind === 'provider') return found.soap.response;
  const operation = found.kind === 'flow' ? found.flow.steps.at(-1)?.operation : found.operation;
  if (operation === undefined) return { kind: 'none' };
  return operation.kind === 'soap' ? operation.soap.response : formOf(operation.responses, contentType);
}

function formOf(responses: readonly MediaMessage[], contentType: string | undefined): Message {
  const essence = contentType === undefined ? undefined : parseMediaType(contentType)?.essence;
  const form = responses.find(({ mediaType }) => mediaType === essence) ?? responses[0];
  return form?.message ?? { kind: 'none' };
}
