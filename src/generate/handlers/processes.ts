import type { Process } from '../../model/process.ts';
import { comment, sentence } from '../comment.ts';
import { propertyName } from '../typescript.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { contextType, type Writing } from './writing.ts';

/** The type of the code of a process. */
export function processType(process: Process, words: Writing): string {
  const { names, fromPackage, fromTypes } = words;
  const context = names.processContext(process);
  fromPackage.add('ProcessOutcome');
  fromTypes.add(names.parameters(process));
  const run =
    'Does the work. What it throws ends the attempt; a Fault with a status below 500 ends the request without another.';
  return [
    comment('', [`What the code of ${process.id} is given beside its parameters.`]),
    `export type ${context} = ${contextType('TypedProcess', [], words)};\n\n`,
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
export function processesMap({ processes, names }: Vocabulary): string {
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
