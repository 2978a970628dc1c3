import type { Component } from '../model/component.ts';
import { qualifiedName } from '../model/operation-names.ts';
import type { Process } from '../model/process.ts';
import type { Message, Operation } from '../model/service.ts';
import { HEADER } from './files.ts';
import { comment, importLine, propertyName, sentence } from './typescript.ts';
import type { Vocabulary } from './vocabulary.ts';
import { messageWords, waysTo } from './words.ts';

/** Text of `handlers.ts`: what each operation that is answered by code of the project takes, is given and returns. */
export function handlersFile(vocabulary: Vocabulary): string {
  const words: Writing = {
    ...vocabulary,
    fromPackage: new Set<string>(['Fitting', 'HandlerOf']),
    fromTypes: new Set(),
    fromClient: new Set(),
  };
  const { operations, components, processes, names } = words;
  const declarations = operations.map((operation) => handlerType(operation, words)).join('\n');
  const entries = operations.flatMap((operation) =>
    [...new Set([operation.id, qualifiedName(operation)])].map(
      (each) => `  ${propertyName(each)}: ${names.handler(operation)};\n`,
    ),
  );
  const events = components.map((component) => eventType(component, words)).join('\n');
  const programs = processes.map((process) => processType(process, words)).join('\n');
  const imports =
    importLine([...words.fromPackage], 'signalbox') +
    importLine([...words.fromClient], './client.ts') +
    importLine([...words.fromTypes], './types.ts');
  const parts = [
    `// ${HEADER}\n`,
    imports,
    declarations,
    events,
    programs,
    handlersMap(entries),
    DEFINE,
    processesMap(words),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function handlerType(operation: Operation, words: Writing): string {
  const { names, fromPackage, fromTypes } = words;
  const request = names.request(operation);
  const context = names.context(operation);
  for (const name of ['Fault', 'Reply']) fromPackage.add(name);
  fromTypes.add(request);
  const indices = [...operation.uris.map(({ index }) => index), ...(operation.soap === undefined ? [] : [0])].join(
    ' | ',
  );
  const forms = [...new Set(operation.responses.flatMap(({ message }) => formText(message, words) ?? []))];
  const reply = [...forms, 'Reply'].join(' | ');
  const fault = faultWords(operation);
  const given = `What a handler of ${operation.id} is given beside the request.`;
  const onRequest = `Takes the request message, returns the reply (${replyWords(operation)}) or throws a Fault.`;
  const onError = `Takes a fault that was raised once onRequest had been called, returns the text that ${fault}.`;
  return [
    comment('', [given]),
    `export type ${context} = ${contextType('TypedContext', [indices, forms.join(' | ') || 'never'], words)};\n\n`,
    comment('', [
      sentence(operation.description),
      ...waysTo(operation).map((way) => `${operation.service.id}: ${way}`),
    ]),
    `export interface ${names.handler(operation)} {\n`,
    comment('  ', [onRequest]),
    method('onRequest', [`request: ${request}`, `context: ${context}`], reply),
    comment('  ', [onError]),
    method('onError?', ['fault: Fault', `request: ${request}`, `context: ${context}`], 'string'),
    '}\n',
  ].join('');
}

/** A method that may answer at once or later. */
function method(name: string, parameters: readonly string[], returns: string): string {
  return `  ${name}(\n${parameters.map((each) => `    ${each},\n`).join('')}  ): ${returns} | Promise<${returns}>;\n`;
}

/** What the text of `onError` goes into. */
function faultWords({ fault, method }: Operation): string {
  if (fault !== undefined) return `${fault.id} gets`;
  return method === undefined ? 'the SOAP fault gets' : 'the problem details get';
}

function replyWords(operation: Operation): string {
  return [...new Set(operation.responses.map(({ message }) => messageWords(message)))].join(' or ');
}

/** The type of one form of reply; none for the one that only `context.bytes` makes. */
function formText(message: Message, { names, fromPackage, fromTypes }: Writing): string | undefined {
  if (message.kind === 'none') return 'Record<string, never>';
  if (message.kind === 'document') {
    const name = names.given(message.document);
    fromTypes.add(name);
    return name;
  }
  if (message.raw === 'binary') return undefined;
  if (message.raw !== 'json') return 'string';
  fromPackage.add('JsonValue');
  return 'string | { readonly [key: string]: JsonValue }';
}

function handlersMap(entries: readonly string[]): string {
  const title = comment('', [
    'Operations that code answers, each with its handler: by its id, and by its service, version and name.',
  ]);
  if (entries.length === 0) return `${title}export type Handlers = Record<never, never>;\n`;
  return `${title}export interface Handlers {\n${entries.join('')}}\n`;
}

/** It returns what it is given: all of its work is done by the compiler. */
const DEFINE = `/**
 * Defines the handler of an operation: request, context and reply are inferred, and a reply with a wrong field, at any
 * depth, does not compile. A field too many is reported at the operation's id. A handler that several operations share, such
 * as those of two versions, is defined with a list of their ids: it takes the request of each, and its reply fits each.
 */
export function defineHandler<Id extends keyof Handlers, H extends HandlerOf<Handlers, Id>>(
  operation: (Id & Fitting<Handlers, Id, H>) | readonly (Id & Fitting<Handlers, Id, H>)[],
  handler: H,
): HandlerOf<Handlers, Id>;
export function defineHandler(_operation: unknown, handler: unknown): unknown {
  return handler;
}
`;

/** With the types that the text of `handlers.ts` uses, collected while it is written. */
interface Writing extends Vocabulary {
  readonly fromPackage: Set<string>;
  readonly fromTypes: Set<string>;
  readonly fromClient: Set<string>;
}

/** What code is given beside its message: the project's own queries, calls, flows and components. @param own what its kind takes more */
function contextType(
  kind: 'TypedContext' | 'TypedEvent' | 'TypedProcess',
  own: readonly string[],
  { components, fromPackage, fromTypes, fromClient }: Writing,
): string {
  const saves = components.length === 0 ? [] : ['Components'];
  fromPackage.add(kind);
  for (const name of ['Queries', ...saves]) fromTypes.add(name);
  for (const name of ['Calls', 'Flows']) fromClient.add(name);
  return `${kind}<${['Queries', 'Calls', 'Flows', ...own, ...saves].join(', ')}>`;
}

/** The type of the event that a class registered at a component is given. */
function eventType(component: Component, words: Writing): string {
  const { names, fromTypes } = words;
  const title = comment('', [`What a class is given that is registered at ${component.id}.`]);
  const record = names.record(component);
  fromTypes.add(record);
  return `${title}export type ${names.event(component)} = ${contextType('TypedEvent', [record], words)};\n`;
}

/** The type of the code of a process. */
function processType(process: Process, words: Writing): string {
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
function processesMap({ processes, names }: Vocabulary): string {
  if (processes.length === 0) return '';
  const entries = processes.map((process) => `  ${propertyName(process.id)}: ${names.process(process)};\n`);
  const title = comment('', ['Processes that code runs, each with its code.']);
  return `${title}export interface Processes {\n${entries.join('')}}\n\n${DEFINE_PROCESS}`;
}

/** It returns what it is given: all of its work is done by the compiler. */
const DEFINE_PROCESS = `/** Defines the code of a process: parameters and context are inferred. */
export function defineProcess<Id extends keyof Processes>(_process: Id, code: Processes[Id]): Processes[Id] {
  return code;
}
`;
