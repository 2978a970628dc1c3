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
import type { Redactor } from '../../model/redactor.ts';
import type { Role, User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { authorise } from '../../security/authorise.ts';
import type { Db } from '../../store/index.ts';
import type { ReplyAddressing } from '../../wire/soap/addressing.ts';
import { checkHeaders } from '../exchange/respond.ts';
import type { Services } from '../start/services.ts';
import type { QueryRows } from './query-rows.ts';
import { Work, type WorkPorts } from './work.ts';

/** The facts about one call. */
interface CallFacts {
  readonly operation: Operation;
  readonly uriIndex: number;
  readonly requestId: string;
  readonly user: User | undefined;
  readonly address?: string | undefined;
  /** The role whose lists replace the caller's; that of the operation by default. */
  readonly as?: Role | undefined;
  readonly gone: () => AbortSignal;
  readonly segments?: (() => AsyncIterable<Attachment>) | undefined;
  readonly root?: ReplyRoot | undefined;
  readonly header?: (name: string) => string | undefined;
  readonly secrets: () => Iterable<string>;
  /** Masks secrets; without it, {@link CallFacts.secrets} lists them. */
  readonly redactor?: Redactor;
  readonly takeEffect?: ((tx: Db) => Promise<void>) | undefined;
  readonly replyTo?: ReplyAddressing | undefined;
}

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

  readonly #ports: WorkPorts;
  readonly #rows: QueryRows;
  readonly #facts: CallFacts;
  /** Calls of other operations that answer this one. */
  #inner: Call[] | undefined;

  constructor(ports: WorkPorts, rows: QueryRows, facts: CallFacts) {
    const { operation, user, address, requestId, gone, secrets, redactor, takeEffect } = facts;
    super(ports, rows, {
      user,
      address,
      as: facts.as ?? operation.as,
      requestId,
      gone,
      scope: operation.service.id,
      named: { operation: operation.id },
      file: operation.answer.kind === 'handler' ? operation.answer.file : undefined,
      secrets,
      redactor,
      takeEffect,
    });
    this.#ports = ports;
    this.#rows = rows;
    this.#facts = facts;
    this.operation = operation;
    this.uriIndex = facts.uriIndex;
    this.root = facts.root;
    this.takeEffect = takeEffect;
    this.replyTo = facts.replyTo;
    this.#segments = facts.segments;
    this.#header = facts.header;
  }

  /** @throws Fault FORBIDDEN when the caller is not permitted to call the operation */
  authoriseOperation(operation: Operation): void {
    authorise(this.user, operation, 'operation', this.as);
  }

  /**
   * The call of another operation that answers this one, for the same caller and within the same time.
   * @param secrets in its request, which are masked as well
   */
  delegate(operation: Operation, input: DocumentValue, secrets: Iterable<string>): Call {
    const { redactor } = this;
    redactor.learn(secrets);
    const { root: _, replyTo: __, ...facts } = this.#facts;
    const uriIndex = uriIndexOf(operation, input);
    // A role of the operation itself comes before that of the one that it answers.
    const as = operation.as ?? this.as;
    const call = new Call(this.#ports, this.#rows, {
      ...{ ...facts, operation, uriIndex, as, redactor },
      gone: () => this.signal,
    });
    this.#inner ??= [];
    this.#inner.push(call);
    return call;
  }

  /** The call of another operation that was made to answer this one; `undefined` before that. */
  delegated(operation: Operation): Call | undefined {
    return this.#inner?.findLast((call) => call.operation === operation);
  }

  override get truncated(): boolean {
    return super.truncated || this.#inner?.some((call) => call.truncated) === true;
  }

  override done(): void {
    super.done();
    for (const call of this.#inner ?? []) call.done();
  }

  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined {
    return this.#header?.(name);
  }

  async *segments(): AsyncGenerator<Attachment> {
    if (this.#segments !== undefined) yield* this.#segments();
  }

  reply(value: ReplyValue | Attachment | undefined, options: ReplyOptions = {}): Reply {
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

/**
 * The index, from 1, of the operation's URI template that fits a message: of those whose required variables are all
 * present, the one with the most variables; 0 if none fits. Handlers that distinguish their URIs thereby work over SOAP
 * too.
 */
export function uriIndexOf({ uris }: Operation, input: DocumentValue): number {
  let best = 0;
  let most = -1;
  for (const { index, variables } of uris) {
    let carried = 0;
    const suits = variables.every(({ field, required }) => {
      const given = Object.hasOwn(input, field.name) && input[field.name] !== undefined;
      if (given) carried++;
      return given || !required;
    });
    if (suits && carried > most) {
      best = index;
      most = carried;
    }
  }
  return best;
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
