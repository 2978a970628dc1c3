import { expect, it, onTestFinished } from 'vitest';
import { ServiceInterface } from '../../src/model/handler.ts';
import { temporaryFolder } from '../store/support.ts';
import { eventually } from '../support/project.ts';
import { openAudited } from './audited.ts';

class Failing extends ServiceInterface {
  override async execute(): Promise<void> {
    throw new Error('no');
  }
}

it('a class that fails again and again is given up, is told of, and holds up the next one no longer', async () => {
  let now = Date.now();
  const told: string[] = [];
  const ended: string[] = [];
  const { store, queue, components, component } = await openAudited(temporaryFolder(), {
    first: Failing,
    now: () => now,
    onError(_, { attempt, what }) {
      told.push(`${attempt}: ${what}`);
      // Longer than any pause.
      now += 3_600_000;
      queue.wake('events');
    },
    account: ({ name, error }) => void ended.push(`${name}: ${error === undefined ? 'done' : 'failed'}`),
  });
  onTestFinished(async () => {
    await queue.close({ timeoutMs: 100 });
    await store.close();
  });
  await queue.start();
  await components.save(component, 'put', { ID: 1, NAME: 'a' }, { user: undefined, requestId: 'R' });
  await eventually('the class behind it', () => ended.find((each) => each === 'Second of COUNTED: done'));
  const again = 'a class after a save, which is tried again';
  const retried = [1, 2, 3, 4].map((attempt) => `${attempt}: ${again}`);
  expect(told).toEqual([...retried, '5: a class after a save, which is given up']);
});
