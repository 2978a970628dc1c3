import { sql } from 'kysely';
import type { Db, Tables } from '../../store/index.ts';
import {
  type KeptCertificate,
  type KeptKey,
  type KeptUser,
  type TrailLine,
  type UserAction,
  UserError,
  type UserReader,
  type UserSearch,
} from './user-port.ts';

/** Reads the users of a database whose schema is current. */
export function readUsers(tables: () => Promise<Db>): UserReader {
  return {
    list: async () => selectAllKept(await tables()),
    search: async (which) => selectSome(await tables(), which),
    get: async (id) => selectKept(await tables(), id),
    async keys(id) {
      const db = await tables();
      await selectKept(db, id);
      return selectKeys(db, id);
    },
    async certificates(id) {
      const db = await tables();
      await selectKept(db, id);
      return selectCertificates(db, id);
    },
    trail: async (id) => selectTrail(await tables(), id),
  };
}

/** @throws UserError for an unknown user */
export async function selectKept(db: Db, id: string): Promise<KeptUser> {
  const row = await db.selectFrom('signalbox_user').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined)
    throw new UserError(`user ${id} is not in the database`, 'signalbox user list lists the users.');
  return keptUser(row);
}

async function selectAllKept(db: Db): Promise<KeptUser[]> {
  return (await db.selectFrom('signalbox_user').selectAll().orderBy('id').execute()).map(keptUser);
}

async function selectSome(db: Db, { text, role, disabled, after, limit }: UserSearch): Promise<KeptUser[]> {
  let select = db.selectFrom('signalbox_user').selectAll().orderBy('id').limit(limit);
  if (after !== undefined) select = select.where('id', '>', after);
  if (disabled !== undefined) select = select.where('disabled', '=', disabled ? 1 : 0);
  // Ids need no escapes in JSON.
  if (role !== undefined) select = select.where(containing('roles', JSON.stringify(role)));
  if (text !== undefined)
    select = select.where(({ or }) =>
      or([containing('id', text.toLowerCase(), true), containing('description', text.toLowerCase(), true)]),
    );
  return (await select.execute()).map(keptUser);
}

/** @param folded in whatever case: the text is in lower case */
function containing(column: 'id' | 'description' | 'roles', text: string, folded = false) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const value = folded ? sql`lower(${sql.ref(column)})` : sql.ref(column);
  return sql<boolean>`${value} like ${pattern} escape '\\'`;
}

export async function selectKeys(db: Db, user: string): Promise<KeptKey[]> {
  const rows = await db
    .selectFrom('signalbox_api_key')
    .select(['id', 'description', 'created', 'expires', 'revoked'])
    .where('user_id', '=', user)
    .orderBy('created')
    .orderBy('id')
    .execute();
  return rows.map(({ id, created, ...rest }) => ({ id, created, ...present(rest) }));
}

async function selectCertificates(db: Db, user: string): Promise<KeptCertificate[]> {
  const rows = await db
    .selectFrom('signalbox_user_certificate')
    .select(['fingerprint', 'description', 'created'])
    .where('user_id', '=', user)
    .orderBy('created')
    .orderBy('fingerprint')
    .execute();
  return rows.map(({ fingerprint, created, ...rest }) => ({ fingerprint, created, ...present(rest) }));
}

async function selectTrail(db: Db, user: string | undefined): Promise<TrailLine[]> {
  let select = db.selectFrom('signalbox_user_audit').selectAll().orderBy('sequence');
  if (user !== undefined) select = select.where('user_id', '=', user);
  const rows = await select.execute();
  return rows.map(({ sequence, at, actor, action, user_id, detail }) => ({
    sequence,
    at,
    actor,
    action: action as UserAction,
    user: user_id,
    detail: JSON.parse(detail) as TrailLine['detail'],
  }));
}

function keptUser({
  id,
  description,
  roles,
  disabled,
  password,
  created,
  changed,
}: Tables['signalbox_user']): KeptUser {
  return {
    id,
    ...present({ description }),
    roles: JSON.parse(roles) as string[],
    disabled: disabled === 1,
    hasPassword: password !== null,
    created,
    changed,
  };
}

/** The texts that are not null. */
function present<K extends string>(texts: Readonly<Record<K, string | null>>): Partial<Record<K, string>> {
  const entries = Object.entries(texts).filter(([, text]) => text !== null);
  return Object.fromEntries(entries) as Partial<Record<K, string>>;
}
