import type { ConsumerOperation } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import { NODE_DEFAULTS, type Node } from '../../model/node.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import type { Documents } from '../document/documents.ts';
import { type Linking, resolveId } from '../linking.ts';
import type { OperationSpot } from '../operation/spot.ts';
import type { RoutingOverride } from '../routing.ts';
import type { GrantSources } from '../security/grants.ts';
import { SCHEME_ONLY } from '../value/address.ts';
import { literalOf } from '../value/config-text.ts';

/** The definitions that consumers refer to. */
export interface ConsumerContext extends GrantSources {
  readonly documents: Documents;
  readonly nodes: ReadonlyMap<string, Node>;
  /** Routings that override those of operations, by operation id. */
  readonly overrides: ReadonlyMap<string, RoutingOverride>;
}

/** The part of a consumer that does not depend on the protocol. */
export type ConsumerFacts = Pick<
  ConsumerOperation,
  | 'id'
  | 'name'
  | 'service'
  | 'description'
  | 'target'
  | 'timeout'
  | 'retry'
  | 'lenient'
  | 'permissions'
  | 'grantedAt'
  | 'public'
  | 'active'
  | 'routing'
  | 'log'
  | 'at'
>;

/** The node to call. A stand-in replaces one that does not exist, which has been reported. */
export function linkTarget(linking: Linking, spot: OperationSpot, nodes: ReadonlyMap<string, Node>): Node {
  const { id, at } = saidTarget(linking, spot);
  return resolveId(linking, 'node', nodes, id, at) ?? { ...NODE_DEFAULTS, id, base: [], at: positionOf(at) };
}

/** The name of the node, and its place. */
export function saidTarget({ places }: Linking, spot: OperationSpot): { readonly id: string; readonly at: Place } {
  const routing = spot.override?.declared;
  if (routing?.target !== undefined) return { id: routing.target, at: places.value(routing, 'target') };
  const { value: id, at } = spot.inherited('target') ?? { value: '', at: spot.at };
  return { id, at };
}

/** Whether an address consists of a scheme only, so that templates begin with the host. */
export function isSchemeOnly(address: ConfigText): boolean {
  return SCHEME_ONLY.test(literalOf(address) ?? '');
}
