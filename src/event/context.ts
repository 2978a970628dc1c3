import type { ComponentEventName } from '../model/component.ts';
import type { ComponentEvent, ServiceClass, SqlTransaction, WorkContext } from '../model/handler.ts';
import { AttemptTimeout } from '../model/retry.ts';
import type { DocumentValue } from '../model/value.ts';
import { inSpan } from '../trace/trace.ts';
import { untilAborted, withinTime } from '../wire/waiting.ts';

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

/** Access to the transaction that a class runs in. */
export interface Inside extends SqlTransaction, Pick<WorkContext, 'saveComponent'> {}

/** A class exceeded its time limit. */
export class EventTimeout extends AttemptTimeout {
  override readonly name = 'EventTimeout';
}

/**
 * Creates an instance of a class and runs it, for at most `limit` milliseconds. Once it has ended or was abandoned, its access
 * to the transaction is closed, and statements under way are awaited.
 * @throws what it throws, or what a statement throws that it did not await; EventTimeout; the reason of the context's signal
 */
export async function runClass(
  Class: ServiceClass,
  story: SaveStory,
  context: WorkContext,
  inside: Inside,
  limit: number,
): Promise<void> {
  context.signal.throwIfAborted();
  const gate = new Gate(inside);
  const event = eventOf(story, context, gate) as never;
  const run = async (): Promise<void> => {
    await inSpan(
      () => ({
        name: `${story.event} ${story.component}`,
        kind: 'internal',
        attributes: { 'signalbox.save': story.save },
      }),
      async () => new Class().execute(event),
    );
    await gate.close();
  };
  const late = (): Error => new EventTimeout(`took longer than ${limit / 1000} s and was stopped`);
  try {
    await withinTime(untilAborted(run(), context.signal), limit, late);
  } finally {
    // A save takes several statements: none may run after the end of the transaction, where it would be on its own.
    await gate.close().catch(() => undefined);
  }
}

/** Access to a transaction that can be closed. */
class Gate implements Inside {
  readonly #inside: Inside;
  readonly #begun = new Set<Promise<unknown>>();
  #closed = false;

  constructor(inside: Inside) {
    this.#inside = inside;
  }

  execute(...given: Parameters<Inside['execute']>): ReturnType<Inside['execute']> {
    return this.#let(() => this.#inside.execute(...given));
  }

  saveComponent(...given: Parameters<Inside['saveComponent']>): ReturnType<Inside['saveComponent']> {
    return this.#let(() => this.#inside.saveComponent(...given));
  }

  /** Refuses new work, and waits for work under way. @throws what that throws */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = await Promise.allSettled(this.#begun);
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #let<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the event is over: await everything that execute() starts'));
    const work = begin();
    this.#begun.add(work);
    // Handling the rejection here keeps work that a class does not await from ending the gateway.
    const over = (): unknown => this.#begun.delete(work);
    work.then(over, over);
    return work;
  }
}

function eventOf(story: SaveStory, context: WorkContext, inside: Inside): ComponentEvent {
  const { caller, requestId, signal } = context;
  return {
    ...story,
    caller,
    requestId,
    signal,
    query: (...given) => context.query(...given),
    call: (...given) => context.call(...given),
    flow: (...given) => context.flow(...given),
    faultOf: (...given) => context.faultOf(...given),
    log: (...given) => context.log(...given),
    execute: (...given) => inside.execute(...given),
    saveComponent: (...given) => inside.saveComponent(...given),
  };
}
