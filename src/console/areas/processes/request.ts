import type { StoredBlob } from '../../../model/blob.ts';
import { Fault } from '../../../model/fault.ts';
import { MESSAGE_LOG, REQUEST_ACTIONS, requestDone } from '../../../operator/process.ts';
import { ATTEMPTS } from '../../../operator/queue.ts';
import type { Tone } from '../../../operator/view.ts';
import type { RequestAction, RequestDetail } from '../../../process/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import {
  address,
  badge,
  button,
  columnsOf,
  facts,
  heading,
  link,
  live,
  more,
  number,
  pathTo,
  section,
  shortId,
  table,
  time,
} from '../../parts.ts';
import { actionRoute, page, type Reply, type Visit } from '../../route.ts';
import { requestPath, statusOf } from './parts.ts';

/** Lines of a message log per page. */
const MOST_LINES = 100;

const instanceOf = ({ params }: Visit): number => {
  const text = params.instance as string;
  if (!/^\d{1,15}$/.test(text)) throw Fault.of('NOT_FOUND', { what: `process request ${text}` });
  return Number(text);
};

const OFFERED = Object.entries(REQUEST_ACTIONS) as [RequestAction, (typeof REQUEST_ACTIONS)[RequestAction]][];

export const requestActions = OFFERED.map(([action, { verb }]) =>
  actionRoute(`/processes/:instance/${verb}`, `process.${verb}`, async (visit) => {
    const instance = instanceOf(visit);
    const request = await visit.ports.scheduler.update(instance, action, visit.user, visit.actor);
    const notice = `Request ${instance} ${requestDone(action, request)}.`;
    return { to: requestPath(instance), notice, target: String(instance) };
  }),
);

const LEVELS: Readonly<Record<string, Tone>> = { info: 'idle', warning: 'warn', error: 'bad', action: 'busy' };

const LOG = columnsOf(MESSAGE_LOG, {
  line: ({ sequence }) => sequence ?? NOTHING,
  level: ({ level }) => badge(LEVELS[level] ?? 'idle', level),
});

export async function showRequest(visit: Visit): Promise<Reply> {
  const instance = instanceOf(visit);
  const { scheduler } = visit.ports;
  const detail = await scheduler.detail(instance, visit.user);
  const { request, mayUse } = detail;
  const from = Math.max(1, Number(visit.query.get('line')) || 1);
  const { entries, next } = await scheduler.log(instance, { from, count: MOST_LINES }, visit.user);
  const nothing = mayUse ? 'The process has logged nothing.' : 'Another system entered this request: its log is there.';
  const title = `${request.name} ${instance}`;
  return page(
    title,
    html`${heading(title, { about: `${request.type}, requested by ${request.operator}`, actions: visit.may('act') ? actionsOf(visit, detail) : NOTHING })}
${live(
  visit,
  'processes',
  'request',
  html`${factsOf(detail)}
${visit.may('payload') ? section('Parameters', parametersOf(detail)) : NOTHING}
${await reportOf(visit, detail)}
${await attemptsOf(visit, detail)}
${section('Message log', html`${table('Message log', LOG, entries, { empty: nothing })}${more(next === undefined ? undefined : address(requestPath(instance), { line: next }), 'Further lines')}`)}`,
)}`,
  );
}

function actionsOf(visit: Visit, { actions, request: { instance } }: RequestDetail): Html {
  return html`${OFFERED.filter(([action]) => actions.includes(action)).map(([, { verb, title, effect, isDangerous }]) =>
    button(visit, {
      ...{ text: title, ask: effect, to: `${requestPath(instance)}/${verb}` },
      ...(isDangerous === true ? { isDangerous } : {}),
    }),
  )}`;
}

function factsOf({ request }: RequestDetail): Html {
  return facts([
    ['Run status', statusOf(request)],
    ['Distribution', request.distribution],
    ['Type', request.type],
    ['User', request.operator],
    ['Run control', request.runControl],
    ['Server', request.server],
    ['Recurrence', request.recurrence],
    ['Attempts', request.attempt],
    ['Requested', request.requested && time(request.requested)],
    ['Run date/time', request.runs && time(request.runs)],
    ['Began', request.began && time(request.began)],
    ['Ended', request.ended && time(request.ended)],
    ['Output', [request.destination, request.format].filter((each) => each !== undefined).join(', ')],
  ]);
}

const parametersOf = ({ parameters }: RequestDetail): Html =>
  table(
    'Parameters',
    [
      { title: 'Parameter', cell: ({ name }) => name },
      { title: 'Value', kind: 'code', cell: ({ value }) => value },
    ],
    parameters,
    { empty: 'No parameter was given.' },
  );

/** The attempts at the job of a request, while the queue keeps it. */
async function attemptsOf({ ports }: Visit, { job }: RequestDetail): Promise<Html> {
  const kept = job === undefined ? undefined : await ports.queues.get(job).catch(unlessUnknown);
  if (kept === undefined) return NOTHING;
  const shown = table('Attempts', columnsOf(ATTEMPTS), kept.tried, { empty: 'No attempt has ended yet.' });
  return section(
    'Attempts',
    html`${shown}<p class="faint">Job ${link(pathTo('queues', 'jobs', kept.id), shortId(kept.id))}</p>`,
  );
}

/** Types of reports that browsers show as text. */
const TEXT = /^(?:text\/(?!html)|application\/(?:json|xml)\b)/;

async function reportOf({ ports, user, may }: Visit, { request, mayUse }: RequestDetail): Promise<Html> {
  const { instance, contentId } = request;
  if (!mayUse || contentId === undefined || !may('payload')) return NOTHING;
  const report = await ports.scheduler.report(instance, user).catch(unlessUnknown);
  if (report === undefined) return NOTHING;
  const { content } = report;
  const to = `${requestPath(instance)}/report`;
  const open = TEXT.test(content.contentType) ? html` ${link(to, 'Open', { open: '1' })}` : NOTHING;
  return section(
    'Report',
    html`<p>${link(to, `Download ${nameOf(content, instance)}`)}${open} <span class="faint">${content.contentType}, ${number(content.length)} bytes, content ${report.contentId}</span></p>`,
  );
}

const nameOf = ({ name }: StoredBlob, instance: number): string => name ?? `report-${instance}`;

function unlessUnknown(error: unknown): undefined {
  if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

export async function sendReport(visit: Visit): Promise<Reply> {
  const instance = instanceOf(visit);
  const { content } = await visit.ports.scheduler.report(instance, visit.user);
  const isShown = visit.query.get('open') === '1' && TEXT.test(content.contentType);
  return {
    ...{ kind: 'download' as const, name: nameOf(content, instance), content: content.stream() },
    ...(isShown
      ? { inline: true as const, contentType: 'text/plain; charset=utf-8' }
      : { contentType: content.contentType }),
  };
}
