import type { Attachment, DocumentValue } from './value.ts';

/** What another system answered. It holds a connection as long as it has attachments that have not been read. */
export interface InvokeReply {
  readonly httpResponseCode: number;
  /** Success. A call that does not succeed throws an `InvokeError`, which has 10 or 20. */
  readonly responseStatus: 0;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The response document, its binary fields being attachments: each can be read once, and until {@link InvokeReply.close}.
   * Without a document `content` holds what stands in the reply: JSON as a value, text and XML as text, binary content as
   * an attachment; over SOAP what stands in its element, and with `SOAPUpContent=N` the whole envelope, as XML text. Of a
   * reply that is declared to be none it is empty.
   */
  readonly value: DocumentValue;
  /** The body over REST as it came, where it is text; for a `JsonParser`, say. */
  readonly body: string | undefined;
  /** Attachments that no field holds. Each is to be read before the next is asked for. */
  segments(): AsyncIterable<Attachment>;
  readonly timings: ReplyTimings;
  /** Times that the request was sent, or an address was tried. */
  readonly attempts: number;
  /** Of the call, as it was sent in X-Request-Id. */
  readonly requestId: string;
  /**
   * Reads what is left behind the last attachment, so that the connection can serve again, then closes.
   * @throws InvokeError where the rest is broken
   */
  finish(): Promise<void>;
  /** Frees what was kept of the reply; gives its connection up where it is not read to its end. */
  close(): void;
}

/** Milliseconds from the call. */
export interface Timings {
  /** To the connection of the last attempt; undefined where one stood already. */
  readonly connected: number | undefined;
  /** To the last byte of the request. */
  readonly sent: number;
  /** To the head of the reply. */
  readonly head: number;
}

/** The same of a reply that was read. */
export interface ReplyTimings extends Timings {
  /** To the reply's value. */
  readonly value: number;
}

/** The reply of a flow's last step, and what led to it. */
export interface FlowReply extends InvokeReply {
  /** Every time that a step was made, in the order in which they ended: those that failed and were made once more, too. */
  readonly steps: readonly StepTrace[];
}

/** What became of one step of a flow. */
export interface StepTrace {
  /** Id of its operation. */
  readonly operation: string;
  /** What an earlier run was given still held, so that nothing was sent. */
  readonly kept: boolean;
  /** Undefined where no reply came. */
  readonly httpResponseCode: number | undefined;
  /** Times that its request was sent, or an address was tried. */
  readonly attempts: number;
  /** Undefined where it failed, and where nothing was sent. */
  readonly timings: ReplyTimings | undefined;
}
