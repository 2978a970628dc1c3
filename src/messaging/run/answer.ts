import type { Blobs } from '../../model/blob.ts';
import { bareField } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Subscription } from '../../model/message.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Db } from '../../store/index.ts';
import { ContentWriter, readContent, sizeLimit } from './content.ts';
import { compileReplyCodec, type PayloadCodec } from './payload.ts';
import type { Plan } from './publish.ts';
import { REQUEST } from './store.ts';

/** The parts of the content with the reply to a message, and with the fault that is its reply. */
export const REPLY = 'reply';
export const FAULT = 'fault';

/** These parts and attachments, without those that targets of other subscriptions have sent later. */
const OWN = /^(?:reply(?:\.\d+)?|fault)$/;

/** Keeps the replies to messages, in the transaction that ends their delivery. */
export interface ReplyWriter {
  /** @param value what the code of the subscription returned @throws Error when it is not the declared document, or too large */
  write(tx: Db, message: string, value: unknown): Promise<void>;
  /** Keeps the fault that ended the delivery as the reply. */
  fail(tx: Db, message: string, fault: Fault): Promise<void>;
}

/** The writer of a subscription that replies; `undefined` for any other. */
export function replyWriter(
  { id, givesReply, operation }: Subscription,
  { queue }: Pick<Plan, 'queue'>,
  attachment: number,
): ReplyWriter | undefined {
  const codec = givesReply ? codecOf(operation) : undefined;
  if (codec === undefined) return undefined;
  const keep = async (tx: Db, { id: message, parts }: ContentWriter): Promise<void> => {
    // Of a delivery that was sent again.
    await tx.deleteFrom('signalbox_message_content').where('message', '=', message).where('part', '=', FAULT).execute();
    await tx
      .insertInto('signalbox_message_content')
      .values(parts.map((part) => ({ message, ...part })))
      .execute();
  };
  const bounds = { ...sizeLimit(queue), attachment };
  return {
    async write(tx, message, value) {
      const content = new ContentWriter(message, REPLY, bounds);
      try {
        if (typeof value !== 'object' || value === null) throw new TypeError(`it is ${typeof value}`);
        const described = await content.addAttachments(value as DocumentValue);
        await content.add(codec.write(value as DocumentValue, described));
      } catch (error) {
        // Not the fault of the caller, whose message is delivered again.
        const words = error instanceof Fault ? error.text : (error as Error).message;
        throw new Error(`the reply of ${id} is not that of ${operation.id}: ${words}`, { cause: error });
      }
      await keep(tx, content);
    },
    async fail(tx, message, { code, status, message: text, detail }) {
      const content = new ContentWriter(message, FAULT, { ...bounds, size: Number.POSITIVE_INFINITY });
      await content.add(JSON.stringify({ code, status, message: text, detail }));
      await keep(tx, content);
    },
  };
}

export function codecOf(operation: Operation): PayloadCodec | undefined {
  const { answer } = operation;
  if (answer.kind !== 'queue' || answer.reply?.kind !== 'document') return undefined;
  return bareField(answer.reply.document) === undefined ? compileReplyCodec(answer.reply, operation) : undefined;
}

/** Reads the reply to a message of an operation; `undefined` while it is awaited. */
export type ReadReply = (db: Db, id: string, user: User | undefined) => Promise<DocumentValue | undefined>;

/** Compiles the reader of the replies of an operation. It throws the fault that is a reply, REPLY_FAILED, REPLY_TIMEOUT and NOT_FOUND. */
export function compileReply({ operation, subscriptions }: Plan, blobs: Blobs): ReadReply {
  const codec = codecOf(operation);
  const replying = subscriptions.find(({ subscription }) => subscription.givesReply)?.subscription;
  const within = replying?.within ?? Number.POSITIVE_INFINITY;
  return async (db, id, user) => {
    const row = await db
      .selectFrom('signalbox_message')
      .select(['actor', 'entered'])
      .where('id', '=', id)
      .where('operation', '=', operation.id)
      .executeTakeFirst();
    // The id alone gives access to what an anonymous caller published. Messages of others are not known here.
    if (row === undefined || (row.actor !== null && row.actor !== user?.id))
      throw Fault.of('NOT_FOUND', { what: `message ${id}` });
    // Before the content: a delivery that ends between the two has its reply then.
    const { message, delivery } = await replyingDelivery(db, { message: id, actor: row.actor }, replying?.id ?? '');
    if (delivery !== undefined && delivery.ended === null) {
      if (Date.now() > row.entered + within) throw Fault.of('REPLY_TIMEOUT', { message: id });
      return undefined;
    }
    const kept = await readReply(db, message, codec, blobs);
    if (kept === undefined) throw Fault.of('REPLY_FAILED', { message: id });
    if (kept instanceof Fault) throw kept;
    return kept;
  };
}

/**
 * The delivery to the code that replies to a message: when it was replaced by an edited copy, that of the copy, which is published
 * for the same caller.
 */
async function replyingDelivery(
  db: Db,
  original: { readonly message: string; readonly actor: string | null },
  subscription: string,
) {
  for (let { message } = original; ; ) {
    const delivery = await db
      .selectFrom('signalbox_delivery')
      .select(['ended', 'status'])
      .where('message', '=', message)
      .where('subscription', '=', subscription)
      .executeTakeFirst();
    if (delivery?.status !== 'Edited') return { message, delivery };
    const copies = await db
      .selectFrom('signalbox_message as m')
      .innerJoin('signalbox_delivery as d', 'd.message', 'm.id')
      .select(['m.id', 'm.actor'])
      .where('m.edited_from', '=', message)
      .where('d.subscription', '=', subscription)
      .execute();
    const copy = copies.find(({ actor }) => actor === original.actor);
    if (copy === undefined) return { message, delivery };
    message = copy.id;
  }
}

/** The reply to a message as it is kept: its document, or the fault that is the reply. */
export async function readReply(
  db: Db,
  id: string,
  codec: PayloadCodec | undefined,
  blobs: Blobs,
): Promise<DocumentValue | Fault | undefined> {
  const rows = await db
    .selectFrom('signalbox_message_content')
    .selectAll()
    .where('message', '=', id)
    .where('part', '<>', REQUEST)
    .execute();
  const parts = rows.filter(({ part }) => OWN.test(part));
  const reply = await readContent(parts, REPLY, blobs);
  if (reply !== undefined && codec !== undefined) return codec.read(reply.text, reply.open);
  const fault = await readContent(parts, FAULT, blobs);
  if (fault === undefined) return undefined;
  const { code, status, message, detail } = JSON.parse(fault.text) as Pick<
    Fault,
    'code' | 'status' | 'message' | 'detail'
  >;
  return Fault.custom(code, status, message, { detail });
}
