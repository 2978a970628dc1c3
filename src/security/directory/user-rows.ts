import type { User } from '../../model/security.ts';
import type { Db } from '../../store/index.ts';

/** A user as the database has it. */
export interface UserRow {
  readonly id: string;
  readonly password: string | null;
  readonly description: string | null;
  /** JSON: ids of roles. */
  readonly roles: string;
}

const COLUMNS = [
  'signalbox_user.id',
  'signalbox_user.password',
  'signalbox_user.description',
  'signalbox_user.roles',
] as const;

/** Counts every change of a user. */
export async function selectVersion(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom('signalbox_user_version')
    .select('version')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return version;
}

/** One that may call. */
export async function selectUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('signalbox_user')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('disabled', '=', 0)
    .executeTakeFirst();
}

/** One that may call, by a key that was not revoked; when it expires goes with it. */
export async function selectUserOfKey(
  db: Db,
  hash: string,
): Promise<(UserRow & { readonly expires: string | null }) | undefined> {
  return db
    .selectFrom('signalbox_api_key')
    .innerJoin('signalbox_user', 'signalbox_user.id', 'signalbox_api_key.user_id')
    .select([...COLUMNS, 'signalbox_api_key.expires'])
    .where('signalbox_api_key.hash', '=', hash)
    .where('signalbox_api_key.revoked', 'is', null)
    .where('signalbox_user.disabled', '=', 0)
    .executeTakeFirst();
}

/** One that may call, by a certificate. @param fingerprint `sha256:` and 64 hex digits */
export async function selectUserOfCertificate(db: Db, fingerprint: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('signalbox_user_certificate')
    .innerJoin('signalbox_user', 'signalbox_user.id', 'signalbox_user_certificate.user_id')
    .select(COLUMNS)
    .where('signalbox_user_certificate.fingerprint', '=', fingerprint)
    .where('signalbox_user.disabled', '=', 0)
    .executeTakeFirst();
}

/** Users of the definitions whose ids the database has too, disabled ones as well: nobody could tell who calls. */
export async function usersInBoth(db: Db, users: ReadonlyMap<string, User>): Promise<User[]> {
  if (users.size === 0) return [];
  const rows = await db.selectFrom('signalbox_user').select('id').orderBy('id').execute();
  return rows.flatMap(({ id }) => users.get(id) ?? []);
}
