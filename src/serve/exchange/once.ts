import { createHash, type Hash } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { Once } from '../../model/gateway.ts';
import type { PassedBytes } from '../../model/handler.ts';
import type { Operation } from '../../model/service.ts';
import type { Attachment } from '../../model/value.ts';
import { addressKey } from '../../security/rate-limit.ts';
import type { Caller } from '../../security/security-port.ts';
import type { Answers, Claim, Db, FirstAnswer } from '../../store/index.ts';
import type { BodyDigest } from './body.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';

// Calls that their callers may repeat: draft-ietf-httpapi-idempotency-key-header over REST, `webhook-id` of Standard Webhooks,
// and the MessageID of WS-Addressing. A repeated call gets the first answer.

/** Headers that name a call, the first that is given. */
const HEADERS = ['Idempotency-Key', 'webhook-id'] as const;
const LONGEST = 255;
/** Visible ASCII characters. */
const KEY = /^[\x21-\x7e]+$/;
/** An Item of Structured Fields that is a String (RFC 9651, section 3.3.3). */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** What is the same in each call of an operation. */
interface Rule {
  readonly operation: Operation;
  readonly once: Once;
  /** `rest` or `messages`: the forms of answers differ. */
  readonly connector: string;
}

/**
 * The key of a call; `undefined` when it has none and needs none.
 * @param messageId of WS-Addressing
 * @throws Fault MISSING_PARAMETER, BAD_PARAMETER
 */
export function keyOf(exchange: Exchange, { once, connector }: Rule, messageId?: string): string | undefined {
  const header = HEADERS.find((name) => exchange.header(name.toLowerCase()) !== undefined);
  const given = header === undefined ? messageId : exchange.header(header.toLowerCase());
  if (given === undefined) {
    const needed = once.required && (connector !== 'rest' || exchange.method === 'POST' || exchange.method === 'PATCH');
    if (!needed) return undefined;
    const name = connector === 'rest' ? 'The header Idempotency-Key' : 'The header MessageID of WS-Addressing';
    throw Fault.of('MISSING_PARAMETER', { name }, connector === 'rest' ? { at: { header: HEADERS[0] } } : {});
  }
  const key = QUOTED.exec(given)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? given;
  if (key.length <= LONGEST && KEY.test(key)) return key;
  const name = header === undefined ? 'The MessageID' : `The header ${header}`;
  const reason = `is not 1 to ${LONGEST} visible ASCII characters`;
  throw Fault.of('BAD_PARAMETER', { name, reason }, header === undefined ? {} : { at: { header } });
}

/** A digest of a request, of which the body may still be read. */
export interface ContentDigest extends BodyDigest {
  /** Whether all of the request was read. */
  readonly whole: boolean;
  /** The digest of the request if all of it was read, otherwise {@link head}. */
  readonly text: string;
  /** The digest without the body. */
  readonly head: string;
}

/** Stands before the digest of a request whose body was not read to its end, and has no part in it. */
const HEAD_ONLY = 'head:';

/** @param parts of the request that count beside its body */
export function digestOf(...parts: readonly string[]): ContentDigest {
  const start = createHash('sha256').update(JSON.stringify(parts));
  const body: Hash = start.copy();
  const head = `${HEAD_ONLY}${start.digest('base64url')}`;
  let whole = false;
  return {
    update: (bytes) => void body.update(bytes),
    end: () => {
      whole = true;
    },
    get whole() {
      return whole;
    },
    get text() {
      return whole ? body.copy().digest('base64url') : head;
    },
    head,
  };
}

interface NamedCallFacts extends Rule {
  readonly key: string;
  readonly caller: Caller | undefined;
  readonly digest: ContentDigest;
  readonly answers: Answers;
  /** Reads the rest of the body, so that the digest becomes whole. */
  readonly readOn: () => Promise<void>;
  /** Is called when the first answer could not be kept. */
  readonly onError: (error: unknown) => void;
}

/** Statuses of refusals that do not last: a repeated call runs again. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/** A call that its caller has given a key. */
export class NamedCall {
  readonly #facts: NamedCallFacts;
  readonly #id: string;
  #claim: Claim | undefined;

  constructor(exchange: Exchange, facts: NamedCallFacts) {
    const { operation, connector, caller, key } = facts;
    this.#facts = facts;
    // Callers without credentials are told apart by their addresses: no one gets the answer of another.
    const by = caller === undefined ? ['address', addressKey(exchange.remote)] : ['user', caller.user.id];
    const scope = JSON.stringify([...by, connector, operation.service.id, operation.id, key]);
    this.#id = createHash('sha256').update(scope).digest('base64url');
  }

