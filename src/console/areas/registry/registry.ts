import type { Thing, ThingOf } from '../../../kinds/kind.ts';
import { PAGED, type Paged, pagesOf, slugOf } from '../../../kinds/kinds.ts';
import { messagesOf } from '../../../kinds/services.ts';
import type { Document } from '../../../model/document.ts';
import { Fault } from '../../../model/fault.ts';
import { type FieldType, singleType } from '../../../model/field.ts';
import { nodesOf } from '../../../model/message.ts';
import type { Registry } from '../../../model/registry.ts';
import { type Message, type Operation, operationsOf } from '../../../model/service.ts';
import { faultDocuments } from '../../../model/soap.ts';
import { builtOnce, thingsOf } from '../../built.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { address, badge, heading, number, section, table } from '../../parts.ts';
import { type Area, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { DETAILS, MOST } from './details.ts';
import { find, indexOf, list } from './list.ts';
import { definition, listFiles, showFile } from './sources.ts';
import { linkTo, wordOf } from './things.ts';

/** A place that refers to a definition. */
interface Use {
  readonly member: Paged;
  readonly id: string;
  /** How it refers to the definition: `request`, `field LOC_DATA`, `step 2`. */
  readonly as: string;
}

/** By the definition that is referred to. */
type Uses = ReadonlyMap<object, readonly Use[]>;

/** All uses of definitions. */
const usesOf = builtOnce(function* (registry: Registry): Generator<void, Uses> {
  const uses = new Map<object, Use[]>();
  const from =
    (member: Paged, { id }: { readonly id: string }) =>
    (thing: object | undefined, as: string): void => {
      if (thing === undefined) return;
      const all = uses.get(thing) ?? [];
      // Uses by one definition are adjacent, so only the last entries can contain a repetition.
      for (let index = all.length - 1; all[index]?.member === member && all[index]?.id === id; index--)
        if (all[index]?.as === as) return;
      all.push({ member, id, as });
      uses.set(thing, all);
    };
  for (const operation of registry.operations.values()) {
    const use = from('operations', operation);
    ofMessage(operation.request, 'request', use);
    for (const { mediaType, message } of operation.responses) ofMessage(message, `response ${mediaType}`, use);
    for (const fault of faultDocuments(operation)) ofDocument(fault, 'fault', use);
    ofAnswer(operation, use);
    use(operation.as, 'runs as');
    for (const list of operation.permissions) use(list, 'granted by');
    yield;
  }
  for (const operation of registry.consumers.values()) {
    const use = from('consumers', operation);
    const [request, ...replies] = messagesOf(operation);
    if (request !== undefined) ofMessage(request, 'request', use);
    if (operation.kind === 'rest' && operation.body.kind === 'document')
      ofDocument(operation.body.document, 'request', use);
    for (const reply of replies) ofMessage(reply, 'response', use);
    for (const fault of faultDocuments(operation)) ofDocument(fault, 'fault', use);
    use(operation.target, 'target');
    for (const list of operation.permissions) use(list, 'granted by');
    yield;
  }
  for (const flow of registry.flows.values())
    for (const [index, { operation }] of flow.steps.entries()) from('flows', flow)(operation, `step ${index + 1}`);
  for (const document of registry.documents.values()) {
    if (!document.inPlace) ofFields(document, from('documents', document), 'field ');
    yield;
  }
  for (const query of registry.queries.values()) {
    const use = from('queries', query);
    use(query.datasource, 'reads from');
    for (const child of query.children) use(child.query, 'child');
    for (const list of query.permissions) use(list, 'granted by');
  }
  for (const component of registry.components.values()) {
    const use = from('components', component);
    ofDocument(component.shape, 'shape', use);
    for (const { service, event, as } of component.events) {
      use(service, event);
      use(as, `runs ${service.id} as`);
    }
    use(component.afterSave?.as, 'runs after saves as');
    for (const { operation } of component.publications) {
      use(operation, 'publishes');
      if (operation.answer.kind === 'queue') use(operation.answer.queue, 'publishes to');
    }
    for (const list of component.permissions) use(list, 'granted by');
  }
  for (const each of registry.relatedContent.values())
    for (const list of each.permissions) from('relatedContent', each)(list, 'granted by');
  for (const process of registry.processes.values()) {
    const use = from('processes', process);
    if (process.answer.kind === 'query') use(process.answer.query, 'runs');
    use(process.recurs, 'recurs');
    for (const list of process.permissions) use(list, 'granted by');
  }
  for (const subscription of registry.subscriptions.values()) {
    const use = from('subscriptions', subscription);
    use(subscription.operation, 'subscribes to');
    if (subscription.operation.answer.kind === 'queue') use(subscription.operation.answer.queue, 'takes from');
    if (subscription.target.kind === 'call') use(subscription.target.call, 'delivers to');
    for (const node of nodesOf(subscription)) use(node, 'delivers to');
    use(subscription.as, 'runs as');
  }
  for (const role of registry.roles.values()) for (const list of role.permissionLists) from('roles', role)(list, 'has');
  return uses;
});

type Note = (thing: object | undefined, as: string) => void;

function ofAnswer({ answer }: Operation, use: Note): void {
  switch (answer.kind) {
    case 'query':
      use(answer.query, 'answered by');
      return;
    case 'queries':
      for (const { query, field } of answer.lists) use(query, `fills ${field.name}`);
      return;
    case 'component':
      use(answer.component, answer.action === 'read' ? 'reads' : 'saves');
      return;
    case 'call':
      use(answer.call, 'calls');
      for (const operation of operationsOf(answer.call)) use(operation, 'calls');
      return;
    case 'version':
      use(answer.operation, 'answered by');
      return;
    case 'queue':
      use(answer.queue, 'publishes');
      for (const node of answer.replyTo?.nodes ?? []) use(node, 'replies to');
  }
}

function ofMessage(message: Message, as: string, use: Note): void {
  if (message.kind === 'document') ofDocument(message.document, as, use);
}

/** Records the use of a document or, for a document that is declared in place, of the documents that it refers to. */
function ofDocument(document: Document, as: string, use: Note): void {
  if (document.inPlace) ofFields(document, use, `${as}, field `);
  else use(document, as);
}

function ofFields({ fields }: Document, use: Note, before: string): void {
  for (const { name, type } of fields) ofType(type, `${before}${name}`, use);
}

function ofType(type: FieldType, as: string, use: Note): void {
  const single = singleType(type);
  if (single.kind === 'document') ofDocument(single.document, as, use);
}

/** The uses of a definition. */
async function usedBy({ ports: { registry } }: Visit, thing: object): Promise<Html> {
  const all = (await usesOf(registry)).get(thing) ?? [];
  if (all.length === 0) return NOTHING;
  const rest = all.length - MOST;
  return section(
    'Used by',
    html`${table(
      'Used by',
      [
        { title: 'Name', kind: 'code' as const, cell: ({ member, id }: Use) => linkTo(member, { id }) },
        { title: 'Kind', cell: ({ member }: Use) => wordOf(member) },
        { title: 'As', kind: 'wide' as const, cell: ({ as }: Use) => as },
      ],
      all.slice(0, MOST),
      { empty: '' },
    )}${rest > 0 ? html`<p class="hint">And ${number(rest)} more.</p>` : NOTHING}`,
    'uses',
  );
}

/** Shows a definition. @param members those whose pages share the path; the first one with the id is shown */
async function show(visit: Visit, members: readonly Paged[]): Promise<Reply> {
  const id = visit.params.id as string;
  for (const member of members) {
    const thing = visit.ports.registry[member].get(id);
    if (thing !== undefined) return await showThing(visit, member, thing as ThingOf<typeof member> & Thing);
  }
  throw Fault.of('NOT_FOUND', { what: `${wordOf(members[0] as Paged)} ${id}` });
}

async function showThing<M extends Paged>(visit: Visit, member: M, thing: ThingOf<M> & Thing): Promise<Reply> {
  const { id, description, at } = thing;
  const off = 'active' in thing && thing.active === false ? badge('idle', 'not active') : NOTHING;
  const open =
    'public' in thing && thing.public === true && member !== 'components' ? badge('warn', 'public') : NOTHING;
  const details = await DETAILS[member](visit, thing);
  return page(
    id,
    html`${heading(id, {
      about: html`<a href="${address('/registry', { kind: slugOf(member) })}">${wordOf(member)}</a> ${off} ${open}${description === undefined ? NOTHING : html`<br>${description}`}`,
    })}
${details}
${await usedBy(visit, thing)}
${definition(visit, at)}`,
    member === 'operations' || member === 'consumers' ? { charts: true } : {},
  );
}

/** The paths of pages, with the members that share each. */
const PATHS = Map.groupBy(PAGED, (member) => pagesOf(member).path);

/** Everything that is declared. */
export const registryArea: Area = {
  id: 'registry',
  title: 'Registry',
  path: '/registry',
  grant: 'read',
  prepare: (registry) => Promise.all([indexOf(registry), thingsOf(registry), usesOf(registry)]),
  routes: [
    pageRoute('/registry', list),
    pageRoute('/find', find),
    pageRoute('/registry/files', listFiles),
    pageRoute('/registry/files/:file', showFile),
    ...[...PATHS].map(([path, members]) => pageRoute(`/registry/${path}/:id`, (visit) => show(visit, members))),
  ],
};
