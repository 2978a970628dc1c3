import type { RestCallBinding } from '../../binding/call/call.ts';
import type { RestReplyBinding } from '../../binding/reply/reply.ts';
import type { ReplyText } from '../../binding/reply/text.ts';
import type { RestConsumer } from '../../model/consumer.ts';
import type { Mask } from '../mask.ts';

/** An operation over REST, compiled once. */
export interface RestCallable {
  readonly operation: RestConsumer;
  readonly requests: RestCallBinding;
  readonly replies: RestReplyBinding;
  readonly mask: Mask;
}

/** The body of a reply that is in memory. */
export interface ReadBody {
  readonly head: Buffer;
  readonly reply: ReplyText;
}
