import { compileSecrets } from '../../codec/redact/declared.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageContext, MessageHandler, Transaction, WorkContext } from '../../model/handler.ts';
import { codeOfSubscription, type Subscription } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import { AttemptTimeout, askedUntil } from '../../model/retry.ts';
import type { DocumentValue } from '../../model/value.ts';
import { beginAccount } from '../../model/work.ts';
import { ownerOf } from '../../security/directory/directory-port.ts';
import {
  type Db,
  type FailedJob,
  type Job,
  JobLost,
  JobNotBegun,
  JobRefused,
  JobUnknown,
  JobWaits,
  runInTransaction,
  type Worker,
} from '../../store/index.ts';
import { inSpan } from '../../trace/trace.ts';
import { duration } from '../../wire/duration.ts';
import { type ReplyWriter, replyWriter } from './answer.ts';
import { compileAsk } from './ask.ts';
import { noteProbe, paceOf, type TargetPace } from './down.ts';
import { codeOf, isGone, mayFollow, noteOf, reasonOf } from './failure.ts';
import type { Gate, Gates } from './gate.ts';
import { pausedAs } from './hold.ts';
import { compileInput } from './input.ts';
import { messageFields, type PayloadCodec } from './payload.ts';
import { BLOBS, type Delivery, type MessagesOptions, type Running } from './port.ts';
import { kindOfSubscription, type Plan } from './publish.ts';
import { awaitingOf } from './reply.ts';
import { enterReplyDelivery } from './reply-to.ts';
import { compileSendReply } from './send-reply.ts';
import { changeDelivery, type DeliveryAttempt, endDelivery, readMessage, type StoredMessage } from './store.ts';

/** The data of the job of a delivery, whose id is that of the delivery. */
export interface DeliveryData extends Readonly<Record<string, unknown>> {
  readonly message: string;
}

/** The worker of a subscription. Each delivery is a job. */
export function deliveryWorker(subscription: Subscription, plan: Plan, options: MessagesOptions, gates: Gates): Worker {
  return new Deliverer(subscription, plan, options, gates.of(subscription)).worker;
}

/** Delivers the messages of one subscription. */
class Deliverer {
  readonly #subscription: Subscription;
  readonly #plan: Plan;
  readonly #options: MessagesOptions;
  readonly #secrets: ReturnType<typeof compileSecrets>;
  readonly #kind: string;
  /** Of a subscription that replies. */
  readonly #reply: ReplyWriter | undefined;
  readonly #pace: TargetPace | undefined;
  readonly #gate: Gate | undefined;
  /** By delivery. */
  readonly #running = new Map<string, Running>();
  readonly #deliver: (delivery: Delivery) => Promise<void>;

