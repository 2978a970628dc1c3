import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ReadReply } from '../../invoke/index.ts';
import type { Blobs } from '../../model/blob.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { Fault } from '../../model/fault.ts';
import type { LaterFault } from '../../model/handler.ts';
import type { AwaitedReply, Subscription } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Message } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Db } from '../../store/index.ts';
import type { MessageContentTable } from '../../store/tables/message.ts';
import { type ContentPart, ContentWriter, discard, type KeptContent, readContent } from './content.ts';
import { compileReplyCodec, type PayloadCodec } from './payload.ts';
import { BLOBS, type IncomingLater, type MessagesOptions } from './port.ts';

/** A subscription whose call is answered later. */
export interface Awaiting {
  readonly subscription: Subscription;
  readonly call: ConsumerOperation;
  readonly reply: AwaitedReply;
  readonly codec: PayloadCodec;
  /** Of the operation's fault document; `undefined` when it has none. */
  readonly faultCodec: PayloadCodec | undefined;
}

/** What a subscription awaits; `undefined` when its call is answered at once. */
export function awaitingOf(subscription: Subscription): Awaiting | undefined {
  const { target } = subscription;
  if (target.kind !== 'call' || target.awaitsReply === undefined || 'steps' in target.call) return undefined;
  const { call, awaitsReply: reply } = target;
  const { fault } = call;
  return {
    ...{ subscription, call, reply },
    codec: compileReplyCodec(replyMessage(call), call),
    faultCodec: fault && compileReplyCodec({ kind: 'document', document: fault }, call),
  };
}

/** The reply of an operation whose reply comes later, which has one form. */
export function replyMessage(call: ConsumerOperation): Message {
  return (call.kind === 'soap' ? call.soap.response : call.responses[0]?.message) ?? { kind: 'none' };
}

/** The part of the content of a message that the target of a subscription has sent later. */
function laterPart(kind: 'reply' | 'fault', subscription: string): string {
  return `${kind}.${subscription}`;
}

/** The subscription and the kind of a part that a target has sent later; `undefined` for other parts and for attachments. */
export function laterPartOf(
  part: string,
): { readonly kind: 'reply' | 'fault'; readonly subscription: string } | undefined {
  const [, kind, subscription] = /^(reply|fault)\.([A-Za-z_][^.]*)$/.exec(part) ?? [];
  return subscription === undefined ? undefined : { kind: kind as 'reply' | 'fault', subscription };
}

/** The id of a call that is answered later, by which its reply names it: an IRI (RFC 9562, section 4). */
export function messageIri(delivery: string): string {
  return `urn:uuid:${delivery}`;
}

/** The last part of an address for a reply, which nobody can guess. Only its hash is stored. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** What a target has sent later, as far as it was stored. */
export interface Later {
  readonly reply: KeptContent | undefined;
  readonly fault: KeptContent | undefined;
}

/** Reads what the target of a delivery has sent later. @throws errors of the database and of blobs */
export async function readLater(db: Db, blobs: Blobs, message: string, subscription: string): Promise<Later> {
  const rows = await laterRows(db, message, subscription);
  const of = (kind: 'reply' | 'fault') => readContent(rows, laterPart(kind, subscription), blobs);
  return { reply: await of('reply'), fault: await of('fault') };
}

async function laterRows(db: Db, message: string, subscription: string): Promise<MessageContentTable[]> {
  const names = [laterPart('reply', subscription), laterPart('fault', subscription)];
  const rows = await db
    .selectFrom('signalbox_message_content')
    .selectAll()
    .where('message', '=', message)
    .where('part', '<>', 'request')
    .execute();
  return rows.filter(({ part }) => names.some((name) => part === name || part.startsWith(`${name}.`)));
}

/** Whether the target of a delivery has sent its reply, or a fault. */
export async function hasReplied(db: Db, message: string, subscription: string): Promise<boolean> {
  return (await laterRows(db, message, subscription)).length > 0;
}

/** Forgets the fault of a delivery that is sent again, with the address that it came to. A blob of it expires. */
export async function forgetFault(tx: Db, delivery: string, message: string, subscription: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_message_content')
    .where('message', '=', message)
    .where('part', '=', laterPart('fault', subscription))
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await tx
    .deleteFrom('signalbox_reply_address')
    .where('delivery', '=', delivery)
    .where('replied', 'is not', null)
    .execute();
}

/** How replies are kept. */
type Keeping = Pick<MessagesOptions, 'registry' | 'blobs'>;

