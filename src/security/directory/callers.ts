import type { SecurityScheme, User } from '../../model/security.ts';
import type { Store } from '../../store/index.ts';
import { reading } from '../database.ts';
import { undeclaredUser } from '../undeclared-user.ts';
import type { Roles } from './roles.ts';

/** How old the note of when a caller was seen may become, in milliseconds: it is no reason for a write a call. */
const SEEN_WITHIN = 86_400_000;

interface CallersOptions {
  readonly store: Store;
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly roles: Roles;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Callers that nobody declared and a token vouched for, as far as work is done in their name later. */
export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Keeps one with the roles that its token gave it; those of its latest token count. @throws Fault UNAVAILABLE */
  async keep({ id, roles }: User): Promise<void> {
    const held = JSON.stringify(roles.map((role) => role.id));
    const now = this.#options.clock();
    await reading(async () => {
      const db = await this.#options.store.tables();
      const known = await db
        .selectFrom('signalbox_caller')
        .select(['roles', 'seen'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (known?.roles === held && Date.parse(known.seen) > now - SEEN_WITHIN) return;
      const change = { roles: held, seen: new Date(now).toISOString() };
      await db
        .insertInto('signalbox_caller')
        .values({ id, ...change })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
        .execute();
    });
  }

  /**
   * One that was kept, as long as its scheme still lets in whom its issuer vouches for, with those of its roles that the
   * scheme still gives. @throws Fault UNAVAILABLE
   */
  async find(id: string): Promise<User | undefined> {
    const scheme = this.#options.schemes.get(id.slice(0, id.indexOf(':')));
    if (scheme?.kind !== 'bearer' || scheme.users !== 'any') return undefined;
    const row = await reading(async () => {
      const db = await this.#options.store.tables();
      return db.selectFrom('signalbox_caller').select('roles').where('id', '=', id).executeTakeFirst();
    });
    if (row === undefined) return undefined;
    const held = this.#options.roles.of(id, row.roles, new Set([...scheme.roles.values()].flat()));
    return undeclaredUser(id, 'token', held);
  }
}
