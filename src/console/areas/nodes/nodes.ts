import type { NodeFacts } from '../../../invoke/index.ts';
import type { KeptMessage } from '../../../messaging/run/index.ts';
import { Fault } from '../../../model/fault.ts';
import type { Node } from '../../../model/node.ts';
import { counted } from '../../../wire/words.ts';
import type { ConsolePorts } from '../../console-port.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { badge, type Column, heading, link, live, pathTo, table, time } from '../../parts.ts';
import { type Area, actionRoute, type Done, page, pageRoute, type Visit } from '../../route.ts';
import { nodePage } from './page.ts';
import { addressOf, byCause, circuitBadge, type NodeSituation, openTime, situations, usesOf } from './state.ts';

/** Number of recent failed calls, of all nodes, among which the last error of each node is searched. */
const MOST_FAILED = 200;

/** @throws Fault NOT_FOUND */
function nodeOf({ ports, params: { id = '' } }: Visit): Node {
  const node = ports.registry.nodes.get(id);
  if (node === undefined) throw Fault.of('NOT_FOUND', { what: `node ${id}` });
  return node;
}

interface Row extends NodeSituation {
  readonly node: Node;
  readonly configured: NodeFacts;
  readonly failed: KeptMessage | undefined;
}

async function list(visit: Visit) {
  const { ports } = visit;
  const all = [...ports.registry.nodes.values()].toSorted((a, b) => a.id.localeCompare(b.id));
  const [situationOf, failed, configured] = await Promise.all([
    situations(ports),
    lastFailed(ports, MOST_FAILED),
    Promise.all(all.map((node) => ports.nodes.facts(node))),
  ]);
  const rows = all.map((node, index) => ({
    ...{ node, ...situationOf(node) },
    ...{ configured: configured[index] as NodeFacts, failed: failed.get(node.id) },
  }));
  const shown = table('Nodes', columnsOf(visit), rows, {
    empty: 'No node is defined. A file with node: and base: declares another system that this gateway calls.',
  });
  return page(
    'Nodes',
    html`${heading('Nodes', { about: 'Other systems that this gateway calls and delivers messages to. A circuit is that of this gateway alone; what is down or held is so for the whole fleet.' })}
${live(visit, 'nodes', 'node-list', shown)}`,
  );
}

const columnsOf = (visit: Visit): readonly Column<Row>[] => [
  { title: 'Node', cell: ({ node }) => link(pathTo('nodes', node.id), node.id) },
  {
    title: 'Circuit',
    cell: ({ node, state }) =>
      html`${circuitBadge(visit, node.circuit.failures, state)}${openTime(state).map(([name, at]) => html`<br><span class="faint">${name} ${time(at)}</span>`)}`,
  },
  { title: 'Deliveries', cell: deliveriesShown },
  { title: 'Address', cell: addressesShown },
  { title: 'Called by', cell: ({ node }) => usesShown(visit, node) },
  {
    title: 'Last error',
    kind: 'wide',
    cell: ({ failed }) =>
      failed && html`${link(pathTo('messages', failed.id), time(failed.entered))}<br>${failed.reason}`,
  },
];

function addressesShown({ configured: { addresses, standIn } }: Row): Html {
  const [first] = addresses;
  if (first === undefined) return html`<span class="none">by the call</span>`;
  const others = addresses.length - 1;
  return html`<code>${first.reference}</code>${first.origin === first.reference ? NOTHING : html`<br>${addressOf(first)}`}${
    others === 0 ? NOTHING : html`<br><span class="faint">then ${counted(others, 'other')}</span>`
  }${standIn === undefined ? NOTHING : html`<br>${badge('warn', 'stand-in')}`}`;
}

function usesShown({ ports }: Visit, node: Node): Html {
  const { operations, subscriptions } = usesOf(ports.registry, node);
  const words = [
    ...(operations.length === 0 ? [] : [counted(operations.length, 'operation')]),
    ...(subscriptions.length === 0 ? [] : [counted(subscriptions.length, 'subscription')]),
  ];
  return words.length === 0 ? html`<span class="none">nothing</span>` : html`${words.join(', ')}`;
}

function deliveriesShown({ held, down }: Row): Html {
  const since = down.map((each) => each.since).toSorted()[0];
  return html`${since === undefined ? NOTHING : html`${badge('bad', 'down')}<br><span class="faint">since ${time(since)}</span>`}${
    held === undefined
      ? NOTHING
      : html`${since === undefined ? NOTHING : html`<br>`}${badge('warn', 'held')}<br><span class="faint">by ${held.actor}</span>`
  }`;
}

/** The last failed call of each node, among the most recent failed calls of all nodes. */
async function lastFailed({ messages }: ConsolePorts, limit: number): Promise<ReadonlyMap<string, KeptMessage>> {
  const parts = await Promise.all(
    (['Error', 'Timeout'] as const).map((status) => messages.list({ kind: 'call', status }, { limit })),
  );
  // The last entry of each node stays in the map.
  const found = byCause(parts.flatMap((part) => part.messages)).toReversed();
  return new Map(found.flatMap((each) => (each.node === undefined ? [] : [[each.node, each] as const])));
}

/** Holds or releases the deliveries to a node. */
async function setHeld(visit: Visit, action: 'hold' | 'release'): Promise<Done> {
  const { id } = nodeOf(visit);
  const isChanged = await visit.ports.messages[action]({ kind: 'node', id }, visit.actor);
  const notice =
    action === 'hold'
      ? `Deliveries to ${id} are ${isChanged ? '' : 'already '}held.`
      : `Deliveries to ${id} ${isChanged ? 'go on' : 'were not held'}.`;
  return { to: pathTo('nodes', id), notice, target: id };
}

async function closeCircuit(visit: Visit): Promise<Done> {
  const node = nodeOf(visit);
  const isChanged = visit.ports.nodes.closeCircuit(node);
  const notice = `The circuit of ${node.id} in this gateway ${isChanged ? 'is' : 'was already'} closed.`;
  return { to: pathTo('nodes', node.id), notice, target: node.id };
}

async function stateText(ports: ConsolePorts): Promise<string> {
  const [situationOf, failed] = await Promise.all([situations(ports), lastFailed(ports, 1)]);
  const all = [...ports.registry.nodes.values()].map((node) => {
    const { state, held, down } = situationOf(node);
    return [state?.circuit, held?.since, down.map(({ since, next }) => [since, next])];
  });
  return JSON.stringify([all, [...failed.values()].map(({ id }) => id)]);
}

export const nodesArea: Area = {
  id: 'nodes',
  title: 'Nodes',
  path: '/nodes',
  grant: 'read',
  topics: [{ name: 'nodes', state: stateText }],
  routes: [
    pageRoute('/nodes', list),
    pageRoute('/nodes/:id', (visit) => nodePage(visit, nodeOf(visit))),
    actionRoute('/nodes/:id/test', 'node.test', async (visit) => {
      const node = nodeOf(visit);
      return nodePage(visit, node, await visit.ports.nodes.test(node, visit.gone));
    }),
    actionRoute('/nodes/:id/close-circuit', 'node.close-circuit', closeCircuit),
    actionRoute('/nodes/:id/hold', 'node.hold', (visit) => setHeld(visit, 'hold')),
    actionRoute('/nodes/:id/release', 'node.release', (visit) => setHeld(visit, 'release')),
  ],
};
