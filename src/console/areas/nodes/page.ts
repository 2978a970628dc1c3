import type { ConnectionTest, NodeFacts, NodeState } from '../../../invoke/index.ts';
import type { KeptMessage } from '../../../messaging/run/index.ts';
import type { Subscription } from '../../../model/message.ts';
import type { Node } from '../../../model/node.ts';
import { CALL_RETRY, type Retry } from '../../../model/retry.ts';
import { duration } from '../../../wire/duration.ts';
import { counted } from '../../../wire/words.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import {
  badge,
  button,
  type Column,
  facts,
  heading,
  length,
  link,
  live,
  notice,
  number,
  pathTo,
  section,
  table,
  time,
} from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';
import { addressOf, byCause, circuitBadge, type NodeSituation, openTime, situations, usesOf } from './state.ts';

/** Failed calls on the page. */
const MOST_ERRORS = 5;
/** Failed calls of each status that are examined. */
const MOST_FAILED = 50;
/** Calls on the page. */
const MOST_CALLS = 10;
/** Milliseconds before the expiry of a certificate or token from which on the page points it out. */
const SOON = 30 * 86_400_000;

/** The page of a node. @param test the result of a connection test that was just made */
export async function nodePage(visit: Visit, node: Node, test?: ConnectionTest): Promise<Reply> {
  const { nodes, messages, queues } = visit.ports;
  const path = pathTo('nodes', node.id);
  const { operations, subscriptions } = usesOf(visit.ports.registry, node);
  const [situation, configured, errors, calls, jobs] = await Promise.all([
    situations(visit.ports).then((of) => of(node)),
    nodes.facts(node),
    lastErrors(visit, node, subscriptions),
    messages.list({ kind: 'call', node: node.id }, { limit: MOST_CALLS }),
    subscriptions.length === 0 ? [] : queues.overview(),
  ]);
  const now = html`${stateOf(visit, node, situation)}
${section('Last errors', table('Last errors', CALLS, errors, { empty: 'No failed call is recorded, and no delivery has failed.' }))}
${section(
  'Recent calls',
  table('Recent calls', CALLS, calls.messages, {
    empty: 'No call is recorded. The log level of a routing definition decides which calls are.',
  }),
)}`;
  return page(
    node.id,
    html`${heading(node.id, { about: node.description, actions: visit.may('act') ? actionsOf(visit, node, situation) : NOTHING })}
${test === undefined ? NOTHING : testShown(test)}
${live({ here: path }, 'nodes', 'node-now', now)}
${section('Addresses', html`${addressesShown(configured)}${connectionsShown(situation.state)}`)}
<div class="columns">
${section('Credential', credentialShown(visit, configured, situation.state))}
${section('TLS', tlsShown(visit, configured))}
${section('Limits', limitsShown(node, configured))}
${section('Definition', facts([['File', link(`${pathTo('registry', 'files', node.at.file)}#L${node.at.line}`, `${node.at.file}:${node.at.line}`)]]))}
</div>
${section(
  `Operations that call it (${operations.length})`,
  table(
    'Operations that call it',
    [
      { title: 'Operation', cell: ({ id }) => link(pathTo('registry', 'operations', id), id) },
      { title: 'Over', cell: ({ kind }) => (kind === 'soap' ? 'SOAP' : 'REST') },
      { title: 'Description', kind: 'wide', cell: ({ description }) => description ?? '' },
    ],
    operations,
    { empty: 'No operation has it as its target.' },
  ),
)}
${section(
  `Subscriptions that deliver to it (${subscriptions.length})`,
  table(
    'Subscriptions that deliver to it',
    [
      { title: 'Subscription', cell: ({ id }) => link(pathTo('registry', 'subscriptions', id), id) },
      { title: 'Of', cell: ({ operation }) => link(pathTo('registry', 'operations', operation.id), operation.id) },
      ...(['waiting', 'running', 'delayed', 'held', 'dead'] as const).map(
        (state): Column<Subscription> => ({
          title: state[0]?.toUpperCase() + state.slice(1),
          kind: 'number',
          cell: ({ id }) => {
            const queue = jobs.find((each) => each.queue === id);
            return queue === undefined ? '' : link(pathTo('queues', id), number(queue[state]), { state });
          },
        }),
      ),
    ],
    subscriptions,
    { empty: 'No subscription delivers messages to it.' },
  ),
)}`,
  );
}

function actionsOf(visit: Visit, { id, circuit }: Node, { held, state }: NodeSituation): Html {
  const path = pathTo('nodes', id);
  const isOpen = state?.circuit !== undefined && state.circuit.kind !== 'closed';
  return html`${button(visit, { text: 'Test connection', to: `${path}/test` })}${
    isOpen
      ? button(visit, {
          text: 'Close circuit',
          to: `${path}/close-circuit`,
          ask: html`Calls of this gateway to <strong>${id}</strong> are made again at once. If ${counted(circuit.failures, 'call')} in a row fail, it opens again. Other gateways keep their own circuits, and deliveries that wait still wait for their next probe.`,
        })
      : NOTHING
  }${
    held === undefined
      ? button(visit, {
          text: 'Hold deliveries',
          to: `${path}/hold`,
          ask: html`No gateway begins a delivery of a message to <strong>${id}</strong> until it is released. New messages are accepted and wait; calls of operations go on.`,
        })
      : button(visit, { text: 'Release deliveries', to: `${path}/release` })
  }`;
}

function stateOf(visit: Visit, { circuit }: Node, { state, held, down }: NodeSituation): Html {
  const { kind = 'closed', failures = 0 } = state?.circuit ?? {};
  const rule =
    circuit.failures === 0
      ? html`It has no circuit breaker (<code>failures: 0</code>).`
      : `It opens after ${counted(circuit.failures, 'failed call')} in a row, for ${duration(circuit.reset)}. Each gateway has its own; this is that of the gateway that shows this page.`;
  return section(
    'Now',
    html`${down.map((each) =>
      notice(
        'bad',
        html`Deliveries of ${link(pathTo('registry', 'subscriptions', each.subscription), each.subscription)} find it down since ${time(each.since)}; the next probe is at ${time(each.next)}. ${link(pathTo('messages', each.message), 'The last probe')}`,
      ),
    )}
${held === undefined ? NOTHING : notice('warn', html`Its deliveries are held since ${time(held.since)} by ${held.actor}. New messages wait.`)}
${facts([
  ['Circuit', circuitBadge(visit, circuit.failures, state)],
  ['Failed calls in a row', failures > 0 && number(failures)],
  ...openTime(state).map(([name, at]) => [name, time(at)] as const),
])}
<p class="faint">${rule}${kind === 'half-open' ? ' A trial call is under way.' : ''}</p>`,
  );
}

const CALLS: readonly Column<KeptMessage>[] = [
  { title: 'Time', cell: ({ id, entered }) => link(pathTo('messages', id), time(entered)) },
  { title: 'Operation', cell: ({ operation }) => link(pathTo('registry', 'operations', operation), operation) },
  {
    title: 'Status',
    cell: ({ status }) => badge(status === 'Done' ? 'good' : status === 'Retry' ? 'warn' : 'bad', status),
  },
  { title: 'Code', kind: 'number', cell: ({ code }) => code ?? '' },
  {
    title: 'Took',
    kind: 'number',
    cell: ({ queue, entered, ended }) =>
      ended === undefined || queue !== undefined ? '' : length(Date.parse(ended) - Date.parse(entered)),
  },
  { title: 'Error', kind: 'wide', cell: ({ reason }) => reason ?? '' },
];

/** The latest failed calls of a node, and messages whose delivery to it failed, with the reasons. */
async function lastErrors(
  { ports: { messages } }: Visit,
  { id: node }: Node,
  subscriptions: readonly Subscription[],
): Promise<readonly KeptMessage[]> {
  const statuses = ['Error', 'Timeout', 'Retry'] as const;
  const found = await Promise.all(
    [
      ...(['Error', 'Timeout'] as const).map((status) => ({ kind: 'call', node, status }) as const),
      { node, deliveryIn: statuses },
    ].map((filter) => messages.list(filter, { limit: MOST_FAILED })),
  );
  const newest = new Map(found.flatMap((part) => part.messages).map((each) => [each.id, each]));
  const to = new Set(subscriptions.map(({ id }) => id));
  const all = await Promise.all(
    byCause([...newest.values()])
      .slice(0, MOST_ERRORS)
      .map(async (each): Promise<readonly KeptMessage[]> => {
        if (each.queue === undefined) return [each];
        const { subscribers } = await messages.get(each.id);
        const failed = subscribers.find(
          ({ subscription, status }) => to.has(subscription) && statuses.some((one) => one === status),
        );
        if (failed === undefined) return [];
        const { status, reason, tried } = failed;
        const code = tried.at(-1)?.code;
        return [{ ...each, status, ...(reason && { reason }), ...(code === undefined ? {} : { code }) }];
      }),
  );
  return all.flat();
}

type Ordered = NodeFacts['addresses'][number] & { readonly order: number };

const ADDRESSES: readonly Column<Ordered>[] = [
  { title: 'As defined', cell: ({ reference }) => html`<code>${reference}</code>` },
  { title: 'Leads to', cell: addressOf },
];

function addressesShown({ addresses, standIn, resolve }: NodeFacts): Html {
  const hasSeveral = addresses.length > 1;
  const order: Column<Ordered> = { title: 'Order', kind: 'number', cell: (each) => each.order };
  return html`${standIn === undefined ? NOTHING : notice('warn', html`The environment variable <code>${standIn}</code> is set: calls go to its address instead.`)}
${table(
  'Addresses',
  hasSeveral ? [order, ...ADDRESSES] : ADDRESSES,
  addresses.map((each, index) => ({ ...each, order: index + 1 })),
  { empty: 'It has no address: the calls name one (PRIMARYURL).' },
)}${hasSeveral ? html`<p class="faint">A call that can’t connect to one address tries the next.</p>` : NOTHING}${
  resolve.length === 0
    ? NOTHING
    : facts(resolve.map(([name, reference]) => [`${name} is`, html`<code>${reference}</code>`] as const))
}`;
}

function connectionsShown(state: NodeState | undefined): Html {
  if (state === undefined || state.connections.length === 0) return NOTHING;
  return html`<h3>Connections of this gateway</h3>${table(
    'Connections of this gateway',
    [
      { title: 'To', cell: ({ origin }) => origin },
      { title: 'Open', kind: 'number', cell: ({ connected }) => number(connected) },
      { title: 'Calls under way', kind: 'number', cell: ({ running }) => number(running) },
      { title: 'Calls that wait', kind: 'number', cell: ({ queued }) => number(queued) },
    ],
    state.connections,
    { empty: '' },
  )}`;
}

const KINDS = {
  basic: 'user and password (HTTP Basic)',
  bearer: 'a fixed bearer token',
  'api-key': 'an API key',
  webhook: 'signatures of webhooks',
  hmac: 'signatures of requests (HMAC)',
  'ws-security': 'a Security header of SOAP messages',
  'client-credentials': 'tokens by OAuth client credentials',
} as const;

function credentialShown(visit: Visit, { credential }: NodeFacts, state: NodeState | undefined): Html {
  if (credential === undefined) return html`<p>Calls carry no credential of the node.</p>`;
  const { kind, header, secrets, variables, tokenUrl, missing } = credential;
  const names = (all: readonly string[]): Part => all.length > 0 && html`<code>${all.join(', ')}</code>`;
  const until = state?.tokenUntil;
  return html`${facts([
    ['Kind', KINDS[kind]],
    ['Header', header],
    ['Secret', names(secrets)],
    ['Variables', names(variables)],
    ['Tokens from', tokenUrl && html`<code>${tokenUrl.reference}</code> ${addressOf(tokenUrl)}`],
    [
      'Token kept until',
      kind === 'client-credentials' &&
        (until === undefined
          ? html`<span class="none">no token is kept</span>`
          : ending(visit, new Date(until).toISOString(), 0)),
    ],
  ])}${missing.length === 0 ? NOTHING : notice('bad', html`Not set: <code>${missing.join(', ')}</code>. Calls fail until it is.`)}`;
}

function tlsShown(visit: Visit, { certificate, authorities }: NodeFacts): Html {
  const file = (title: string, given: NonNullable<NodeFacts['certificate']>): Html =>
    html`<h3>${title}: <code>${given.reference}</code></h3>${given.fault === undefined ? NOTHING : notice('bad', `The file can't be used: ${given.fault}.`)}${given.certificates.map((each) => certificateShown(visit, each))}`;
  return html`${authorities === undefined ? html`<p>The usual authorities are trusted.</p>` : file('Trusted authorities', authorities)}
${certificate === undefined ? html`<p>No client certificate is shown to it.</p>` : file('Client certificate', certificate)}`;
}

type Certificate = NonNullable<NodeFacts['certificate']>['certificates'][number];

const certificateShown = (visit: Visit, { subject, issuer, until }: Certificate): Html =>
  facts([
    ['Subject', subject],
    ['Issuer', issuer],
    ['Expires', ending(visit, until)],
  ]);

/** The end of something's validity. */
function ending({ ports }: Visit, until: string, soon = SOON): Html {
  const left = Date.parse(until) - ports.now();
  const state = left <= 0 ? badge('bad', 'expired') : left < soon ? badge('warn', `in ${length(left)}`) : NOTHING;
  return html`${time(until)} ${state}`;
}

function limitsShown({ retry = CALL_RETRY, rate, concurrency, redirects }: Node, { timeouts }: NodeFacts): Html {
  const limit = (ms: number): string => (Number.isFinite(ms) ? duration(ms) : 'none');
  return facts([
    ['To connect, with TLS', limit(timeouts.connect)],
    ['To the head of the reply', limit(timeouts.head)],
    ['Between two pieces of it', limit(timeouts.idle)],
    ['From its head to its end', limit(timeouts.reply)],
    ['Whole call', limit(timeouts.call)],
    ['Retries', retryWords(retry)],
    ['Deliveries', rate && `${number(rate.requests)} in ${duration(rate.per)} by each gateway`],
    ['Deliveries at the same time', concurrency && `${number(concurrency)} by each gateway`],
    ['Redirects followed', redirects === 0 ? 'none' : redirects],
  ]);
}

function retryWords({ attempts, for: most, first, longest, on }: Retry): string {
  const ends = [
    ...(attempts === undefined ? [] : [counted(attempts, 'attempt')]),
    ...(most === undefined ? [] : [`for ${duration(most)}`]),
  ];
  const after = typeof on === 'string' ? (on === 'any' ? '400 to 599' : '500 to 599') : [...on].join(', ');
  return `${ends.join(', ') || 'without end'}; pauses of ${duration(first)} to ${duration(longest)}; after the statuses ${after || 'none'}`;
}

const PHASES: Readonly<Record<ConnectionTest['addresses'][number]['phases'][number]['phase'], string>> = {
  settings: 'Settings',
  credential: 'Credential',
  name: 'Name',
  connect: 'Connection',
  proxy: 'Proxy',
  tls: 'TLS',
};
const RESULTS = { ok: ['good', 'ok'], failed: ['bad', 'failed'], skipped: ['idle', 'not tested'] } as const;

function resultBadge(result: keyof typeof RESULTS): Html {
  const [tone, word] = RESULTS[result];
  return badge(tone, word);
}

function testShown({ at, ms, ok, addresses }: ConnectionTest): Html {
  const failed = addresses.filter(({ result }) => result === 'failed').length;
  const words = ok
    ? 'The test found nothing wrong. No request was sent.'
    : `${failed === addresses.length ? 'The test failed' : `${failed} of ${addresses.length} addresses failed`}. No request was sent.`;
  return section(
    'Test of the connection',
    html`${notice(ok ? 'good' : 'bad', html`${words} <span class="faint">${time(at)}, ${length(ms)}</span>`)}
${addresses.length === 0 ? html`<p>It has no address to connect to.</p>` : NOTHING}
${addresses.map(
  ({ address, result, phases, certificate }) => html`<h3>${resultBadge(result)} <code>${address}</code></h3>
${table(
  `Phases of the test of ${address}`,
  [
    { title: 'Phase', cell: ({ phase }) => PHASES[phase] },
    { title: 'Result', cell: (each) => resultBadge(each.result) },
    { title: 'Took', kind: 'number', cell: (each) => length(each.ms) },
    {
      title: 'Found',
      kind: 'wide',
      cell: ({ words: found, hint }) =>
        html`${found}${hint === undefined ? NOTHING : html`<br><span class="faint">${hint}</span>`}`,
    },
  ],
  phases,
  { empty: '' },
)}
${
  certificate === undefined
    ? NOTHING
    : facts([
        ['Its certificate', certificate.subject],
        ['Issued by', certificate.issuer],
        ['Valid from', time(certificate.from)],
        ['Expires', time(certificate.until)],
      ])
}`,
)}`,
    'test',
  );
}
