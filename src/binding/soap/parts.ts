import type { Kept, Spool } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import type { MultipartReader, Part } from '../../wire/multipart/read.ts';
import { cidOf } from '../../wire/soap/xop.ts';
import { quote } from '../../wire/words.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { asFault, speaking } from '../message.ts';
import { bounded, idOf, keepPart, LivePart, type Received } from '../part.ts';
import { includedBelow, segmentNumber } from './segments.ts';

export interface PartLimits {
  /** Bytes of one attachment. */
  readonly attachment: number;
  /** Attachments of one message. */
  readonly attachments: number;
  /** Whether the root must be the first part, so that nothing has to be kept before the message is read. */
  readonly rootFirst?: boolean;
}

/**
 * The parts of one message in the order of arrival. A part is read directly from the connection when it is requested in
 * time; a part that arrives before it is requested is kept by the spool.
 */
export class MessageParts {
  readonly #reader: MultipartReader;
  readonly #limits: PartLimits;
  readonly #spool: Spool;
  readonly #kept: Kept[] = [];
  /** Parts that were passed, in the order of arrival. */
  readonly #arrived: Received[] = [];
  /** Parts that the envelope includes, by Content-ID. */
  readonly #included = new Map<string, Received>();
  /** Parts that have been resolved by their Content-ID. */
  readonly #resolved = new Set<Received>();
  readonly #ids = new Set<string>();
  #count = 0;
  /** The attachment that is still on the connection. */
  #live: LivePart | undefined;
  #over = false;

  constructor(reader: MultipartReader, limits: PartLimits, spool: Spool) {
    this.#reader = reader;
    this.#limits = limits;
    this.#spool = spool;
  }

  /** The root: the part that `start` names, else the first (RFC 2387 section 3.2). Parts before it are kept. */
  async root(start: string | undefined): Promise<Part> {
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) {
      if (start === undefined || idOf(part) === start) return part;
      if (this.#limits.rootFirst)
        throw Fault.of('BAD_BODY', { reason: 'its root is not the first part, and who sends it is not known before' });
      this.#arrived.push(await this.#keep(part));
    }
    const reason = start === undefined ? 'it has no part' : 'it has no part with the Content-ID that its start names';
    throw Fault.of('BAD_BODY', { reason });
  }

  /** Reads on to the last part that an envelope includes. @throws Fault BAD_BODY when such a part is missing */
  async include(root: XmlElement): Promise<void> {
    const { wanted, others } = includedBy(root);
    const beside = (): number => this.#arrived.length - this.#included.size;
    for (const each of this.#arrived) {
      if (each.id !== undefined && wanted.delete(each.id)) this.#included.set(each.id, each);
    }
    while (wanted.size > 0 || beside() < others) {
      const part = await this.#next();
      if (part === undefined) {
        const [missing] = wanted;
        throw missing === undefined ? withoutSegment(others) : withoutPart(missing);
      }
      const id = idOf(part);
      const isWanted = id !== undefined && wanted.delete(id);
      const isLast = isWanted && wanted.size === 0 && beside() >= others;
      const received = isLast ? this.#goLive(part, () => this.#keepRest()) : await this.#keep(part);
      this.#arrived.push(received);
      if (isWanted) this.#included.set(id, received);
    }
  }

  /** @throws XopError for a URL that is not a `cid:` */
  resolve(href: string): Attachment {
    const found = this.#included.get(cidOf(href));
    if (found === undefined) throw Fault.of('BAD_BODY', { reason: `it includes ${quote(href)}, and has no such part` });
    this.#resolved.add(found);
    return found;
  }

  /** The parts that were not resolved, including those that the envelope includes but no field holds. */
  async *segments(): AsyncGenerator<Attachment> {
    for (const each of this.#arrived) if (!this.#resolved.has(each)) yield each;
    // A part that a field holds and that is still on the connection must be moved to the spool.
    if (this.#live !== undefined && this.#resolved.has(this.#live)) {
      await this.#live.giveWay((part) => this.#keep(part));
    }
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) yield this.#goLive(part);
  }

  /** Reads to the end, to detect a message that is broken after its last attachment. */
  async finish(): Promise<void> {
    if (this.#live !== undefined && !this.#live.done) return;
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) {
      const unwanted = bounded(part, this.#limits.attachment);
      while ((await unwanted.next()).done !== true);
    }
  }

  close(): void {
    this.#over = true;
    this.#reader.close();
    for (const each of this.#kept) each.dispose();
  }

  async #next(): Promise<Part | undefined> {
    if (this.#over) return undefined;
    let part: Part | undefined;
    try {
      part = await this.#reader.next();
    } catch (error) {
      throw asFault(error);
    }
    if (part === undefined) this.#over = true;
    else {
      this.#count++;
      // One of them is the root.
      if (this.#count > this.#limits.attachments + 1)
        throw Fault.of('TOO_MANY_ATTACHMENTS', { limit: this.#limits.attachments });
      const id = idOf(part);
      if (id !== undefined && this.#ids.has(id))
        throw Fault.of('BAD_BODY', { reason: `two of its parts have the Content-ID ${quote(id)}` });
      if (id !== undefined) this.#ids.add(id);
    }
    return part;
  }

  #goLive(part: Part, atEnd?: () => Promise<void>): LivePart {
    this.#live = new LivePart(part, this.#limits.attachment, atEnd);
    return this.#live;
  }

  /** A reader that reaches the end of an attachment thereby knows that the message around it is complete. */
  async #keepRest(): Promise<void> {
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) {
      this.#arrived.push(await this.#keep(part));
    }
  }

  async #keep(part: Part): Promise<Received> {
    const { received, kept } = await keepPart(part, this.#limits.attachment, this.#spool);
    this.#kept.push(kept);
    return received;
  }
}

/** What an envelope includes: parts by their Content-IDs, and so many of the others. */
function includedBy(root: XmlElement): { readonly wanted: Set<string>; readonly others: number } {
  const { hrefs, numbers } = includedBelow(root);
  const wanted = new Set<string>();
  for (const href of hrefs) {
    if (href === undefined) throw Fault.of('BAD_BODY', { reason: 'an Include in it has no href' });
    const id = speaking(() => cidOf(href));
    if (wanted.has(id)) throw Fault.of('BAD_BODY', { reason: `it includes ${quote(href)} twice` });
    wanted.add(id);
  }
  const others = numbers.map((number) => {
    const found = segmentNumber(number);
    if (found === undefined) throw withoutSegment(number);
    return found;
  });
  return { wanted, others: Math.max(0, ...others) };
}

function withoutSegment(number: string | number): Fault {
  return Fault.of('BAD_BODY', { reason: `it includes the segment ${quote(String(number))}, and has no such part` });
}

/** Refuses what a message without other parts includes. @throws Fault BAD_BODY */
export function refuseIncludes(root: XmlElement): void {
  const { wanted, others } = includedBy(root);
  const [missing] = wanted;
  if (missing !== undefined) throw withoutPart(missing);
  if (others > 0) throw withoutSegment(others);
}

function withoutPart(id: string): Fault {
  return Fault.of('BAD_BODY', { reason: `it includes cid:${quote(id)}, and has no such part` });
}
