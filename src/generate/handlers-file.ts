import { type AfterSave, type Component, SAVE_EFFECTS } from '../model/component.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { bareField } from '../model/document.ts';
import type { Subscription } from '../model/message.ts';
import { qualifiedName } from '../model/operation-names.ts';
import type { Process } from '../model/process.ts';
import type { Message, Operation } from '../model/service.ts';
import { HEADER } from './files.ts';
import { comment, importLine, interfaceOf, propertyName, quoted, sentence } from './typescript.ts';
import type { Vocabulary } from './vocabulary.ts';
import { messageWords, waysTo } from './words.ts';

/** Text of `handlers.ts`: the types of handlers, classes, code after saves, processes and subscriptions, and the functions that define them. */
export function handlersFile(vocabulary: Vocabulary): string {
  const words: Writing = {
    ...vocabulary,
    fromPackage: new Set<string>(['Fitting', 'HandlerOf']),
    fromTypes: new Set(),
    fromClient: new Set(),
  };
  const { operations, components, processes, subscriptions, names } = words;
  const declarations = operations.map((operation) => handlerType(operation, words)).join('\n');
  const entries = operations.flatMap((operation) =>
    [...new Set([operation.id, qualifiedName(operation)])].map(
      (each) => `  ${propertyName(each)}: ${names.handler(operation)};\n`,
    ),
  );
  const events = components.map((component) => eventType(component, words)).join('\n');
  const saves = components.flatMap((component) =>
    component.afterSave === undefined ? [] : afterSaveType(component, component.afterSave, words),
  );
  const programs = processes.map((process) => processType(process, words)).join('\n');
  const takers = subscriptions.map((subscription) => subscriptionType(subscription, words)).join('\n');
  const imports =
    "import { define } from 'signalbox';\n" +
    importLine([...words.fromPackage], 'signalbox') +
    importLine([...words.fromClient], './client.ts') +
    importLine([...words.fromTypes], './types.ts');
  const parts = [
    `// ${HEADER}\n`,
    imports,
    declarations,
    events,
    saves.join('\n'),
    programs,
    takers,
    interfaceOf(
      'Handlers',
      'The handlers of operations that code answers, by the id of the operation and by its service, version and name.',
      entries,
    ),
    DEFINE,
    afterSavesMap(words),
    processesMap(words),
    subscriptionsMap(words),
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
  const forms = [...new Set(operation.responses.map(({ message }) => formText(message, words)))];
  const isSilent = operation.responses.some(({ message }) => message.kind === 'none');
  const reply = [...forms, 'Reply', ...(isSilent ? ['void'] : [])].join(' | ');
  const answer = names.answer(operation);
  const title = `The context of a request to ${operation.id}: queries, calls, the caller and more.`;
  const onRequest = `Answers a request. Returns the reply (${replyWords(operation)}) or throws a Fault.`;
  const onError = `Called with a fault that occurs during or after onRequest. Returns ${faultText(operation)}.`;
  return [
    comment('', [title]),
    `export type ${context} = ${contextType('TypedContext', [indices, forms.join(' | ') || 'never'], words)};\n\n`,
    comment('', [`What code answers a request to ${operation.id} with.`]),
    `export type ${answer} = ${reply};\n\n`,
    faultsType(operation, words),
    comment('', [
      sentence(operation.description),
      ...waysTo(operation).map((way) => `${operation.service.id}: ${way}`),
    ]),
    `export interface ${names.handler(operation)} {\n`,
    comment('  ', [onRequest]),
    method('onRequest', [`request: ${request}`, `context: ${context}`], answer),
    comment('  ', [onError]),
    method('onError?', ['fault: Fault', `request: ${request}`, `context: ${context}`], 'string'),
    '}\n',
  ].join('');
}

/** The documents of the faults that an operation declares, by their names; empty when it declares none. */
function faultsType({ id, soap }: Operation, { names, fromTypes }: Writing): string {
  const { faults = [] } = soap ?? {};
  if (faults.length === 0) return '';
  const entries = faults.map(({ name, document }) => {
    fromTypes.add(names.given(document));
    return `  ${propertyName(name)}: ${names.given(document)};\n`;
  });
  const title = `The faults of ${id}, by name: \`throw Fault.custom<${names.faults({ id })}>(name, status, message, { document })\`.`;
  return `${comment('', [title])}export type ${names.faults({ id })} = {\n${entries.join('')}};\n\n`;
}

/** A method that may return its result or a promise of it. */
function method(name: string, parameters: readonly string[], returns: string): string {
  return `  ${name}(\n${parameters.map((each) => `    ${each},\n`).join('')}  ): ${returns} | Promise<${returns}>;\n`;
}

/** What `onError` returns. */
function faultText({ fault, method }: Operation): string {
  if (fault !== undefined) return `the message for ${fault.id}`;
  return `the message for the ${method === undefined ? 'SOAP fault' : 'problem details'}`;
}

function replyWords(operation: Operation): string {
  return [...new Set(operation.responses.map(({ message }) => messageWords(message)))].join(' or ');
}

/** The type of one form of reply. */
function formText(message: Message, { names, fromPackage, fromTypes }: Writing): string {
  if (message.kind === 'none') return 'Record<string, never> | undefined';
  if (message.kind === 'document') {
    const name = names.given(message.document);
    fromTypes.add(name);
    const whole = bareField(message.document);
    return whole === undefined ? name : `${name}['${whole.name}']`;
  }
  if (message.raw === 'binary') {
    fromPackage.add('Attachment');
    return 'Attachment';
  }
  if (message.raw !== 'json') return 'string';
  fromPackage.add('JsonValue');
  return 'string | { readonly [key: string]: JsonValue }';
}

/** At run time it notes the ids, which `signalbox check` compares, and returns the handler unchanged: its types do the work. */
const DEFINE = `/**
 * Defines the handler of an operation. The types of request, context and reply are inferred, and a reply with a wrong field,
 * at any depth, does not compile; an unknown field is reported at the operation's id. For a handler that several operations
 * share, such as those of two versions, pass a list of their ids: it takes any of their requests, and its reply must fit all
 * of them.
 */
export function defineHandler<Id extends keyof Handlers, H extends HandlerOf<Handlers, Id>>(
  operation: (Id & Fitting<Handlers, Id, H>) | readonly (Id & Fitting<Handlers, Id, H>)[],
  handler: H,
): HandlerOf<Handlers, Id>;
export function defineHandler(operation: string | readonly string[], handler: unknown): unknown {
  return define(operation, handler);
}
`;

/** The vocabulary, with the types that the text of `handlers.ts` uses, collected while it is written. */
interface Writing extends Vocabulary {
  readonly fromPackage: Set<string>;
  readonly fromTypes: Set<string>;
  readonly fromClient: Set<string>;
}

/** The type of a context: with the project's queries, calls, flows and components. @param own further arguments of its kind */
function contextType(
  kind: 'TypedContext' | 'TypedEvent' | 'TypedProcess' | 'TypedMessage' | 'TypedSaveContext',
  own: readonly string[],
  { published, settings, fromPackage, fromTypes, fromClient }: Writing,
): string {
  const messages = published.length > 0 ? ['Messages'] : settings.length > 0 ? ['NoMessages'] : [];
  const last = ['Components', 'Programs', ...messages, ...(settings.length > 0 ? ['Settings'] : [])];
  fromPackage.add(kind);
  for (const name of ['Queries', ...last]) (name === 'NoMessages' ? fromPackage : fromTypes).add(name);
  for (const name of ['Calls', 'Flows']) fromClient.add(name);
  return `${kind}<${['Queries', 'Calls', 'Flows', ...own, ...last].join(', ')}>`;
}

/** The type of the event that is passed to a class registered at a component. */
function eventType(component: Component, words: Writing): string {
  const { names, fromTypes } = words;
  const title = comment('', [`The event that is passed to classes registered at ${component.id}.`]);
  const record = names.record(component);
  fromTypes.add(record);
  return `${title}export type ${names.event(component)} = ${contextType('TypedEvent', [record], words)};\n`;
}

/** The type of the code that runs after the saves of a component. */
function afterSaveType(component: Component, { on }: AfterSave, words: Writing): string {
  const { names, fromPackage, fromTypes } = words;
  const [save, context, record] = [names.save(component), names.saveContext(component), names.record(component)];
  fromPackage.add('RecordSave');
  fromTypes.add(record);
  const effects = on.length === SAVE_EFFECTS.length ? '' : `, ${on.map(quoted).join(' | ')}`;
  const onSave =
    'Runs in the transaction of the save, after the record was written. What it writes is committed with the record; an error undoes the save.';
  return [
    comment('', [`A save of ${component.id}: the record before and after it.`]),
    `export type ${save} = RecordSave<${record}${effects}>;\n\n`,
    comment('', [`The context of code after a save of ${component.id}: the transaction, queries, calls and more.`]),
    `export type ${context} = ${contextType('TypedSaveContext', [], words)};\n\n`,
    comment('', [sentence(component.description), `Code after the saves of ${component.id}.`]),
    `export interface ${names.afterSave(component)} {\n`,
    comment('  ', [onSave]),
    method('onSave', [`save: ${save}`, `context: ${context}`], 'void'),
    '}\n',
  ].join('');
}

/** The map of code after saves and the function that defines one; empty when no component has any. */
function afterSavesMap({ components, names }: Vocabulary): string {
  const entries = components.flatMap((component) =>
    component.afterSave === undefined ? [] : [`  ${propertyName(component.id)}: ${names.afterSave(component)};\n`],
  );
  if (entries.length === 0) return '';
  return `${interfaceOf('AfterSaves', 'The code after saves, by the id of the component.', entries)}\n${DEFINE_AFTER_SAVE}`;
}

/** The same for the code after saves. */
const DEFINE_AFTER_SAVE = `/** Defines the code after the saves of a component. The types of save and context are inferred. */
export function defineAfterSave<Id extends keyof AfterSaves>(component: Id, code: AfterSaves[Id]): AfterSaves[Id] {
  return define(component, code);
}
`;

/** The type of the code that runs a process. */
function processType(process: Process, words: Writing): string {
  const { names, fromPackage, fromTypes } = words;
  const context = names.processContext(process);
  fromPackage.add('ProcessOutcome');
  fromTypes.add(names.parameters(process));
  const run =
    'Does the work. An error ends the attempt. A Fault with a status below 500 ends the request, without further attempts.';
  return [
    comment('', [`The context of a run of ${process.id}: the request, queries, calls and more.`]),
    `export type ${context} = ${contextType('TypedProcess', [], words)};\n\n`,
    comment('', [sentence(process.description), `Process type: ${process.type}.`]),
    `export interface ${names.process(process)} {\n`,
    comment('  ', [run]),
    '  run(\n',
    `    parameters: ${names.parameters(process)},\n`,
    `    context: ${context},\n`,
    '  ): ProcessOutcome | Promise<ProcessOutcome>;\n}\n',
  ].join('');
}

/** The map of processes and the function that defines one; empty when code runs none. */
function processesMap({ processes, names }: Vocabulary): string {
  if (processes.length === 0) return '';
  const entries = processes.map((process) => `  ${propertyName(process.id)}: ${names.process(process)};\n`);
  return `${interfaceOf('Processes', 'The code of processes, by the id of the process.', entries)}\n${DEFINE_PROCESS}`;
}

/** The same for a process. */
const DEFINE_PROCESS = `/** Defines the code of a process. The types of parameters and context are inferred. */
export function defineProcess<Id extends keyof Processes>(process: Id, code: Processes[Id]): Processes[Id] {
  return define(process, code);
}
`;

/** The type of the code that takes the messages of a subscription. */
function subscriptionType(subscription: Subscription, words: Writing): string {
  const { operation } = subscription;
  const { names, fromTypes } = words;
  const context = names.messageContext(subscription);
  const message = names.request(operation);
  fromTypes.add(message);
  const { target } = subscription;
  const { answer } = operation;
  const replied = subscription.givesReply && answer.kind === 'queue' ? answer.reply : undefined;
  const returns = replied === undefined ? undefined : formText(replied, words);
  const onMessage =
    (returns === undefined ? 'Takes a message. ' : 'Takes a message and returns the reply. ') +
    'What it writes is committed with the end of the delivery. After an error the message is delivered again; a Fault with a status below 500 ends the delivery.';
  return [
    comment('', [`The context of a delivery to ${subscription.id}: the transaction, queries, calls and more.`]),
    `export type ${context} = ${contextType('TypedMessage', [], words)};\n\n`,
    comment('', [sentence(subscription.description), `Messages of ${operation.id}.`]),
    `export interface ${names.subscription(subscription)} {\n`,
    ...(target.kind === 'call' && !('steps' in target.call)
      ? replyMethods(target.call, `${context} & { readonly request: ${message} }`, words)
      : [
          comment('  ', [onMessage]),
          method('onMessage', [`message: ${message}`, `context: ${context}`], returns ?? 'void'),
        ]),
    '}\n',
  ].join('');
}

/** The methods that take the replies that come later. */
function replyMethods(call: ConsumerOperation, context: string, { names, fromPackage, fromTypes }: Writing): string[] {
  const fault = call.fault && names.received(call.fault);
  fromPackage.add('LaterFault');
  for (const name of [names.reply(call), ...(fault === undefined ? [] : [fault])]) fromTypes.add(name);
  const onReply = `Takes the reply of ${call.id}. What it writes is committed with the end of the delivery. After an error it runs again; nothing is sent again. A Fault with a status below 500 ends the delivery.`;
  const onFault = 'Takes a fault in the same way. Without it, a fault ends the delivery, which has failed.';
  return [
    comment('  ', [onReply]),
    method('onReply', [`reply: ${names.reply(call)}`, `context: ${context}`], 'void'),
    comment('  ', [onFault]),
    method('onFault?', [`fault: LaterFault<${fault ?? 'never'}>`, `context: ${context}`], 'void'),
  ];
}

/** The map of subscriptions and the function that defines their code; empty when code takes no messages. */
function subscriptionsMap({ subscriptions, names }: Vocabulary): string {
  if (subscriptions.length === 0) return '';
  const entries = subscriptions.map((each) => `  ${propertyName(each.id)}: ${names.subscription(each)};\n`);
  const title = 'The code that takes messages, by the id of the subscription.';
  return `${interfaceOf('Subscriptions', title, entries)}\n${DEFINE_SUBSCRIPTION}`;
}

/** The same for a subscription. */
const DEFINE_SUBSCRIPTION = `/** Defines the code of a subscription. The types of message and context are inferred. */
export function defineSubscription<Id extends keyof Subscriptions>(subscription: Id, code: Subscriptions[Id]): Subscriptions[Id] {
  return define(subscription, code);
}
`;
