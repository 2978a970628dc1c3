import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { fileNameOf } from '../../wire/multipart/content-disposition.ts';
import type { Part } from '../../wire/multipart/read.ts';
import { contentIdOf } from '../../wire/soap/xop.ts';
import { asFault } from '../complaint.ts';

/** An attachment of the message, where it is now. */
export interface Received extends Attachment {
  readonly id: string | undefined;
}

/** An attachment that is read from the connection, once. */
export class LivePart implements Received {
  readonly id: string | undefined;
  readonly contentType: string;
  readonly name: string | undefined;
  readonly #part: Part;
  readonly #limit: number;
  readonly #atEnd: (() => Promise<void>) | undefined;
  #state: 'waiting' | 'begun' | 'done' = 'waiting';
  #elsewhere: Received | undefined;

  /** @param atEnd is awaited before the stream of its bytes ends */
  constructor(part: Part, limit: number, atEnd: (() => Promise<void>) | undefined) {
    const { contentType, name } = described(part);
    this.id = idOf(part);
    this.#atEnd = atEnd;
    this.contentType = contentType;
    this.name = name;
    this.#part = part;
    this.#limit = limit;
  }

  /** Read to its end. */
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

  /** Leaves the connection to what comes behind it. */
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

/** Its Content-ID. */
export function idOf({ headers }: Part): string | undefined {
  const given = headers.get('content-id');
  return given === undefined ? undefined : contentIdOf(given);
}

/** What a part's headers say of it (RFC 2045 section 5, RFC 2183). */
export function described({ headers }: Part): Pick<Attachment, 'contentType' | 'name'> {
  const given = headers.get('content-type') ?? '';
  const type = parseMediaType(given);
  const essence = type?.essence ?? parseMediaType(given.replace(/;.*/s, ''))?.essence;
  // It is sent on in headers, so that it has to be one.
  const contentType = type === undefined ? (essence ?? 'application/octet-stream') : given;
  const name = fileNameOf(headers.get('content-disposition') ?? '') ?? type?.parameters.get('name');
  return { contentType, name };
}

/** A text of the message for a complaint about it. */
export const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
