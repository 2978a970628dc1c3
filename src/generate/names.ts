import type { Component } from '../model/component.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Document } from '../model/document.ts';
import type { Flow } from '../model/flow.ts';
import type { Subscription } from '../model/message.ts';
import type { Process } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import type { Operation } from '../model/service.ts';
import { isIdentifier } from './typescript.ts';

/** Names that exported types can't have: reserved words, and names that the generated files import or declare. */
const TAKEN: readonly string[] = (
  'any bigint boolean never null number object string symbol undefined unknown void ' +
  'abstract as async await break case catch class const continue debugger default delete do else enum export extends ' +
  'false finally for function if implements import in instanceof interface let new package private protected public ' +
  'return static super switch this throw true try type typeof var while with yield ' +
  'Promise Record Attachment ComponentEvent Fault Fitting HandlerOf JsonValue LaterFault NoMessages OpenOptions RecordSave Reply TypedClient TypedContext TypedEvent TypedMessage TypedProcess TypedSaveContext ProcessOutcome Value ' +
  'Calls Components Flows Messages Partners Queries Settings AfterSaves Handlers Processes Subscriptions defineAfterSave defineHandler defineProcess defineSubscription openClient'
).split(' ');

/** Names of the exported types. Ids keep their spelling if TypeScript allows it. */
export interface TypeNames {
  /** A document that code passes. */
  given(document: Document): string;
  /** A document that code receives: in a request, or in the reply to a call. */
  received(document: Document): string;
  request(operation: Operation): string;
  context(operation: Operation): string;
  handler(operation: Operation): string;
  /** What code answers an operation with. */
  answer(operation: Pick<Operation, 'id'>): string;
  /** The faults that an operation declares. */
  faults(operation: Pick<Operation, 'id'>): string;
  row(query: Query): string;
  prompts(query: Query): string;
  /** The request of an operation of another system or of a flow. */
  call(callee: ConsumerOperation | Flow): string;
  reply(consumer: ConsumerOperation): string;
  /** A record of a component, as the database returns it. */
  record(component: Component): string;
  /** The event that is passed to classes registered at a component. */
  event(component: Component): string;
  /** The save that is passed to the code after it, the context of that code, and its type. */
  save(component: Component): string;
  saveContext(component: Component): string;
  afterSave(component: Component): string;
  parameters(process: Process): string;
  processContext(process: Process): string;
  process(process: Process): string;
  messageContext(subscription: Subscription): string;
  subscription(subscription: Subscription): string;
}

/** Allocates names in the order in which they are asked for, so callers ask in the order of ids. */
export function typeNames(documents: Iterable<Document>): TypeNames {
  const taken = new Set(TAKEN);
  const named = new Map<string, string>();
  const name = (role: string, id: string): string => {
    const key = `${role} ${id}`;
    const known = named.get(key);
    if (known !== undefined) return known;
    let candidate = sanitised(id) + (role === '' ? '' : `_${role}`);
    while (taken.has(candidate)) candidate += '_';
    taken.add(candidate);
    named.set(key, candidate);
    return candidate;
  };
  // A document whose id is an identifier keeps that name, whatever other ids are sanitised to.
  const listed = [...documents];
  for (const { id } of listed) if (isIdentifier(id)) name('', id);
  for (const { id } of listed) name('', id);
  return {
    given: ({ id }) => name('', id),
    received: ({ id }) => name('Received', id),
    request: ({ id }) => name('Request', id),
    context: ({ id }) => name('Context', id),
    handler: ({ id }) => name('Handler', id),
    answer: ({ id }) => name('Answer', id),
    faults: ({ id }) => name('Faults', id),
    row: ({ id }) => name('Row', id),
    prompts: ({ id }) => name('Prompts', id),
    call: ({ id }) => name('Call', id),
    reply: ({ id }) => name('Reply', id),
    record: ({ id }) => name('Record', id),
    event: ({ id }) => name('Event', id),
    save: ({ id }) => name('Save', id),
    saveContext: ({ id }) => name('SaveContext', id),
    afterSave: ({ id }) => name('AfterSave', id),
    parameters: ({ id }) => name('Parameters', id),
    processContext: ({ id }) => name('ProcessContext', id),
    process: ({ id }) => name('Process', id),
    messageContext: ({ id }) => name('MessageContext', id),
    subscription: ({ id }) => name('Subscription', id),
  };
}

function sanitised(id: string): string {
  const safe = id.replace(/[^\p{ID_Continue}$]/gu, '_');
  return isIdentifier(safe) ? safe : `_${safe}`;
}
