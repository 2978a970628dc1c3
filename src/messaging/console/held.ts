import { type Html, html, NOTHING } from '../../console/html.ts';
import {
  button,
  type Column,
  field,
  form,
  heading,
  hidden,
  input,
  link,
  section,
  table,
  time,
} from '../../console/parts.ts';
import { type Done, page, type Reply, type Visit } from '../../console/route.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageQueue } from '../../model/message.ts';
import { counted } from '../../wire/words.ts';
import type { HeldWhole, MessageControl } from '../run/index.ts';

type Held = Awaited<ReturnType<MessageControl['held']>>[number];

const KINDS = ['queue', 'subscription', 'node'] as const satisfies readonly HeldWhole['kind'][];

/** `/messages/held`. */
export async function held(visit: Visit): Promise<Reply> {
  const all = await visit.ports.messages.held();
  return page(
    'Held',
    html`${heading('Held', {
      about: html`No gateway begins a delivery of what is held, also after a restart; new messages are entered and wait. ${link('/messages', 'Single deliveries that are held', { status: 'Hold' })}`,
    })}
${table('Held', columns(visit), all, { empty: 'No queue, subscription or node is held.' })}
${visit.may('act') ? holdForms(visit) : NOTHING}`,
  );
}

const columns = (visit: Visit): readonly Column<Held>[] => [
  { title: 'Held', cell: ({ what }) => waitingOf(what) },
  { title: 'Since', cell: ({ since }) => time(since) },
  { title: 'By', cell: ({ actor }) => actor },
  ...(visit.may('act')
    ? [
        {
          title: 'Actions',
          cell: ({ what }: Held) => {
            const [kind = '', id = ''] = what.split(' ', 2);
            return button(visit, { text: 'Release', to: '/messages/held/release', fields: { kind, id } });
          },
        },
      ]
    : []),
];

/** A link to what waits there. */
function waitingOf(what: string): Html {
  const [kind = '', id = ''] = what.split(' ', 2);
  return html`${kind} ${link('/messages', id, { [kind]: id, status: 'New' })}`;
}

function holdForms(visit: Visit): Html {
  const { messageQueues, subscriptions, nodes } = visit.ports.registry;
  const all = { queue: messageQueues, subscription: subscriptions, node: nodes };
  const wholes = KINDS.flatMap((kind) => {
    const ids = [...all[kind].keys()].sort();
    if (ids.length === 0) return [];
    const id = `${kind}-id`;
    return [
      form(
        visit,
        '/messages/held/hold',
        html`${hidden({ kind })}${field(`A ${kind}`, id, named(id, ids))}<button class="plain">Hold</button>`,
        'filters',
      ),
    ];
  });
  const ordered = [...messageQueues.values()].filter(({ order }) => order !== undefined);
  return html`${section('Hold as a whole', wholes.length === 0 ? html`<p class="empty">No queue, subscription or node is defined.</p>` : html`${wholes}`)}
${ordered.length === 0 ? NOTHING : section('Partition', html`<p class="hint">A partition of all subscriptions of its queue is held by the first delivery of each that waits. Give the values of the fields that its order is kept by.</p>${ordered.map((queue) => partitionForm(visit, queue))}`)}`;
}

/** A choice that is sent as `id`. */
const named = (id: string, ids: readonly string[]): Html =>
  html`<select id="${id}" name="id">${ids.map((each) => html`<option>${each}</option>`)}</select>`;

function partitionForm(visit: Visit, { id, order }: MessageQueue): Html {
  const names = order === undefined || order === 'all' ? [] : order;
  return form(
    visit,
    '/messages/held/hold-partition',
    html`${hidden({ queue: id })}<strong class="name">${id}</strong>${names.map((name) => field(name, `${id}.${name}`, input(`${id}.${name}`, '')))}
<button class="plain">Hold</button><button class="plain" name="release" value="yes">Release</button>`,
    'filters',
  );
}

/** Holds or releases a queue, a subscription or a node. */
export async function actOnWhole(visit: Visit, action: 'hold' | 'release'): Promise<Done> {
  const kind = KINDS.find((each) => each === visit.form.get('kind'));
  const id = visit.form.get('id') ?? '';
  if (kind === undefined) throw Fault.of('BAD_REQUEST', { reason: 'it names no queue, subscription or node' });
  const changed = await visit.ports.messages[action]({ kind, id }, visit.actor);
  const done = action === 'hold' ? 'held' : 'released';
  return {
    ...{ to: '/messages/held', target: `${kind} ${id}` },
    notice: changed
      ? `The ${kind} ${id} is ${done}.`
      : `The ${kind} ${id} was ${action === 'hold' ? 'held already' : 'not held'}.`,
  };
}

/** Holds or releases a partition. */
export async function actOnPartition(visit: Visit): Promise<Done> {
  const { registry, messages } = visit.ports;
  const id = visit.form.get('queue') ?? '';
  const order = registry.messageQueues.get(id)?.order;
  const values =
    order === undefined || order === 'all' ? [] : order.map((name) => visit.form.get(`${id}.${name}`) ?? '');
  const isRelease = visit.form.get('release') === 'yes';
  const given = { queue: id, values };
  const acted = isRelease
    ? await messages.releasePartition(given, visit.actor)
    : await messages.holdPartition(given, visit.actor);
  return {
    ...{ to: '/messages/held', target: `${isRelease ? 'release' : 'hold'} ${id} ${acted.partition}` },
    notice: `${counted(acted.deliveries, 'delivery', 'deliveries')} of partition ${acted.partition} of ${id} ${acted.deliveries === 1 ? 'is' : 'are'} ${isRelease ? 'released' : 'held'}.`,
  };
}
