import type { Db, Store } from '../../store/index.ts';
import { createApiKey, type NewApiKey } from '../scheme/api-key.ts';
import { endSessions } from '../sign-in/session-rows.ts';
import { readUsers, selectKept, selectKeys } from './rows.ts';
import { type NewUser, type UserAction, UserError, type Users } from './user-port.ts';

export interface UsersOptions {
  /** Its schema is current. */
  readonly store: Store;
  /** The person who makes the changes, for the audit trail: `ada@gateway-1`. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Called after each change. */
  readonly onChange?: () => void;
}

export function openUsers({ store, actor, clock = Date.now, onChange = () => {} }: UsersOptions): Users {
  const ports: Ports = { store, actor, clock, onChange };
  return {
    ...readUsers(() => store.tables()),
    add: (user) => addUser(ports, user),
    async setPassword(id, password) {
      await change(ports, id, async (tx, at) => {
        await update(tx, id, { password: password ?? null });
        const ended = await endSessions(tx, at, { user: id, reason: 'password' });
        return { action: 'passwd', detail: { password: password !== undefined, ...counted(ended) } };
      });
    },
    setDisabled: (id, disabled) =>
      change(ports, id, async (tx, at) => {
        if ((await selectKept(tx, id)).disabled === disabled) return undefined;
        await update(tx, id, { disabled: disabled ? 1 : 0 });
        // For good: they don't go on where the user is enabled again.
        const ended = disabled ? await endSessions(tx, at, { user: id, reason: 'disabled' }) : [];
        return { action: disabled ? 'disable' : 'enable', detail: counted(ended) };
      }),
    changeRoles: (id, asked) => changeRoles(ports, id, asked),
    addKey: (id, options) => addKey(ports, id, options),
    revokeKey: (id, key) => revokeKey(ports, id, key),
    addCertificate: (id, fingerprint, description) =>
      change(ports, id, (tx, at) => addCertificate(tx, at, { user: id, fingerprint, description })),
    async removeCertificate(id, fingerprint) {
      await change(ports, id, (tx) => removeCertificate(tx, id, fingerprint));
    },
  };
}

type Ports = Required<UsersOptions>;

const counted = (ended: readonly unknown[]) => (ended.length === 0 ? {} : { sessions: ended.length });

/**
 * Makes a change and adds its line of the audit trail in one transaction. The row of the version is locked first: changes
 * run one at a time, and the sequence of lines has no gap.
 */
async function change(ports: Ports, user: string, work: (tx: Db, at: string) => Promise<Change>): Promise<boolean> {
  const { store, actor, clock, onChange } = ports;
  const isChanged = await store.transaction(async (tx) => {
    const version = await lockVersion(tx);
    const at = new Date(clock()).toISOString();
    const made = await work(tx, at);
    if (made === undefined) return false;
    const sequence = version + 1;
    await tx.updateTable('signalbox_user_version').set({ version: sequence }).where('id', '=', 1).execute();
    await tx.updateTable('signalbox_user').set({ changed: at }).where('id', '=', user).execute();
    await tx
      .insertInto('signalbox_user_audit')
      .values({ sequence, at, actor, action: made.action, user_id: user, detail: JSON.stringify(made.detail) })
      .execute();
    return true;
  });
  if (isChanged) onChange();
  return isChanged;
}

