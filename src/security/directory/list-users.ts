import type { Role, User } from '../../model/security.ts';
import type { Db } from '../../store/index.ts';
import { undeclaredUser } from '../undeclared-user.ts';
import { Roles } from './roles.ts';

/** The users of the database that may call, in the order of their ids, with what they hold of these roles. */
export async function listUsers(db: Db, roles: ReadonlyMap<string, Role>): Promise<User[]> {
  const held = new Roles(roles, () => {});
  const rows = await db
    .selectFrom('signalbox_user')
    .select(['id', 'roles'])
    .where('disabled', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(({ id, roles: json }) => undeclaredUser(id, 'database', held.of(id, json)));
}
