import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { JobLost, type Store } from '../../../src/store/index.ts';
import type { Claim, Listener, QueueEngine } from '../../../src/store/queue/engine.ts';
import { postgresEngine } from '../../../src/store/queue/postgres.ts';
import { sqliteEngine } from '../../../src/store/queue/sqlite.ts';
import { describeEngines, type Place } from '../engines.ts';
import { Model } from './model.ts';

/** What is done to the queue. Numbers choose among what there is. */
type Step =
  | { readonly send: string | undefined; readonly delay: number | undefined; readonly twice: boolean }
  | { readonly cancel: number }
  | { readonly claim: number }
  | { readonly end: number; readonly how: 'finish' | 'postpone' | 'release' | 'clear' }
  | { readonly pass: number }
  | 'die';

const number = fc.nat({ max: 50 });
const common: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 5,
    arbitrary: fc.record({
      send: fc.constantFrom(undefined, 'a', 'a', 'b'),
      delay: fc.constant(undefined),
      twice: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ cancel: number }) },
  { weight: 4, arbitrary: fc.record({ claim: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ end: number, how: fc.constantFrom('finish', 'finish', 'postpone', 'release', 'clear') }),
  },
];

/** What a clock that is set by hand, and a process that dies at once, make possible. */
const more: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      send: fc.constantFrom('a', 'b', undefined),
      delay: fc.constantFrom(10, 50),
      twice: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ pass: fc.constantFrom(5, 20, 60, -5, -3000) }) },
  { weight: 1, arbitrary: fc.constant('die') },
];

const silent: Listener = {
  wake() {},
  report(error) {
    throw error;
  },
};

/** A queue beside the model of it: each step is done to both, and whatever they tell is the same. */
class Both {
  readonly #place: Place;
  readonly #store: Store;
  readonly #model: Model;
  #engine: QueueEngine;
  /** Of its own: a run that fails leaves jobs behind. */
  readonly #queue = `model-${randomUUID()}`;
  #now = Date.UTC(2027, 0, 1);

  private constructor(place: Place, store: Store, pause: number) {
    this.#place = place;
    this.#store = store;
    this.#model = new Model(() => this.#now, pause);
    this.#engine = sqliteEngine(store, () => this.#now);
  }

  static async onSqlite(place: Place, store: Store): Promise<Both> {
    const both = new Both(place, store, 30);
    await both.#engine.begin([], silent);
    return both;
  }

  /** Its clock is the database's: nothing waits for it there. */
  static async onPostgres(place: Place, store: Store, engine: QueueEngine): Promise<Both> {
    const both = new Both(place, store, 0);
    both.#engine = engine;
    // A queue is made with its first job.
    await both.run([{ send: 'a', delay: undefined, twice: false }]);
    return both;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#step(step);
      await this.#compare();
    }
    // Nothing is lost: whatever is left can be done.
    while (this.#model.size > 0) {
      await this.#step({ pass: 1000 });
      await this.#step({ claim: 100 });
      const left = this.#model.claims.filter((claim) => this.#model.holds(claim) !== undefined);
      for (const claim of left) await this.#end(claim, this.#model.holds(claim) === 'held' ? 'finish' : 'clear');
    }
    expect(await this.#counts()).toEqual({ waiting: 0, running: 0 });
  }

  async close(): Promise<void> {
    await this.#engine.end(false);
  }

