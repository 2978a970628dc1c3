import type { Process } from '../../model/process.ts';
import { comment, sentence } from '../comment.ts';
import { propertyName } from '../names.ts';
import { isPresent } from '../vocabulary.ts';
import { block, property, type Writing } from './members.ts';

/** The types of processes' parameters, of `types.ts`: after checks and defaults, absent where a request gives none. */
export function parameterTypes(words: Writing): string[] {
  return words.processes.map((process) => {
    const lines = process.parameters.map((field) => property(field, 'received', isPresent(field), words));
    const title = comment('', [`Parameters of ${process.id}.`]);
    return `${title}export type ${words.names.parameters(process)} = ${block(lines, 'never')}`;
  });
}

/** The type of the code of a process, of `handlers.ts`. */
export function processType(process: Process, { components, names }: Pick<Writing, 'components' | 'names'>): string {
  const context = names.processContext(process);
  const run =
    'Does the work. What it throws ends the attempt; a Fault with a status below 500 ends the request without another.';
  return [
    comment('', [`What the code of ${process.id} is given beside its parameters.`]),
    `export type ${context} = TypedProcess<Queries, Calls, Flows${components.length === 0 ? '' : ', Components'}>;\n\n`,
    comment('', [sentence(process.description), `Process of the type ${process.type}.`]),
    `export interface ${names.process(process)} {\n`,
    comment('  ', [run]),
    '  run(\n',
    `    parameters: ${names.parameters(process)},\n`,
    `    context: ${context},\n`,
    '  ): ProcessOutcome | Promise<ProcessOutcome>;\n}\n',
  ].join('');
}

/** The map of processes, and what defines one; nothing where code runs none. */
export function processesMap({ processes, names }: Pick<Writing, 'processes' | 'names'>): string {
  if (processes.length === 0) return '';
  const entries = processes.map((process) => `  ${propertyName(process.id)}: ${names.process(process)};\n`);
  const title = comment('', ['Processes that code runs, each with its code.']);
  return `${title}export interface Processes {\n${entries.join('')}}\n\n${DEFINE}`;
}

/** It returns what it is given: all of its work is done by the compiler. */
const DEFINE = `/** Defines the code of a process: parameters and context are inferred. */
export function defineProcess<Id extends keyof Processes>(_process: Id, code: Processes[Id]): Processes[Id] {
  return code;
}
`;
