import type { Client, IncomingReply } from '../../invoke/index.ts';
import type { BlobStore } from '../../model/blob.ts';
import type { Publication } from '../../model/component.ts';
import type { MessageHandler, ReplyHandler } from '../../model/handler.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Account, OpenWork } from '../../model/work.ts';
import type { Owners } from '../../security/directory/directory-port.ts';
import type { Db, Job, JobQueue, Retained, Store } from '../../store/index.ts';
import type { ReplyAddressing } from '../../wire/soap/addressing.ts';
import type { StoredMessage } from './store.ts';

export interface MessagesOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  /** Finds the users that handlers run for. */
  readonly directory: Owners;
  /** By file. */
  readonly handlers: ReadonlyMap<string, MessageHandler>;
  readonly work: OpenWork<Db>;
  /** Calls the targets of subscriptions. */
  readonly outbound: Pick<Client, 'call' | 'flow' | 'ask' | 'readLater' | 'post' | 'reaches'>;
  /** Code that takes the replies that come later, by file. */
  readonly replies: ReadonlyMap<string, ReplyHandler>;
  /** The address to which targets send replies, without the secret at its end: `https://example.org/gateway/ReplyListeningConnector`. */
  readonly replyAddress: () => string;
  readonly redactor: Redactor;
  /** The name of this gateway, which is kept with its attempts. */
  readonly gateway: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Lets no gateway take deliveries of a subscription, until an operator resumes it. @param actor why, for the trail */
  readonly pause: (subscription: string, actor: string) => Promise<unknown>;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Called with what an operator should look at, although no work has failed. */
  readonly onWarning: (words: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Called with what an operator may want to know, but need not act on. */
  readonly onNews: (words: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Called for each attempt at a delivery that has ended. */
  readonly account?: Account | undefined;
  /** Called for each message that was published, once its transaction is complete. */
  readonly onPublished?: ((operation: string) => void) | undefined;
}

/** How a message came to be published. */
export interface PublishFacts {
  /** `undefined` for an anonymous caller. */
  readonly user: User | undefined;
  readonly requestId: string;
  /** What came over a connector was read by the request document; the values of code are checked here. The grants are checked before. */
  readonly connector: 'rest' | 'soap' | 'http' | 'handler' | 'component' | 'process' | 'operator';
  readonly signal?: AbortSignal | undefined;
  /** The message whose edited copy it is. */
  readonly editedFrom?: string | undefined;
  /** Where the reply is sent, by WS-Addressing. */
  readonly replyTo?: ReplyAddressing | undefined;
  /** Records, as the last part of the transaction, that a call has taken effect which its caller may repeat. */
  readonly takeEffect?: ((tx: Db) => Promise<void>) | undefined;
}

/** Publishes messages, and delivers them to subscriptions. */
export interface Messages {
  /**
   * Publishes a message in a transaction of its own. Large content and attachments are stored as blobs before.
   * @param operation one whose answer is a queue
   * @returns the id of the message, a UUID
   * @throws Fault BAD_BODY, BAD_PARAMETER, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, LOOP_DETECTED, STORAGE_FULL
   */
  publish(operation: Operation, value: DocumentValue, facts: PublishFacts): Promise<string>;
  /** The same as part of a transaction, whose commit publishes it. Attachments are held in memory, within the queue's `size`. */
  publishInside(tx: Db, operation: Operation, value: DocumentValue, facts: PublishFacts): Promise<string>;
  /**
   * Compiles what a component publishes: the returned function fills the message from the values of a save, and publishes it as
   * part of its transaction.
   */
  publisherOf(
    publication: Pick<Publication, 'operation' | 'input'>,
  ): (tx: Db, saved: DocumentValue, facts: Omit<PublishFacts, 'connector'>) => Promise<string>;
  /**
   * The reply to a message; `undefined` while it is awaited.
   * @param operation the id of the operation that published it @param user only the one that published it may read the reply
   * @throws Fault NOT_FOUND, REPLY_FAILED, REPLY_TIMEOUT, and the fault that is the reply
   */
  reply(operation: string, message: string, user: User | undefined): Promise<DocumentValue | undefined>;
  /** Lets the workers of an operation's subscriptions look for deliveries, once its transaction is committed. */
  wake(operations: Iterable<string>): void;
  /** The replies to calls of subscriptions that come later. */
  readonly later: LaterReplies;
  /** What expires: messages that have ended. */
  readonly retained: readonly Retained[];
  /** Those of some users for whom handlers are still to run. */
  busy(tx: Db, users: readonly string[]): Promise<readonly string[]>;
}

/** A reply that has come later, as a request of the target. */
export interface IncomingLater extends Omit<IncomingReply, 'repliesTo'> {
  readonly requestId: string;
}

/** Takes the replies that come later, in any gateway. */
interface LaterReplies {
  /** Whether any subscription awaits replies. */
  readonly expected: boolean;
  /**
   * Stores a reply. One that was stored before is acknowledged and changes nothing.
   * @param secret the last part of the address that it came to
   * @throws Fault NOT_FOUND, REPLY_TOO_LATE, BAD_BODY, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, STORAGE_FULL, UNAVAILABLE
   */
  take(secret: string, incoming: IncomingLater): Promise<void>;
}

/** What is known of the attempt at a delivery that runs, or has just failed. */
export interface Running {
  readonly began: number;
  /** The status code of the target's reply. */
  code?: number | undefined;
  /** Whether another attempt may follow. */
  again: boolean;
  /** Until when the target asks not to be called (Retry-After), in milliseconds since 1970. */
  asked?: number | undefined;
  /** What could not be read of the reply to a delivery that was taken. */
  note?: string | undefined;
  /** No reply came in time. */
  isLate?: true;
}

/** A delivery that runs. */
export interface Delivery {
  readonly job: Job;
  readonly running: Running;
  readonly message: StoredMessage;
  readonly value: DocumentValue;
  readonly user: User | undefined;
  /** Knows what is sensitive in the message. */
  readonly redactor: Redactor;
}

/** The scope of blobs with the content of messages. */
export const BLOBS = 'messages';
