import { activeOperations } from '../../../describe/scope.ts';
import { valueWithLabel } from '../../../describe/words.ts';
import type { ThingOf } from '../../../kinds/kind.ts';
import type { Paged } from '../../../kinds/kinds.ts';
import { SAVE_EFFECTS, type SaveFilter } from '../../../model/component.ts';
import type { ConfigText } from '../../../model/definition.ts';
import { boundsOf, typeWords } from '../../../model/field.ts';
import { type Conditions, codeOfSubscription, type InputMap, nodesOf } from '../../../model/message.ts';
import type { Node, NodeCredential } from '../../../model/node.ts';
import type { Query } from '../../../model/query.ts';
import type { Retry } from '../../../model/retry.ts';
import { duration } from '../../../wire/duration.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import { code, facts, link, number, pathTo, section, table } from '../../parts.ts';
import type { Visit } from '../../route.ts';
import { whoMayUse } from './access.ts';
import { fieldTable, messageTable } from './contract.ts';
import { answerLink, calledDetails, contractLinks, operationDetails } from './operation.ts';
import { placeLink } from './sources.ts';
import { codeFile, factsOf, linkTo } from './things.ts';

/** Maximum number of rows in a table. */
export const MOST = 200;

/** Parts separated by commas. */
const listed = (parts: readonly Part[]): Part =>
  parts.length === 0 ? '' : parts.map((part, index) => html`${index === 0 ? '' : ', '}${part}`);

const retryWords = (retry: Retry | undefined): Part =>
  retry &&
  [
    ...(retry.attempts === undefined ? [] : [`${retry.attempts} attempts`]),
    ...(retry.for === undefined ? [] : [`for ${duration(retry.for)}`]),
  ].join(' ');

/** What the page of a definition has besides its uses and its lines of YAML. */
type Details = { readonly [M in Paged]: (visit: Visit, thing: ThingOf<M>) => Html | Promise<Html> };

