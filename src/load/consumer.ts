import type { Node } from '../model/routing.ts';
import type { ConsumerOperation, Message, Service } from '../model/service.ts';
import { literalOf } from './config-text.ts';
import { linkFixedHeaders } from './consumer-headers.ts';
import type { Documents } from './documents.ts';
import { given } from './given.ts';
import { type Linking, positionOf, resolveId } from './linking.ts';
import { SCHEME_ONLY } from './nodes.ts';
import { type GrantSources, linkGrants } from './operation-grants.ts';
import { linkDocument, linkRequest, linkResponses } from './operation-message.ts';
import { checkConsumerKeys, isFaultless, soapForm, soapName } from './operation-soap.ts';
import type { OperationSpot } from './operation-spot.ts';
import { methodOf } from './operation-uri.ts';
import { linkProperties } from './soap-properties.ts';

/** What consumers are linked against. */
export interface ConsumerContext extends GrantSources {
  readonly documents: Documents;
  readonly nodes: ReadonlyMap<string, Node>;
}

const NONE: Message = { kind: 'none' };

/** Links an operation that calls another system. */
export function linkConsumer(context: ConsumerContext, spot: OperationSpot, service: Service): ConsumerOperation {
  const { documents } = context;
  const { linking } = documents;
  const { id, declared, at } = spot;
  const overSoap = checkProtocol(linking, spot);
  if (overSoap) checkConsumerKeys(linking, spot);
  const target = linkTarget(linking, spot, context.nodes);
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  const properties = linkProperties(linking, spot, request);
  if (overSoap && properties.primaryUrl === undefined) checkAddress(linking, spot, target);
  const { permissions, isPublic } = linkGrants(linking, context, spot, service.delivered);
  const fault = isFaultless(linking, spot, responses) ? undefined : linkDocument(documents, spot, 'fault');
  return {
    id,
    service,
    target,
    soap: soapForm(soapName(id, declared) ?? id, service, request ?? NONE, responses ?? []),
    headers: overSoap ? linkFixedHeaders(linking, spot) : [],
    properties,
    permissions,
    public: isPublic,
    active: declared.active !== false && service.active,
    ...given({ description: declared.description, fault }),
    at: positionOf(at),
  };
}

/** Whether the call is one over SOAP; another one is reported. */
function checkProtocol({ report, places }: Linking, spot: OperationSpot): boolean {
  const { declared, id } = spot;
  const method = methodOf(spot);
  if (method === undefined) return true;
  const key = method.toLowerCase() as Lowercase<typeof method>;
  if (!spot.lacks('soap')) report.raise('rest-consumer', { operation: id, method: key }, places.key(declared, key));
  return false;
}

/** The node that is called. One that does not exist has been reported, and leaves no registry. */
function linkTarget(linking: Linking, spot: OperationSpot, nodes: ReadonlyMap<string, Node>): Node {
  const { value: id, at } = spot.inherited('target') ?? { value: '', at: spot.at };
  return resolveId(linking, 'node', nodes, id, at) ?? { id, base: [], at: positionOf(at) };
}

/** Over SOAP there is no URI template to begin with the host. */
function checkAddress({ report }: Linking, spot: OperationSpot, { id, base }: Node): void {
  if (!base.some((each) => SCHEME_ONLY.test(literalOf(each) ?? ''))) return;
  report.raise('no-address', { operation: spot.id, node: id }, spot.inherited('target')?.at ?? spot.at);
}
