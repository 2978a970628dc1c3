import type { Db } from '../../store/index.ts';
import type { Change } from './change.ts';
import { selectKept } from './rows.ts';
import { UserError } from './user-error.ts';

interface NewCertificate {
  readonly user: string;
  /** `sha256:` and 64 hex digits in lower case. */
  readonly fingerprint: string;
  readonly description: string | undefined;
}

/** Gives a certificate to a user. It is one user's alone: who calls must be plain. @throws UserError */
export async function addCertificate(
  tx: Db,
  created: string,
  { user, fingerprint, description }: NewCertificate,
): Promise<Change> {
  await selectKept(tx, user);
  const known = await tx
    .selectFrom('signalbox_user_certificate')
    .select('user_id')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (known?.user_id === user) return undefined;
  if (known !== undefined) throw new UserError(`the certificate ${fingerprint} is that of the user ${known.user_id}`);
  await tx
    .insertInto('signalbox_user_certificate')
    .values({ fingerprint, user_id: user, description: description ?? null, created })
    .execute();
  return { action: 'certificate-add', detail: { certificate: fingerprint } };
}

/** Takes it away; the trail keeps it. @throws UserError where it is not this user's */
export async function removeCertificate(tx: Db, user: string, fingerprint: string): Promise<Change> {
  await selectKept(tx, user);
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_user_certificate')
    .where('fingerprint', '=', fingerprint)
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (numDeletedRows === 0n)
    throw new UserError(
      `user ${user} has no certificate ${fingerprint}`,
      `signalbox user certificate list ${user} has them all.`,
    );
  return { action: 'certificate-remove', detail: { certificate: fingerprint } };
}
