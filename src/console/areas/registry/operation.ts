import { accessNote, restSchemes, soapSchemes } from '../../../describe/requirements.ts';
import { CONTRACT_EXTENSIONS, contractForms, segmentOf } from '../../../describe/scope.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import { LOG_LEVEL, type LogLevel, type Registry } from '../../../model/registry.ts';
import { type Operation, type Service, serviceNamespace } from '../../../model/service.ts';
import type { Tone } from '../../../operator/view.ts';
import { duration } from '../../../wire/duration.ts';
import { callCharts, HOUR, MINUTE, periodOf } from '../../figures.ts';
import { type Html, html, type Part } from '../../html.ts';
import { badge, facts, length, link, pathTo, section, table, time } from '../../parts.ts';
import type { Visit } from '../../route.ts';
import { whoMayUse } from './access.ts';
import { calledContract, contractOf } from './contract.ts';
import { codeFile, linkTo, restPath } from './things.ts';

/** Maximum number of calls on the page of an operation. */
const MOST_CALLS = 20;

interface Way {
  readonly method: string;
  readonly address: string;
  readonly what: Part;
}

const WAYS = [
  { title: 'Method', cell: ({ method }: Way) => method },
  { title: 'Address', kind: 'wide' as const, cell: ({ address }: Way) => html`<code>${address}</code>` },
  { title: 'Details', kind: 'wide' as const, cell: ({ what }: Way) => what },
];

/** The page of a served operation, without the parts of all pages. */
export async function operationDetails(visit: Visit, operation: Operation): Promise<Html> {
  const { registry } = visit.ports;
  const { service, as, limits, method, writes } = operation;
  const { rate, concurrent } = limits;
  return html`${facts([
    ['Service', linkTo('services', service)],
    ['Answered by', answerLink(registry, operation)],
    ['Credentials', accessNote(method === undefined ? soapSchemes(operation) : restSchemes(operation))],
    ['Runs as', as && linkTo('roles', as)],
    ['Changes data', writes === false ? 'never' : writes === true ? 'yes' : 'depends on the request'],
    ['Rate', rate && `${rate.requests} per ${duration(rate.per)}`],
    ['At the same time', concurrent],
    ['Calls are recorded', LOG_WORDS[logLevel(registry, operation)]],
    ['Contracts', contractLinks(visit, service, operation.pathName)],
  ])}
${section('Addresses', table('Addresses', WAYS, waysInto(visit, operation), { empty: 'It has no address.' }))}
${contractOf(registry, operation)}
${await whoMayUse(visit, operation)}
${section('Calls of the last day', await figures(visit, operation, 'served'), 'figures')}
${section('Recent calls', await recentCalls(visit, operation, logLevel(registry, operation)), 'calls')}`;
}

/** The page of an operation of another system. */
export async function calledDetails(visit: Visit, operation: ConsumerOperation): Promise<Html> {
  const { service, target, timeout, retry, routing, properties } = operation;
  const level = operation.log ?? LOG_LEVEL;
  return html`${facts([
    ['Service', linkTo('services', service)],
    ['Node', linkTo('nodes', target)],
    ['Routing', routing],
    ['Timeout', timeout && duration(timeout)],
    ['Retries for', retry?.for && duration(retry.for)],
    ['Calls are recorded', LOG_WORDS[level]],
  ])}
${section('Address', table('Address', WAYS, waysOut(operation, visit.ports.redactor.text((properties.primaryUrl ?? target.base[0])?.source ?? '')), { empty: '' }))}
${calledContract(visit.ports, operation)}
${await whoMayUse(visit, operation)}
${section('Calls of the last day', await figures(visit, operation, 'called'), 'figures')}
${section('Recent calls', await recentCalls(visit, operation, level), 'calls')}`;
}

/** The calls of a day, in steps of five minutes. */
async function figures(
  { ports: { statistics, now } }: Visit,
  { id }: { readonly id: string },
  kind: 'served' | 'called',
): Promise<Html> {
  const step = 5 * MINUTE;
  const series = await statistics.series({ ...periodOf(now(), 24 * HOUR), step, operation: id, kind });
  if (series.every(({ calls }) => calls === 0)) return html`<p class="empty">No call in the last day.</p>`;
  return html`<div class="columns">${callCharts(series, step)}</div>`;
}

const LOG_WORDS: Readonly<Record<LogLevel, string>> = {
  none: 'never',
  failures: 'when they fail',
  header: 'all, without payloads',
  full: 'all, with payloads',
};

const logLevel = ({ routings }: Registry, operation: Operation): LogLevel =>
  routings.find((routing) => routing.operation === operation)?.log ?? LOG_LEVEL;

