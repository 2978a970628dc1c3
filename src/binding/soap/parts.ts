import { Fault } from '../../model/fault.ts';
import type { Kept, Spool } from '../../model/spool.ts';
import type { Attachment } from '../../model/value.ts';
import type { MultipartReader, Part } from '../../wire/multipart/read.ts';
import { cidOf, isInclude } from '../../wire/soap/xop.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { asFault, speaking } from '../complaint.ts';
import { bounded, described, idOf, LivePart, type Received, shown } from './part.ts';

export interface PartLimits {
  /** Bytes of one attachment. */
  readonly attachment: number;
  /** Attachments of one message. */
  readonly attachments: number;
  /** The root must be the first part, so that nothing is kept before the message is read; it may be any. */
  readonly rootFirst?: boolean;
}

/**
 * The parts of one message in the order in which they come. A part is read from the connection while somebody wants it;
 * one that comes before it is wanted is kept by the spool.
 */
export class MessageParts {
  readonly #reader: MultipartReader;
  readonly #limits: PartLimits;
  readonly #spool: Spool;
  readonly #kept: Kept[] = [];
  /** Those that have been passed by, in the order in which they came. */
  readonly #arrived: Received[] = [];
  /** Those that the envelope includes, by Content-ID. */
  readonly #included = new Map<string, Received>();
  /** Those that somebody has found by their Content-ID. */
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

  /** The root: the part that `start` names, else the first (RFC 2387 section 3.2). What comes before it is kept. */
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

  /** Goes on to the last part that an envelope includes. */
  async include(root: XmlElement): Promise<void> {
    const wanted = includedBy(root);
    for (const each of this.#arrived) {
      if (each.id !== undefined && wanted.delete(each.id)) this.#included.set(each.id, each);
    }
    while (wanted.size > 0) {
      const part = await this.#next();
      if (part === undefined) {
        const [missing = ''] = wanted;
        throw Fault.of('BAD_BODY', { reason: `it includes cid:${shown(missing)}, and has no such part` });
      }
      const id = idOf(part);
      const isWanted = id !== undefined && wanted.delete(id);
      const isLast = isWanted && wanted.size === 0;
      const received = isLast ? this.#goLive(part, () => this.#keepRest()) : await this.#keep(part);
      this.#arrived.push(received);
      if (isWanted) this.#included.set(id, received);
    }
  }

  /** @throws XopError for what is no `cid:` */
  resolve(href: string): Attachment {
    const found = this.#included.get(cidOf(href));
    if (found === undefined) throw Fault.of('BAD_BODY', { reason: `it includes ${shown(href)}, and has no such part` });
    this.#resolved.add(found);
    return found;
  }

  /** Those that nobody has resolved: where no field holds what the envelope includes, that too. */
  async *segments(): AsyncGenerator<Attachment> {
    for (const each of this.#arrived) if (!this.#resolved.has(each)) yield each;
    // What a field holds and is still on the connection has to make way.
    if (this.#live !== undefined && this.#resolved.has(this.#live)) {
      await this.#live.giveWay((part) => this.#keep(part));
    }
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) yield this.#goLive(part);
  }

  /** Reads to the end, so that a message which is broken behind its last attachment is seen to be. */
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
        throw Fault.of('BAD_BODY', { reason: `two of its parts have the Content-ID ${shown(id)}` });
      if (id !== undefined) this.#ids.add(id);
    }
    return part;
  }

  #goLive(part: Part, atEnd?: () => Promise<void>): LivePart {
    this.#live = new LivePart(part, this.#limits.attachment, atEnd);
    return this.#live;
  }

  /** So that whoever reads an attachment to its end knows that the message around it is whole. */
  async #keepRest(): Promise<void> {
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) {
      this.#arrived.push(await this.#keep(part));
    }
  }

  async #keep(part: Part): Promise<Received> {
    const limit = this.#limits.attachment;
    const kept = await this.#spool.keep(bounded(part, limit), limit);
    this.#kept.push(kept);
    return { ...described(part), id: idOf(part), length: kept.length, stream: () => kept.stream() };
  }
}

/** Content-IDs of everything that is included below an element. */
function includedBy(root: XmlElement): Set<string> {
  const wanted = new Set<string>();
  const walk = (element: XmlElement): void => {
    for (const each of element.content) {
      if (typeof each === 'string') continue;
      if (!isInclude(each)) walk(each);
      else {
        const href = attributeOf(each, 'href');
        if (href === undefined) throw Fault.of('BAD_BODY', { reason: 'an Include in it has no href' });
        const id = speaking(() => cidOf(href));
        if (wanted.has(id)) throw Fault.of('BAD_BODY', { reason: `it includes ${shown(href)} twice` });
        wanted.add(id);
      }
    }
  };
  walk(root);
  return wanted;
}
