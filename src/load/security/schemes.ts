import type { ConfigText } from '../../model/definition.ts';
import {
  BASIC,
  type BearerScheme,
  DIGEST_ALGORITHMS,
  type Role,
  type SecurityScheme,
  SIGNATURE_ALGORITHMS,
  WEAK_ALGORITHMS,
} from '../../model/security.ts';
import { isTaken } from '../../wire/request-headers.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { byId, declarationsOf, type Linking, resolveIds } from '../linking.ts';
import { given } from '../object.ts';
import type { Declaration } from '../read/declaration.ts';
import { defaultsOf } from '../schema/json-schema.ts';
import {
  type BearerDeclared,
  bearer,
  type HmacSchemeDeclared,
  hmac,
  type SchemeDeclared,
  type SignatureDeclared,
  signature,
  usernameToken,
  type WebhookDeclared,
  webhook,
} from '../schema/scheme.ts';
import { linkFile, linkSecrets, linkUrl, secureEndpointFault, writtenFault } from '../value/address.ts';
import { parseConfigText } from '../value/config-text.ts';
import { linkDuration, milliseconds } from '../value/units.ts';
import { placesOf } from './grants.ts';
import { linkHmac } from './hmac.ts';
import { KIND_KEYS } from './requirements.ts';

/** The part of a scheme that depends on its kind. */
type Kind = SecurityScheme extends infer S ? (S extends SecurityScheme ? Omit<S, 'id' | 'description'> : never) : never;