/**
 * Writes a reply as content of its message. Its attachments are read to the end, and stored as blobs.
 * @throws Fault BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, STORAGE_FULL. Nothing is kept then
 */
export async function writeReply(
  { registry, blobs }: Keeping,
  { subscription, codec }: Awaiting,
  message: string,
  { value, content }: ReadReply,
): Promise<readonly ContentPart[]> {
  const writer = laterWriter({ registry, blobs }, message, laterPart('reply', subscription.id));
  try {
    const described = await writer.addAttachments(value);
    await writer.add(codec.write(value, described));
    await content?.finish();
    return writer.parts;
  } catch (error) {
    await discard(writer.parts, blobs.scope(BLOBS));
    throw error;
  } finally {
    content?.close();
  }
}

/** A fault as it is kept: its document as text. */
type KeptFault = Omit<LaterFault, 'document'> & { readonly document?: string };

async function writeLaterFault(
  { registry, blobs }: Keeping,
  { subscription, faultCodec }: Awaiting,
  message: string,
  error: FaultError,
): Promise<readonly ContentPart[]> {
  const writer = laterWriter({ registry, blobs }, message, laterPart('fault', subscription.id));
  const document = error.name === 'SoapFault' ? error.detail : error.fault;
  const text = documentText(faultCodec, typeof document === 'object' ? document : undefined);
  const detail = error.detailXml ?? (typeof error.detail === 'string' ? error.detail : '');
  const reason = textOf(error);
  const kept: KeptFault = { code: error.code, reason, detail, ...(text && { document: text }) };
  await writer.add(JSON.stringify(kept));
  return writer.parts;
}

/** `undefined` for a document that masks have changed into one that does not fit. */
function documentText(codec: PayloadCodec | undefined, document: DocumentValue | undefined): string | undefined {
  try {
    return document && codec?.write(document, new Map());
  } catch {
    return undefined;
  }
}

/** The fault of a kept text. */
export function laterFault({ faultCodec }: Awaiting, { text, open }: KeptContent): LaterFault {
  const { document, ...fault } = JSON.parse(text) as KeptFault;
  return { ...fault, document: document === undefined ? undefined : faultCodec?.read(document, open) };
}

/** The keys of blobs are new for each reply: of two that come at once, one is discarded. */
function laterWriter({ registry, blobs }: Keeping, message: string, part: string): ContentWriter {
  const { body: size, attachment } = registry.gateway.limits;
  return new ContentWriter(`${message}/${randomUUID()}`, part, {
    size,
    key: '`limits.body`',
    attachment,
    blobs: blobs.scope(BLOBS),
  });
}

/** What an error of a call has, whose class is loaded only with the first call. */
interface CallError extends Error {
  readonly called: { readonly operation: string };
}

function isCallError(error: unknown): error is CallError {
  return error instanceof Error && 'called' in error;
}

/** Its message without the operation in front. */
function textOf({ message, called }: CallError): string {
  return message.replace(`${called.operation}: `, '');
}

/** An error that is a fault of the target. */
interface FaultError extends CallError {
  readonly code: string;
  readonly detail?: DocumentValue | string;
  readonly detailXml?: string;
  readonly fault?: DocumentValue;
}

/** Whether an error is a fault of the target; with `HTTP_STATUS` it is one of a form that is not known. */
function isLaterFault(error: unknown): error is FaultError {
  if (!isCallError(error) || !('code' in error)) return false;
  return error.name === 'SoapFault' || error.name === 'ReplyFault' || error.code === 'HTTP_STATUS';
}

/** A delivery whose reply has come. */
interface Replied {
  readonly delivery: string;
  readonly message: string;
  readonly subscription: string;
  /** Of the address that it came to. */
  readonly hash: string;
}

/**
 * Enters a reply, as part of a transaction, and lets the delivery go on with it.
 * @returns `known` when there was one already, `ended` when the delivery is over: then nothing has changed
 */