export const DETAILS: Details = {
  services(visit, service) {
    const { operations, consumers, flows, deprecated, cors } = service;
    const { registry } = visit.ports;
    return html`${facts([
      ['Version', service.version],
      ['Default version', service.default ? 'yes' : 'no'],
      ['Namespace', service.namespace],
      ['Deprecated since', deprecated && (deprecated.since ?? 'yes')],
      ['Ends on', deprecated?.sunset],
      ['Origins of browsers', cors?.join(', ')],
      ['Contracts', activeOperations({ service }).length === 0 ? '' : contractLinks(visit, service)],
      ['Part of the package', service.delivered ? 'yes' : ''],
    ])}
${
  operations.length === 0
    ? NOTHING
    : section(
        'Operations',
        table(
          'Operations',
          [
            { title: 'Name', kind: 'code', cell: (each) => linkTo('operations', each) },
            {
              title: 'Addresses',
              kind: 'code',
              cell: (each) =>
                factsOf({ member: 'operations', thing: each }).about.map(
                  (text) => html`<div><code>${text}</code></div>`,
                ),
            },
            { title: 'Answered by', cell: (each) => answerLink(registry, each) },
            { title: 'Description', kind: 'wide', cell: (each) => each.description ?? '' },
          ],
          operations,
          { empty: '' },
        ),
      )
}
${
  consumers.length === 0
    ? NOTHING
    : section(
        'Called operations',
        table(
          'Called operations',
          [
            { title: 'Name', kind: 'code', cell: (each) => linkTo('consumers', each) },
            { title: 'Node', cell: (each) => linkTo('nodes', each.target) },
            { title: 'Description', kind: 'wide', cell: (each) => each.description ?? '' },
          ],
          consumers,
          { empty: '' },
        ),
      )
}
${
  flows.length === 0
    ? NOTHING
    : section(
        'Flows',
        table(
          'Flows',
          [
            { title: 'Name', kind: 'code', cell: (each) => linkTo('flows', each) },
            {
              title: 'Steps',
              cell: (each) => listed(each.steps.map(({ operation }) => linkTo('consumers', operation))),
            },
            { title: 'Description', kind: 'wide', cell: (each) => each.description ?? '' },
          ],
          flows,
          { empty: '' },
        ),
      )
}`;
  },
  operations: operationDetails,
  consumers: calledDetails,
  flows: async (visit, flow) => html`${facts([['Service', linkTo('services', flow.service)]])}
${section(
  'Steps',
  table(
    'Steps',
    [
      { title: 'Call', cell: ({ operation }) => linkTo('consumers', operation) },
      { title: 'Node', cell: ({ operation }) => linkTo('nodes', operation.target) },
      { title: 'Keeps', cell: ({ keep }) => keep.map(({ name }) => name).join(', ') },
      { title: 'For', cell: ({ holds }) => holds?.path.join('.') ?? '' },
      { title: 'Repeated after', cell: ({ renewOn }) => renewOn.join(', ') },
    ],
    flow.steps,
    { empty: '' },
  ),
)}
${section('Input', fieldTable('Input', flow.input.fields))}
${await whoMayUse(visit, flow.id)}`,
  types: (_, { base, ...type }) =>
    html`${facts([
      ['Base', typeWords(base)],
      ['Values', type.enum?.map((value) => valueWithLabel(type, String(value))).join(', ')],
      ['Pattern', type.patterns?.join(' and ')],
      ...Object.entries(boundsOf(type)).map(
        ([name, bound]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, bound] as const,
      ),
      ['Digits', type.digits],
      ['Digits after the point', type.fraction],
      ['Example', type.example === undefined ? undefined : String(type.example)],
    ])}`,
  documents: (_, document) => html`${facts([
    ['XML element', document.xmlName],
    ['Namespace', document.namespace],
    ['JSON root label', document.root ? 'yes' : ''],
  ])}
${section('Fields', messageTable('Fields', { kind: 'document', document: { ...document, inPlace: true } }))}`,
  queries: queryDetails,
  datasources: (visit, { url, engine, replicas, password }) =>
    facts([
      ['Engine', engine],
      ['Address', setting(visit, url)],
      ['Password', password && 'configured'],
      ['Replicas', replicas && number(replicas.urls.length)],
    ]),
  components: async (visit, component) => {
    const { table: rows, keys, lock, shape, events, columns, afterSave, publications } = component;
    return html`${facts([
      ['Table', html`<code>${rows}</code>`],
      ['Keys', keys.map(({ name }) => name).join(', ')],
      ['Lock', lock?.name],
      ['Document', shape.inPlace ? '' : linkTo('documents', shape)],
      ['Columns', columns && [...columns].map(([field, column]) => `${field}: ${column}`).join(', ')],
    ])}
${section('Fields', fieldTable('Fields', shape.fields))}
${section(
  'Events',
  table(
    'Events',
    [
      { title: 'Event', cell: ({ event }) => event },
      { title: 'Order', kind: 'number', cell: ({ sequence }) => sequence },
      { title: 'Class', cell: ({ service }) => linkTo('relatedContent', service) },
      { title: 'Enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
      { title: 'Runs as', cell: ({ as }) => as && linkTo('roles', as) },
      { title: 'Declared in', kind: 'code', cell: ({ at }) => placeLink(at) },
    ],
    events,
    { empty: 'No class runs when it is saved.' },
  ),
)}
${
  afterSave === undefined
    ? NOTHING
    : section(
        'After a save',
        facts([
          ['Code', html`<code>${codeFile(visit.ports.registry, afterSave.file)}</code>`],
          ['Saves', savesWords(afterSave)],
          ['Runs as', afterSave.as && linkTo('roles', afterSave.as)],
        ]),
      )
}
${
  publications.length === 0
    ? NOTHING
    : section(
        'Publishes',
        table(
          'Publishes',
          [
            { title: 'Message', cell: ({ operation }) => linkTo('operations', operation) },
            {
              title: 'Queue',
              cell: ({ operation: { answer } }) => answer.kind === 'queue' && linkTo('messageQueues', answer.queue),
            },
            { title: 'Saves', kind: 'wide', cell: savesWords },
            { title: 'Filled by', kind: 'wide', cell: ({ input }) => filledBy(input) },
            { title: 'Declared in', kind: 'code', cell: ({ at }) => placeLink(at) },
          ],
          publications,
          { empty: '' },
        ),
      )
}
${await whoMayUse(visit, component)}`;
  },
  relatedContent: async (visit, each) =>
    html`${facts([['Code', html`<code>${codeFile(visit.ports.registry, each.file)}</code>`]])}${await whoMayUse(visit, each)}`,
  processes: async (visit, process) => html`${facts([
    ['Type', process.type],
    [
      'Runs',
      process.answer.kind === 'query'
        ? html`query ${linkTo('queries', process.answer.query)}`
        : html`code <code>${codeFile(visit.ports.registry, process.answer.file)}</code>`,
    ],
    ['Recurs', process.recurs && linkTo('recurrences', process.recurs)],
    ['For the user', process.runAs],
    ['Timeout', process.timeout && duration(process.timeout)],
    ['Retries', retryWords(process.retry)],
  ])}
${section('Parameters', fieldTable('Parameters', process.parameters))}
${await whoMayUse(visit, process)}`,
  recurrences: (_, { cron, zone }) =>
    facts([
      ['Cron', html`<code>${cron}</code>`],
      ['Time zone', zone],
    ]),
  nodes: nodeDetails,
  messageQueues: (_, queue) => {
    const { order, search, size, retention } = queue;
    return html`${facts([
      [
        'Order',
        order === undefined ? 'none' : order === 'all' ? 'all messages, one after the other' : `by ${order.join(', ')}`,
      ],
      ['Found by', search.join(', ')],
      ['Largest payload', `${number(size)} bytes`],
      ['Kept when done', duration(retention.done)],
      ['Kept when failed', duration(retention.failed)],
      ['Messages', link('/messages', 'Show', { queue: queue.id })],
    ])}`;
  },
  subscriptions: ({ ports: { registry } }, subscription) => {
    const { operation, target, when, as, retry, concurrency, givesReply, within, id } = subscription;
    return html`${facts([
      ['Messages of', linkTo('operations', operation)],
      ['Queue', operation.answer.kind === 'queue' && linkTo('messageQueues', operation.answer.queue)],
      [
        'Delivers to',
        target.kind === 'call'
          ? 'steps' in target.call
            ? linkTo('flows', target.call)
            : linkTo('consumers', target.call)
          : target.kind === 'caller'
            ? 'the caller'
            : html`code <code>${codeFile(registry, target.file)}</code>`,
      ],
      [
        'Code',
        target.kind === 'call'
          ? listed(codeOfSubscription(subscription).map((file) => html`<code>${codeFile(registry, file)}</code>`))
          : '',
      ],
      ['Nodes', listed(nodesOf(subscription).map((node) => linkTo('nodes', node)))],
      ['When', conditionWords(when)],
      ['Runs as', as && linkTo('roles', as)],
      ['Retries', retryWords(retry)],
      ['At the same time', concurrency],
      ['Replies', givesReply && (within === undefined ? 'yes' : `within ${duration(within)}`)],
      ['Deliveries', link(pathTo('queues', id), 'Show')],
    ])}`;
  },
  roles: ({ ports: { registry }, may }, role) => html`${section(
    'Permission lists',
    table(
      'Permission lists',
      [
        { title: 'List', cell: (list) => linkTo('permissionLists', list) },
        { title: 'Description', kind: 'wide', cell: ({ description }) => description ?? '' },
        { title: 'Given in', kind: 'code', cell: (list) => placeOf(role.grantedAt?.get(list)) },
      ],
      role.permissionLists,
      { empty: 'It has no list, and so no grants.' },
    ),
  )}
${
  !may('users')
    ? NOTHING
    : section(
        'Users of the definitions',
        table(
          'Users',
          [
            { title: 'User', cell: ({ id }) => id },
            { title: 'Given in', kind: 'code', cell: ({ grantedAt }) => placeOf(grantedAt?.get(role)) },
          ],
          [...registry.users.values()].filter(({ roles }) => roles.includes(role)).slice(0, MOST),
          { empty: 'No user of the definitions has it. Users of the database may.' },
        ),
      )
}`,
  permissionLists: (_, { operations, queries, processes, components, processRequests, console: grants }) =>
    facts([
      ['Operations', operations.join(', ')],
      ['Queries', queries.join(', ')],
      ['Processes', processes.join(', ')],
      ['Components', components.join(', ')],
      ['Process requests', processRequests === 'all' && 'those of others too'],
      ['Console', grants && [...grants.keys()].join(', ')],
    ]),
};