/** Links every scheme, and adds `basic`, which needs no definition. */
export function linkSchemes(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, SecurityScheme> {
  const schemes = declarationsOf<SchemeDeclared>(linking, 'scheme').flatMap((declaration): SecurityScheme[] => {
    const { id, value, at } = declaration;
    if (id === BASIC.id) {
      const why = 'the scheme basic is HTTP Basic and needs no definition';
      linking.report.raise('reserved-name', { name: id, why }, at);
      return [];
    }
    const kind = linkKind(linking, declaration, roles);
    if (kind === undefined) linking.declared.reject('scheme', id);
    return kind === undefined ? [] : [{ id, ...given({ description: value.description }), ...kind }];
  });
  return byId([{ ...BASIC }, ...schemes]);
}

/** The one kind of a scheme; `undefined` when it is not known, which has been reported. */
function linkKind(
  linking: Linking,
  { id, value, at }: Declaration<SchemeDeclared>,
  roles: ReadonlyMap<string, Role>,
): Kind | undefined {
  const { report, places } = linking;
  const [first, second] = Object.keys(value).filter((key) => (KIND_KEYS as readonly string[]).includes(key));
  if (first === undefined) {
    if (!linking.doubt.about(value, ...KIND_KEYS)) report.raise('one-scheme', { scheme: id, said: [] }, at);
    return undefined;
  }
  if (second !== undefined)
    report.raise('one-scheme', { scheme: id, said: [first, second] }, places.key(value, second));
  switch (first as SecurityScheme['kind']) {
    case 'basic':
      return { kind: 'basic' };
    case 'api-key':
      return { kind: 'api-key', header: linkHeader(linking, value['api-key'], 'authorization') ?? '' };
    case 'bearer':
      return value.bearer && linkBearer(linking, id, value.bearer, roles);
    case 'client-certificate':
      return { kind: 'client-certificate', ...given({ header: linkHeader(linking, value['client-certificate']) }) };
    case 'username-token': {
      const token = value['username-token'] ?? {};
      const maxAge =
        linkDuration(linking, token, 'username-token.max-age', LONGEST_AGE) ?? milliseconds(TOKEN['max-age']);
      return { kind: 'username-token', passwords: token.passwords ?? ['text', 'digest'], maxAge };
    }
    case 'signature':
      return value.signature && linkSignature(linking, value.signature);
    case 'webhook':
      return value.webhook && linkWebhook(linking, value.webhook);
    case 'hmac':
      return value.hmac && linkHmacScheme(linking, value.hmac);
  }
}

const BEARER = defaultsOf(bearer);

const TOKEN = defaultsOf(usernameToken);

const SIGNATURE = defaultsOf(signature);

const WEBHOOK = defaultsOf(webhook);

const HMAC = defaultsOf(hmac);

/** Anyone who intercepts a message has this long to send it to another gateway first. */
const LONGEST_AGE = { amount: 3_600_000, words: 'from 1 ms to 1 h' };

/** The header of a scheme. It must not have another meaning. @param permitted one that is for credentials anyway */
function linkHeader(
  { report, places }: Linking,
  holder: { readonly header?: string } | undefined,
  permitted?: string,
): string | undefined {
  const header = holder?.header;
  if (header === undefined) return undefined;
  const name = header.toLowerCase();
  if (name !== permitted && isTaken(name))
    report.raise('scheme-header', { header }, places.value(holder as object, 'header'));
  return header;
}

/** The algorithms of signatures in messages that are accepted; weak ones with a warning. @param within the key that holds them */
export function linkAcceptedSignature(linking: Linking, declared: SignatureDeclared, within: string) {
  const taken = (key: 'algorithms' | 'digests', uris: Readonly<Record<string, string>>, usual: string): string[] => {
    const words = linkAlgorithms(linking, declared, key, `${within}.${key}`, Object.keys(uris)) ?? [usual];
    declared[key]?.forEach((word, index, all) => {
      warnOfWeak(linking, word, `${within}.${key}`, linking.places.value(all, index));
    });
    return words.map((word) => uris[word] as string);
  };
  return {
    algorithms: taken('algorithms', SIGNATURE_ALGORITHMS, 'rsa-sha256'),
    digests: taken('digests', DIGEST_ALGORITHMS, 'sha256'),
    maxAge: linkDuration(linking, declared, `${within}.max-age`, LONGEST_AGE) ?? milliseconds(SIGNATURE['max-age']),
  };
}

function warnOfWeak({ report }: Linking, algorithm: string, name: string, at: Place): void {
  if (WEAK_ALGORITHMS.has(algorithm)) report.raise('weak-algorithm', { algorithm, name }, at);
}

/** The URI of one algorithm of a table; `undefined` for one that was not declared, or is not allowed. A weak one gets a warning. */
export function linkAlgorithm(
  linking: Linking,
  container: object,
  key: string,
  within: string,
  uris: Readonly<Record<string, string>>,
): string | undefined {
  const word = (container as Readonly<Record<string, string | undefined>>)[key];
  if (word === undefined) return undefined;
  const [name, at] = [`${within}.${key}`, linking.places.value(container, key)];
  const found = allowedAlgorithm(linking, word, name, Object.keys(uris), at);
  if (found === undefined) return undefined;
  warnOfWeak(linking, found, name, at);
  return uris[found];
}

function linkSignature(linking: Linking, declared: SignatureDeclared): Kind {
  const accepted = linkAcceptedSignature(linking, declared, 'signature');
  const files = given({
    caFile: linkFile(linking, declared, 'ca'),
    certificatesFile: linkFile(linking, declared, 'certificates'),
  });
  return { kind: 'signature', ...accepted, ...files };
}

function linkWebhook(linking: Linking, declared: WebhookDeclared): Kind {
  const tolerance =
    linkDuration(linking, declared, 'webhook.tolerance', LONGEST_AGE) ?? milliseconds(WEBHOOK.tolerance);
  const secrets = linkSecrets(linking, declared, 'secrets', 'A secret of webhooks');
  return { kind: 'webhook', secrets, user: declared.user, tolerance };
}

function linkHmacScheme(linking: Linking, declared: HmacSchemeDeclared): Kind {
  const { report, places } = linking;
  const signature = linkHmac(linking, declared, 'hmac');
  linkHeader(linking, declared, 'authorization');
  if (signature.header.toLowerCase() === 'authorization' && !/^[\w-]+ /.test(signature.form)) {
    const reason =
      'needs a word and a space before the signature: credentials of other schemes are in Authorization, too';
    const at = declared.form === undefined ? places.value(declared, 'header') : places.value(declared, 'form');
    report.raise('bad-value', { name: 'hmac.form', reason, examples: ['HMAC {base64}'] }, at);
  }
  const tolerance = linkDuration(linking, declared, 'hmac.tolerance', LONGEST_AGE);
  if (tolerance !== undefined && !signature.signed.includes('{timestamp}')) {
    const reason = 'needs a time that is signed, {timestamp} in `signed`';
    report.raise('bad-value', { name: 'hmac.tolerance', reason, examples: [] }, places.value(declared, 'tolerance'));
  }
  return { kind: 'hmac', user: declared.user, ...signature, tolerance: tolerance ?? milliseconds(HMAC.tolerance) };
}

/** Clocks that differ by more are set wrong, and every token would be valid for this long after it expires. */
const LONGEST_TOLERANCE = { amount: 600_000, words: 'from 1 ms to 10 m' };

/** How tokens of one issuer are checked, and the roles that they give. */
function linkBearer(
  linking: Linking,
  id: string,
  declared: BearerDeclared,
  roles: ReadonlyMap<string, Role>,
): Omit<BearerScheme, 'id' | 'description'> {
  const users = declared.users ?? BEARER.users;
  const given = Object.keys(declared.roles ?? {});
  if (users === 'any' && given.length === 0 && !linking.doubt.about(declared, 'roles', 'users')) {
    const { report, places } = linking;
    report.raise('tokens-without-roles', { scheme: id }, places.key(declared, 'issuer'));
  }
  const held = new Map(
    given.map((value) => [value, resolveIds(linking, 'role', roles, declared.roles as object, value)]),
  );
  return {
    kind: 'bearer',
    issuer: parseConfigText(declared.issuer).text,
    audience: [declared.audience].flat().map((each) => parseConfigText(each).text),
    jwks: linkKeySet(linking, declared),
    algorithms: linkAlgorithms(linking, declared, 'algorithms', 'bearer.algorithms', TOKEN_ALGORITHMS) ?? ['RS256'],
    scopes: declared.scopes ?? [],
    tolerance: linkDuration(linking, declared, 'bearer.tolerance', LONGEST_TOLERANCE) ?? milliseconds(BEARER.tolerance),
    user: declared.user ?? BEARER.user,
    users,
    claim: declared.claim ?? BEARER.claim,
    roles: held,
    grantedAt: new Map(
      [...held].map(([value, all]) => [value, placesOf(linking, declared.roles as object, value, all)]),
    ),
  };
}

/** The source of the issuer's keys. A literal address is checked. */
function linkKeySet(linking: Linking, bearer: BearerDeclared): ConfigText {
  const at = linking.places.value(bearer, 'jwks');
  const instead = 'Key sets are public: use an address without credentials.';
  return linkUrl(linking, bearer.jwks, at, { what: 'A password of the address', instead }, (text) => {
    const reason = writtenFault(text, keySetFault);
    if (reason !== undefined) linking.report.raise('bad-address', { name: 'jwks', reason }, at);
  });
}

/** Why an address can't be trusted for a key set; `undefined` when it can. */
function keySetFault(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
    const inside = !text.startsWith('/') && !text.split(/[/\\]/).includes('..');
    return inside ? undefined : `${text} is a file outside the project`;
  }
  return secureEndpointFault(text, 'an attacker in between could replace the keys');
}

