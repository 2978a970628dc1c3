import type { ConsumerOperation } from '../model/consumer.ts';
import { type Flow, type FlowStep, flowNames } from '../model/flow.ts';
import { qualifiedName, shortestName } from '../model/operation-names.ts';
import { HEADER } from './files.ts';
import { code, comment, importLine, propertyName, sentence } from './typescript.ts';
import type { Vocabulary } from './vocabulary.ts';
import { waysTo } from './words.ts';

/** Text of `client.ts`: every operation of another system and every flow with its types, and a client for them. */
export function clientFile(vocabulary: Vocabulary): string {
  const words: Writing = { ...vocabulary, fromTypes: new Set() };
  const calls = map(
    'Calls',
    'Operations of other systems: what each is called with, what it answers, and the document of its faults. Without a service, that of the default version.',
    words.consumers.flatMap((consumer) => callEntries(consumer, words)),
  );
  const flows = map(
    'Flows',
    'Flows: what each is run with, and the reply of its last step. Without a version, that of the default one.',
    words.flows.flatMap((flow) => flowEntries(flow, words)),
  );
  const imports = PACKAGE + importLine([...words.fromTypes], './types.ts');
  return [`// ${HEADER}\n`, imports, calls, flows, OPEN].join('\n');
}

/** With the names of `types.ts` that the text uses, collected while it is written. */
interface Writing extends Vocabulary {
  readonly fromTypes: Set<string>;
}

/** By its qualified name, and by its name alone where that means it. */
function callEntries(consumer: ConsumerOperation, { names, fromTypes, operationsByName }: Writing): string[] {
  const { service, target, description, fault } = consumer;
  const request = names.call(consumer);
  const reply = names.reply(consumer);
  const faults = fault === undefined ? [] : [names.received(fault)];
  for (const name of [request, reply, ...faults]) fromTypes.add(name);
  const title = comment('  ', [
    sentence(description),
    ...waysTo(consumer).map((way) => `${service.id}, at ${target.id}: ${way}`),
  ]);
  const spellings = new Set([shortestName(operationsByName, consumer), qualifiedName(consumer)]);
  const types = [`request: ${request}`, `reply: ${reply}`, `fault: ${faults[0] ?? 'never'}`];
  return [...spellings].map((each) => title + entry(each, types));
}

function flowEntries(flow: Flow, { names, fromTypes }: Writing): string[] {
  const { steps, description } = flow;
  const last = steps.at(-1) as FlowStep;
  const request = names.call(flow);
  const reply = names.reply(last.operation);
  for (const each of [request, reply]) fromTypes.add(each);
  const called = steps.map(({ operation }) => code(operation.id)).join(', ');
  const title = comment('  ', [sentence(description), `Calls ${called}.`]);
  return flowNames(flow).map((each) => title + entry(each, [`request: ${request}`, `reply: ${reply}`]));
}

const WIDTH = 120;

/** A member with members of its own, on one line where they fit. */
function entry(name: string, members: readonly string[]): string {
  const lead = `  ${propertyName(name)}: {`;
  const flat = `${lead} ${members.join('; ')} };`;
  if (flat.length <= WIDTH) return `${flat}\n`;
  return `${lead}\n${members.map((member) => `    ${member};\n`).join('')}  };\n`;
}

/** An interface of these entries; with none of them, one that has no keys. */
function map(name: string, said: string, entries: readonly string[]): string {
  const title = comment('', [said]);
  if (entries.length === 0) return `${title}export type ${name} = Record<never, never>;\n`;
  return `${title}export interface ${name} {\n${entries.join('')}}\n`;
}

const PACKAGE = "import { openClient as open, type OpenOptions, type TypedClient } from 'signalbox';\n";

const OPEN = `/**
 * Loads the definitions and opens a client for what they call elsewhere. Nothing is sent before the first call; close it
 * when it is no longer needed.
 */
export function openClient(options?: OpenOptions): Promise<TypedClient<Calls, Flows>> {
  return open(options);
}
`;