  /** Whether its answer is still to be kept. */
  get isOpen(): boolean {
    return this.#claim !== undefined;
  }

  get digest(): ContentDigest {
    return this.#facts.digest;
  }

  /**
   * Begins the call.
   * @returns the first answer; `undefined` if the call has to run
   * @throws Fault CALL_RUNNING, ANSWER_NOT_KEPT, KEY_REUSED
   */
  async begin(): Promise<FirstAnswer | undefined> {
    const { answers, once, operation, digest } = this.#facts;
    const content = digest.whole ? digest.text : undefined;
    const found = await answers.begin({ id: this.#id, operation: operation.id, keep: once.for, content });
    switch (found.kind) {
      case 'first':
        this.#claim = found.claim;
        return undefined;
      case 'running':
        throw Fault.of('CALL_RUNNING', {}, { headers: { 'Retry-After': '1' } });
      case 'lost':
        throw Fault.of('ANSWER_NOT_KEPT', { reason: 'it took effect and its answer was lost' });
      case 'answered':
        if (!(await this.#isSame(found.content))) throw Fault.of('KEY_REUSED', {});
        if (found.answer === undefined)
          throw Fault.of('ANSWER_NOT_KEPT', { reason: 'its answer was too large to be kept' });
        return found.answer;
    }
  }

  async #isSame(content: string | null): Promise<boolean> {
    const { digest, readOn } = this.#facts;
    if (content === null) return true;
    if (content.startsWith(HEAD_ONLY)) return content === digest.head;
    if (!digest.whole) await readOn();
    return content === digest.text;
  }

  /** Records, at the end of a transaction of the call, that it has taken effect. @throws Fault CALL_RUNNING */
  readonly takeEffect = async (tx: Db): Promise<void> => this.#claim?.takeEffect(tx);

  /** Keeps the answer, unless it is too large. Errors are logged: the caller gets the answer all the same. */
  async keep(status: number, headers: ReplyHeaders, content: string | Uint8Array): Promise<void> {
    const body = typeof content === 'string' ? Buffer.from(content) : content;
    const { size } = this.#facts.once;
    await this.#finish(body.byteLength > size ? undefined : { status, headers: { ...headers }, body });
  }

  /** The same for a reply in bytes. @returns the bytes to send */
  async keepBytes<B extends Pick<PassedBytes, 'body' | 'length' | 'stored'>>(
    status: number,
    headers: ReplyHeaders,
    bytes: B,
  ): Promise<B> {
    const { size } = this.#facts.once;
    const { body, length = 0 } = bytes;
    if (length > size) {
      await this.#finish(undefined);
      return bytes;
    }
    const read = body instanceof Uint8Array ? body : await readUpTo(body(), size);
    if (!(read instanceof Uint8Array)) {
      await this.#finish(undefined);
      return { ...bytes, body: read };
    }
    await this.keep(status, headers, read);
    const { stored, ...rest } = bytes;
    return { ...rest, length: read.byteLength, body: read } as unknown as B;
  }

  /** Keeps a fault of the call as its answer if that is final, or forgets the key. */
  async refused(fault: Fault, status: number, headers: ReplyHeaders, text: string): Promise<void> {
    const claim = this.#claim;
    if (claim === undefined) return;
    const isFinal = fault.status < 499 && !PASSING.has(fault.status);
    try {
      // What has taken effect must not run again, whatever came after.
      if (!isFinal && (await claim.forget())) this.#claim = undefined;
    } catch (error) {
      this.#facts.onError(error);
      return;
    }
    // No one got the answer of a call whose caller went away: the key stays without one.
    if (fault.code === 'ABANDONED') this.#claim = undefined;
    const { 'X-Trace-Id': _, ...kept } = headers;
    await this.keep(status, kept, text);
  }

  async #finish(answer: FirstAnswer | undefined): Promise<void> {
    const claim = this.#claim;
    if (claim === undefined) return;
    this.#claim = undefined;
    await claim.finish(this.#facts.digest.text, answer).catch(this.#facts.onError);
  }
}

/** The bytes of a stream if they are at most `size`, otherwise a stream of all of them. */
async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  size: number,
): Promise<Uint8Array | (() => AsyncGenerator<Uint8Array>)> {
  const chunks = stream[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let count = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    // The source may fill the same buffer again.
    seen.push(Buffer.from(next.value));
    count += next.value.byteLength;
    if (count > size) return () => resumed(seen, chunks);
  }
  return Buffer.concat(seen);
}

async function* resumed(seen: readonly Uint8Array[], chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** The value of a document as it is compared: attachments by their type and length. */
export function comparable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || !('stream' in value)) return value;
  const { contentType, length } = value as Partial<Attachment>;
  return { contentType, length };
}
