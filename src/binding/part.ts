import type { Spool, SpooledContent } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Attachment } from '../model/value.ts';
import { readContentType, sendableContentType } from '../wire/content-type.ts';
import { parseMediaType } from '../wire/media-type.ts';
import { fileNameOf, receivedFileName } from '../wire/multipart/content-disposition.ts';
import type { Part } from '../wire/multipart/read-multipart.ts';
import { contentIdOf } from '../wire/soap/xop.ts';
import { asFault } from './message.ts';

/** Most bytes of the header of one part. */
export const PART_HEADER = 16 * 1024;

/** An attachment of the message, where it is now. */
export interface Received extends Attachment {
  readonly id: string | undefined;
}

/** An attachment that is read from the connection, once. */
export class LivePart implements Received {
  readonly id: string | undefined;
  readonly contentType: string;
  readonly name: string | undefined;
  readonly rawName?: string;
  readonly #part: Part;
  readonly #limit: number;
  readonly #atEnd: (() => Promise<void>) | undefined;
  #state: 'waiting' | 'begun' | 'done' = 'waiting';
  #elsewhere: Received | undefined;

  /**
   * @param atEnd is awaited before the stream of its bytes ends
   * @param filename instead of the one in its headers, as it was sent
   */
  constructor(part: Part, limit: number, atEnd: (() => Promise<void>) | undefined, filename?: string) {
    const { contentType, name, rawName } = described(part, filename);
    this.id = idOf(part);
    this.#atEnd = atEnd;
    this.contentType = contentType;
    this.name = name;
    if (rawName !== undefined) this.rawName = rawName;
    this.#part = part;
    this.#limit = limit;
  }

  /** Whether it was read to its end. */
  get done(): boolean {
    return this.#state === 'done';
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    if (this.#elsewhere !== undefined) return yield* this.#elsewhere.stream();
    if (this.#state !== 'waiting') throw new Error('an attachment of a message can be read once');
    this.#state = 'begun';
    yield* bounded(this.#part, this.#limit);
    await this.#atEnd?.();
    this.#state = 'done';
  }

  /** Releases the connection for the parts that follow. */
  async giveWay(keep: (part: Part) => Promise<Received>): Promise<void> {
    if (this.#state === 'waiting') this.#elsewhere = await keep(this.#part);
    this.#state = 'done';
  }
}

/** The bytes of a part, no more than the limit. */
export async function* bounded(part: Part, limit: number): AsyncGenerator<Uint8Array> {
  let seen = 0;
  try {
    for await (const chunk of part.body()) {
      seen += chunk.length;
      if (seen > limit) throw Fault.of('ATTACHMENT_TOO_LARGE', { limit });
      yield chunk;
    }
  } catch (error) {
    throw asFault(error);
  }
}

export function idOf({ headers }: Part): string | undefined {
  const given = headers.get('content-id');
  return given === undefined ? undefined : contentIdOf(given);
}

/** The description of a part in its headers (RFC 2045 section 5, RFC 2183). */
function described({ headers }: Part, filename?: string): Pick<Attachment, 'contentType' | 'name' | 'rawName'> {
  const given = headers.get('content-type') ?? '';
  const type = readContentType(given);
  const essence = type?.essence ?? parseMediaType(given.replace(/;.*/s, ''))?.essence;
  // It is sent on in headers, so it must be a valid media type.
  const contentType = sendableContentType(given) ?? essence ?? 'application/octet-stream';
  const raw = filename ?? fileNameOf(headers.get('content-disposition') ?? '') ?? type?.parameters.get('name');
  return { contentType, name: undefined, ...receivedFileName(raw) };
}

/** Reads a part into the spool. @param limit in bytes @param filename as of {@link LivePart} @throws Fault ATTACHMENT_TOO_LARGE, STORAGE_FULL */
export async function keepPart(
  part: Part,
  limit: number,
  spool: Spool,
  filename?: string,
): Promise<{ readonly received: Received; readonly kept: SpooledContent }> {
  const kept = await spool.keep(bounded(part, limit), limit);
  const received = { ...described(part, filename), id: idOf(part), length: kept.length, stream: () => kept.stream() };
  return { received, kept };
}
