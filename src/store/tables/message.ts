import type { Generated } from 'kysely';

/** The tables of messages. Times are milliseconds since 1970; ids are UUIDs in the order of time (RFC 9562, section 5.7). */
export interface MessageTables {
  signalbox_message: MessageTable;
  signalbox_message_content: MessageContentTable;
  signalbox_message_field: MessageFieldTable;
  signalbox_delivery: DeliveryTable;
  signalbox_delivery_attempt: DeliveryAttemptTable;
  signalbox_reply_address: ReplyAddressTable;
}

/** A message of a queue, or a recorded call. */
export interface MessageTable {
  id: string;
  operation: string;
  /** Null for a recorded call. */
  queue: string | null;
  /** What keeps its order with others of the queue; null without order. */
  partition: string | null;
  /** The node that was called; null for what arrived here. */
  node: string | null;
  /** That of the deliveries that have ended, the worst of them, or `New`. While others are open it is computed from those. */
  status: string;
  entered: number;
  /** When it ended, with its last delivery; null before. */
  ended: number | null;
  /** When it may be deleted; null while it is open. */
  expires: number | null;
  /** The user that published or called; null for an anonymous caller. */
  actor: string | null;
  /** 1: the user is one of the definitions. */
  declared: Generated<number>;
  /** How it came: `rest`, `soap`, `http`, `handler`, `component`, `process`, `operator`, or `call` for a call to another system. */
  connector: string;
  request_id: string;
  /** The trace id (W3C Trace Context); null without one. */
  trace: string | null;
  /** The message during whose delivery it was published. */
  caused_by: string | null;
  /** The message whose edited copy it is. */
  edited_from: string | null;
  /** Number of messages that led to it, one during the delivery of the other. */
  hops: Generated<number>;
  /** Deliveries that have not ended. */
  open: Generated<number>;
  /** Bytes of its payload. */
  size: Generated<number>;
  /** The status code of a recorded call's reply. */
  code: number | null;
  reason: string | null;
}

/**
 * Content of a message: `request`, `reply`, and what the records of calls keep. A part `request.1` is the first attachment of
 * the request. `reply.ERP` and `fault.ERP` are what the target of the subscription ERP has replied later.
 */
export interface MessageContentTable {
  message: string;
  part: string;
  /** `plain` or `deflate` (RFC 1951). */
  encoding: string;
  /** Null when a blob has it. */
  content: Uint8Array | null;
  /** Its key among the blobs of messages. */
  blob: string | null;
  /** Bytes, not compressed. */
  size: number;
}

/** A value by which messages are found. */
export interface MessageFieldTable {
  name: string;
  value: string;
  message: string;
}

/** A message for one subscription. Its id is that of its job. */
export interface DeliveryTable {
  id: string;
  message: string;
  subscription: string;
  partition: string | null;
  status: string;
  /** Attempts that ended. */
  attempts: Generated<number>;
  entered: number;
  ended: number | null;
  /** When the next attempt may begin, after one that failed. */
  next: number | null;
  /** Why the last attempt failed, or why it is held, cancelled or edited. */
  reason: string | null;
  /** The operator of the last action. */
  actor: string | null;
}

/** An attempt at a delivery that ended. */
export interface DeliveryAttemptTable {
  delivery: string;
  /** From 1; goes on when the delivery is released. */
  number: number;
  began: number;
  ended: number;
  gateway: string;
  /** The status code of the target's reply, if there was one. */
  code: number | null;
  /** Why it failed; null for success. */
  reason: string | null;
}

/** An address to which the target of a delivery sends its reply: one for each time that the delivery was sent. */
export interface ReplyAddressTable {
  /** SHA-256 of the secret in the address, in base64url. */
  hash: string;
  delivery: string;
  message: string;
  /** When a reply came to it; null before. */
  replied: number | null;
}