/** Signature algorithms of tokens, all asymmetric (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864). */
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
 * The allowed algorithms of a list. Others are reported with the reason.
 * @param key the key of the list in `container`
 * @param known the allowed algorithms
 */
function linkAlgorithms<W extends string>(
  linking: Linking,
  container: object,
  key: string,
  name: string,
  known: readonly W[],
): readonly W[] | undefined {
  const said = (container as Readonly<Record<string, readonly string[] | undefined>>)[key];
  return said?.flatMap(
    (given, index) => allowedAlgorithm(linking, given, name, known, linking.places.value(said, index)) ?? [],
  );
}

function allowedAlgorithm<W extends string>(
  { report }: Linking,
  given: string,
  name: string,
  known: readonly W[],
  at: Place,
): W | undefined {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  const why = whyRefused(given);
  if (why === undefined) report.raise('not-one-of', { name, given, known }, at);
  else report.raise('algorithm-refused', { algorithm: given, why }, at);
  return undefined;
}

/** Why algorithms that others accept are not allowed. */
function whyRefused(name: string): string | undefined {
  if (/^none$/i.test(name)) return 'it is not a signature, so anyone could write such a token';
  if (/^(hs\d|hmac)/i.test(name)) return 'both sides share one key, so whoever can verify it could also create it';
  if (/sha-?1$|md5$/i.test(name)) return 'its collisions can be computed';
  return undefined;
}
