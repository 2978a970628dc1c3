import { compileNames } from '../codec/redact/declared.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { MoreSecrets } from '../model/redactor.ts';
import type { Message } from '../model/service.ts';
import { faultDocuments } from '../model/soap.ts';
import type { SoapVersion } from '../wire/soap/version.ts';

/** A request, independent of the address that it is sent to. */
export interface Outgoing {
  readonly method: string;
  /** The part after the target's address, without a leading slash; `undefined` if the address is complete. */
  readonly uri: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes; 0 without a body, `undefined` if it is not known. */
  readonly length: number | undefined;
  /** The body, if it is in memory as text. */
  readonly text: string | undefined;
  /** The body, if it is in memory as bytes. */
  readonly whole?: Uint8Array | undefined;
  /** The body. Can be called once, unless {@link Outgoing.again}. */
  bytes(): AsyncIterable<Uint8Array>;
  /** The body can be read any number of times, so the request can be sent again. */
  readonly again: boolean;
  /** The body is sent in gzip (RFC 1952). */
  readonly compress: boolean;
  /** Of a SOAP message. */
  readonly soap?: OutgoingSoap | undefined;
  /** The request with secrets masked. */
  readonly shown: Shown;
  /** What is secret in it, and may be repeated by the target. */
  readonly secrets: Required<MoreSecrets>;
}

/** How a header block is put into a SOAP message. */
interface OutgoingSoap {
  readonly version: SoapVersion;
  /** It gets no Security header: the caller has written one, which stays the only one, or there is no envelope. */
  readonly isSecured?: boolean;
  /** The value of its signature, in base64, which a reply can confirm. */
  readonly signature?: string | undefined;
  /** The id by which its reply names it, if it has header blocks of WS-Addressing. */
  readonly messageId?: string | undefined;
  /**
   * The message with a block in front of the others; absent for one that was written elsewhere, whose text is the envelope.
   * @param shown the block in the masked message
   */
  withBlock?(block: string, shown: string): Outgoing;
}

/** A request with secrets masked. */
export interface Shown {
  /** As {@link Outgoing.uri}. */
  readonly uri: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or a placeholder for a stream; `undefined` without a body. */
  readonly body: string | undefined;
}

/** A request as it would be sent, with secrets masked. */
export interface PreparedRequest {
  /** Id of the operation. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** In the order in which they are sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or a placeholder for content that is streamed; `undefined` without a body. */
  readonly body: string | undefined;
}

/** Compiles the masking of sensitive fields, by their names, in what is sent for an operation and what comes back. */
export function hidingOf(operation: ConsumerOperation): (text: string) => string {
  const messages: readonly Message[] =
    operation.kind === 'soap'
      ? [operation.soap.request, operation.soap.response]
      : [{ kind: 'document', document: operation.input }, ...operation.responses.map(({ message }) => message)];
  const documents = messages.flatMap((message) => (message.kind === 'document' ? message.document : []));
  return compileNames([...documents, ...faultDocuments(operation)]);
}