/** Conditions in words. */
const conditionWords = (when: Conditions): string =>
  when.map(({ field, values }) => `${field} is ${values.map(String).join(' or ')}`).join(' and ');

/** The saves that something is for, in words. */
function savesWords({ on, when }: SaveFilter): string {
  const effects = on.length === SAVE_EFFECTS.length ? 'all' : on.join(', ');
  return when.length === 0 ? effects : `${effects}, when ${conditionWords(when)}`;
}

/** What fills a message, by its fields. A field of the same name is that alone. */
function filledBy(input: InputMap): string {
  return input
    .map(({ field: { name }, from }) => {
      if (from.kind === 'field') return from.field.name === name ? name : `${name}: {${from.field.name}}`;
      return `${name}: ${from.kind === 'built' ? from.text.source : String(from.value)}`;
    })
    .join(', ');
}

const placeOf = (at: Parameters<typeof placeLink>[0] | undefined): Part => (at === undefined ? '' : placeLink(at));

async function queryDetails(visit: Visit, query: Query): Promise<Html> {
  const { prompts, columns, datasource, children, rows, timeout, sql } = query;
  const { limits } = visit.ports.registry.gateway;
  return html`${facts([
    ['Reads from', datasource === undefined ? "the gateway's database" : linkTo('datasources', datasource)],
    ['Rows', number(rows ?? limits.rows)],
    ['Timeout', duration(timeout ?? limits.timeout)],
    [
      'Children',
      listed(
        children.map(
          ({ query: child, on }) =>
            html`${linkTo('queries', child)} <span class="faint">on ${on.map(({ parent, child: of }) => `${parent.name} = ${of.name}`).join(', ')}</span>`,
        ),
      ),
    ],
  ])}
${section('SQL', code(visit.ports.redactor.text(sql), 'SQL'))}
${section('Prompts', prompts.length === 0 ? html`<p class="faint">It has no prompts.</p>` : fieldTable('Prompts', prompts))}
${section('Columns', fieldTable('Columns', columns))}
${await whoMayUse(visit, query)}`;
}

