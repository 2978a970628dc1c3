import type { NodeState } from '../../../invoke/index.ts';
import type { KeptMessage, MessageReader } from '../../../messaging/run/index.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import { nodesOf, type Subscription } from '../../../model/message.ts';
import { type Node, SUSPENDED } from '../../../model/node.ts';
import type { Registry } from '../../../model/registry.ts';
import type { ConsolePorts } from '../../console-port.ts';
import { type Html, html, type Part } from '../../html.ts';
import { badge } from '../../parts.ts';
import type { Visit } from '../../route.ts';

/** The users of a node. */
interface Uses {
  readonly operations: readonly ConsumerOperation[];
  readonly subscriptions: readonly Subscription[];
}

const NO_USES: Uses = { operations: [], subscriptions: [] };
const uses = new WeakMap<Registry, ReadonlyMap<string, Uses>>();

/** The operations that call a node, and the subscriptions that deliver to it. */
export function usesOf(registry: Registry, { id }: Node): Uses {
  const known = uses.get(registry) ?? findUses(registry);
  uses.set(registry, known);
  return known.get(id) ?? NO_USES;
}

function findUses({ consumers, subscriptions }: Registry): ReadonlyMap<string, Uses> {
  const calls = Map.groupBy(consumers.values(), ({ target }) => target.id);
  const deliveries = new Map<string, Subscription[]>();
  for (const each of subscriptions.values())
    for (const { id } of nodesOf(each)) deliveries.set(id, [...(deliveries.get(id) ?? []), each]);
  const ids = new Set([...calls.keys(), ...deliveries.keys()]);
  return new Map(
    [...ids].map((id) => [id, { operations: calls.get(id) ?? [], subscriptions: deliveries.get(id) ?? [] }]),
  );
}

type Held = Awaited<ReturnType<MessageReader['held']>>[number];
type Down = Awaited<ReturnType<MessageReader['down']>>[number];

/** The current state of a node. */
export interface NodeSituation {
  /** What this gateway knows; `undefined` if it has not called the node. */
  readonly state: NodeState | undefined;
  readonly held: Held | undefined;
  /** By subscription, over all gateways. */
  readonly down: readonly Down[];
}

/** Reads the current states of all nodes. */
export async function situations({
  messages,
  nodes,
}: Pick<ConsolePorts, 'messages' | 'nodes'>): Promise<(node: Node) => NodeSituation> {
  const [held, down] = await Promise.all([messages.held(), messages.down()]);
  return (node) => ({
    state: nodes.state(node),
    held: held.find(({ what }) => what === `node ${node.id}`),
    down: down.filter((each) => each.node === node.id),
  });
}

/** The state of a circuit as a word. @param failures after which it opens; 0 for a node without a circuit breaker */
export function circuitBadge({ ports }: Visit, failures: number, state: NodeState | undefined): Html {
  if (failures === 0) return badge('idle', 'none');
  if (state?.circuit === undefined) return badge('idle', 'closed, not called yet');
  const { circuit } = state;
  if (circuit.kind === 'open')
    return badge('bad', circuit.until <= ports.now() ? 'open, the next call is a trial' : 'open');
  if (circuit.kind === 'half-open') return badge('busy', 'half-open');
  return circuit.failures === 0 ? badge('good', 'closed') : badge('warn', `closed, ${circuit.failures} failed`);
}

/** Since when a circuit is open, and when the next trial call is made. */
export function openTime(state: NodeState | undefined): readonly (readonly [name: string, at: string])[] {
  const circuit = state?.circuit;
  if (circuit === undefined || circuit.kind === 'closed') return [];
  const since = ['Open since', new Date(circuit.since).toISOString()] as const;
  return circuit.kind === 'open' ? [since, ['Next trial', new Date(circuit.until).toISOString()]] : [since];
}

/** Failed calls, the newest first. Calls that a circuit breaker suppressed come last: they do not state the cause. */
export const byCause = (calls: readonly KeptMessage[]): readonly KeptMessage[] => {
  const [suspended = [], failed = []] = [true, false].map((isSuspended) =>
    calls
      .filter(({ reason = '' }) => reason.includes(SUSPENDED) === isSuspended)
      .toSorted((a, b) => b.id.localeCompare(a.id)),
  );
  return [...failed, ...suspended];
};

/** The target of an address, in words. */
export function addressOf({ origin, fault }: { readonly origin?: string; readonly fault?: string }): Part {
  if (fault !== undefined) return badge('bad', fault);
  return origin ?? html`<span class="none">not shown: it refers to a secret</span>`;
}
