import type { Format } from '../../binding/message.ts';
import type { OutgoingMessage } from '../../binding/soap/assemble.ts';
import type { OpenedMessage } from '../../binding/soap/message.ts';
import type { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { ShownMessage } from '../../security/port.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import type { CallProgress, Compiled } from '../operations.ts';

/** How an exchange is answered: in an envelope of its version, or without one. */
export interface ReplyForm {
  /** What a stored query renders its rows for. */
  readonly format: Format;
  /** @throws CodecError */
  write(compiled: Compiled, outcome: Outcome): OutgoingReply | Promise<OutgoingReply>;
  fault(fault: Fault, compiled: Compiled | undefined): WrittenFault;
}

/** A reply: a text, or what {@link OutgoingMessage} says. */
export type OutgoingReply = { readonly status: number } & (
  | OutgoingMessage
  | (Pick<OutgoingMessage, 'headers'> & { readonly text: string; readonly length?: never })
);

/** What a caller asks for, once its message has been opened. */
export interface Asked {
  readonly compiled: Compiled;
  /** Reads the request's document. @throws Fault */
  read(): DocumentValue;
  /** What the message itself shows of its sender; `undefined` when it shows nothing. */
  readonly secured?: SecuredMessage;
}

export interface SecuredMessage extends ShownMessage {
  /** Goes on with the Body that was signed in place of the one that came. */
  goOnWith(body: XmlElement): void;
}

/** What is known of an exchange of messages so far. */
export interface MessageProgress extends CallProgress {
  form: ReplyForm;
  /** Who sends it only the message itself can show. */
  isUnknown?: boolean;
  opened?: OpenedMessage;
}

/** A connector that reads messages. */
export interface Entrance {
  /** Multipart/related is taken, and sent. */
  readonly mtom: boolean;
  /** The form of a fault that comes before anything has been read. */
  firstForm(exchange: Exchange): ReplyForm;
  /** Opens the message and finds the operation; or the reply, where nothing is called. @throws Fault */
  ask(exchange: Exchange, progress: MessageProgress, messages: MessageReader): Promise<Asked | Response>;
}

/** What an entrance reads a request by, within the gateway's limits. */
export interface MessageReader {
  /** The text of a request's body; `undefined` when there is none. @throws Fault BODY_TOO_LARGE, BAD_BODY */
  text(exchange: Exchange): Promise<string | undefined>;
  /** Answers what is no call of an operation. */
  tell(exchange: Exchange, contentType: string, text: string): Response;
  /** Opens the message of a request; `undefined` when there is no body. @throws Fault as `openMessage` does */
  open(exchange: Exchange, entrance: Entrance, progress: MessageProgress): Promise<OpenedMessage | undefined>;
}
