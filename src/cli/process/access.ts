import { type Command, InvalidArgumentError } from 'commander';
import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { PermissionList, User } from '../../model/security.ts';
import type { RequestReader, Scheduler } from '../../process/index.ts';
import { CliFailure } from '../failure.ts';
import { actsOnStore, readsStore } from '../operator.ts';
import { printable } from '../terminal.ts';

/** What a command reads with. */
interface Reading {
  readonly requests: RequestReader<{ stream(): AsyncIterable<Uint8Array> }>;
  readonly operator: User;
  readonly json: true | undefined;
}

/** Makes the command read the requests of the database, which is neither created nor changed. */
export function reads<Rest extends readonly unknown[]>(
  command: Command,
  work: (reading: Reading, ...rest: Rest) => Promise<void>,
): void {
  readsStore<Rest>(command, async ({ registry, store, json }, rest) => {
    const { readRequestsOf } = await import('../../serve/start/queues.ts');
    const requests = readRequestsOf(registry, store, process.env);
    await reported(() => work({ requests, operator: operatorOf(registry), json }, ...rest));
  });
}

/** What a command acts with. */
export interface Acting {
  readonly registry: Registry;
  readonly scheduler: Scheduler;
  readonly findUser: (id: string) => User | undefined | Promise<User | undefined>;
  /** The name in the record. */
  readonly actor: string;
  readonly json: true | undefined;
}

/** Makes the command act on the requests of the database. */
export function acts<Rest extends readonly unknown[]>(
  command: Command,
  work: (acting: Acting, ...rest: Rest) => Promise<void>,
): void {
  actsOnStore<Rest>(command, async ({ registry, store, ...given }, rest) => {
    const { withScheduler } = await import('../../serve/start/queues.ts');
    await withScheduler(registry, { store, env: process.env }, ({ scheduler, directory }) => {
      const findUser: Acting['findUser'] = (id) => directory.findOwner(id);
      return reported(() => work({ registry, scheduler, findUser, ...given }, ...rest));
    });
  });
}

/** Reports what the scheduler refuses in the style of a command, with what to do. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const isUsage = error.code === 'BAD_PARAMETER' || error.code === 'MISSING_PARAMETER';
    const isUnknown = error.message.startsWith('There is no process request ');
    const hint = isUnknown ? "'signalbox process list' lists the requests." : undefined;
    const words = printable(error.message).replace(/^(?=There|Process |Parameter )./, (first) => first.toLowerCase());
    throw new CliFailure(words.replace(/\.$/, ''), { hint, exitCode: isUsage ? 2 : 1, cause: error });
  }
}

/** Whoever may use the database has all rights. No user has this id: the ids of users begin with a letter or digit. */
export function operatorOf({ permissionLists, gateway: { at } }: Registry): User {
  const all: PermissionList = {
    id: '',
    operations: [],
    queries: [],
    processes: [],
    components: [],
    processRequests: 'all',
    at,
  };
  return {
    id: ':operator',
    roles: [],
    permissionLists: new Set([...permissionLists.values(), all]),
    apiKeys: [],
    certificates: [],
    sample: false,
    origin: 'definitions',
    at,
  };
}

/** Reads the number of a request. */
export function readInstance(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It takes the number of a request.');
  return number;
}
