import type { Command } from 'commander';
import { CliFailure } from '../../cli/failure.ts';
import { propose } from '../../cli/find.ts';
import { AS_JSON } from '../../cli/help.ts';
import { actsOnStore, readsStore } from '../../cli/operator.ts';
import { printable } from '../../cli/terminal.ts';
import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { MessageControl, MessageReader } from '../run/index.ts';

/** Makes the command read the messages of the database, which is neither created nor changed. */
export function reads<Rest extends readonly unknown[]>(
  command: Command,
  work: (messages: MessageReader, json: true | undefined, ...rest: Rest) => Promise<void>,
): void {
  readsStore<Rest>(command.option('--json', AS_JSON), async ({ registry, store, json }, rest) => {
    const { readMessagesOf } = await import('../../serve/start/queues.ts');
    await reported(registry, () => work(readMessagesOf(registry, store, process.env), json, ...rest));
  });
}

/** What a command acts with. */
export interface Acting {
  readonly messages: MessageControl;
  readonly actor: string;
  readonly json: true | undefined;
}

/** Makes the command act on the messages of the database. */
export function acts<Rest extends readonly unknown[]>(
  command: Command,
  work: (acting: Acting, ...rest: Rest) => Promise<void>,
): void {
  actsOnStore<Rest>(command, async ({ registry, store, ...given }, rest) => {
    const { withMessages } = await import('../../serve/start/queues.ts');
    await withMessages(registry, { store, env: process.env }, (messages) =>
      reported(registry, () => work({ messages, ...given }, ...rest)),
    );
  });
}

/** Reports what is refused in the style of a command, with what to do. */
async function reported<T>(registry: Registry, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = printable(error.message)
      .replace(/^(?=There|Message|Delivery|Partition)./, (first) => first.toLowerCase())
      .replace(/\.$/, '');
    const [, kind = '', id = ''] =
      /^There is no (operation|queue|subscription|node) (\S+)\.$/.exec(error.message) ?? [];
    const known = kind === '' ? undefined : namesOf(registry, kind);
    const isUsage = known !== undefined || error.code === 'BAD_PARAMETER';
    const hint =
      known !== undefined
        ? propose(id, known)
        : error.code === 'NOT_FOUND'
          ? "'signalbox message list' lists the messages."
          : undefined;
    throw new CliFailure(message, { hint, exitCode: isUsage ? 2 : 1, cause: error });
  }
}

function namesOf(registry: Registry, kind: string): Iterable<string> {
  if (kind === 'operation') return [...registry.operations.keys(), ...registry.consumers.keys()];
  if (kind === 'queue') return registry.messageQueues.keys();
  return kind === 'subscription' ? registry.subscriptions.keys() : registry.nodes.keys();
}