export async function enterReply(
  tx: Db,
  { queue }: Pick<MessagesOptions, 'queue'>,
  { delivery, message, subscription, hash }: Replied,
  parts: readonly ContentPart[],
  now: number,
): Promise<'entered' | 'known' | 'ended'> {
  // It locks the delivery, so that of two replies, and of a reply and the end of the call, the second sees the first.
  const found = await tx
    .updateTable('signalbox_delivery')
    .set(({ ref }) => ({ status: ref('status') }))
    .where('id', '=', delivery)
    .returning(['status', 'ended'])
    .executeTakeFirst();
  if (await hasReplied(tx, message, subscription)) return 'known';
  if (found === undefined || found.ended !== null) return 'ended';
  await tx
    .insertInto('signalbox_message_content')
    .values(parts.map((each) => ({ ...each, message })))
    .execute();
  await tx.updateTable('signalbox_reply_address').set({ replied: now }).where('hash', '=', hash).execute();
  // One that is held takes its reply once it is released.
  if (found.status === 'Hold') return 'entered';
  await tx
    .updateTable('signalbox_delivery')
    .set({ status: 'Working', next: null, reason: null })
    .where('id', '=', delivery)
    .execute();
  await queue.hasten(tx, subscription, delivery);
  return 'entered';
}

/** Takes the replies that come later, in any gateway. */
export class LaterReplies {
  readonly #options: MessagesOptions;
  readonly #awaiting: ReadonlyMap<string, Awaiting>;

  constructor(options: MessagesOptions) {
    this.#options = options;
    this.#awaiting = awaitingIn(options.registry);
  }

  /** Whether any subscription awaits replies. */
  get expected(): boolean {
    return this.#awaiting.size > 0;
  }

  /**
   * Stores a reply. One that was stored before is acknowledged and changes nothing.
   * @throws Fault NOT_FOUND, REPLY_TOO_LATE, BAD_BODY, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, STORAGE_FULL, UNAVAILABLE
   */
  async take(secret: string, incoming: IncomingLater): Promise<void> {
    const { store, blobs, now = Date.now } = this.#options;
    const db = await store.tables();
    const hash = hashOf(secret);
    const found = await db
      .selectFrom('signalbox_reply_address as a')
      .innerJoin('signalbox_delivery as d', 'd.id', 'a.delivery')
      .select(['d.id', 'd.message', 'd.subscription', 'd.status', 'd.ended'])
      .where('a.hash', '=', hash)
      .executeTakeFirst();
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: 'message that awaits a reply at this address' });
    const { id: delivery, message, subscription, status } = found;
    if (await hasReplied(db, message, subscription)) return;
    if (found.ended !== null) throw Fault.of('REPLY_TOO_LATE', { status });
    const awaiting = this.#awaiting.get(subscription);
    // Its definitions are those of another gateway, or it is not active here.
    if (awaiting === undefined)
      throw Fault.of(
        'UNAVAILABLE',
        { reason: 'this gateway does not know what awaits the reply' },
        { headers: { 'Retry-After': '5' }, reason: `subscription ${subscription} awaits no reply here` },
      );
    const parts = await this.#read(awaiting, found, incoming);
    const replied = { delivery, message, subscription, hash };
    const entered = await store.transaction((tx) => enterReply(tx, this.#options, replied, parts, now()));
    if (entered !== 'entered') await discard(parts, blobs.scope(BLOBS));
    if (entered === 'ended') throw Fault.of('REPLY_TOO_LATE', { status: await this.#statusOf(delivery) });
  }

  async #read(
    awaiting: Awaiting,
    { id, message }: { readonly id: string; readonly message: string },
    { requestId, ...incoming }: IncomingLater,
  ): Promise<readonly ContentPart[]> {
    const { outbound } = this.#options;
    try {
      const given = { ...incoming, repliesTo: messageIri(id) };
      return await writeReply(
        this.#options,
        awaiting,
        message,
        await outbound.readLater(awaiting.call, given, requestId),
      );
    } catch (error) {
      if (isLaterFault(error)) return writeLaterFault(this.#options, awaiting, message, error);
      throw asFault(error);
    }
  }

  async #statusOf(delivery: string): Promise<string> {
    const db = await this.#options.store.tables();
    const row = await db
      .selectFrom('signalbox_delivery')
      .select('status')
      .where('id', '=', delivery)
      .executeTakeFirst();
    return row?.status ?? 'not kept any more';
  }
}

function awaitingIn({ subscriptions }: Registry): ReadonlyMap<string, Awaiting> {
  return new Map(
    [...subscriptions.values()].flatMap((each) => {
      const awaiting = awaitingOf(each);
      return awaiting === undefined ? [] : [[each.id, awaiting]];
    }),
  );
}

/** The fault for a reply that can't be read. */
function asFault(error: unknown): unknown {
  if (!isCallError(error)) return error;
  // What the limits of the request refuse.
  if (error.cause instanceof Fault) return error.cause;
  return Fault.of('BAD_BODY', { reason: textOf(error) });
}
