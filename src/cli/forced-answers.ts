import type { Command } from 'commander';
import { Answers, EVERY_OPERATION } from '../mock/answers.ts';
import { readDelay } from '../mock/delay.ts';
import { FAULT_CODES, faultOf, readFault } from '../mock/fault.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Node } from '../model/node.ts';
import { alternatives, type OperationIdentity, operationsByName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { anyOf } from '../wire/words.ts';
import { wrongUsage } from './failure.ts';
import { propose } from './find.ts';

/** Options for faults and delays that a mock is forced to. */
export function addForcedOptions(command: Command): Command {
  const fault = "reply with a fault: ORDER_PUT=409 or ORDER_PUT=CONFLICT, '*=503' for all; repeat for more than one";
  const delay = "let a reply take longer: 'ORDER_GET=2 s', or '2 s' for all; repeat for more than one";
  return command
    .option('--fault <operation=fault>', fault, collect, [])
    .option('--delay <operation=time>', delay, collect, []);
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

/** Faults and delays of the command line. */
export interface Forced {
  readonly fault: readonly string[];
  readonly delay: readonly string[];
}

/**
 * The answers that the command line forces.
 * @param nodes those that are stood in for; `undefined` if the project's own operations are mocked
 * @throws CliFailure
 */
export function forcedAnswers(
  registry: Registry,
  { fault, delay }: Forced,
  nodes: readonly Node[] | undefined,
): readonly Answers[] {
  const faults = new Answers();
  const delays = new Answers();
  const known = mockedOperations(registry, nodes);
  for (const text of fault) {
    const [, name = '', asked = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === '')
      throw wrongUsage(
        `--fault takes OPERATION=FAULT, not '${text}'`,
        "As in 'ORDER_PUT=409', or '*=503' for all operations.",
      );
    const read = readFault(asked.trim());
    if (read === undefined)
      throw wrongUsage(
        `${asked.trim() || 'nothing'} is not a fault`,
        propose(asked.trim(), FAULT_CODES) ?? 'It is a status from 400 to 599, or a code such as NOT_FOUND.',
      );
    const id = operationNamed(known, name.trim(), nodes);
    faults.add(id, {
      reply: ({ operation }) => {
        throw faultOf(read, operation);
      },
    });
  }
  for (const text of delay) {
    const [, name, time = ''] = /^(?:([^=]+)=)?(.*)$/s.exec(text) ?? [];
    const id = name === undefined ? EVERY_OPERATION : operationNamed(known, name.trim(), nodes);
    delays.add(id, { delay: delayOf(time.trim()) });
  }
  // A fault leaves nothing to the answers after it, while a delay does.
  return [delays, faults];
}

/** The milliseconds of `--delay`. @throws CliFailure */
function delayOf(text: string): number {
  const read = readDelay(text);
  if (typeof read === 'number') return read;
  const meant = read.meant.map((each) => `'${each}'`);
  throw wrongUsage(
    `--delay takes a time up to 1 h, not '${text}'`,
    meant.length > 0 ? `Write ${anyOf(meant)}.` : "As in '2 s' or 'ORDER_GET=500 ms'.",
  );
}

/** The operations that a mock answers, by the names that they may be called by. */
function mockedOperations(
  registry: Registry,
  nodes: readonly Node[] | undefined,
): ReadonlyMap<string, readonly OperationIdentity[]> {
  const isMocked = (each: Operation | ConsumerOperation): boolean =>
    nodes === undefined ? !('target' in each) : 'target' in each && nodes.includes(each.target);
  const byName = [...operationsByName(registry)].map(([name, all]) => [name, all.filter(isMocked)] as const);
  return new Map(byName.filter(([, all]) => all.length > 0));
}

/** The id of an operation; `*` is every operation. @throws CliFailure */
function operationNamed(
  known: ReturnType<typeof mockedOperations>,
  name: string,
  nodes: readonly Node[] | undefined,
): string {
  if (name === EVERY_OPERATION) return name;
  const found = known.get(name) ?? [];
  if (found.length > 1) throw wrongUsage(`the name ${name} is ambiguous`, `Write ${alternatives(found)}.`);
  const [operation] = found;
  if (operation !== undefined) return operation.id;
  const where =
    nodes === undefined
      ? 'the project has no operation'
      : `nothing that is called at ${nodes.map(({ id }) => id).join(', ')} is`;
  throw wrongUsage(`${where} ${name}`, propose(name, [...known.keys()]));
}
