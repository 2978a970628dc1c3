import type { ConsumerOperation } from '../model/consumer.ts';
import type { DocumentValue } from '../model/value.ts';
import { duration } from '../wire/duration.ts';
import { LONGEST_TIMER } from '../wire/waiting.ts';
import { InvokeError } from './error.ts';
import { begun, collect } from './http/body.ts';
import type { RawReply } from './http/raw-reply.ts';
import { DRAINED } from './limits.ts';
import type { Asked } from './options.ts';
import { isSuccess } from './reply.ts';
import { hasNoReply } from './soap/reply.ts';

/** A reply that was taken, as its caller gets it, with its value; `undefined` when it comes later. */
export interface Taken<T> {
  readonly result: T;
  readonly value: DocumentValue | undefined;
  readonly note?: string | undefined;
}

/** The reply to a message that was taken, and of which nothing else is known. */
export function takenUnread({ status: httpResponseCode }: RawReply, note: string): Taken<Asked> {
  return { result: { httpResponseCode, note }, value: undefined, note };
}

/** Errors of reading a reply. With a success status the target has taken the request, whatever follows the head. */
const UNREAD: ReadonlySet<string> = new Set(['BAD_REPLY', 'REPLY_TOO_LARGE', 'CUT', 'TIMEOUT', 'ABORTED']);

export function isUnread(error: unknown): boolean {
  return error instanceof InvokeError && UNREAD.has(error.code);
}

/** Whether nothing is read of a reply but a fault. */
export function isOneWay(operation: ConsumerOperation): boolean {
  if (operation.kind === 'soap') return hasNoReply(operation.soap);
  return operation.responses.every(({ message }) => message.kind === 'none');
}

/** Drops the rest of a reply. A short receipt is read, so that the connection can be used again. */
export async function drain(raw: RawReply): Promise<void> {
  if (raw.whole === undefined && (await collect(raw.bytes, DRAINED)).rest !== undefined) raw.discard();
}

/** The reply to a call that may be answered later; `undefined` when the target has only taken it: status 202, or an empty success. */
export async function replyAtOnce(raw: RawReply): Promise<RawReply | undefined> {
  if (!isSuccess(raw.status)) return raw;
  if (raw.status === 202) {
    await drain(raw);
    return undefined;
  }
  if (raw.whole !== undefined) return raw;
  const bytes = await begun(raw.bytes);
  return bytes && { ...raw, bytes };
}

/**
 * Reads a reply within a time limit: a target that sends a byte now and then is never idle.
 * @param most in milliseconds
 * @throws InvokeError TIMEOUT; what `read` throws
 */
export async function withinTime<T>(raw: RawReply, most: number, read: (raw: RawReply) => Promise<T>): Promise<T> {
  if (raw.whole !== undefined) return read(raw);
  let late: InvokeError | undefined;
  const end = (): void => {
    const reason = `the reply was not complete within ${duration(most)}`;
    late = new InvokeError('TIMEOUT', raw.called, reason, { httpResponseCode: raw.status, retry: true });
    raw.discard();
  };
  const timer = setTimeout(end, Math.min(most, LONGEST_TIMER));
  try {
    return await read(raw);
  } catch (error) {
    throw late ?? error;
  } finally {
    clearTimeout(timer);
  }
}
