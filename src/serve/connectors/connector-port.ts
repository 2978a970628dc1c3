import type { Format } from '../../binding/message.ts';
import type { OutgoingMessage } from '../../binding/soap/assemble.ts';
import type { OpenedMessage } from '../../binding/soap/message.ts';
import type { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { ShownMessage } from '../../security/security-port.ts';
import type { ReplyAddressing } from '../../wire/soap/addressing.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import type { CallProgress, Compiled } from '../operations.ts';

/** The form of replies: in an envelope of a SOAP version, or without one. */
export interface ReplyForm {
  /** The format in which a stored query renders its rows. */
  readonly format: Format;
  /** @throws CodecError */
  write(compiled: Compiled, outcome: Outcome): OutgoingReply | Promise<OutgoingReply>;
  fault(fault: Fault, compiled: Compiled | undefined): WrittenFault;
}

/** A reply: a text or an {@link OutgoingMessage}. */
export type OutgoingReply = { readonly status: number } & (
  | OutgoingMessage
  | (Pick<OutgoingMessage, 'headers'> & { readonly text: string; readonly length?: never })
);

/** The call that an opened message requests. */
export interface Asked {
  readonly compiled: Compiled;
  /** Reads the request's document. @throws Fault */
  read(): DocumentValue;
  /** The credentials in the message; `undefined` when it has none. */
  readonly secured?: SecuredMessage;
  /** The MessageID of WS-Addressing. */
  messageId?(): string | undefined;
  /** Where its reply is sent, by WS-Addressing. @throws Fault BAD_BODY */
  replyTo?(): ReplyAddressing | undefined;
}

export interface SecuredMessage extends ShownMessage {
  /** Replaces the Body by the verified copy of the signed one. */
  goOnWith(body: XmlElement): void;
}

/** The known facts about an exchange of messages. */
export interface MessageProgress extends CallProgress {
  form: ReplyForm;
  /** Only credentials inside the message can identify the sender. */
  isUnknown?: boolean;
  opened?: OpenedMessage;
}

/** A connector that reads messages. */
export interface Entrance {
  /** Whether multipart/related messages are accepted and sent. */
  readonly mtom: boolean;
  /** Whether messages in parts are accepted all the same, which are not MTOM: those of contracts with attachments. */
  readonly parts?: boolean;
  /** The form of a fault that occurs before anything was read. */
  firstForm(exchange: Exchange): ReplyForm;
  /** Opens the message and finds the operation; returns the reply itself when no operation is called. @throws Fault */
  ask(
    exchange: Exchange,
    progress: MessageProgress,
    messages: MessageReader,
  ): Asked | Response | Promise<Asked | Response>;
}

/** Reads messages for an entrance, within the gateway's limits. */
export interface MessageReader {
  /** The text of a request's body; `undefined` when there is none. @throws Fault BODY_TOO_LARGE, BAD_BODY */
  text(exchange: Exchange): Promise<string | undefined>;
  /** Replies to a request that does not call an operation. */
  tell(exchange: Exchange, contentType: string, text: string): Response;
  /** Opens the message of a request; `undefined` when there is no body. @throws Fault as `openMessage` does */
  open(exchange: Exchange, entrance: Entrance, progress: MessageProgress): Promise<OpenedMessage> | undefined;
}
