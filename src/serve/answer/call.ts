import { validateHeaderValue } from 'node:http';
import type { Format } from '../../binding/message.ts';
import type { DeliveredHandler } from '../../delivered/index.ts';
import type { StoredBlob } from '../../model/blob.ts';
import type { ReplyRoot } from '../../model/document.ts';
import type { Fault } from '../../model/fault.ts';
import {
  type Bytes,
  type Handler,
  type HandlerContext,
  type Outcome,
  type PassedBytes,
  Reply,
  type ReplyOptions,
  type ReplyValue,
} from '../../model/handler.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import type { Db } from '../../store/index.ts';
import type { ReplyAddressing } from '../../wire/soap/addressing.ts';
import { checkHeaders } from '../exchange/respond.ts';
import type { Services } from '../start/services.ts';
import type { QueryRows } from './query-rows.ts';
import { Work, type WorkPorts } from './work.ts';

/** One call of one operation: the context that its handler sees. */
export class Call extends Work implements HandlerContext {
  readonly operation: Operation;
  readonly uriIndex: number;
  readonly root: ReplyRoot | undefined;
  /** Records, as the last part of a transaction, that the call has taken effect, if its caller may repeat it. */
  readonly takeEffect: ((tx: Db) => Promise<void>) | undefined;
  /** Where its reply is sent, by WS-Addressing. */
  readonly replyTo: ReplyAddressing | undefined;
  readonly #segments: (() => AsyncIterable<Attachment>) | undefined;
  readonly #header: ((name: string) => string | undefined) | undefined;

  constructor(
    ports: WorkPorts,
    rows: QueryRows,
    facts: {
      operation: Operation;
      uriIndex: number;
      requestId: string;
      user: User | undefined;
      address?: string | undefined;
      gone: () => AbortSignal;
      segments?: (() => AsyncIterable<Attachment>) | undefined;
      root?: ReplyRoot | undefined;
      header?: (name: string) => string | undefined;
      secrets: () => Iterable<string>;
      takeEffect?: ((tx: Db) => Promise<void>) | undefined;
      replyTo?: ReplyAddressing | undefined;
    },
  ) {
    const { operation, user, address, requestId, gone, secrets, takeEffect } = facts;
    super(ports, rows, {
      user,
      address,
      as: operation.as,
      requestId,
      gone,
      scope: operation.service.id,
      named: { operation: operation.id },
      file: operation.answer.kind === 'handler' ? operation.answer.file : undefined,
      secrets,
      takeEffect,
    });
    this.operation = operation;
    this.uriIndex = facts.uriIndex;
    this.root = facts.root;
    this.takeEffect = takeEffect;
    this.replyTo = facts.replyTo;
    this.#segments = facts.segments;
    this.#header = facts.header;
  }

  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined {
    return this.#header?.(name);
  }

  async *segments(): AsyncGenerator<Attachment> {
    if (this.#segments !== undefined) yield* this.#segments();
  }

  reply(value: ReplyValue, options: ReplyOptions = {}): Reply {
    checkReply(options);
    // Anything else is the content of a list or single value, or refused when it is written.
    return new Reply({ kind: 'value', value: value as DocumentValue | string, ...options });
  }

  bytes(bytes: Bytes): Reply {
    checkReply(bytes);
    validateHeaderValue('Content-Type', bytes.contentType);
    if (!Number.isSafeInteger(bytes.length) || bytes.length < 0) {
      throw new RangeError(`the length of a reply must be a number of bytes, not ${bytes.length}`);
    }
    return new Reply({ kind: 'bytes', bytes });
  }

  stored(stored: StoredBlob, options: Pick<ReplyOptions, 'headers'> = {}): Reply {
    checkReply(options);
    const { contentType, length } = stored;
    validateHeaderValue('Content-Type', contentType);
    const bytes = { ...options, contentType, length, stored, body: () => stored.stream() };
    return new Reply({ kind: 'bytes', bytes });
  }
}

/** Checks at once, so that the handler's own line is on the stack. @throws TypeError, RangeError */
function checkReply(reply: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }): void {
  const { status = 200, headers } = reply;
  if (!Number.isInteger(status) || status < 200 || status > 399) {
    throw new RangeError(`the status of a reply must be 200 to 399, not ${status}; throw a Fault for an error`);
  }
  if (headers !== undefined) checkHeaders(headers);
}

/** The ports that answers need. */
export interface AnswerPorts extends WorkPorts {
  readonly services: Services;
  /** The gateway's address with its context, known once it listens. */
  readonly base: () => string;
}

/** The answer of one operation, compiled. */
export interface Answerer {
  answer(input: DocumentValue, call: Call, as: Format): Outcome | Promise<Outcome>;
  /** The message of a fault document, for operations whose code has an `onError`. */
  onError?(fault: Fault, input: DocumentValue | undefined, call: Call): string | Promise<string>;
  /** The format of replies and faults, when values of the request decide it instead of Accept. */
  formatOf?: DeliveredHandler['formatOf'];
}

/** The project's handlers, by file name without its extension. */
export type Handlers = ReadonlyMap<string, Handler>;

/** Checks the length of bytes and waits for the first ones of a stream, so an error before them still becomes a fault. */
export async function begun(bytes: PassedBytes, call: Call): Promise<PassedBytes> {
  const { body } = bytes;
  if (body instanceof Uint8Array) {
    if (body.byteLength === bytes.length) return bytes;
    bytes.dispose?.();
    throw new RangeError(`a reply of ${body.byteLength} bytes declares a length of ${bytes.length}`);
  }
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const dispose = (): void => {
    // No one awaits this; an error here must not end the process.
    chunks?.return?.()?.catch((err: unknown) => call.log('error', 'A stream could not be closed.', { err }));
    bytes.dispose?.();
  };
  try {
    const opened = body()[Symbol.asyncIterator]();
    chunks = opened;
    const first = await opened.next();
    return { ...bytes, body: () => resumed(first, opened), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function* resumed(
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await chunks.next()) yield next.value;
}
