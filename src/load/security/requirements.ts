import { BASIC, isMessageScheme, isRequestScheme, type SecurityScheme } from '../../model/security.ts';
import { WEBHOOK_HEADERS } from '../../wire/webhook.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { declarationsOf, type Linking, resolveIds } from '../linking.ts';
import { eachOnce } from '../object.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';

/** The contents of `requires:`. */
interface Requirement {
  readonly schemes: readonly SecurityScheme[];
  /** False when one of them is not known. */
  readonly complete: boolean;
  readonly at: Place;
  /** The place of the entry of a scheme. */
  readonly entryAt: (scheme: SecurityScheme) => Place;
}

/** The ways in which callers may authenticate. */
export interface Callers {
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** The schemes of the gateway, which are the default. */
  readonly usual?: Requirement;
}

/** All schemes, and those of the gateway. */
export function linkCallers(linking: Linking, schemes: ReadonlyMap<string, SecurityScheme>): Callers {
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const usual = gateway && requirementOf(linking, schemes, gateway.value);
  return usual === undefined ? { schemes } : { schemes, usual };
}

/** The `requires:` of a gateway, a service or an operation; `undefined` without one. */
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
 * The first scheme whose credentials are present decides, so a second one that uses the same place never does. Tokens name
 * their issuer, so those of two issuers are in different places.
 */
function checkEachDecides(
  { report }: Linking,
  schemes: readonly SecurityScheme[],
  entryAt: Requirement['entryAt'],
): void {
  eachOnce(schemes, shownIn, (scheme, { id: first }) =>
    report.raise('scheme-never-tried', { scheme: scheme.id, first, where: shownIn(scheme) }, entryAt(scheme)),
  );
}

/** The place of a scheme's credentials, in words. */
function shownIn(scheme: SecurityScheme): string {
  const header = headerOf(scheme);
  if (header !== undefined) return `the header ${header.toLowerCase()}`;
  return scheme.kind === 'bearer' ? `a bearer token of ${scheme.issuer.source}` : SHOWN_IN[scheme.kind];
}

const SHOWN_IN: Readonly<Record<Exclude<SecurityScheme['kind'], 'bearer'>, string>> = {
  basic: 'Basic credentials',
  'api-key': 'a key',
  'client-certificate': 'the certificate of the connection',
  'username-token': 'the UsernameToken of a message',
  signature: 'the signature of a message',
  webhook: 'the signature of a webhook',
  hmac: 'the signature of a webhook',
};

/** The keys of a scheme that are its kind. */
export const KIND_KEYS = ['bearer', ...Object.keys(SHOWN_IN)] as readonly SecurityScheme['kind'][];

/** The header of its own in which a scheme's credentials are sent. */
export function headerOf(scheme: SecurityScheme): string | undefined {
  if (scheme.kind === 'webhook') return WEBHOOK_HEADERS.signature;
  return 'header' in scheme ? scheme.header : undefined;
}

/** The schemes of the gateway. */
export function usualSchemes({ usual, schemes }: Callers): readonly SecurityScheme[] {
  return usual?.schemes ?? [schemes.get(BASIC.id) as SecurityScheme];
}

/** Refuses settings that need the gateway's own schemes, when all of these are parts of a message. */
export function checkOwnPaths({ report, places }: Linking, value: GatewayDeclared, { usual }: Callers): void {
  if (
    usual === undefined ||
    !usual.complete ||
    withoutMessages(usual.schemes).some((scheme) => !isRequestScheme(scheme))
  )
    return;
  const schemes = usual.schemes.map(({ id }) => id);
  if (value.contracts === 'private')
    report.raise('no-scheme-for-paths', { what: 'the contracts', schemes }, places.value(value, 'contracts'));
  if (value.metrics !== undefined)
    report.raise('no-scheme-for-paths', { what: '/metrics', schemes }, places.key(value, 'metrics'));
}

/** The schemes of an operation without a SOAP form, which has no messages. */
export function withoutMessages(schemes: readonly SecurityScheme[]): readonly SecurityScheme[] {
  return schemes.filter((scheme) => !isMessageScheme(scheme));
}
