import { expect, it, onTestFinished } from 'vitest';
import { ServiceInterface } from '../../src/model/service-interface.ts';
import { temporaryFolder } from '../store/support.ts';
import { eventually } from '../support/project.ts';
import { openAudited } from './audited.ts';

class Failing extends ServiceInterface {
  override async execute(): Promise<void> {
    throw new Error('no');
  }
}

it('a class that fails for a day is given up, is told of, and holds up the next one no longer', async () => {
  let now = Date.now();
  const told: string[] = [];
  const ended: string[] = [];
  const { store, queue, components, component } = await openAudited(temporaryFolder(), {
    first: Failing,
    now: () => now,
    onError(_, { attempt, what }) {
      told.push(`${attempt}: ${what}`);
      // As long as the longest pause.
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
  const retried = Array.from({ length: 24 }, (_, index) => `${index + 1}: ${again}`);
  expect(told).toEqual([...retried, '25: a class after a save, which is given up']);
});
