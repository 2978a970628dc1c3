import { NODE_DEFAULTS, type Node, type NodeTimeouts } from '../../model/node.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking, refuseKey } from '../linking.ts';
import type { NodeDeclared } from '../schema/node.ts';
import { baseFault, linkAddress } from '../value/address.ts';
import { linkRetry } from '../value/retry.ts';
import { linkDuration } from '../value/units.ts';
import { linkCredential } from './credential.ts';
import { linkResolve } from './resolve.ts';
import { linkTls } from './tls.ts';

/** Links every node. */
export function linkNodes(linking: Linking): Map<string, Node> {
  const nodes = declarationsOf<NodeDeclared>(linking, 'node').map(({ id, value, at }) => ({
    id,
    base: linkBase(linking, value),
    resolve: linkResolve(linking, value.resolve ?? {}),
    timeouts: linkTimeouts(linking, value.timeouts ?? {}),
    circuit: linkCircuit(linking, value.circuit ?? {}, id),
    redirects: value.redirects ?? NODE_DEFAULTS.redirects,
    ...linkTls(linking, value),
    ...given({
      description: value.description,
      credential: linkCredential(linking, value, id),
      retry: linkRetry(value.retry),
    }),
    at: positionOf(at),
  }));
  return byId(nodes);
}

function linkBase(linking: Linking, value: NodeDeclared): Node['base'] {
  const { places } = linking;
  const { base } = value;
  const rule = { name: 'base', fault: baseFault } as const;
  return typeof base === 'string'
    ? [linkAddress(linking, base, places.value(value, 'base'), rule)]
    : base.map((source, index) => linkAddress(linking, source, places.value(base, index), rule));
}

function linkTimeouts(linking: Linking, declared: NonNullable<NodeDeclared['timeouts']>): Partial<NodeTimeouts> {
  return given({
    connect: linkDuration(linking, declared, 'timeouts.connect'),
    head: linkDuration(linking, declared, 'timeouts.head'),
    idle: linkDuration(linking, declared, 'timeouts.idle'),
    reply: linkDuration(linking, declared, 'timeouts.reply'),
    call: linkDuration(linking, declared, 'timeouts.call'),
  });
}

function linkCircuit(linking: Linking, declared: NonNullable<NodeDeclared['circuit']>, id: string): Node['circuit'] {
  const { failures = NODE_DEFAULTS.circuit.failures } = declared;
  if (failures === 0)
    refuseKey(linking, declared, 'reset', `circuit of node ${id}`, '`failures: 0` switches the circuit breaker off');
  return { failures, reset: linkDuration(linking, declared, 'circuit.reset') ?? NODE_DEFAULTS.circuit.reset };
}
