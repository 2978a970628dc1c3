import { randomUUID } from 'node:crypto';
import { InvokeError } from '../../../invoke/index.ts';
import { Fault } from '../../../model/fault.ts';
import { qualifiedName } from '../../../model/operation-names.ts';
import { may } from '../../../security/authorise.ts';
import { exact, type Html, html, NOTHING } from '../../html.ts';
import {
  address,
  badge,
  field,
  filters,
  heading,
  input,
  link,
  more,
  notice,
  number,
  pathTo,
  select,
  table,
} from '../../parts.ts';
import { type Area, actionRoute, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { type Filled, fieldGroup } from './fields.ts';
import { clientProgram, inputOf, isRaw, isUnready, prepareCall, takeAsText, type Unready, written } from './request.ts';
import { failureSection, outboundSection, previewSection, readReply, replySection, requestSection } from './show.ts';
import {
  findSubject,
  type Group,
  grantedThings,
  groupsOf,
  idOf,
  mayWrite,
  mediaTypesOf,
  prefilled,
  type Subject,
  subjectsOf,
  takesText,
  thingOf,
  type Way,
  waysOf,
} from './subject.ts';
import { change, findField, type Sent, takeForm } from './values.ts';

/** Operations per page. */
const MOST = 100;

const KINDS = [
  ['', 'Everything'],
  ['provided', 'Answered here'],
  ['consumer', 'Other systems'],
  ['flow', 'Flows'],
] as const;

function list({ ports, query, user }: Visit): Reply {
  const [words, kind, after] = [query.get('q')?.trim() ?? '', query.get('kind') ?? '', query.get('after') ?? ''];
  const wanted = words.toLowerCase();
  const found = subjectsOf(ports).filter(
    (each) => (kind === '' || each.kind === kind) && idOf(each) > after && textOf(each).includes(wanted),
  );
  const shown = found.slice(0, MOST);
  const next =
    found.length > MOST ? address('/try', { q: words, kind, after: idOf(shown.at(-1) as Subject) }) : undefined;
  return page(
    'Try it',
    html`${heading('Try it', { about: 'Call an operation of this gateway as yourself, or see what a call of another system would send.' })}
${filters('Operations', '/try', html`${field('Name', 'q', input('q', words, 'search'))}${field('Kind', 'kind', select('kind', KINDS, kind))}`)}
${table(
  'Operations',
  [
    { title: 'Operation', cell: (each) => link(pathTo('try', idOf(each)), idOf(each)) },
    { title: 'Service', cell: (each) => thingOf(each).service.id },
    { title: 'Called by', cell: calledBy },
    {
      title: 'Granted',
      cell: (each) => (isGranted(user, each) ? 'yes' : html`<span class="none">no</span>`),
    },
    { title: 'Description', kind: 'wide', cell: (each) => thingOf(each).description ?? '' },
  ],
  shown,
  { empty: 'No active operation has this name. Search for a part of it.' },
)}${more(next, 'More')}`,
  );
}

/** `GET, SOAP`: the addresses of an operation would be too long. */
function calledBy(subject: Subject): string {
  if (subject.kind === 'flow') return 'flow';
  const ways = waysOf(subject).map(({ title, soap }) => (soap === undefined ? (title.split(' ', 1)[0] ?? '') : 'SOAP'));
  return `${[...new Set(ways)].join(', ')}${subject.kind === 'consumer' ? ` to ${subject.operation.target.id}` : ''}`;
}

const textOf = (subject: Subject): string =>
  `${idOf(subject)} ${thingOf(subject).service.id} ${thingOf(subject).description ?? ''}`.toLowerCase();

const isGranted = (user: Visit['user'], subject: Subject): boolean =>
  grantedThings(subject).every((each) => may(user, each));

/** The operation, and the way of calling it, in the address. */
interface Chosen {
  readonly subject: Subject;
  readonly way: Way;
}

function chosen({ ports, params, query }: Visit): Chosen {
  const subject = findSubject(ports, params.id as string);
  const ways = waysOf(subject);
  return { subject, way: ways.find(({ id }) => id === query.get('way')) ?? ways[0] };
}

function open(visit: Visit): Reply {
  const { subject, way } = chosen(visit);
  const sent = { entered: prefilled(groupsOf(subject, way)), files: new Map(), lost: new Set<string>() };
  return show(visit, { subject, way }, sent, { results: NOTHING });
}

/** What a page shows besides its form. */
interface Outcome {
  readonly results: Html;
  readonly unready?: Unready;
}

/** Shows a form again: with another row, as text, or with its request. */
async function edit(visit: Visit): Promise<Reply> {
  const { subject, way } = chosen(visit);
  const sent = await takeForm(visit.form, visit.files);
  const { entered } = sent;
  const what = entered.get('do') ?? 'show';
  if (what === 'show') return show(visit, { subject, way }, sent, await preview(visit, subject, way, sent));
  if (what === 'text' && subject.kind === 'provided') await takeAsText(visit, subject.operation, way, sent);
  else if (what === 'fields') entered.delete('raw');
  else {
    const fields = groupsOf(subject, way).flatMap((group) => group.fields);
    change(entered, what, (path) => findField(fields, path));
  }
  return show(visit, { subject, way }, sent, { results: NOTHING });
}

async function preview(visit: Visit, subject: Subject, way: Way, sent: Sent): Promise<Outcome> {
  if (subject.kind === 'provided') {
    const made = await prepareCall(visit, subject.operation, way, sent);
    if (isUnready(made)) return { results: NOTHING, unready: made };
    return { results: requestSection(visit, subject.operation, way, made) };
  }
  const value = inputOf(subject, way, sent);
  if (isUnready(value)) return { results: NOTHING, unready: value };
  const { outbound } = visit.ports;
  const requests = await written(async () =>
    subject.kind === 'flow'
      ? outbound.previewFlow(subject.flow, value)
      : [await outbound.preview(subject.operation, value, uriOf(way))],
  );
  if (isUnready(requests)) return { results: NOTHING, unready: requests };
  const name = subject.kind === 'flow' ? subject.flow.id : qualifiedName(subject.operation);
  return { results: previewSection(requests, clientProgram(thingOfCall(subject), name, value)) };
}

const thingOfCall = (subject: Exclude<Subject, { kind: 'provided' }>) =>
  subject.kind === 'flow' ? subject.flow : subject.operation;

const uriOf = ({ uri }: Way): { uriIndex?: number } => (uri === undefined ? {} : { uriIndex: uri.index });

/** @throws Fault FORBIDDEN, BAD_PARAMETER */
function requireConsent(visit: Visit, subject: Subject): void {
  if (!mayWrite(subject)) return;
  const id = idOf(subject);
  if (!visit.may('act'))
    throw Fault.of('FORBIDDEN', {
      user: visit.user.id,
      what: `calls of ${id}, which may write: they need the grant act`,
    });
  if (visit.form.get('confirmed') !== 'yes')
    throw Fault.of('BAD_PARAMETER', {
      name: 'confirmed',
      reason: `is missing: ${id} may write, and is sent after a question only`,
    });
}

async function send(visit: Visit): Promise<Reply> {
  const { subject, way } = chosen(visit);
  requireConsent(visit, subject);
  const sent = await takeForm(visit.form, visit.files);
  if (subject.kind !== 'provided')
    return show(visit, { subject, way }, sent, await callOther(visit, subject, way, sent));
  const { operation } = subject;
  const made = await prepareCall(visit, operation, way, sent);
  if (isUnready(made)) return show(visit, { subject, way }, sent, { results: NOTHING, unready: made });
  const reply = await visit.call(innerRequest(visit, made));
  const seen = await readReply(visit, reply, made);
  const results = html`${replySection(visit, seen)}${requestSection(visit, operation, way, made)}`;
  return show(visit, { subject, way }, sent, { results });
}

function innerRequest(
  { user, ports }: Visit,
  { method, target, headers, body }: Extract<Awaited<ReturnType<typeof prepareCall>>, { method: string }>,
) {
  return { user, method, target: `/${ports.registry.gateway.context}${target}`, headers, body };
}

async function callOther(
  visit: Visit,
  subject: Exclude<Subject, { kind: 'provided' }>,
  way: Way,
  sent: Sent,
): Promise<Outcome> {
  // The same check as for a handler's call.
  for (const thing of grantedThings(subject))
    if (!may(visit.user, thing))
      throw Fault.of('FORBIDDEN', { user: `User ${visit.user.id}`, what: `operation ${thing.id}` });
  const shown = await preview(visit, subject, way, sent);
  const value = inputOf(subject, way, sent);
  if (shown.unready !== undefined || isUnready(value)) return shown;
  const { outbound } = visit.ports;
  const options = { requestId: randomUUID(), signal: visit.gone };
  try {
    const reply =
      subject.kind === 'flow'
        ? await outbound.flow(subject.flow, value, options)
        : await outbound.call(subject.operation, value, { ...options, ...uriOf(way) });
    try {
      return { results: html`${outboundSection(visit, reply)}${shown.results}` };
    } finally {
      reply.close();
    }
  } catch (error) {
    if (!(error instanceof InvokeError)) throw error;
    return { results: html`${failureSection(visit, error)}${shown.results}` };
  }
}

/** Maximum number of bytes of a saved reply; a longer one is cut off, which the browser reports. */
const LARGEST_SAVED = 1024 ** 3;

async function save(visit: Visit): Promise<Reply> {
  const { subject, way } = chosen(visit);
  if (subject.kind !== 'provided') throw Fault.of('NOT_FOUND', { what: 'reply to save' });
  requireConsent(visit, subject);
  const sent = await takeForm(visit.form, visit.files);
  const made = await prepareCall(visit, subject.operation, way, sent);
  if (isUnready(made)) return show(visit, { subject, way }, sent, { results: NOTHING, unready: made });
  const reply = await visit.call(innerRequest(visit, made));
  const contentType = reply.headers['content-type'] ?? 'application/octet-stream';
  return { kind: 'download', name: fileName(idOf(subject), contentType), contentType, content: bounded(reply.body) };
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_SAVED) throw new RangeError(`the reply is longer than ${LARGEST_SAVED} bytes`);
    yield chunk;
  }
}

