import type { Command } from 'commander';
import { Fault } from '../../model/fault.ts';
import { REQUEST_ACTIONS, requestDone } from '../../operator/process.ts';
import type { ProcessRequest, RequestAction } from '../../process/index.ts';
import { counted } from '../../wire/words.ts';
import { Ended } from '../failure.ts';
import { explain } from '../help.ts';
import { confirm } from '../operator.ts';
import { note, print, printResult } from '../terminal.ts';
import { type Acting, acts, operatorOf, readInstance } from './access.ts';

const readInstances = (text: string, before: readonly number[] = []): number[] => [...before, readInstance(text)];

type Verb = (typeof REQUEST_ACTIONS)[RequestAction]['verb'];

const DESCRIPTIONS: Readonly<Record<Verb, string>> = {
  hold: 'put requests that wait on hold, until they are restarted',
  cancel: 'cancel requests; code that runs is asked to stop',
  restart: 'run requests again with the same parameters; their reports are removed',
  delete: 'mark requests as deleted, and remove their reports for good',
};

/** `signalbox process hold`, `cancel`, `restart` or `delete`. */
export function addAction(group: Command, name: Verb): void {
  const command = explain(group.command(name), { examples: [`signalbox process ${name} 1042`] })
    .description(DESCRIPTIONS[name])
    .argument('<instances...>', 'the numbers of requests', readInstances)
    .option('--yes', 'do not ask');
  acts(command, async (acting, instances: readonly number[], { yes }: { readonly yes?: true }) => {
    const many = counted(instances.length, 'request');
    if (instances.length > 1)
      await confirm({ question: `Do you want to ${name} ${many}?`, line: `${many} to ${name}.` }, yes);
    await updateEach(acting, instances, name);
  });
}

/** Acts on each request. The others are done although one is refused; the command then fails. */
async function updateEach(
  { registry, scheduler, actor, json }: Acting,
  instances: readonly number[],
  name: Verb,
): Promise<void> {
  const action = (Object.keys(REQUEST_ACTIONS) as RequestAction[]).find(
    (each) => REQUEST_ACTIONS[each].verb === name,
  ) as RequestAction;
  const operator = operatorOf(registry);
  const results: (ProcessRequest | { readonly instance: number; readonly error: string })[] = [];
  let refused = 0;
  for (const instance of instances) {
    try {
      const request = await scheduler.update(instance, action, operator, actor);
      results.push(request);
      if (!json) await print(`Request ${instance} ${requestDone(action, request)}.\n`);
    } catch (error) {
      if (!(error instanceof Fault) || instances.length === 1) throw error;
      results.push({ instance, error: error.message });
      refused += 1;
      note(error.message);
    }
  }
  if (json) await printResult(results, json, () => '');
  if (refused > 0) throw new Ended(1);
}
