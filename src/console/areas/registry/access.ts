import {
  ANYONE,
  type Chain,
  callerOfRole,
  judge,
  type Link,
  listCallers,
  whatIsMissing,
  whoMay,
} from '../../../security/grants.ts';
import { thingsOf } from '../../built.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { link, number, section, table } from '../../parts.ts';
import type { Visit } from '../../route.ts';
import { placeLink } from './sources.ts';
import { linkTo } from './things.ts';

/** Maximum number of listed callers. */
const MOST = 100;

interface Row extends Partial<Link> {
  readonly who: string;
}

const COLUMNS = [
  { title: 'Who', cell: ({ who }: Row) => who },
  { title: 'Because', kind: 'wide' as const, cell: ({ because }: Row) => because ?? '' },
  { title: 'Declared in', kind: 'code' as const, cell: ({ at }: Row) => (at === undefined ? '' : placeLink(at)) },
];

const chainTable = (of: string, chains: readonly Chain[]): Html =>
  table(of, COLUMNS.slice(1), chains.flat() as Row[], { empty: 'Nothing grants it.' });

/**
 * Who may use something, and by which definitions, as `signalbox who-can` reports it. @param granted the definition, or the id
 * of a flow
 */
export async function whoMayUse({ ports: { registry }, may }: Visit, granted: object | string): Promise<Html> {
  const thing = (await thingsOf(registry)).byGranted.get(granted);
  if (thing === undefined) return NOTHING;
  // Only those who manage users may see their names.
  const callers = may('users')
    ? listCallers(registry, registry.users.values())
    : [...[...registry.roles.values()].map(callerOfRole), ...listCallers(registry, [])];
  const answer = whoMay(registry, callers, thing);
  const open = judge(ANYONE, thing);
  const openChains = open.needs.flatMap(({ chains }) => chains);
  const reached =
    answer.reached.length === 0
      ? NOTHING
      : html`<h3>Operations that run as a role use it too</h3>${chainTable('Operations that use it as a role', answer.reached)}`;
  const body = (): Html => {
    if (answer.public)
      return html`<p>Everyone, without credentials.</p>${chainTable('Why everyone may use it', openChains)}`;
    if (answer.operations !== undefined)
      return html`<p>No list restricts it. ${
        answer.operations.length === 0
          ? 'Only code reaches it.'
          : html`Whoever may call one of its operations may use it: ${answer.operations
              .slice(0, MOST)
              .map((id, index) => html`${index === 0 ? '' : ', '}${link('/registry', id, { q: id })}`)}.`
      }</p>`;
    if (answer.callers.length === 0)
      return html`<p>No one of the definitions. Needed:</p>${chainTable('What is needed', whatIsMissing(registry, thing, open))}${reached}`;
    const rows = answer.callers.slice(0, MOST).flatMap(({ caller, needs }) =>
      needs
        .flatMap(({ chains }) => chains)
        .flat()
        .map((each, index): Row => ({ who: index === 0 ? caller : '', ...each })),
    );
    const rest = answer.callers.length - MOST;
    return html`${table('Who may use it', COLUMNS, rows, { empty: '' })}${
      rest > 0
        ? html`<p class="hint">And ${number(rest)} more: ${link('/users/who-can', 'see who can', { thing: `${thing.kind}:${thing.id}` })}.</p>`
        : NOTHING
    }${reached}`;
  };
  const roles = [...registry.roles.values()].filter((role) => judge(callerOfRole(role), thing).may);
  const ofRoles =
    answer.public || answer.operations !== undefined || roles.length === 0 || !may('users')
      ? NOTHING
      : html`<p>Users of the database may use it with the role ${roles.map((role, index) => html`${index === 0 ? '' : ' or '}${linkTo('roles', role)}`)}.</p>`;
  return section('Who may use it', html`${body()}${ofRoles}`, 'access');
}
