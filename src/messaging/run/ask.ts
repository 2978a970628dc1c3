import { replySecrets } from '../../codec/redact/declared.ts';
import type { MessageContext, ReplyContext, ReplyHandler } from '../../model/handler.ts';
import type { MessageStatus } from '../../model/message.ts';
import type { DocumentValue } from '../../model/value.ts';
import { type Db, JobLost, JobRefused } from '../../store/index.ts';
import { duration } from '../../wire/duration.ts';
import { BLOBS, type Delivery, type MessagesOptions } from './port.ts';
import {
  type Awaiting,
  enterReply,
  forgetFault,
  hashOf,
  hasReplied,
  type Later,
  laterFault,
  messageIri,
  newSecret,
  readLater,
  writeReply,
} from './reply.ts';
import { changeDelivery, type DeliveryAttempt } from './store.ts';

/** What a delivery needs of its worker. */
interface AskPorts {
  readonly options: MessagesOptions;
  /** Fills the input of the call. */
  readonly fill: (message: DocumentValue) => DocumentValue;
  /** Ends a delivery as `Done`, as the last part of the transaction that ends its job. */
  readonly done: (tx: Db, delivery: Delivery) => Promise<void>;
  /** Runs code in the transaction that ends the delivery. */
  readonly inCode: (delivery: Delivery, run: (context: MessageContext) => unknown) => Promise<void>;
  readonly attemptOf: (delivery: Delivery) => DeliveryAttempt;
  readonly now: () => number;
}

/**
 * Delivers to a target that takes a call at once and replies later. While the reply is awaited, the job of the delivery is parked:
 * no worker holds it, and those behind it in its partition wait. It goes on when the reply has come or its time is over.
 */
export function compileAsk(awaiting: Awaiting, ports: AskPorts): (delivery: Delivery) => Promise<void> {
  const { subscription, call, reply } = awaiting;
  const { options, fill, done, inCode, attemptOf, now } = ports;
  const { store, outbound, replyAddress } = options;
  const { id: subscriber } = subscription;

  /** Calls the target, and parks the job until the reply comes. */
  async function ask(delivery: Delivery): Promise<void> {
    const { job, message, value, running } = delivery;
    const { id, signal } = job;
    const secret = newSecret();
    const hash = hashOf(secret);
    // Stored before the call: the reply may come before it returns.
    await store.transaction(async (tx) => {
      await forgetFault(tx, id, message.id, subscriber);
      await tx
        .insertInto('signalbox_reply_address')
        .values({ hash, delivery: id, message: message.id, replied: null })
        .execute();
    });
    const replyTo = `${replyAddress()}/${secret}`;
    const input = reply.to === undefined ? fill(value) : { ...fill(value), [reply.to.name]: replyTo };
    const later = { messageId: messageIri(id), replyTo, secret };
    const asked = await outbound.ask(call, input, { requestId: id, messageId: id, signal, later });
    running.code = asked.httpResponseCode;
    running.note = asked.note;
    const parts = asked.reply && (await writeReply(options, awaiting, message.id, asked.reply));
    await job.park(async (tx) => {
      const until = now() + reply.within;
      const state = { status: 'Working', next: until, reason: null } as const;
      if (!(await changeDelivery(tx, id, state, attemptOf(delivery))))
        throw new JobLost(`delivery ${id} has ended meanwhile`);
      const replied = { delivery: id, message: message.id, subscription: subscriber, hash };
      if (parts !== undefined) await enterReply(tx, options, replied, parts, now());
      if (!(await hasReplied(tx, message.id, subscriber))) return reply.within;
      await changeDelivery(tx, id, { next: null }, undefined);
      return 0;
    });
  }

  async function takeReply(delivery: Delivery, { text, open }: NonNullable<Later['reply']>): Promise<void> {
    const value = awaiting.codec.read(text, open);
    const secrets = [...replySecrets(call, value)];
    return run(delivery, (handler, context) => handler.onReply(value as never, context), secrets);
  }

  async function takeFault(delivery: Delivery, kept: NonNullable<Later['fault']>): Promise<void> {
    const fault = laterFault(awaiting, kept);
    const { onFault } = handlerOf() ?? {};
    if (onFault === undefined) throw new JobRefused(`the target replied with a fault: ${fault.reason}`);
    return run(delivery, (handler, context) => handler.onFault?.(fault, context));
  }

  async function run(
    delivery: Delivery,
    code: (handler: ReplyHandler, context: ReplyContext) => unknown,
    secrets: readonly string[] = [],
  ): Promise<void> {
    const handler = handlerOf();
    if (handler === undefined) return delivery.job.complete((tx) => done(tx, delivery));
    const { value: request, redactor } = delivery;
    const knowing = redactor.knowing({ secrets: () => secrets });
    try {
      await inCode({ ...delivery, redactor: knowing }, (context) => code(handler, { ...context, request }));
    } catch (error) {
      throw knowing.error(error);
    }
  }

  /** @throws Error for a file without a handler, which the loader of code has reported already */
  function handlerOf(): ReplyHandler | undefined {
    if (reply.file === undefined) return undefined;
    const found = options.replies.get(reply.file);
    if (found === undefined) throw new Error(`${reply.file}.ts has no onReply`);
    return found;
  }

  return async (delivery) => {
    const { job, message, running } = delivery;
    const db = await store.tables();
    const row = await db
      .selectFrom('signalbox_delivery')
      .select(['status', 'ended'])
      .where('id', '=', job.id)
      .executeTakeFirst();
    if (row === undefined || row.ended !== null) return;
    const status = row.status as MessageStatus;
    const later = await readLater(db, options.blobs.scope(BLOBS), message.id, subscriber);
    if (later.reply !== undefined) return takeReply(delivery, later.reply);
    // One that was sent again after a fault has the status of a new one.
    if (later.fault !== undefined && status !== 'New') return takeFault(delivery, later.fault);
    if (status !== 'Working') return ask(delivery);
    running.isLate = true;
    throw new JobRefused(`no reply came within ${duration(reply.within)}`);
  };
}
