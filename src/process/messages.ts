import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Db } from '../store/index.ts';
import { checkAccess } from './access.ts';
import type { Clock } from './clock.ts';
import type { MessagePage, ProcessMessage } from './port.ts';
import { findRow } from './rows.ts';

/** Lines of a request's message log. @throws Fault NOT_FOUND, FORBIDDEN */
export async function findMessages(
  db: Db,
  { registry, clock }: { readonly registry: Registry; readonly clock: Clock },
  instance: number,
  { from, count }: MessagePage,
  user: User,
): Promise<readonly ProcessMessage[]> {
  checkAccess(registry, await findRow(db, instance), user, 'use');
  const rows = await db
    .selectFrom('signalbox_process_message')
    .select(['sequence', 'level', 'text', 'said'])
    .where('instance', '=', instance)
    .where('sequence', '>=', from)
    .orderBy('sequence')
    .limit(count)
    .execute();
  return rows.map((row) => ({ ...row, said: clock.shown(Date.parse(row.said)) }));
}
