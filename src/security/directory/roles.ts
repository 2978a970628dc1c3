import type { Role } from '../../model/security.ts';

/** Finds the roles that the database names by their ids. */
export class Roles {
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #onLost: (user: string, role: string) => void;
  readonly #told = new Set<string>();

  /** @param onLost is told once of each role that a user holds and the definitions do not have */
  constructor(roles: ReadonlyMap<string, Role>, onLost: (user: string, role: string) => void) {
    this.#roles = roles;
    this.#onLost = onLost;
  }

  /**
   * The roles that a user holds. One that is gone grants nothing.
   * @param json the ids, as the database keeps them
   * @param allowed others grant nothing either; any where it is left out
   */
  of(user: string, json: string, allowed?: ReadonlySet<Role>): Role[] {
    const roles: Role[] = [];
    for (const id of JSON.parse(json) as string[]) {
      const role = this.#roles.get(id);
      if (role === undefined) this.#tell(user, id);
      else if (allowed?.has(role) !== false) roles.push(role);
    }
    return roles;
  }

  #tell(user: string, role: string): void {
    const key = JSON.stringify([user, role]);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onLost(user, role);
  }
}
