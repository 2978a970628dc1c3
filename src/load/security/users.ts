import type { Position } from '../../model/definition.ts';
import type { Process } from '../../model/process.ts';
import {
  type ConsoleGrant,
  isRequestScheme,
  type PermissionList,
  type Role,
  type SecurityScheme,
  type User,
} from '../../model/security.ts';
import { certificateName } from '../../wire/certificate.ts';
import { readPasswordHash } from '../../wire/password-hash.ts';
import { placeOf, placeText, positionOf } from '../diagnostic/diagnostic.ts';
import { declarationsOf, type Linking, linkEach, resolveIds } from '../linking.ts';
import { eachOnce, given } from '../object.ts';
import type { PermissionListDeclared, RoleDeclared, UserDeclared } from '../schema/security.ts';
import { linkSecret } from '../value/address.ts';
import { placesOf } from './grants.ts';

/** Links every permission list. Their entries are resolved with the things that they refer to. */
export function linkPermissionLists(linking: Linking): Map<string, PermissionList> {
  return linkEach<PermissionListDeclared, PermissionList>(linking, 'permission-list', ({ value }) => ({
    operations: value.operations ?? [],
    queries: value.queries ?? [],
    processes: value.processes ?? [],
    components: value.components ?? [],
    ...given({
      processRequests: value['process-requests'],
      console: value.console && linkConsoleGrants(linking, value.console),
    }),
  }));
}

/** The entries of `console:`. One that includes `read` is the place of that grant too. */
function linkConsoleGrants({ places }: Linking, said: readonly ConsoleGrant[]): Map<ConsoleGrant, Position> {
  const placed = said.map((grant, index) => [grant, positionOf(places.value(said, index))] as const);
  const [[, first] = []] = placed;
  return new Map([...(first === undefined ? [] : [['read', first] as const]), ...placed]);
}

/** Links every role. */
export function linkRoles(linking: Linking, lists: ReadonlyMap<string, PermissionList>): Map<string, Role> {
  return linkEach<RoleDeclared, Role>(linking, 'role', ({ value }) => {
    const held = resolveIds(linking, 'permission-list', lists, value, 'permission-lists');
    return { permissionLists: held, grantedAt: placesOf(linking, value, 'permission-lists', held) };
  });
}

/** Links every user. */
export function linkUsers(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, User> {
  return linkEach<UserDeclared, User>(linking, 'user', ({ value }) => {
    const held = resolveIds(linking, 'role', roles, value, 'roles');
    return {
      roles: held,
      grantedAt: placesOf(linking, value, 'roles', held),
      permissionLists: new Set(held.flatMap((role) => role.permissionLists)),
      ...linkCredentials(linking, value),
      origin: 'definitions',
      sample: value.sample ?? false,
    };
  });
}

/** The credentials of a user: hashes, names of certificates, and a reference to a secret. */
function linkCredentials(
  linking: Linking,
  value: UserDeclared,
): Pick<User, 'password' | 'apiKeys' | 'certificates' | 'sharedSecret'> {
  checkPassword(linking, value);
  return {
    apiKeys: linkApiKeys(linking, value['api-keys'] ?? []),
    certificates: linkCertificates(linking, value.certificates ?? []),
    ...given({
      password: value.password,
      sharedSecret: linkSecret(linking, value, 'shared-secret', 'A shared secret'),
    }),
  };
}

function checkPassword({ report, places }: Linking, value: UserDeclared): void {
  const { password } = value;
  // A reference has been reported as misplaced.
  if (password === undefined || password.startsWith('${')) return;
  const at = places.value(value, 'password');
  if (!password.startsWith('$scrypt$')) {
    const instead = 'Store its hash, which `signalbox user hash` prints: $scrypt$ln=14,r=8,p=1$<salt>$<hash>.';
    report.raise('secret-in-clear', { what: 'A password', instead }, at);
    return;
  }
  const reason = readPasswordHash(password);
  if (typeof reason === 'string') report.raise('password-hash', { reason }, at);
}

/** Anything that is not a hash may be the key itself, so it is not shown. */
function linkApiKeys({ report, places }: Linking, said: readonly string[]): string[] {
  return said.flatMap((key, index) => {
    if (/^sha256:[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
    if (!key.startsWith('${')) {
      const instead = 'Store its hash: sha256: and the SHA-256 of the key in 64 hexadecimal digits.';
      report.raise('secret-in-clear', { what: 'An API key', instead }, places.value(said, index));
    }
    return [];
  });
}

/** Certificates of a user in canonical form. Invalid ones are reported. */
function linkCertificates({ report, places }: Linking, said: readonly string[]): string[] {
  return said.flatMap((name, index) => {
    const spelled = certificateName(name);
    if (typeof spelled === 'string') return spelled;
    // A reference has been reported as misplaced.
    if (!name.startsWith('${'))
      report.raise('certificate-name', { name, reason: spelled.message }, places.value(said, index));
    return [];
  });
}

/** Other definitions that refer to users. */
interface Naming {
  readonly schemes: Iterable<SecurityScheme>;
  readonly processes: Iterable<Process>;
}

/** Checks users against each other and against the definitions that refer to them. */
export function checkUsers(linking: Linking, users: ReadonlyMap<string, User>, naming: Naming): void {
  checkApart(linking);
  warnOfEmptyHanded(linking, users, naming);
}

/** A key or a certificate identifies one user: if two had it, the caller would be ambiguous. */
function checkApart(linking: Linking): void {
  const { report, places } = linking;
  const shown = declarationsOf<UserDeclared>(linking, 'user').flatMap(({ id, value }) =>
    (['api-keys', 'certificates'] as const).flatMap((key) =>
      (value[key] ?? []).flatMap((name, index, list) => {
        // The hash of a key has the form of a fingerprint. Anything else has been reported.
        const spelled = certificateName(name);
        return typeof spelled === 'string' ? { key, user: id, spelled, at: places.value(list, index) } : [];
      }),
    ),
  );
  eachOnce(
    shown,
    ({ key, spelled }) => `${key} ${spelled}`,
    ({ key, user, at }, first) => {
      const what = key === 'api-keys' ? 'An API key' : 'A certificate';
      report.raise('credential-twice', { what, user, first: placeText(first.at) }, at);
    },
  );
}

/** A user without credentials is useful only when something else refers to it: a token, a scheme for webhooks, or a process that
 * runs in its name. */
function warnOfEmptyHanded(linking: Linking, users: ReadonlyMap<string, User>, { schemes, processes }: Naming): void {
  const all = [...schemes];
  if (all.some((scheme) => scheme.kind === 'bearer' && scheme.users === 'known')) return;
  // A rejected definition may refer to it.
  if (linking.declared.rejected('scheme').size > 0 || linking.declared.rejected('process').size > 0) return;
  const senders = all.flatMap((scheme) => (isRequestScheme(scheme) ? scheme.user : []));
  const named = new Set([...[...processes].map(({ runAs }) => runAs), ...senders]);
  for (const { id, value } of declarationsOf<UserDeclared>(linking, 'user')) {
    const user = users.get(id);
    if (user === undefined || named.has(id) || KEYS.some((key) => value[key] !== undefined)) continue;
    if (linking.doubt.about(value, ...KEYS)) continue;
    linking.report.raise('nothing-to-show', { user: id }, placeOf(user.at));
  }
}

const KEYS = ['password', 'api-keys', 'certificates', 'shared-secret'] as const;
