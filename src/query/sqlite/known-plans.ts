import type { Plan } from '../plan/plan.ts';
import type { ReaderCommand } from './frame.ts';

/** Which plans a reader holds, by the commands that it was sent. Private queries come and go, and what is prepared takes memory. */
export class KnownPlans {
  readonly #most: number;
  /** By their ids, the last used at the end. */
  readonly #ids = new Set<number>();

  /** @param most plans that a reader holds */
  constructor(most: number) {
    this.#most = most;
  }

  /** What the next command says of plans, which uses this one. */
  use(plan: Plan): Pick<ReaderCommand, 'define' | 'forget'> {
    const known = this.#ids.delete(plan.id);
    this.#ids.add(plan.id);
    if (known) return {};
    const [oldest] = this.#ids;
    if (oldest === undefined || this.#ids.size <= this.#most) return { define: plan };
    this.#ids.delete(oldest);
    return { define: plan, forget: oldest };
  }
}
