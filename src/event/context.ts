import type { ComponentEventName } from '../model/component.ts';
import type { RecordSave, SaveContext, SaveHandler, Transaction, WorkContext } from '../model/handler.ts';
import { AttemptTimeout } from '../model/retry.ts';
import type { ComponentEvent, ServiceClass } from '../model/service-interface.ts';
import type { DocumentValue } from '../model/value.ts';
import { runInTransaction } from '../store/index.ts';
import { inSpan, type SpanStart } from '../trace/trace.ts';
import { duration } from '../wire/duration.ts';

/** The facts about a save that a class gets. */
export interface SaveStory {
  readonly component: string;
  readonly event: ComponentEventName;
  readonly action: ComponentEvent['action'];
  /** A UUID. */
  readonly save: string;
  readonly before: DocumentValue | undefined;
  readonly after: DocumentValue | undefined;
  readonly attempt: number;
}

/** A class exceeded its time limit. */
export class EventTimeout extends AttemptTimeout {
  override readonly name = 'EventTimeout';
}

/**
 * Creates an instance of a class and runs it in a transaction, for at most `limit` milliseconds.
 * @throws what it throws, or what a statement throws that it did not await; EventTimeout; the reason of the context's signal
 */
export async function runClass(
  Class: ServiceClass,
  story: SaveStory,
  context: WorkContext,
  inside: Transaction,
  limit: number,
): Promise<void> {
  const run = (tx: Transaction) => new Class().execute(eventOf(story, context, tx) as never);
  await runCode({ name: story.event, ...story }, run, context, inside, limit);
}

/** The same for the code that `after-save` of a component names. */
export async function runAfterSave(
  handler: SaveHandler,
  component: string,
  save: RecordSave,
  context: WorkContext,
  inside: Transaction,
  limit: number,
): Promise<void> {
  const run = (tx: Transaction) => handler.onSave(save as never, saveContextOf(component, context, tx));
  await runCode({ name: 'after-save', component, save: save.id }, run, context, inside, limit);
}

async function runCode(
  { name, component, save }: { readonly name: string; readonly component: string; readonly save: string },
  code: (tx: Transaction) => void | Promise<void>,
  { signal }: WorkContext,
  inside: Transaction,
  limit: number,
): Promise<void> {
  signal.throwIfAborted();
  const span = (): SpanStart => ({
    name: `${name} ${component}`,
    kind: 'internal',
    attributes: { 'signalbox.save': save },
  });
  const late = (): Error => new EventTimeout(`took longer than ${duration(limit)} and was stopped`);
  const run = (tx: Transaction): Promise<void> => inSpan(span, async () => code(tx));
  await runInTransaction(inside, run, { signal, limit, late });
}

function saveContextOf(component: string, context: WorkContext, tx: Transaction): SaveContext {
  const { blobs } = context;
  return { ...ofContext(context, tx), component, blobs, schedule: tx.schedule };
}

function eventOf(story: SaveStory, context: WorkContext, tx: Transaction): ComponentEvent {
  return { ...story, ...ofContext(context, tx) };
}

/** What all code of saves can use. */
function ofContext(context: WorkContext, tx: Transaction) {
  const { caller, requestId, signal, settings } = context;
  const ported: Pick<WorkContext, 'query' | 'render' | 'call' | 'flow' | 'faultOf' | 'log'> = {
    query: (...given) => context.query(...given),
    render: (...given) => context.render(...given),
    call: (...given) => context.call(...given),
    flow: (...given) => context.flow(...given),
    faultOf: (...given) => context.faultOf(...given),
    log: (...given) => context.log(...given),
  };
  return {
    ...ported,
    ...{ caller, requestId, signal, settings },
    execute: tx.execute,
    readComponent: tx.readComponent,
    saveComponent: tx.saveComponent,
    publish: tx.publish,
    tx,
  };
}
