import { isMessageScheme, type Role, type SecurityScheme } from '../../model/security.ts';
import { type Answer, reachedBy } from '../../model/service.ts';
import { type Linking, refuseKey, resolveKey } from '../linking.ts';
import { type GrantSources, type Grants, grantsOf, refuseGrantOfPublic } from '../security/grants.ts';
import { type Callers, headerOf, requirementOf, usualSchemes, withoutMessages } from '../security/schemes.ts';
import { saidHeaders } from './request.ts';
import type { OperationSpot } from './spot.ts';

/** Who may call: what `permission:` names and what lists add; the operation's own word stands above its service's. */
export function linkGrants(
  linking: Linking,
  sources: GrantSources,
  spot: OperationSpot,
  delivered: boolean,
): Grants & { readonly public: boolean } {
  const { declared, service, id, at } = spot;
  for (const container of [declared, service]) refuseGrantOfPublic(linking, container);
  const speaks = declared.permission !== undefined || declared.public !== undefined ? declared : service;
  const holder = declared.permission !== undefined ? declared : service;
  if (speaks.public === true) return { permissions: [], grantedAt: new Map(), public: true };
  const lacks = holder.permission === undefined && !sources.added.has(id);
  if (lacks && !spot.lacks('permission', 'public') && !delivered)
    linking.report.raise('not-granted', { what: id, kind: 'operation' }, at);
  return { ...grantsOf(linking, sources, id, holder), public: false };
}

/** What else is known of the operation. */
interface Forms {
  readonly rest: boolean;
  readonly soap: boolean;
  readonly isPublic: boolean;
}

/** What callers of an operation show: its own word, or else its service's, or else the gateway's. */
export function linkRequires(
  linking: Linking,
  callers: Callers,
  spot: OperationSpot,
  forms: Forms,
): readonly SecurityScheme[] {
  const { report } = linking;
  const { id, declared, service } = spot;
  const own = requirementOf(linking, callers.schemes, declared);
  const said = own ?? requirementOf(linking, callers.schemes, service) ?? callers.usual;
  const schemes = said?.schemes ?? usualSchemes(callers);
  if (forms.isPublic) {
    const why = `${id} is public, and its callers are asked for nothing`;
    if (own?.complete === true) refuseKey(linking, declared, 'requires', id, why);
    return schemes;
  }
  const overRest = withoutMessages(schemes);
  const asked = forms.soap ? schemes : overRest;
  // What was refused may have asked for something else.
  if (own === undefined && spot.lacks('requires')) return asked;
  if (forms.rest) checkHeaders(linking, spot, schemes);
  if (own !== undefined && !forms.soap) {
    if (spot.lacks('soap')) return asked;
    for (const scheme of schemes.filter(isMessageScheme))
      report.raise('scheme-without-soap', { scheme: scheme.id, operation: id }, own.entryAt(scheme));
  } else if (forms.rest && said?.complete === true && overRest.length === 0) {
    const named = schemes.map((scheme) => scheme.id);
    report.raise('no-scheme-over-rest', { operation: id, schemes: named, soap: forms.soap }, said.at);
  }
  return asked;
}

/** A header that holds credentials fills no field: what is in it would be shown to code, and logged. */
function checkHeaders({ report, places }: Linking, spot: OperationSpot, schemes: readonly SecurityScheme[]): void {
  for (const scheme of schemes) {
    const name = headerOf(scheme)?.toLowerCase();
    for (const { header, container } of saidHeaders(spot)) {
      if (header.toLowerCase() !== name) continue;
      const reason = `holds what ${scheme.id} asks for, and can't be tied to a field`;
      report.raise('bad-header', { header, reason }, places.key(container, header));
    }
  }
}

/** `as: ROLE`: the role that stands in the caller's place for what answers. Undefined where there is none of that name. */
export function linkAs(
  linking: Linking,
  roles: ReadonlyMap<string, Role>,
  spot: OperationSpot,
  answer: Answer,
): Role | undefined {
  const { declared, id } = spot;
  const { report, places } = linking;
  const role = resolveKey(linking, 'role', roles, declared, 'as');
  const reached = reachedBy(answer);
  if (role === undefined || reached === undefined || spot.lacks('query', 'save', 'read', 'call', 'handler'))
    return role;
  if (reached.every(({ thing }) => thing.public))
    refuseKey(linking, declared, 'as', id, `what answers ${id} needs no grant of its own`);
  for (const { kind, thing } of reached) {
    const isGranted = thing.public || thing.permissions.some((list) => role.permissionLists.includes(list));
    if (isGranted || thing.permissions.length === 0) continue;
    const words = kind === 'consumer' ? 'operation' : kind;
    const reason = { operation: id, role: role.id, thing: `${words} ${thing.id}` };
    report.raise('role-not-granted', reason, places.value(declared, 'as'));
  }
  return role;
}

const CODES = { query: 'bad-query-answer', component: 'bad-save', consumer: 'bad-call-answer' } as const;

/** Operation and what answers it are granted each by itself: who shows no credentials holds no list for that. */
export function checkReachedPublic({ report, places }: Linking, { id, declared }: OperationSpot, answer: Answer): void {
  const key = answer.kind !== 'component' ? 'query' : answer.action === 'read' ? 'read' : 'save';
  for (const { kind, thing } of reachedBy(answer) ?? []) {
    if (thing.public || thing.permissions.length === 0) continue;
    const reason = `${id} is public and ${thing.id} is not, so that nobody could call it`;
    const at = kind === 'consumer' ? places.value(declared, 'call') : places.key(declared, key);
    report.raise(CODES[kind], { reason }, at);
  }
}

/** Whom the classes of a component would not run for, though the operation saves for all. */
export function checkGuardedClasses(
  { report, places }: Linking,
  { id, declared }: OperationSpot,
  answer: Answer,
): void {
  if (answer.kind !== 'component' || answer.action === 'read') return;
  for (const { service, enabled } of answer.component.events) {
    if (!enabled || service.public || service.permissions.length === 0) continue;
    const reason = `${id} is public and ${service.id} is not, so that it would never run after what ${id} saves`;
    report.raise('bad-save', { reason }, places.key(declared, 'save'));
  }
}