function fileName(id: string, contentType: string): string {
  const [, kind = 'bin'] = /^[^/;]+\/(?:[\w.-]+\+)?([a-z0-9]+)/i.exec(contentType) ?? [];
  const endings: Readonly<Record<string, string>> = { plain: 'txt', octet: 'bin', related: 'mime', vnd: 'bin' };
  return `${id}.${endings[kind] ?? kind}`;
}

function show(visit: Visit, { subject, way }: Chosen, sent: Sent, { results, unready }: Outcome): Reply {
  const id = idOf(subject);
  const path = pathTo('try', id);
  const { description, service } = thingOf(subject);
  const ways = waysOf(subject);
  const about = html`${description === undefined ? NOTHING : html`${description} `}${badge(mayWrite(subject) ? 'busy' : 'idle', mayWrite(subject) ? 'may write' : 'only reads')} · ${link(pathTo('registry', 'services', service.id), service.id)}`;
  return page(
    id,
    html`${heading(id, { about })}
${ways.length > 1 ? wayTabs(path, ways, way) : html`<p class="hint">${way.title}</p>`}
${isGranted(visit.user, subject) ? NOTHING : notice('warn', `You have no grant for ${id}: a call as ${visit.user.id} is refused.`)}
${unready === undefined ? NOTHING : notice('bad', unready.reason ?? 'Some fields don’t fit the operation. The request was not made.')}
<div class="try">${formOfCall(visit, { subject, way }, sent, unready)}<div class="results" id="results">${results.toString() === '' ? html`<p class="empty">“Show the request” writes it as HTTP and as a command, without sending it.</p>` : results}</div></div>`,
    unready === undefined ? {} : { status: 422 },
  );
}

