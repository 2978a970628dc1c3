import type { ConfigText } from '../../model/definition.ts';
import {
  BASIC,
  type BearerScheme,
  DIGEST_ALGORITHMS,
  isMessageScheme,
  type Role,
  type SecurityScheme,
  SIGNATURE_ALGORITHMS,
} from '../../model/security.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { byId, declarationsOf, type Linking, resolveIds } from '../linking.ts';
import { eachOnce, given } from '../object.ts';
import type { Declaration } from '../read/declaration.ts';
import type { GatewayDeclared } from '../schema/gateway.ts';
import type { BearerDeclared, SchemeDeclared, SignatureDeclared } from '../schema/scheme.ts';
import { linkFile, linkUrl, secureEndpointFault, writtenFault } from '../value/address.ts';
import { parseConfigText } from '../value/config-text.ts';
import { isTaken } from '../value/headers.ts';
import { linkDuration } from '../value/units.ts';
import { placesOf } from './grants.ts';

const KEYS = ['basic', 'api-key', 'bearer', 'client-certificate', 'username-token', 'signature'] as const;

/** A scheme without what its definition has in common with the others. */
type Kind = SecurityScheme extends infer S ? (S extends SecurityScheme ? Omit<S, 'id' | 'description'> : never) : never;

/** Links every scheme, with the one that needs no definition. */
export function linkSchemes(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, SecurityScheme> {
  const schemes = declarationsOf<SchemeDeclared>(linking, 'scheme').flatMap((declaration): SecurityScheme[] => {
    const { id, value, at } = declaration;
    if (id === BASIC.id) {
      const why = 'the scheme basic is HTTP Basic, and needs no definition';
      linking.report.raise('reserved-name', { name: id, why }, at);
      return [];
    }
    const kind = linkKind(linking, declaration, roles);
    if (kind === undefined) linking.declared.reject('scheme', id);
    return kind === undefined ? [] : [{ id, ...given({ description: value.description }), ...kind }];
  });
  return byId([BASIC, ...schemes]);
}

/** The one thing that a caller shows; undefined where that can't be told, which has been reported. */
function linkKind(
  linking: Linking,
  { id, value, at }: Declaration<SchemeDeclared>,
  roles: ReadonlyMap<string, Role>,
): Kind | undefined {
  const { report, places } = linking;
  const [first, second] = Object.keys(value).filter((key) => (KEYS as readonly string[]).includes(key));
  if (first === undefined) {
    if (!linking.doubt.about(value, ...KEYS)) report.raise('one-scheme', { scheme: id, said: [] }, at);
    return undefined;
  }
  if (second !== undefined)
    report.raise('one-scheme', { scheme: id, said: [first, second] }, places.key(value, second));
  switch (first as (typeof KEYS)[number]) {
    case 'basic':
      return { kind: 'basic' };
    case 'api-key':
      return { kind: 'api-key', header: linkHeader(linking, value['api-key']) ?? '' };
    case 'bearer':
      return value.bearer && linkBearer(linking, id, value.bearer, roles);
    case 'client-certificate':
      return { kind: 'client-certificate', ...given({ header: linkHeader(linking, value['client-certificate']) }) };
    case 'username-token': {
      const token = value['username-token'] ?? {};
      const maxAge = linkDuration(linking, token, 'username-token.max-age', LONGEST_AGE) ?? MAX_AGE;
      return { kind: 'username-token', passwords: token.passwords ?? ['text', 'digest'], maxAge };
    }
    case 'signature':
      return value.signature && linkSignature(linking, value.signature);
  }
}

const MAX_AGE = 5 * 60_000;
/** Who has read a message along the way has as long to be the first to show it to another gateway. */
const LONGEST_AGE = { amount: 3_600_000, words: 'from 1 ms to 1 h' };

/** A header that holds credentials: none that means something else. */
function linkHeader({ report, places }: Linking, holder: { readonly header?: string } | undefined): string | undefined {
  const header = holder?.header;
  if (header !== undefined && isTaken(header.toLowerCase()))
    report.raise('scheme-header', { header }, places.value(holder as object, 'header'));
  return header;
}

function linkSignature(linking: Linking, declared: SignatureDeclared): Kind {
  const taken = (key: 'algorithms' | 'digests', uris: Readonly<Record<string, string>>, usual: string): string[] =>
    (linkAlgorithms(linking, declared, key, `signature.${key}`, Object.keys(uris)) ?? [usual]).map(
      (word) => uris[word] as string,
    );
  return {
    kind: 'signature',
    algorithms: taken('algorithms', SIGNATURE_ALGORITHMS, 'rsa-sha256'),
    digests: taken('digests', DIGEST_ALGORITHMS, 'sha256'),
    maxAge: linkDuration(linking, declared, 'signature.max-age', LONGEST_AGE) ?? MAX_AGE,
    ...given({ caFile: declared.ca === undefined ? undefined : linkFile(linking, declared, 'ca') }),
  };
}

/** Clocks that differ by more are set wrong, and every token holds so much longer than its issuer says. */
const LONGEST_TOLERANCE = { amount: 600_000, words: 'from 1 ms to 10 min' };

/** How tokens of one issuer are checked, and which roles they give. */
function linkBearer(
  linking: Linking,
  id: string,
  bearer: BearerDeclared,
  roles: ReadonlyMap<string, Role>,
): Omit<BearerScheme, 'id' | 'description'> {
  const users = bearer.users ?? 'any';
  const given = Object.keys(bearer.roles ?? {});
  if (users === 'any' && given.length === 0 && !linking.doubt.about(bearer, 'roles', 'users')) {
    const { report, places } = linking;
    report.raise('tokens-without-roles', { scheme: id }, places.key(bearer, 'issuer'));
  }
  const held = new Map(
    given.map((value) => [value, resolveIds(linking, 'role', roles, bearer.roles as object, value)]),
  );
  return {
    kind: 'bearer',
    issuer: parseConfigText(bearer.issuer).text,
    audience: [bearer.audience].flat().map((each) => parseConfigText(each).text),
    jwks: linkKeySet(linking, bearer),
    algorithms: linkAlgorithms(linking, bearer, 'algorithms', 'bearer.algorithms', TOKEN_ALGORITHMS) ?? ['RS256'],
    scopes: bearer.scopes ?? [],
    tolerance: linkDuration(linking, bearer, 'bearer.tolerance', LONGEST_TOLERANCE) ?? 30_000,
    user: bearer.user ?? 'sub',
    users,
    claim: bearer.claim ?? 'scope',
    roles: held,
    grantedAt: new Map([...held].map(([value, all]) => [value, placesOf(linking, bearer.roles as object, value, all)])),
  };
}

/** Where the keys of an issuer come from, checked as far as it is written out. */
function linkKeySet(linking: Linking, bearer: BearerDeclared): ConfigText {
  const at = linking.places.value(bearer, 'jwks');
  const instead = 'Key sets are public: take it from an address that asks for nothing.';
  return linkUrl(linking, bearer.jwks, at, { what: 'A password of the address', instead }, (text) => {
    const reason = writtenFault(text, keySetFault);
    if (reason !== undefined) linking.report.raise('bad-address', { name: 'jwks', reason }, at);
  });
}

/** Why something can't be a key set that is trusted; undefined where it can. */
function keySetFault(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
    const inside = !text.startsWith('/') && !text.split(/[/\\]/).includes('..');
    return inside ? undefined : `${text} is a file outside the project`;
  }
  return secureEndpointFault(text, 'who stands on the way could put keys of their own in it');
}