function waysInto({ ports }: Visit, operation: Operation): Way[] {
  const { uris, method, soap, service } = operation;
  const base = ports.base();
  const rest = uris.map(
    ({ template, index }): Way => ({
      method: method ?? '',
      address: `${base}/${restPath(operation, template.text)}`,
      what: uris.length > 1 ? `URI ${index}` : '',
    }),
  );
  if (soap === undefined) return rest;
  const namespace = serviceNamespace(service, ports.registry.gateway.namespace);
  return [
    ...rest,
    {
      method: 'SOAP',
      address: `${base}/PeopleSoftServiceListeningConnector`,
      what: html`action <code>${soap.action}</code>, element <code>${soap.name}</code> of <code>${namespace}</code>`,
    },
  ];
}

function waysOut(operation: ConsumerOperation, base: string): Way[] {
  if (operation.kind === 'soap')
    return [{ method: 'SOAP', address: base, what: html`action <code>${operation.soap.action}</code>` }];
  const slash = operation.host || base.endsWith('/') ? '' : '/';
  return operation.uris.map(({ template, index }) => ({
    method: operation.method,
    address: `${base}${slash}${template.text}`,
    what: operation.uris.length > 1 ? `URI ${index}` : '',
  }));
}

const FORM_WORDS = { wadl: 'WADL', wsdl: 'WSDL', xsd: 'XSD', openapi: 'OpenAPI' } as const;

/**
 * The contracts of a service on this gateway. @param pathName limits them to operations of this name in paths, in the forms
 * that allow it
 */
export function contractLinks({ ports }: Visit, service: Service, pathName?: string): Part {
  const forms = contractForms(service);
  if (forms.length === 0) return '';
  return forms.map((form, index) => {
    const isRest = form === 'wadl' || form === 'openapi' || (form === 'xsd' && forms.includes('wadl'));
    const connector = isRest ? 'RESTListeningConnector' : 'PeopleSoftServiceListeningConnector';
    const segment = segmentOf(form === 'wsdl' ? { service } : { service, pathName });
    const to = `${ports.base()}/${connector}/${segment}${CONTRACT_EXTENSIONS[form]}`;
    return html`${index === 0 ? '' : ' · '}<a href="${to}">${FORM_WORDS[form]}</a>`;
  });
}

/** What answers an operation. */
export function answerLink(registry: Registry, { answer }: Pick<Operation, 'answer'>): Part {
  switch (answer.kind) {
    case 'handler':
      return html`code <code>${codeFile(registry, answer.file)}</code>`;
    case 'delivered':
      return html`<code>${answer.name}</code>`;
    case 'query':
      return html`query ${linkTo('queries', answer.query)}`;
    case 'queries':
      return answer.lists.map(
        ({ field, query }, index) => html`${index === 0 ? '' : ', '}${field.name}: query ${linkTo('queries', query)}`,
      );
    case 'component':
      return html`component ${linkTo('components', answer.component)}, ${answer.action}`;
    case 'call':
      return 'steps' in answer.call
        ? html`flow ${linkTo('flows', answer.call)}`
        : html`call of ${linkTo('consumers', answer.call)}`;
    case 'version':
      return html`operation ${linkTo('operations', answer.operation)}`;
    case 'queue':
      return html`queue ${linkTo('messageQueues', answer.queue)}`;
    case 'reply':
      return html`the reply to ${linkTo('operations', { id: answer.to })}`;
  }
}

const TONES: Readonly<Record<string, Tone>> = { Done: 'good', Error: 'bad', Timeout: 'bad', Cancelled: 'idle' };

/** Recorded calls of an operation, the newest first. */
async function recentCalls({ ports }: Visit, { id }: { readonly id: string }, level: LogLevel): Promise<Html> {
  const { messages } = await ports.messages.list({ kind: 'call', operation: id }, { limit: MOST_CALLS });
  const all = table(
    'Recent calls',
    [
      { title: 'Time', cell: ({ entered, id: call }) => link(pathTo('messages', call), time(entered)) },
      {
        title: 'Status',
        cell: ({ status, code }) => badge(TONES[status] ?? 'busy', `${status}${code === undefined ? '' : ` ${code}`}`),
      },
      {
        title: 'Took',
        kind: 'number',
        cell: ({ entered, ended }) => length(ended === undefined ? undefined : Date.parse(ended) - Date.parse(entered)),
      },
      { title: 'User', cell: ({ user }) => user ?? '' },
      { title: 'Error', kind: 'wide', cell: ({ reason }) => reason ?? '' },
    ],
    messages,
    {
      empty: `No call is recorded. Calls of this operation are recorded ${LOG_WORDS[level]}: log of its routing decides.`,
    },
  );
  return messages.length === 0
    ? all
    : html`${all}<p>${link('/messages', 'All recorded calls', { kind: 'call', operation: id })}</p>`;
}