const wayTabs = (path: string, ways: readonly Way[], current: Way): Html =>
  html`<nav class="tabs" aria-label="Ways to call it">${ways.map(({ id, title }) =>
    id === current.id
      ? html`<a href="${address(path, { way: id })}" aria-current="page">${title}</a>`
      : html`<a href="${address(path, { way: id })}">${title}</a>`,
  )}</nav>`;

function formOfCall(
  visit: Visit,
  { subject, way }: Chosen,
  { entered, lost }: Sent,
  unready: Unready | undefined,
): Html {
  const path = pathTo('try', idOf(subject));
  const raw = isRaw(entered) && takesText(subject, way);
  const filled = { entered, lost, errors: unready?.errors ?? new Map<string, string>() };
  const groups = groupsOf(subject, way).filter((group) => !raw || (way.soap === undefined && group.isBody !== true));
  const types = mediaTypesOf(subject, way);
  const chosenType = (
    name: string,
    label: string,
    all: readonly string[],
    first: readonly (readonly [string, string])[] = [],
  ): Html =>
    field(label, name, select(name, [...first, ...all.map((each) => [each, each] as const)], entered.get(name)));
  return html`<form method="post" action="${address(path, { way: way.id })}" enctype="multipart/form-data" class="call">
<input type="hidden" name="token" value="${visit.token}">
<button class="hidden" name="do" value="show" tabindex="-1" aria-hidden="true">Show the request</button>
${groups.map((group) => groupOf(group, filled))}
${groups.length === 0 && !raw ? html`<p class="hint">It takes no input.</p>` : NOTHING}
${raw ? rawBody(entered.get('raw-body') ?? '', entered.get('raw-type') ?? 'application/json', way) : NOTHING}
<div class="types">${types.body.length > 1 && !raw ? chosenType('type', 'Body in', types.body) : NOTHING}${
    types.reply.length > 1 ? chosenType('accept', 'Reply in', types.reply, [['', 'any']]) : NOTHING
  }</div>
<div class="actions"><button class="plain" name="do" value="show">${subject.kind === 'provided' ? 'Show the request' : 'Dry run'}</button>${
    takesText(subject, way)
      ? raw
        ? html`<button class="plain" name="do" value="fields">Back to fields</button>`
        : html`<button class="plain" name="do" value="text">Write the body as text</button>`
      : NOTHING
  }</div>
${sending(visit, subject, way)}
</form>`;
}

