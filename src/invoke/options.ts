import { CONTENT } from '../binding/message.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { everyField } from '../model/derivation.ts';
import type { Field, FieldType } from '../model/field.ts';
import type { Node } from '../model/node.ts';
import { isAnyText } from '../model/scalar.ts';
import type { Value } from '../model/value.ts';
import type { LaterReply, ReadReply, Segment } from './callable.ts';
import type { Credential } from './credential.ts';
import type { Heads } from './http/headers.ts';

/** Options of a call. */
export interface CallOptions {
  /** SOAP only: attachments, which the XML of the input marks by number from 1: `<Include SegmentNumber="1"/>`. */
  readonly segments?: readonly Segment[];
  /** REST only: number of the URI template to use, from 1; the first by default. */
  readonly uriIndex?: number;
  /** Ends the call, and the reading of its reply. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the number of bytes sent so far, and the total if it is known; both before compression. A retry starts again
   * from 0.
   */
  readonly onSent?: ((sent: number, total: number | undefined) => void) | undefined;
  /** Replaces the operation's target, including PRIMARYURL. */
  readonly node?: Node;
  /** Replaces the node's credential. */
  readonly credential?: Credential;
  /** Sent as X-Request-Id: a word of at most 128 characters; a new one by default. */
  readonly requestId?: string;
  /**
   * The `webhook-id` of calls to a node with `credential: { webhook: … }`, and the id of those with `hmac`: the same for each
   * attempt, so that a receiver recognises repetitions. At most 256 visible characters without full stops; a new one by default.
   * Other calls over REST send it as `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), unless the operation declares
   * that header; without it they send none.
   */
  readonly messageId?: string | undefined;
  /** Milliseconds for the whole call; the default is that of the operation or its node. */
  readonly timeout?: number | undefined;
  /**
   * Delivers a message: a success status means that it was taken. A body that can't be read, or is not that of the operation,
   * is noted in the reply then, whose value is empty. A fault in it is still one.
   */
  readonly delivers?: true;
  /** Observes the heads of the exchange. */
  readonly heads?: Heads | undefined;
}

/** Options of a call whose reply may come later. */
export interface AskOptions extends CallOptions {
  readonly later: LaterReply;
}

/** The result of a call whose reply may come later. */
export interface Asked {
  readonly httpResponseCode: number;
  /** The reply, if it has come at once. Read its attachments, then finish and close its content. */
  readonly reply?: ReadReply;
  /** What could not be read of the reply: the target has taken the message all the same. */
  readonly note?: string;
}

/** Options of a message that is sent as it is. */
export interface PostOptions extends Pick<CallOptions, 'requestId' | 'messageId' | 'signal'> {
  /** The whole address, below one of the node. */
  readonly to: string;
  /** What is secret in the message. */
  readonly secrets: readonly string[];
}

/** A reply that has come later, as a request of the target. */
export interface IncomingReply {
  readonly contentType: string | undefined;
  /** 200, or the error status of a reply that is a fault. */
  readonly status: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** {@link LaterReply.messageId} */
  readonly repliesTo: string;
}

/** Options of a flow. */
export interface FlowOptions extends Omit<CallOptions, 'segments' | 'uriIndex' | 'node' | 'credential'> {
  /** Called when a step begins, also one that is repeated. */
  readonly onStep?: (step: { readonly index: number; readonly operation: ConsumerOperation }) => void;
}

export type InputField = Pick<Field, 'name' | 'type'>;

/** The input fields of an operation. A message without a document is the field `content`. */
export function inputFields(operation: ConsumerOperation): readonly InputField[] {
  if (operation.kind === 'rest') return operation.input.fields;
  const { request } = operation.soap;
  if (request.kind === 'document') return everyField(request.document);
  return request.kind === 'raw' ? [{ name: CONTENT, type: { kind: request.raw } }] : [];
}

/** Converts a value for a field of another type: a text field takes numbers and booleans as text. */
export function fitted(value: Value, type: FieldType): Value {
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isAnyText(type) && isPlain ? String(value) : value;
}
