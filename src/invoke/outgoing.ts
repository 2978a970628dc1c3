import { compileNames, fieldsOf } from '../codec/redact/declared.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { MoreSecrets } from '../model/redactor.ts';
import type { Message } from '../model/service.ts';

/** A request that may be sent to any of several addresses. */
export interface Outgoing {
  readonly method: string;
  /** What follows the target's address, without a slash of its own in front; undefined where the address is the whole. */
  readonly uri: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes; undefined where it is not known, 0 where there is no body. */
  readonly length: number | undefined;
  /** The whole of the body, where it is in memory. */
  readonly text: string | undefined;
  /** The body. To be called once, unless {@link Outgoing.again}. */
  bytes(): AsyncIterable<Uint8Array>;
  /** The body can be read any number of times, so that the request can be sent once more. */
  readonly again: boolean;
  /** It travels in gzip (RFC 1952). */
  readonly compress: boolean;
  /** What may be told of it. */
  readonly shown: Shown;
  /** What is secret in it, and may be repeated by the target. */
  readonly secrets: Required<MoreSecrets>;
}

/** A request with what is secret in it masked. */
export interface Shown {
  /** As {@link Outgoing.uri}. */
  readonly uri: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** A text that is in memory, or what is said in place of a stream; undefined where there is no body. */
  readonly body: string | undefined;
}

/** A request as it would be sent, what is secret in it masked. */
export interface PreparedRequest {
  /** Id of the operation. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** In the order in which they travel. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or what is said in place of content that is read as it is sent; undefined where there is no body. */
  readonly body: string | undefined;
}

/** Compiles the masking of sensitive fields, by their names, in what is sent for an operation and what comes back. */
export function hidingOf(operation: ConsumerOperation): (text: string) => string {
  const { fault } = operation;
  const messages: readonly Message[] =
    operation.kind === 'soap'
      ? [operation.soap.request, operation.soap.response]
      : [{ kind: 'document', document: operation.input }, ...operation.responses.map(({ message }) => message)];
  return compileNames([...messages.map(fieldsOf), ...(fault === undefined ? [] : [fault.fields])]);
}
