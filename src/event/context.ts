import type { ComponentEventName } from '../model/component.ts';
import type { Transaction, WorkContext } from '../model/handler.ts';
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
  const { signal } = context;
  signal.throwIfAborted();
  const span = (): SpanStart => ({
    name: `${story.event} ${story.component}`,
    kind: 'internal',
    attributes: { 'signalbox.save': story.save },
  });
  const late = (): Error => new EventTimeout(`took longer than ${duration(limit)} and was stopped`);
  const run = (tx: Transaction): Promise<void> =>
    inSpan(span, async () => new Class().execute(eventOf(story, context, tx) as never));
  await runInTransaction(inside, run, { signal, limit, late });
}

function eventOf(story: SaveStory, context: WorkContext, tx: Transaction): ComponentEvent {
  const { caller, requestId, signal, settings } = context;
  return {
    ...story,
    ...{ caller, requestId, signal, settings },
    query: (...given) => context.query(...given),
    render: (...given) => context.render(...given),
    call: (...given) => context.call(...given),
    flow: (...given) => context.flow(...given),
    faultOf: (...given) => context.faultOf(...given),
    log: (...given) => context.log(...given),
    execute: tx.execute,
    readComponent: tx.readComponent,
    saveComponent: tx.saveComponent,
    publish: tx.publish,
    tx,
  };
}