  constructor(subscription: Subscription, plan: Plan, options: MessagesOptions, gate: Gate | undefined) {
    this.#subscription = subscription;
    this.#plan = plan;
    this.#options = options;
    this.#secrets = compileSecrets(messageFields(subscription.operation));
    this.#kind = kindOfSubscription(subscription);
    this.#reply = replyWriter(subscription, plan, options.registry.gateway.limits.attachment);
    this.#pace = paceOf(subscription, {
      ...{ now: () => this.#now(), report: options.onError, inform: options.onNews },
    });
    this.#gate = gate;
    const { target } = subscription;
    if (target.kind === 'handler') this.#deliver = this.#byHandler(target.file);
    else this.#deliver = target.kind === 'caller' ? this.#toCaller(target.node) : this.#byCall(target);
  }

  get worker(): Worker {
    const { retry, concurrency } = this.#subscription;
    // Replies have no order: the address of one caller does not hold up those of others.
    const isOrdered = this.#plan.queue.order !== undefined && this.#subscription.target.kind !== 'caller';
    return {
      concurrency,
      room: () => Math.min(concurrency, this.#pace?.room() ?? concurrency, this.#gate?.room() ?? concurrency),
      pausedAs: pausedAs(this.#subscription, this.#plan.queue),
      retry: (job) => {
        const running = () => this.#running.get((job as Job).id);
        return {
          ...retry,
          on: () => running()?.again ?? true,
          asked: () => {
            const asked = running()?.asked;
            return asked === undefined ? undefined : asked - this.#now();
          },
        };
      },
      kinds: () => [this.#kind],
      reports: true,
      ...(isOrdered ? { holds: true as const } : { isUnordered: true as const }),
      run: (job) => this.#enter(job),
      onRetry: (tx, job, error, next) =>
        this.#failed(tx, job, error, { status: 'Retry', next, what: 'a delivery, which is tried again' }),
      onHeld: (tx, job, error) =>
        this.#failed(tx, job, error, {
          status: 'Hold',
          what: 'a delivery, which is held and with it those behind it in its partition',
        }),
      onDead: (tx, job, error) =>
        this.#failed(tx, job, error, { status: 'Error', what: 'a delivery, which is given up' }),
    };
  }

  async #enter(job: Job): Promise<void> {
    const leave = await this.#gate?.enter(job.signal);
    return this.#run(job).finally(leave);
  }

  async #run(job: Job): Promise<void> {
    const running: Running = { began: this.#now(), again: true };
    this.#running.set(job.id, running);
    const delivery = await this.#find(job, running).catch((error: unknown) => this.#refuse(running, error));
    const { message, redactor } = delivery;
    const tell = beginAccount(this.#options.account, {
      kind: 'message',
      name: this.#subscription.id,
      id: message.id,
      user: message.actor ?? undefined,
      attempt: job.attempt,
    });
    try {
      await inSpan(
        () => ({
          name: `deliver ${this.#subscription.id}`,
          kind: 'internal',
          attributes: { 'signalbox.message': message.id },
        }),
        () => this.#deliver(delivery),
      );
      this.#running.delete(job.id);
      this.#pace?.answered();
      tell();
    } catch (error) {
      tell(error);
      const waiting = job.signal.aborted ? undefined : this.#pace?.failed(error);
      if (waiting !== undefined) {
        this.#running.delete(job.id);
        if (waiting.isProbe) await noteProbe(this.#options, job.id, waiting);
        throw new JobWaits((redactor.error(error) as Error).message, { cause: error });
      }
      if (job.signal.aborted || error instanceof JobLost) this.#running.delete(job.id);
      running.code = codeOf(error);
      running.asked = askedUntil(error, this.#now());
      running.again = mayFollow(error, this.#subscription.retry);
      if (isGone(error)) await this.#pause(error as Error);
      throw redactor.error(error);
    }
  }

  /** The target wants no more messages: the others wait until an operator has decided about them. */
  async #pause(error: Error): Promise<void> {
    const { id } = this.#subscription;
    const { pause, onError } = this.#options;
    try {
      await pause(id, 'the receiver (410 Gone)');
      onError(error, {
        subscription: id,
        what: 'a subscription, which is paused: its receiver wants no more messages',
      });
    } catch (failure) {
      onError(failure as Error, { subscription: id });
    }
  }

  /** What is thrown before anything has begun. */
  #refuse(running: Running, error: unknown): never {
    running.again = !(error instanceof JobRefused);
    throw error;
  }

  /** @throws JobUnknown, JobNotBegun; JobRefused for a message that can't be delivered */
  async #find(job: Job, running: Running): Promise<Delivery> {
    const { store, blobs, directory, redactor } = this.#options;
    const { operation, as, id } = this.#subscription;
    const { message: messageId } = job.data as DeliveryData;
    const message = await notBegun(async () => readMessage(await store.tables(), blobs.scope(BLOBS), messageId));
    if (message === undefined) throw new JobRefused(`message ${messageId} is not kept any more`);
    if (message.operation !== operation.id)
      throw new JobUnknown(`${id} delivers messages of ${operation.id} here, not of ${message.operation}`);
    const value = readValue(this.#plan.payload, message, job.kind === this.#kind);
    const { actor, isDeclared } = message;
    const needsUser = as === undefined && codeOfSubscription(this.#subscription).length > 0;
    const user = actor === null ? undefined : await ownerOf(directory, actor, isDeclared && needsUser);
    if (needsUser && actor !== null && user === undefined)
      throw new JobRefused(
        `user ${actor}, who published, is unknown or disabled by now; "as" of the subscription names a role instead`,
      );
    const secrets = this.#secrets;
    const knowing = secrets === undefined ? redactor : redactor.knowing({ secrets: () => secrets(value) });
    return { job, running, message, value, user, redactor: knowing };
  }

  #byHandler(file: string): (delivery: Delivery) => Promise<void> {
    return (delivery) => {
      const handler = handlerOf(this.#options.handlers, file);
      return this.#inCode(delivery, file, async (context, tx) => {
        const replied = await handler.onMessage(delivery.value as never, context);
        await this.#reply?.write(tx, delivery.message.id, replied);
      });
    };
  }

  /** Runs code in the transaction that ends the delivery. */
  async #inCode(delivery: Delivery, file: string, run: (context: MessageContext, tx: Db) => unknown): Promise<void> {
    const { job, message, user, redactor } = delivery;
    const { work, registry } = this.#options;
    const { id, as } = this.#subscription;
    const { timeout: limit } = registry.gateway.limits;
    const late = (): Error => new AttemptTimeout(`took longer than ${duration(limit)} and was stopped`);
    const named = { subscription: id, message: message.id };
    const { signal } = job;
    const { requestId } = message;
    const opened = work({ user, as, requestId, scope: `subscription ${id}`, named, file, redactor, signal });
    const facts = {
      messageId: message.id,
      deliveryId: job.id,
      subscription: id,
      attempt: job.attempt,
      publishedAt: new Date(message.entered),
    };
    try {
      await job.complete(async (tx) => {
        const inside = opened.inside(tx);
        const code = async (open: Transaction) => run(contextOf(opened.context, open, facts), tx);
        await runInTransaction(inside, code, { signal, limit, late });
        await this.#done(tx, delivery);
        await this.#sendReply(tx, message.id);
      });
    } finally {
      opened.done();
    }
  }

  #byCall({ call, input }: Extract<Subscription['target'], { kind: 'call' }>): (delivery: Delivery) => Promise<void> {
    const { outbound } = this.#options;
    const fill = compileInput(input);
    const awaiting = awaitingOf(this.#subscription);
    if (awaiting !== undefined)
      return compileAsk(awaiting, {
        ...{ options: this.#options, fill, now: () => this.#now() },
        done: (tx, delivery) => this.#done(tx, delivery),
        inCode: (delivery, run) => this.#inCode(delivery, awaiting.reply.file ?? '', run),
        attemptOf: ({ running }) => this.#attempt(running, noteOf(running.note)),
      });
    return async (delivery) => {
      const { job, running, value } = delivery;
      const { id, signal } = job;
      // The same at each attempt: the target tells repeats by it.
      const options = { requestId: id, messageId: id, signal, delivers: true } as const;
      const given = fill(value);
      const reply =
        'steps' in call ? await outbound.flow(call, given, options) : await outbound.call(call, given, options);
      reply.close();
      running.code = reply.httpResponseCode;
      running.note = reply.note;
      await job.complete((tx) => this.#done(tx, delivery));
    };
  }

  #toCaller(node: Node): (delivery: Delivery) => Promise<void> {
    const send = compileSendReply(this.#subscription, node, this.#options);
    return async (delivery) => {
      Object.assign(delivery.running, await send(delivery));
      await delivery.job.complete((tx) => this.#done(tx, delivery));
    };
  }

  async #done(tx: Db, { job, message, running }: Delivery): Promise<void> {
    const attempt = this.#attempt(running, noteOf(running.note));
    const end = { delivery: job.id, message: message.id, status: 'Done', attempt } as const;
    const { kind } = this.#options.store;
    if (!(await endDelivery(tx, end, this.#plan.queue, this.#now(), kind)))
      throw new JobLost(`delivery ${job.id} has ended meanwhile`);
  }

  /** Records an attempt that failed, in the transaction in which the job changes. */
  async #failed(
    tx: Db,
    job: FailedJob,
    error: Error,
    {
      status,
      next,
      what,
    }: { readonly status: 'Retry' | 'Hold' | 'Error'; readonly next?: Date; readonly what: string },
  ): Promise<void> {
    const { id, queue, data } = job;
    const { message } = data as DeliveryData;
    const now = this.#now();
    const reason = reasonOf(error);
    const running = this.#running.get(id) ?? { began: now, again: true };
    // No attempt of its own: no gateway could begin it.
    const attempt = error instanceof JobUnknown ? undefined : this.#attempt(running, reason);
    if (status === 'Error' && error instanceof Fault) await this.#reply?.fail(tx, message, error);
    if (status === 'Error') {
      const end = running.isLate ? 'Timeout' : 'Error';
      await endDelivery(tx, { delivery: id, message, status: end, reason, attempt }, this.#plan.queue, now);
      if (error instanceof Fault) await this.#sendReply(tx, message);
    } else await changeDelivery(tx, id, { status, next: next?.getTime() ?? null, reason }, attempt);
    const work = { work: 'message', name: queue, id: message };
    const facts = { ...work, subscription: queue, message, delivery: id, attempt: job.attempt, what };
    this.#options.onError(error, next === undefined ? facts : { ...facts, next });
  }

  /** Enters the delivery of a reply that was kept. The row of the message is locked by now, after that of the delivery. */
  async #sendReply(tx: Db, message: string): Promise<void> {
    if (this.#reply !== undefined)
      await enterReplyDelivery(tx, this.#options, this.#subscription, message, this.#now());
  }

  #attempt({ began, code }: Running, reason: string | null): DeliveryAttempt {
    return { began, ended: this.#now(), gateway: this.#options.gateway, code, reason };
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** Without the database nothing has begun. */
async function notBegun<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new JobNotBegun((cause as Error).message, { cause });
  }
}

/** @throws JobUnknown when the document is another here; JobRefused for content that is damaged */
function readValue(payload: PayloadCodec, { text, open, operation }: StoredMessage, isSame: boolean): DocumentValue {
  try {
    return payload.read(text, open);
  } catch (error) {
    const words = `the request of ${operation} is another here: ${(error as Error).message}`;
    throw isSame ? new JobRefused(words) : new JobUnknown(words);
  }
}

/** @throws Error for a file without a handler, which the loader of code has reported already */
function handlerOf(handlers: MessagesOptions['handlers'], file: string): MessageHandler {
  const found = handlers.get(file);
  if (found === undefined) throw new Error(`${file}.ts has no onMessage`);
  return found;
}

function contextOf(
  context: WorkContext,
  tx: Transaction,
  facts: Pick<MessageContext, 'messageId' | 'deliveryId' | 'subscription' | 'attempt' | 'publishedAt'>,
): MessageContext {
  const { caller, requestId, signal, blobs, settings } = context;
  return {
    ...facts,
    ...{ caller, requestId, signal, blobs, settings },
    query: (...given) => context.query(...given),
    render: (...given) => context.render(...given),
    call: (...given) => context.call(...given),
    flow: (...given) => context.flow(...given),
    faultOf: (...given) => context.faultOf(...given),
    log: (...given) => context.log(...given),
    execute: tx.execute,
    readComponent: tx.readComponent,
    saveComponent: tx.saveComponent,
    schedule: tx.schedule,
    publish: tx.publish,
    tx,
  };
}