  async #step(step: Step): Promise<void> {
    if (step === 'die') return this.#die();
    if ('pass' in step) this.#now += step.pass;
    else if ('send' in step) await this.#send(step.send, step.delay, step.twice);
    else if ('claim' in step) await this.#claim(step.claim);
    else if ('cancel' in step) await this.#cancel(step.cancel);
    else if (this.#model.claims.length > 0) {
      await this.#end(this.#model.claims[step.end % this.#model.claims.length] as Claim, step.how);
    }
  }

  async #send(key: string | undefined, delay: number | undefined, twice: boolean): Promise<void> {
    const jobs = Array.from({ length: twice ? 2 : 1 }, () => {
      const after = delay === undefined ? {} : { after: new Date(this.#now + delay) };
      return { queue: this.#queue, id: randomUUID(), data: {}, ...(key !== undefined && { key }), ...after };
    });
    await this.#store.transaction(async (tx) => {
      expect((await this.#engine.insert(tx, jobs)).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
    });
    for (const job of jobs) this.#model.send(job.id, key, delay);
  }

  async #claim(limit: number): Promise<void> {
    const ready = this.#model.ready();
    const claims = await this.#engine.claim(this.#queue, limit, [], 'gateway-1');
    expect(claims).toHaveLength(Math.min(limit, ready.length));
    for (const claim of claims) {
      expect(ready.map(({ id, key, attempt }) => [id, key, attempt + 1])).toContainEqual([
        claim.id,
        claim.key,
        claim.attempt,
      ]);
      this.#model.take(claim);
    }
  }

  async #cancel(which: number): Promise<void> {
    const { known } = this.#model;
    if (known.length === 0) return;
    const id = known[which % known.length] as string;
    const done = await this.#store.transaction((tx) => this.#engine.remove(tx, this.#queue, id));
    expect([id, done]).toEqual([id, this.#model.cancel(id)]);
  }

  async #end(claim: Claim, how: 'finish' | 'postpone' | 'release' | 'clear'): Promise<void> {
    const held = this.#model.end(claim, how);
    const work = this.#store.transaction(async (tx) => {
      if (how === 'clear') return this.#engine.clear(tx, claim);
      const done =
        how === 'finish'
          ? (await this.#engine.finish(tx, [claim])).ended === 1
          : how === 'postpone'
            ? await this.#engine.postpone(tx, claim, this.#model.pause)
            : await this.#engine.release(tx, claim);
      if (!done) throw new JobLost();
    });
    if (how === 'clear' || held) await work;
    else await expect(work).rejects.toThrow(JobLost);
  }

  /** Another process finds what is left of it. */
  async #die(): Promise<void> {
    await this.#place.run(`update signalbox_job set worker = 'gone' where worker is not null`);
    await this.#engine.end(false);
    this.#engine = sqliteEngine(this.#store, () => this.#now);
    await this.#engine.begin([], silent);
    this.#model.die();
  }

  async #compare(): Promise<void> {
    const { claims } = this.#model;
    if (claims.length > 0) {
      const held = await this.#engine.held(claims);
      expect(claims.map((claim) => held.get(claim))).toEqual(claims.map((claim) => this.#model.holds(claim)));
    }
    expect(await this.#counts()).toEqual(this.#model.counts());
  }

  async #counts(): Promise<object> {
    const depth = (await this.#engine.depths()).find(({ queue }) => queue === this.#queue);
    const { waiting, delayed, held, running } = depth ?? { waiting: 0, delayed: 0, held: 0, running: 0 };
    return { waiting: waiting + delayed + held, running };
  }
}

describeEngines('the queue, whatever is done to it,', ({ kind, place }) => {
  it('does as its model says: keys in their order, one at a time, nothing lost and nothing twice', async () => {
    const where = await place();
    const store = await where.migrated();
    const engine =
      store.postgres &&
      (await postgresEngine(store, store.postgres, (error) => {
        throw error;
      }));
    onTestFinished(() => engine?.end(false));
    const steps = fc.array(fc.oneof(...common, ...(kind === 'sqlite' ? more : [])), { minLength: 5, maxLength: 40 });
    const check = fc.asyncProperty(steps, async (all) => {
      const both = engine ? await Both.onPostgres(where, store, engine) : await Both.onSqlite(where, store);
      try {
        await both.run(all);
      } finally {
        if (engine === undefined) await both.close();
      }
    });
    await fc.assert(check, { numRuns: kind === 'sqlite' ? 50 : 8 });
  });
});