const groupOf = ({ title, fields, isChoice }: Group, filled: Filled): Html =>
  fieldGroup(title, fields, filled, isChoice);

const rawBody = (text: string, type: string, { soap }: Way): Html =>
  html`<fieldset class="group"><legend>${soap === undefined ? 'Body' : 'Envelope'}</legend><input type="hidden" name="raw" value="1">${
    soap === undefined
      ? field('Content-Type', 'raw-type', input('raw-type', type))
      : html`<input type="hidden" name="raw-type" value="${exact(type)}">`
  }<div class="field"><label for="raw-body">Text, sent as it is</label><textarea id="raw-body" name="raw-body" rows="16" spellcheck="false">
${exact(text)}</textarea></div></fieldset>`;

/** The button that sends the call, after a question if it may write; or the reason why there is none. */
function sending(visit: Visit, subject: Subject, way: Way): Html {
  const id = idOf(subject);
  const to = (step: string): string => `${address(`${pathTo('try', id)}/${step}`, { way: way.id })}#reply`;
  const isSaved = subject.kind === 'provided' && visit.may('payload');
  const saving = isSaved
    ? html`<button class="plain" name="confirmed" value="yes" formaction="${to('save')}">Send and save the reply</button>`
    : NOTHING;
  const limit = isSaved ? html` A reply of at most ${number(LARGEST_SAVED / 1024 ** 3)} GiB can be saved.` : NOTHING;
  if (!mayWrite(subject))
    return html`<div class="actions"><button class="primary" formaction="${to('send')}">Send as ${visit.user.id}</button>${saving}</div>
<p class="hint">${visit.may('payload') ? 'The reply is shown, and kept nowhere.' : 'Without the grant payload, the page shows the status and the times of a reply only.'}${limit}</p>`;
  if (!visit.may('act'))
    return html`<p class="hint">Calls that may write need the grant act. You can see the request.</p>`;
  const { gateway } = visit.ports.registry;
  const systems = [...new Set(grantedThings(subject).flatMap((each) => ('target' in each ? each.target.id : [])))];
  const where =
    subject.kind === 'provided'
      ? html`the gateway <strong>${gateway.id}</strong>`
      : html`<strong>${systems.join(', ')}</strong>, from the gateway ${gateway.id}`;
  return html`<details class="ask"><summary class="danger">Send as ${visit.user.id}…</summary><div class="question">
<p><strong>${id}</strong> may write. It is called at ${where}, with what the form has now.${limit}</p>
<div class="actions"><button class="danger" name="confirmed" value="yes" formaction="${to('send')}">Send</button>${saving}</div></div></details>`;
}

export const tryArea: Area = {
  id: 'try',
  title: 'Try it',
  path: '/try',
  grant: 'read',
  routes: [
    pageRoute('/try', list),
    pageRoute('/try/:id', open),
    actionRoute('/try/:id', 'try.prepare', edit, 'read'),
    // Whether further grants are needed depends on the operation.
    actionRoute('/try/:id/send', 'try.send', send, 'read'),
    actionRoute('/try/:id/save', 'try.save', save, 'payload'),
  ],
};