/** Signature algorithms of tokens: asymmetric ones alone (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864). */
const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/**
 * The algorithms of a list that may be taken; others are reported, with why.
 * @param key where the list stands in `container`
 * @param known those that may be taken
 */
function linkAlgorithms<W extends string>(
  { report, places }: Linking,
  container: object,
  key: string,
  name: string,
  known: readonly W[],
): readonly W[] | undefined {
  const said = (container as Readonly<Record<string, readonly string[] | undefined>>)[key];
  return said?.flatMap((given, index) => {
    const found = known.find((each) => each === given);
    if (found !== undefined) return found;
    const at = places.value(said, index);
    const why = whyRefused(given);
    if (why === undefined) report.raise('not-one-of', { name, given, known }, at);
    else report.raise('algorithm-refused', { algorithm: given, why }, at);
    return [];
  });
}

/** What is wrong with algorithms that others take. */
function whyRefused(name: string): string | undefined {
  if (/^none$/i.test(name)) return 'it signs nothing, so that anybody could write such a token';
  if (/^(hs\d|hmac)/i.test(name)) return 'it has one key for both sides, so that whoever can check it could write it';
  if (/sha-?1$|md5$/i.test(name)) return 'two texts with one digest of that kind can be made';
  return undefined;
}

/** What a `requires:` says. */
interface Requirement {
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
  eachOnce(schemes, shownIn, (scheme, { id: first }) =>
    report.raise('scheme-never-tried', { scheme: scheme.id, first, where: shownIn(scheme) }, entryAt(scheme)),
  );
}

/** Where the credentials of a scheme stand, in words. */
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
