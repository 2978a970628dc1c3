import { NODE_DEFAULTS, type Node, type NodeTimeouts } from '../../model/node.ts';
import type { NodeDeclared } from '../declared.ts';
import { baseFault, linkAddress } from '../gateway/address.ts';
import { given } from '../given.ts';
import { declarationsOf, type Linking, positionOf } from '../linking.ts';
import { linkRetry } from '../retry.ts';
import { linkDuration } from '../units.ts';
import { linkCredential } from './credential.ts';
import { linkResolve } from './resolve.ts';
import { linkTls } from './tls.ts';

/** Links every node. */
export function linkNodes(linking: Linking): Node[] {
  return declarationsOf<NodeDeclared>(linking, 'node').map(({ id, value, at }) => ({
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
    call: linkDuration(linking, declared, 'timeouts.call'),
  });
}

function linkCircuit(linking: Linking, declared: NonNullable<NodeDeclared['circuit']>, id: string): Node['circuit'] {
  const { report, places } = linking;
  const { failures = NODE_DEFAULTS.circuit.failures } = declared;
  if (failures === 0 && declared.reset !== undefined) {
    const said = {
      key: 'reset',
      owner: `circuit of node ${id}`,
      why: '`failures: 0` switches the circuit breaker off',
    };
    report.raise('key-without-effect', said, places.key(declared, 'reset'));
  }
  return { failures, reset: linkDuration(linking, declared, 'circuit.reset') ?? NODE_DEFAULTS.circuit.reset };
}
