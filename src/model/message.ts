import type { CallText, ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Flow } from './flow.ts';
import type { Node } from './node.ts';
import type { DELIVERY_RETRY, Retry } from './retry.ts';
import { traitsOf } from './scalar.ts';
import type { Role } from './security.ts';
import { type MediaMessage, type Operation, operationsOf } from './service.ts';
import type { Value } from './value.ts';

/** A queue of messages (`queue:`): what its operations publish, in which order, and how messages are found. */
export interface MessageQueue {
  readonly id: string;
  readonly description?: string;
  /** Fields whose values name the partition of a message, in which messages keep their order; `all` is one partition. */
  readonly order?: readonly string[] | 'all';
  /** Fields by which messages are found later; those that an operation's request lacks do not apply to its messages. */
  readonly search: readonly string[];
  /** Bytes of the largest payload. */
  readonly size: number;
  /** For how long messages are kept after their end, in milliseconds: those done, and those that ended otherwise. */
  readonly retention: { readonly done: number; readonly failed: number };
  readonly at: Position;
}

/** Whether a field has single values that can be compared and written as text: those of orders, searches and conditions. */
export function isComparable({ type }: Pick<Field, 'type'>): boolean {
  const traits = traitsOf(type);
  if (traits === undefined || traits.xml.markup) return false;
  return traits.primitive !== 'binary' && traits.primitive !== 'json';
}

/** Values of fields, of which a document has one each; all documents when empty (`when:`). */
export type Conditions = readonly { readonly field: string; readonly values: readonly Value[] }[];

/** A subscription (`subscription:`): what the messages of an operation are delivered to. */
export interface Subscription {
  readonly id: string;
  readonly description?: string;
  readonly operation: Operation;
  /** About fields of the request. */
  readonly when: Conditions;
  readonly target:
    | /** Code of the project: `<handlers>/<file>.ts`, with `onMessage`. */ {
        readonly kind: 'handler';
        readonly file: string;
      }
    /** A consumer operation or a flow, whose whole input `input` fills. */
    | {
        readonly kind: 'call';
        readonly call: ConsumerOperation | Flow;
        readonly input: InputMap;
        /** Only for an operation: its reply comes later. */
        readonly awaitsReply?: AwaitedReply;
      }
    /** The caller, which named an address below one of the node: it gets the reply to its message. See {@link ReplyTo}. */
    | { readonly kind: 'caller'; readonly node: Node };
  /** {@link DELIVERY_RETRY} by default. */
  readonly retry: Retry;
  /** The role under whose grants it runs; those of the user who published by default. */
  readonly as?: Role;
  /** Deliveries that run at the same time in one gateway. */
  readonly concurrency: number;
  readonly active: boolean;
  /** Whether what its code returns is the reply to the message. */
  readonly givesReply: boolean;
  /** Milliseconds from when a message was published, after which callers are not asked to wait for its reply any more. */
  readonly within?: number;
  readonly at: Position;
}

/**
 * Where callers may have the reply to their message sent (`reply-to:`). The operation has a subscription for each of the nodes, whose
 * deliveries are entered with the replies.
 */
export interface ReplyTo {
  /** An address that a caller names lies below one of theirs. */
  readonly nodes: readonly Node[];
  /** The field of the request with the address for a reply over REST. Over SOAP, `ReplyTo` of WS-Addressing has it in any case. */
  readonly field?: Field;
  /** Of a reply over REST: the first form of `response`. */
  readonly form: MediaMessage;
  /** {@link DELIVERY_RETRY} by default. */
  readonly retry: Retry;
}

/** The id of the subscription that delivers the replies of an operation to a node. No declared one has such an id. */
export function replySubscriptionId(operation: Pick<Operation, 'id'>, node: Pick<Node, 'id'>): string {
  return `~REPLY~${operation.id}~${node.id}`;
}

/** The nodes that a subscription delivers to, each once. */
export function nodesOf({ target }: Pick<Subscription, 'target'>): readonly Node[] {
  if (target.kind === 'handler') return [];
  if (target.kind === 'caller') return [target.node];
  return [...new Set(operationsOf(target.call).map(({ target: node }) => node))];
}

/** The reply to a call that its target takes at once and answers later (`awaits-reply:`). */
export interface AwaitedReply {
  /** Milliseconds for which it is awaited from when the target has taken the call. */
  readonly within: number;
  /** The input that carries the address for the reply. Over SOAP, `ReplyTo` of WS-Addressing has it in any case. */
  readonly to?: Field;
  /** Code that takes the reply: `<handlers>/<file>.ts`, with `onReply`. */
  readonly file?: string;
}

/**
 * The fields of an input and what fills them: those of `map:`, and all others that have the name of a field of the message. A
 * field that the message lacks fills nothing.
 */
export type InputMap = readonly { readonly field: Field; readonly from: InputSource }[];

export type InputSource =
  /** A field of the message, whose value keeps its type. */
  | { readonly kind: 'field'; readonly field: Field }
  /** A value of the definition, in the form of the input's type. */
  | { readonly kind: 'value'; readonly value: Value }
  /** A text with values of the message. It has no references to configuration. */
  | { readonly kind: 'built'; readonly text: CallText };

/** The files of code of a subscription: that which takes its messages, or the replies that come later. */
export function codeOfSubscription({ target }: Pick<Subscription, 'target'>): readonly string[] {
  if (target.kind === 'caller') return [];
  const file = target.kind === 'handler' ? target.file : target.awaitsReply?.file;
  return file === undefined ? [] : [file];
}

/** The statuses of messages and deliveries, with the names of the original. */
export const MESSAGE_STATUSES = [
  'New',
  'Started',
  'Working',
  'Done',
  'Retry',
  'Hold',
  'Timeout',
  'Edited',
  'Error',
  'Cancelled',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** What the message store has: messages of queues, and records of calls. */
export const MESSAGE_KINDS = ['message', 'call'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A call that failed: its system did not answer as it should. One that was refused: its caller asked for what it may not have. */
export const CALL_REPLIES = ['failed', 'refused'] as const;
export type CallReply = (typeof CALL_REPLIES)[number];
