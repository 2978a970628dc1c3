import { BASIC, isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import type { Place } from '../diagnostic/place.ts';
import { declarationsOf, type Linking, resolveIds } from '../linking.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';

/** What a `requires:` says. */
export interface Requirement {
  readonly schemes: readonly SecurityScheme[];
  /** False where one of them can't be told. */
  readonly complete: boolean;
  readonly at: Place;
  /** Where the entry of a scheme stands. */
  readonly entryAt: (scheme: SecurityScheme) => Place;
}

/** What callers may be asked for. */
export interface Callers {
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** What the gateway asks for where nothing else is said. */
  readonly usual?: Requirement;
}

/** The schemes there are, and which of them the gateway asks for. */
export function linkCallers(linking: Linking, schemes: ReadonlyMap<string, SecurityScheme>): Callers {
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const usual = gateway && requirementOf(linking, schemes, gateway.value);
  return usual === undefined ? { schemes } : { schemes, usual };
}

/** What a gateway, a service or an operation asks for itself; undefined where it says nothing. */
export function requirementOf(
  linking: Linking,
  schemes: ReadonlyMap<string, SecurityScheme>,
  container: { readonly requires?: string | readonly string[] },
): Requirement | undefined {
  const { places } = linking;
  const { requires } = container;
  if (requires === undefined) return undefined;
  const found = resolveIds(linking, 'scheme', schemes, container, 'requires');
  const at = places.value(container, 'requires');
  const entryAt = ({ id }: SecurityScheme): Place =>
    typeof requires === 'string' ? at : places.value(requires, requires.indexOf(id));
  checkEachDecides(linking, found, entryAt);
  return { schemes: found, complete: found.length === [requires].flat().length, at, entryAt };
}

/**
 * The first scheme whose credentials are there decides, so of two that look at one place the second never does. Tokens say
 * whose they are, so those of two issuers are two places.
 */
function checkEachDecides(
  { report }: Linking,
  schemes: readonly SecurityScheme[],
  entryAt: Requirement['entryAt'],
): void {
  const seen = new Map<string, SecurityScheme>();
  for (const scheme of schemes) {
    const where = shownIn(scheme);
    const first = seen.get(where);
    if (first === undefined) seen.set(where, scheme);
    else report.raise('scheme-never-tried', { scheme: scheme.id, first: first.id, where }, entryAt(scheme));
  }
}

/** Where the credentials of a scheme stand, in words. */
function shownIn(scheme: SecurityScheme): string {
  const header = headerOf(scheme);
  if (header !== undefined) return `the header ${header.toLowerCase()}`;
  return scheme.kind === 'bearer' ? `a bearer token of ${scheme.issuer.source}` : PLACES[scheme.kind];
}

const PLACES: Readonly<Record<Exclude<SecurityScheme['kind'], 'bearer'>, string>> = {
  basic: 'Basic credentials',
  'api-key': 'a key',
  'client-certificate': 'the certificate of the connection',
  'username-token': 'the UsernameToken of a message',
  signature: 'the signature of a message',
};

/** The header of its own that a scheme's credentials stand in. */
export function headerOf(scheme: SecurityScheme): string | undefined {
  return scheme.kind === 'api-key' || scheme.kind === 'client-certificate' ? scheme.header : undefined;
}

/** What the gateway asks for. */
export function usualSchemes({ usual }: Callers): readonly SecurityScheme[] {
  return usual?.schemes ?? [BASIC];
}

/** Refuses what only the gateway's own schemes open, where none of these can be shown beside a message. */
export function checkOwnPaths({ report, places }: Linking, value: GatewayDeclared, { usual }: Callers): void {
  if (usual === undefined || !usual.complete || withoutMessages(usual.schemes).length > 0) return;
  const schemes = usual.schemes.map(({ id }) => id);
  if (value.contracts === 'private')
    report.raise('no-scheme-for-paths', { what: 'the contracts', schemes }, places.value(value, 'contracts'));
  if (value.metrics !== undefined)
    report.raise('no-scheme-for-paths', { what: '/metrics', schemes }, places.key(value, 'metrics'));
}

/** Those of an operation without a SOAP form: what stands inside a message of it is never there. */
export function withoutMessages(schemes: readonly SecurityScheme[]): readonly SecurityScheme[] {
  return schemes.filter((scheme) => !isMessageScheme(scheme));
}
