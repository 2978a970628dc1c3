import type { ConfigText } from '../../model/config.ts';
import type { BearerScheme, Role } from '../../model/security.ts';
import { type Linking, mayHaveMeant, resolveIds } from '../linking.ts';
import type { BearerDeclared } from '../schema/scheme-bearer.ts';
import { linkUrl, secureEndpointFault, writtenFault } from '../value/address.ts';
import { parseConfigText } from '../value/config-text.ts';
import { linkDuration } from '../value/units.ts';
import { linkAlgorithms, TOKEN_ALGORITHMS } from './algorithms.ts';
import { placesOf } from './grants.ts';

/** Clocks that differ by more are set wrong, and every token holds so much longer than its issuer says. */
const LONGEST_TOLERANCE = { amount: 600_000, words: 'from 1 ms to 10 min' };

/** How tokens of one issuer are checked, and which roles they give. */
export function linkBearer(
  linking: Linking,
  id: string,
  bearer: BearerDeclared,
  roles: ReadonlyMap<string, Role>,
): Omit<BearerScheme, 'id' | 'description'> {
  const users = bearer.users ?? 'any';
  const given = Object.keys(bearer.roles ?? {});
  if (users === 'any' && given.length === 0 && !mayHaveMeant(linking, bearer, ['roles', 'users'])) {
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
