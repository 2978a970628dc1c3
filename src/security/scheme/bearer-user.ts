import type { JWTPayload } from 'jose';
import type { BearerScheme, Role, User } from '../../model/security.ts';
import type { Directory } from '../directory/port.ts';
import { Refused } from '../refused.ts';
import { listsOf, undeclaredUser } from '../undeclared-user.ts';

/** Of the id of a user whom a token vouches for: it stands in rows, logs and file names' owners. */
const LONGEST_ID = 200;
/** Values of one claim that are looked at. */
const MOST_VALUES = 1000;

/**
 * Reads the texts of a claim: one text is split at its spaces, as scopes are (RFC 6749 section 3.3); of an array each is
 * one; anything else holds none.
 * @param path the claim's name, or names with dots on the way to it
 */
export function compileClaim(path: string): (payload: JWTPayload) => readonly string[] {
  const find = compilePath(path);
  return (payload) => {
    const value = find(payload);
    if (typeof value === 'string') return value.split(' ').filter((each) => each !== '');
    if (!Array.isArray(value)) return [];
    return value.slice(0, MOST_VALUES).filter((each): each is string => typeof each === 'string');
  };
}

/** The whole path may be the name of a claim, as with those that are URLs. */
function compilePath(path: string): (payload: JWTPayload) => unknown {
  const names = path.split('.');
  return (payload) => {
    if (Object.hasOwn(payload, path)) return payload[path];
    let found: unknown = payload;
    for (const name of names) {
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as Record<string, unknown>)[name];
    }
    return found;
  };
}

/** The user whom a verified token names, with the roles that its claims give. Throws Refused where there is none. */
export function compileTokenUser(
  scheme: BearerScheme,
  directory: Directory,
): (payload: JWTPayload) => User | Promise<User> {
  const nameOf = compilePath(scheme.user);
  const valuesOf = compileClaim(scheme.claim);
  const rolesOf = (payload: JWTPayload): readonly Role[] => [
    ...new Set(valuesOf(payload).flatMap((value) => scheme.roles.get(value) ?? [])),
  ];
  return (payload) => {
    const name = nameOf(payload);
    if (typeof name !== 'string' || name === '') throw new Refused('token that names no user');
    const roles = rolesOf(payload);
    return scheme.users === 'known' ? knownUser(directory, name, roles) : vouchedUser(scheme, name, roles);
  };
}

async function knownUser(directory: Directory, name: string, roles: readonly Role[]): Promise<User> {
  const user = await directory.find(name);
  if (user === undefined) throw new Refused('token of an unknown or disabled user');
  const more = roles.filter((role) => !user.roles.includes(role));
  if (more.length === 0) return user;
  const held = [...user.roles, ...more];
  return { ...user, roles: held, permissionLists: listsOf(held) };
}

function vouchedUser(scheme: BearerScheme, name: string, roles: readonly Role[]): User {
  const id = `${scheme.id}:${escapeName(name)}`;
  if (id.length > LONGEST_ID) throw new Refused('token whose user has too long a name');
  return undeclaredUser(id, 'token', roles);
}

/**
 * Names are the issuer's, and may hold anything. Two of them never become one: what is not among the harmless characters is
 * percent-encoded, the percent sign too.
 */
function escapeName(name: string): string {
  return [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._@|+=:/-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