/** A setting with its references, without their values. */
function setting({ ports: { redactor } }: Visit, { parts }: ConfigText): Html {
  const texts = parts.map((part) => (part.kind === 'literal' ? part.text : `\${${part.kind}:${part.name}}`));
  return html`<code>${redactor.text(texts.join(''))}</code>`;
}

const CREDENTIALS: { readonly [K in NodeCredential['kind']]: string } = {
  basic: 'HTTP Basic',
  bearer: 'a bearer token',
  'api-key': 'an API key',
  webhook: 'signatures of webhooks',
  hmac: 'signatures of requests (HMAC)',
  'ws-security': 'WS-Security in messages',
  'client-credentials': 'tokens of OAuth 2.0 client credentials',
};

function nodeDetails(visit: Visit, node: Node): Html {
  const { base, credential, certificate, caFile, timeouts, circuit, rate, concurrency, redirects, retry, resolve } =
    node;
  const { consumers, subscriptions } = visit.ports.registry;
  const calls = [...consumers.values()].filter(({ target }) => target === node);
  const delivered = [...subscriptions.values()].filter((each) => nodesOf(each).includes(node));
  return html`${facts([
    ['Addresses', listed(base.map((each) => setting(visit, each)))],
    ['Credentials', credential && CREDENTIALS[credential.kind]],
    ['Client certificate', certificate && 'yes'],
    ['Authorities', caFile && setting(visit, caFile)],
    ['Other addresses for', [...resolve.keys()].join(', ')],
    [
      'Timeouts',
      Object.entries(timeouts)
        .map(([phase, ms]) => `${phase} ${duration(ms)}`)
        .join(', '),
    ],
    ['Retries', retryWords(retry)],
    [
      'Suspended after',
      circuit.failures === 0 ? 'never' : `${circuit.failures} failures, for ${duration(circuit.reset)}`,
    ],
    ['Redirects', redirects],
    ['Deliveries', rate && `${rate.requests} per ${duration(rate.per)}`],
    ['At the same time', concurrency],
    ['On the map', link('/map', 'Show', { node: node.id })],
  ])}
${section(
  'Called operations',
  table(
    'Called operations',
    [
      { title: 'Operation', kind: 'code' as const, cell: (each) => linkTo('consumers', each) },
      { title: 'Service', cell: ({ service }) => linkTo('services', service) },
      { title: 'Description', kind: 'wide', cell: ({ description }) => description ?? '' },
    ],
    calls.slice(0, MOST),
    { empty: 'No operation calls it.' },
  ),
)}
${
  delivered.length === 0
    ? NOTHING
    : section(
        'Subscriptions',
        table(
          'Subscriptions',
          [
            { title: 'Subscription', cell: (each) => linkTo('subscriptions', each) },
            { title: 'Messages of', cell: ({ operation }) => linkTo('operations', operation) },
          ],
          delivered.slice(0, MOST),
          { empty: '' },
        ),
      )
}`;
}
