import { Fault } from '../../../model/fault.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { address, badge, heading, number, section, table } from '../../parts.ts';
import { type Area, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { DETAILS, MOST } from './details.ts';
import { find, list } from './list.ts';
import { definition, listFiles, showFile } from './sources.ts';
import { ALL_KINDS, KINDS, type Kind, linkTo, type ThingOf } from './things.ts';
import { type Use, usesOf } from './uses.ts';

/** Where a definition is used. */
function usedBy({ ports: { registry } }: Visit, thing: object): Html {
  const all = usesOf(registry, thing);
  if (all.length === 0) return NOTHING;
  const rest = all.length - MOST;
  return section(
    'Used by',
    html`${table(
      'Used by',
      [
        { title: 'Name', kind: 'code' as const, cell: ({ kind, id }: Use) => linkTo(kind, { id }) },
        { title: 'Kind', cell: ({ kind }: Use) => KINDS[kind].word },
        { title: 'As', kind: 'wide' as const, cell: ({ as }: Use) => as },
      ],
      all.slice(0, MOST),
      { empty: '' },
    )}${rest > 0 ? html`<p class="hint">And ${number(rest)} more.</p>` : NOTHING}`,
    'uses',
  );
}

/** The maps that have the definitions of a kind by their ids. */
function thingNamed<K extends Kind>({ ports: { registry } }: Visit, kind: K, id: string): ThingOf<K> | undefined {
  const { services, operations, consumers, flows, documents, queries, datasources, components } = registry;
  const { relatedContent, processes, recurrences, nodes, messageQueues, subscriptions, roles, permissionLists } =
    registry;
  const maps: { readonly [Each in Kind]: ReadonlyMap<string, ThingOf<Each>> } = {
    ...{ service: services, operation: operations, call: consumers, flow: flows, document: documents, query: queries },
    ...{ datasource: datasources, component: components, class: relatedContent, process: processes },
    ...{ recurrence: recurrences, node: nodes, queue: messageQueues, subscription: subscriptions },
    ...{ role: roles, list: permissionLists },
  };
  return (maps[kind] as ReadonlyMap<string, ThingOf<K>>).get(id);
}

/** Shows a definition. @param kinds those whose pages have the path, of which an id means the first that has it */
async function show(visit: Visit, kinds: readonly Kind[]): Promise<Reply> {
  const id = visit.params.id as string;
  for (const kind of kinds) {
    const thing = thingNamed(visit, kind, id);
    if (thing !== undefined) return await showThing(visit, kind, thing);
  }
  throw Fault.of('NOT_FOUND', { what: `${KINDS[kinds[0] as Kind].word} ${id}` });
}

async function showThing<K extends Kind>(visit: Visit, kind: K, thing: ThingOf<K>): Promise<Reply> {
  const { id, description, at } = thing;
  const off = 'active' in thing && thing.active === false ? badge('idle', 'not active') : NOTHING;
  const open = 'public' in thing && thing.public === true && kind !== 'component' ? badge('warn', 'public') : NOTHING;
  const details = await DETAILS[kind](visit, thing);
  return page(
    id,
    html`${heading(id, {
      about: html`<a href="${address('/registry', { kind })}">${KINDS[kind].word}</a> ${off} ${open}${description === undefined ? NOTHING : html`<br>${description}`}`,
    })}
${details}
${usedBy(visit, thing)}
${definition(visit, at)}`,
  );
}

/** The paths of pages with the kinds that share them. */
const PATHS = Map.groupBy(ALL_KINDS, (kind) => KINDS[kind].path);

/** Everything that is declared. */
export const registryArea: Area = {
  id: 'registry',
  title: 'Registry',
  path: '/registry',
  grant: 'read',
  routes: [
    pageRoute('/registry', list),
    pageRoute('/find', find),
    pageRoute('/registry/files', listFiles),
    pageRoute('/registry/files/:file', showFile),
    ...[...PATHS].map(([path, kinds]) => pageRoute(`/registry/${path}/:id`, (visit) => show(visit, kinds))),
  ],
};
