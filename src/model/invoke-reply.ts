import type { Attachment, DocumentValue } from './value.ts';

/** The reply of another system. It occupies a connection until all its attachments are read or it is closed. */
export interface InvokeReply {
  readonly httpResponseCode: number;
  /** Success. A failed call throws an `InvokeError`, with 10 or 20. */
  readonly responseStatus: 0;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The response document. Binary fields are attachments, which can be read once, until {@link InvokeReply.close}.
   *
   * For an operation without a response document it is `{ content }`: JSON as a value, text and XML as text, binary content
   * as an attachment. Over SOAP `content` is the XML inside the response element, or the whole envelope with
   * `SOAPUpContent=N`. For a response of `none` it is empty.
   */
  readonly value: DocumentValue;
  /** REST only: the body as text, unchanged. `undefined` for binary content. */
  readonly body: string | undefined;
  /** Attachments that no field refers to. Read each before you ask for the next. */
  segments(): AsyncIterable<Attachment>;
  readonly timings: ReplyTimings;
  /** What could not be read of the reply to a call that was taken: one without a reply, or a delivery; or how much was ignored (`lenient`). */
  readonly note?: string;
  /** How often the request was sent or an address was tried. */
  readonly attempts: number;
  /** Id of the call, sent as X-Request-Id. */
  readonly requestId: string;
  /**
   * Reads the rest after the last attachment, which frees the connection for another call, and closes the reply.
   * @throws InvokeError for a broken rest
   */
  finish(): Promise<void>;
  /** Frees stored content, and closes the connection if the reply is not read completely. */
  close(): void;
}

/** Milliseconds since the start of the call. */
export interface Timings {
  /** Until the connection of the last attempt; `undefined` if it was open before. */
  readonly connected: number | undefined;
  /** Until the last byte of the request was sent. */
  readonly sent: number;
  /** Until the head of the reply arrived. */
  readonly head: number;
}

/** Timings of a reply that was read. */
export interface ReplyTimings extends Timings {
  /** Until the value of the reply was read. */
  readonly value: number;
}

/** The reply of a flow's last step, with a trace of all steps. */
export interface FlowReply extends InvokeReply {
  /** The executions of steps in the order in which they ended, including failed and repeated ones. */
  readonly steps: readonly StepTrace[];
}

/** One execution of a flow's step. */
export interface StepTrace {
  /** Id of the operation. */
  readonly operation: string;
  /** Nothing was sent: values that an earlier run kept are still valid. */
  readonly kept: boolean;
  /** `undefined` if there was no reply. */
  readonly httpResponseCode: number | undefined;
  /** How often the request was sent or an address was tried. */
  readonly attempts: number;
  /** `undefined` if the step failed or nothing was sent. */
  readonly timings: ReplyTimings | undefined;
}
