import { describe, expect, it } from 'vitest';
import { runClass } from '../../src/event/context.ts';
import type { Transaction, WorkContext } from '../../src/model/handler.ts';
import { type ComponentEvent, type ServiceClass, ServiceInterface } from '../../src/model/service-interface.ts';

const STORY = {
  component: 'PLACES',
  event: 'SavePostChange',
  action: 'created',
  save: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  before: undefined,
  after: { ID: 1 },
  attempt: 1,
} as const;

/** What a class did in its transaction. */
function run(
  execute: (event: ComponentEvent) => void | Promise<void>,
  {
    limit = 10_000,
    signal = new AbortController().signal,
    saveComponent = async () => ({ created: true }),
  }: { limit?: number; signal?: AbortSignal; saveComponent?: Transaction['saveComponent'] } = {},
): { readonly ended: Promise<void>; readonly done: string[] } {
  const done: string[] = [];
  const inside = {
    async execute(sql: string) {
      done.push(sql);
      return { rows: [], changed: 0 };
    },
    saveComponent,
  } as Partial<Transaction> as Transaction;
  class Tried extends ServiceInterface {
    override execute(event: ComponentEvent): void | Promise<void> {
      return execute(event);
    }
  }
  const context: Partial<WorkContext> = { caller: { user: 'demo' }, requestId: 'r', signal };
  return { done, ended: runClass(Tried as ServiceClass, STORY, context as WorkContext, inside, limit) };
}

describe('a class that runs at an event', () => {
  it('is told the whole story, and may take its parts one by one', async () => {
    let told: Partial<ComponentEvent> = {};
    const { ended, done } = run(async ({ execute, ...story }) => {
      told = story;
      await execute('a');
    });
    await ended;
    expect(told).toMatchObject({ ...STORY, caller: { user: 'demo' }, requestId: 'r' });
    expect(done).toEqual(['a']);
  });

  it('is given up after its time, and has no way into the transaction then', async () => {
    let late: Promise<unknown> | undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { ended, done } = run(
      (event) => {
        late = promise.then(() => event.execute('late'));
        return late as Promise<void>;
      },
      { limit: 5 },
    );
    await expect(ended).rejects.toThrow('took longer than 5 ms and was stopped');
    resolve();
    await expect(late).rejects.toThrow('the transaction is over');
    expect(done).toEqual([]);
  });

  it('is given up where its signal aborts, for the reason of that', async () => {
    const controller = new AbortController();
    const { ended } = run(() => new Promise(() => {}), { signal: controller.signal });
    controller.abort(new Error('the job is lost'));
    await expect(ended).rejects.toThrow('the job is lost');
    await expect(run(() => {}, { signal: controller.signal }).ended).rejects.toThrow('the job is lost');
  });

  it.each([
    ['given up', true],
    ['over', false],
  ])('that is %s is waited for while a save of its own is under way, so that no part of that outlives the transaction', async (_, isGivenUp) => {
    const controller = new AbortController();
    const steps: string[] = [];
    const { promise: locked, resolve: free } = Promise.withResolvers<void>();
    const saving = async () => {
      steps.push('find');
      await locked;
      steps.push('write');
      return { created: true };
    };
    const { ended } = run(
      (event) => {
        const saved = event.saveComponent('PLACES', {});
        return isGivenUp ? (saved as Promise<unknown> as Promise<void>) : undefined;
      },
      { signal: controller.signal, saveComponent: saving },
    );
    const end = ended.then(
      () => steps.push('end'),
      () => steps.push('end'),
    );
    if (isGivenUp) controller.abort(new Error('the job is lost'));
    await new Promise(setImmediate);
    free();
    await end;
    expect(steps).toEqual(['find', 'write', 'end']);
  });

  it('fails where something that it did not wait for does', async () => {
    const refused = async () => {
      await new Promise(setImmediate);
      throw new Error('no such place');
    };
    const { ended } = run((event) => void event.saveComponent('PLACES', {}), { saveComponent: refused });
    await expect(ended).rejects.toThrow('no such place');
  });

  it('can start nothing that outlives it', async () => {
    let after: ComponentEvent | undefined;
    await run((event) => {
      after = event;
    }).ended;
    await expect(after?.execute('x')).rejects.toThrow('await everything');
    await expect(after?.saveComponent('PLACES', {})).rejects.toThrow('await everything');
  });
});
