import type { ConsumerOperation } from '../model/consumer.ts';
import { type Flow, type FlowStep, flowNames } from '../model/flow.ts';
import { qualifiedName, shortestName } from '../model/operation-names.ts';
import { HEADER } from './files.ts';
import { code, comment, importLine, interfaceOf, LINE_WIDTH, propertyName, quoted, sentence } from './typescript.ts';
import { faultsOfCall, type Vocabulary } from './vocabulary.ts';
import { waysTo } from './words.ts';

/** Text of `client.ts`: the types of every operation of another system and of every flow, and a client for them. */
export function clientFile(vocabulary: Vocabulary): string {
  const words: Writing = { ...vocabulary, fromTypes: new Set() };
  const calls = interfaceOf(
    'Calls',
    'Operations of other systems, each with its request, its reply and the document of its faults. A name without a service means the default version.',
    words.consumers.flatMap((consumer) => callEntries(consumer, words)),
  );
  const flows = interfaceOf(
    'Flows',
    'Flows, each with its request and the reply of its last step. A name without a version means the default one.',
    words.flows.flatMap((flow) => flowEntries(flow, words)),
  );
  const byNode = Map.groupBy(words.consumers, ({ target }) => target.id);
  const partners = interfaceOf(
    'Partners',
    'The systems that are called, each with its operations: what `partner` of `signalbox/testing` stands in for.',
    [...byNode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([node, consumers]) => partnerEntry(node, consumers, words)),
  );
  const imports = PACKAGE + importLine([...words.fromTypes], './types.ts');
  return [`// ${HEADER}\n`, imports, calls, flows, partners, OPEN].join('\n');
}

/** The vocabulary, with the names of `types.ts` that the text uses, collected while it is written. */
interface Writing extends Vocabulary {
  readonly fromTypes: Set<string>;
}

/** Under the qualified name, and under the name alone when that means the same operation. */
function callEntries(consumer: ConsumerOperation, { names, fromTypes, operationsByName }: Writing): string[] {
  const { service, target, description } = consumer;
  const request = names.call(consumer);
  const reply = names.reply(consumer);
  const faults = [...new Set(faultsOfCall(consumer).map(names.received))];
  for (const name of [request, reply, ...faults]) fromTypes.add(name);
  const title = comment('  ', [
    sentence(description),
    ...waysTo(consumer).map((way) => `${service.id}, at ${target.id}: ${way}`),
  ]);
  const types = [`request: ${request}`, `reply: ${reply}`, `fault: ${faults.join(' | ') || 'never'}`];
  return spellingsOf(consumer, operationsByName).map((each) => title + entry(each, types));
}

/** The names by which an operation is called. */
function spellingsOf(consumer: ConsumerOperation, operationsByName: Writing['operationsByName']): string[] {
  return [...new Set([shortestName(operationsByName, consumer), qualifiedName(consumer)])];
}

function partnerEntry(node: string, consumers: readonly ConsumerOperation[], { operationsByName }: Writing): string {
  const names = consumers.flatMap((each) => spellingsOf(each, operationsByName)).map(quoted);
  const flat = `  ${propertyName(node)}: Pick<Calls, ${names.join(' | ')}>;`;
  if (flat.length <= LINE_WIDTH) return `${flat}\n`;
  return `  ${propertyName(node)}: Pick<\n    Calls,\n${names.map((name) => `    | ${name}\n`).join('')}  >;\n`;
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

/** A member with members of its own, on one line if they fit. */
function entry(name: string, members: readonly string[]): string {
  const lead = `  ${propertyName(name)}: {`;
  const flat = `${lead} ${members.join('; ')} };`;
  if (flat.length <= LINE_WIDTH) return `${flat}\n`;
  return `${lead}\n${members.map((member) => `    ${member};\n`).join('')}  };\n`;
}

const PACKAGE = "import { openClient as open, type OpenOptions, type TypedClient } from 'signalbox';\n";

const OPEN = `/**
 * Loads the definitions and opens a client for the operations of other systems and the flows. Nothing is sent before the
 * first call. Close the client when it is no longer needed.
 */
export function openClient(options?: OpenOptions): Promise<TypedClient<Calls, Flows>> {
  return open(options);
}
`;