async function lockVersion(tx: Db): Promise<number> {
  const { version } = await tx
    .updateTable('signalbox_user_version')
    .set(({ ref }) => ({ version: ref('version') }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

/** @throws UserError for an unknown user */
async function update(tx: Db, id: string, set: { password?: string | null; disabled?: number; roles?: string }) {
  await selectKept(tx, id);
  await tx.updateTable('signalbox_user').set(set).where('id', '=', id).execute();
}

async function addUser(ports: Ports, { id, password, description, roles }: NewUser): Promise<void> {
  await change(ports, id, async (tx, at) => {
    const known = await tx.selectFrom('signalbox_user').select('disabled').where('id', '=', id).executeTakeFirst();
    if (known !== undefined) {
      const hint = known.disabled === 1 ? `It is disabled: signalbox user enable ${id} enables it again.` : undefined;
      throw new UserError(`user ${id} exists in the database already`, hint);
    }
    await tx
      .insertInto('signalbox_user')
      .values({
        id,
        password: password ?? null,
        description: description ?? null,
        roles: JSON.stringify(roles),
        disabled: 0,
        created: at,
        changed: at,
      })
      .execute();
    return { action: 'add', detail: { roles, password: password !== undefined } };
  });
}

async function changeRoles(ports: Ports, id: string, asked: Parameters<Users['changeRoles']>[1]): Promise<boolean> {
  return change(ports, id, async (tx) => {
    const { roles } = await selectKept(tx, id);
    const added = asked.add.filter((role) => !roles.includes(role));
    const removed = asked.remove.filter((role) => roles.includes(role));
    if (added.length + removed.length === 0) return undefined;
    const held = [...roles.filter((role) => !removed.includes(role)), ...added];
    await update(tx, id, { roles: JSON.stringify(held) });
    return { action: 'role', detail: { added, removed } };
  });
}

async function addKey(ports: Ports, user: string, options: Parameters<Users['addKey']>[1]): Promise<NewApiKey> {
  const { description, expires } = options;
  const made = createApiKey();
  await change(ports, user, async (tx, created) => {
    await selectKept(tx, user);
    const until = expires?.toISOString() ?? null;
    await tx
      .insertInto('signalbox_api_key')
      .values({
        id: made.id,
        hash: made.hash,
        user_id: user,
        description: description ?? null,
        created,
        expires: until,
        revoked: null,
      })
      .execute();
    return { action: 'key-add', detail: { key: made.id, ...(until === null ? {} : { expires: until }) } };
  });
  return made;
}

async function revokeKey(ports: Ports, user: string, key: string): Promise<boolean> {
  return change(ports, user, async (tx, at) => {
    const known = (await selectKeys(tx, user)).find(({ id }) => id === key);
    if (known === undefined) {
      await selectKept(tx, user);
      throw new UserError(`user ${user} has no key ${key}`, `signalbox user key list ${user} lists the keys.`);
    }
    if (known.revoked !== undefined) return undefined;
    await tx.updateTable('signalbox_api_key').set({ revoked: at }).where('id', '=', key).execute();
    return { action: 'key-revoke', detail: { key } };
  });
}

interface NewCertificate {
  readonly user: string;
  /** `sha256:` and 64 hex digits in lower case. */
  readonly fingerprint: string;
  readonly description: string | undefined;
}

/** Assigns a certificate to a user. It may belong to one user only: it identifies the caller. @throws UserError */
async function addCertificate(
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
  if (known !== undefined) throw new UserError(`the certificate ${fingerprint} belongs to user ${known.user_id}`);
  await tx
    .insertInto('signalbox_user_certificate')
    .values({ fingerprint, user_id: user, description: description ?? null, created })
    .execute();
  return { action: 'certificate-add', detail: { certificate: fingerprint } };
}

/** @throws UserError when the certificate is not this user's */
async function removeCertificate(tx: Db, user: string, fingerprint: string): Promise<Change> {
  await selectKept(tx, user);
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_user_certificate')
    .where('fingerprint', '=', fingerprint)
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (numDeletedRows === 0n)
    throw new UserError(
      `user ${user} has no certificate ${fingerprint}`,
      `signalbox user certificate list ${user} lists the certificates.`,
    );
  return { action: 'certificate-remove', detail: { certificate: fingerprint } };
}

/** A change for the audit trail; `undefined` when nothing changes. */
type Change = { readonly action: UserAction; readonly detail: Readonly<Record<string, unknown>> } | undefined;
