import { isMessageScheme, isRequestScheme, type Role, type SecurityScheme } from '../../model/security.ts';
import { type Answer, finalAnswer, reachedBy } from '../../model/service.ts';
import { type Linking, refuseKey, resolveKey } from '../linking.ts';
import { type GrantSources, type Grants, grantsOf, refuseGrantOfPublic } from '../security/grants.ts';
import { type Callers, headerOf, requirementOf, usualSchemes, withoutMessages } from '../security/requirements.ts';
import { saidHeaders } from './request.ts';
import type { OperationSpot } from './spot.ts';
import { callPlace } from './version-answer.ts';

/** Who may call: the lists in `permission:` and those that list the operation. The operation overrides its service. */
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

/** Other facts about the operation. */
interface Forms {
  readonly rest: boolean;
  readonly soap: boolean;
  readonly isPublic: boolean;
}

/** The schemes of an operation: its own, or else its service's, or else the gateway's. */
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
    const why = `${id} is public, so its callers need no credentials`;
    if (own?.complete === true) refuseKey(linking, declared, 'requires', id, why);
    return schemes;
  }
  const overRest = withoutMessages(schemes);
  const [webhook] = schemes;
  if (forms.soap && said?.complete === true && webhook !== undefined && schemes.every(isRequestScheme))
    report.raise('no-scheme-over-soap', { operation: id, scheme: webhook.id }, said.at);
  const asked = forms.soap ? schemes : overRest;
  // A rejected part may have required other schemes.
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

/** A header with credentials can't fill a field, which handlers see and logs contain. */
function checkHeaders({ report, places }: Linking, spot: OperationSpot, schemes: readonly SecurityScheme[]): void {
  for (const scheme of schemes) {
    const name = headerOf(scheme)?.toLowerCase();
    for (const { header, container } of saidHeaders(spot)) {
      if (header.toLowerCase() !== name) continue;
      const reason = `contains the credentials of scheme ${scheme.id} and can't be bound to a field`;
      report.raise('bad-header', { header, reason }, places.key(container, header));
    }
  }
}

/** Answers that may use anything. */
const RUNS_CODE: ReadonlySet<Answer['kind']> = new Set(['handler', 'delivered'] as const);

/** `as: ROLE`: the role that replaces the caller's own for what the operation uses; `undefined` when it does not exist. */
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
  if (
    role === undefined ||
    reached === undefined ||
    spot.lacks('query', 'save', 'read', 'call', 'queue', 'reply-of', 'handler')
  )
    return role;
  const isCode = answer.kind === 'version' && RUNS_CODE.has(finalAnswer(answer.operation).kind);
  if (!isCode && reached.every(({ thing }) => thing.public))
    refuseKey(linking, declared, 'as', id, `nothing that answers ${id} needs a grant`);
  for (const { kind, thing } of reached) {
    const isGranted = thing.public || thing.permissions.some((list) => role.permissionLists.includes(list));
    if (isGranted || thing.permissions.length === 0) continue;
    const words = kind === 'consumer' ? 'operation' : kind;
    const reason = { operation: id, role: role.id, thing: `${words} ${thing.id}` };
    report.raise('role-not-granted', reason, places.value(declared, 'as'));
  }
  return role;
}

const CODES = {
  query: 'bad-query-answer',
  component: 'bad-save',
  consumer: 'bad-call-answer',
  operation: 'bad-call-answer',
} as const;

/** An operation and what answers it are granted separately, and callers without credentials have no permission lists. */
export function checkReachedPublic(linking: Linking, spot: OperationSpot, answer: Answer): void {
  const { report, places } = linking;
  const { id, declared } = spot;
  const key = answer.kind !== 'component' ? 'query' : answer.action === 'read' ? 'read' : 'save';
  for (const { kind, thing } of reachedBy(answer) ?? []) {
    if (thing.public || thing.permissions.length === 0) continue;
    const reason = `${id} is public but ${thing.id} is not, so no one could call it`;
    if (answer.kind === 'version') report.raise('bad-call-answer', { reason }, callPlace(linking, spot));
    else
      report.raise(
        CODES[kind],
        { reason },
        kind === 'consumer' ? places.value(declared, 'call') : places.key(declared, key),
      );
  }
}

/** Reports classes of a component that would not run although the operation saves for everyone. */
export function checkGuardedClasses(
  { report, places }: Linking,
  { id, declared }: OperationSpot,
  answer: Answer,
): void {
  if (answer.kind !== 'component' || answer.action === 'read') return;
  for (const { service, enabled, as } of answer.component.events) {
    if (!enabled || as !== undefined || service.public || service.permissions.length === 0) continue;
    const reason = `${id} is public but ${service.id} is not, so it would never run after a save by ${id}`;
    report.raise('bad-save', { reason }, places.key(declared, 'save'));
  }
}
