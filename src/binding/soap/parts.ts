import type { Spool, SpooledContent } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import type { MultipartReader, Part } from '../../wire/multipart/read-multipart.ts';
import { cidOf, partNameOf } from '../../wire/soap/xop.ts';
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
  readonly #kept: SpooledContent[] = [];
  /** Parts that were passed, in the order of arrival. */
  readonly #arrived: Received[] = [];
  /** Parts that the envelope includes, by Content-ID. */
  readonly #included = new Map<string, Received>();
  /** Parts that have been resolved by their Content-ID, or are fields. */
  readonly #resolved = new Set<Received>();
  /** Parts that are fields of the message, by the names of these parts in WSDL. */
  readonly #fields = new Map<string, Received>();
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

  /**
   * Reads on to the last part that an envelope includes, or that is a field.
   * @param fields names of parts in WSDL, in their order
   * @throws Fault BAD_BODY when a part is missing that the envelope includes
   */
  async include(root: XmlElement, fields: readonly string[] = []): Promise<void> {
    const { wanted, hoped, repeated, others } = includedBy(root);
    const take = (id: string | undefined): boolean => id !== undefined && (wanted.delete(id) || hoped.delete(id));
    let beside = 0;
    let candidates = 0;
    const isComplete = (): boolean =>
      wanted.size === 0 && hoped.size === 0 && beside >= others && candidates >= fields.length;
    /** @returns whether it is read as a field: by its id, or as a part of WSDL */
    const count = (id: string | undefined): boolean => {
      if (take(id)) return true;
      beside++;
      const name = fieldOf(id, fields);
      const isCandidate = fields.length > 0 && (name !== undefined || !isNamed(id));
      if (isCandidate) candidates++;
      return isCandidate;
    };
    const include = (part: Received): void => {
      if (part.id !== undefined && included.has(part.id)) this.#included.set(part.id, part);
    };
    const included = new Set([...wanted, ...hoped]);
    for (const each of this.#arrived) {
      count(each.id);
      include(each);
    }
    while (!isComplete()) {
      const part = await this.#next();
      if (part === undefined) break;
      const id = idOf(part);
      const isRead = count(id) && !(id !== undefined && repeated.has(id));
      const received = isRead && isComplete() ? this.#goLive(part, () => this.#keepRest()) : await this.#keep(part);
      this.#arrived.push(received);
      include(received);
    }
    const [missing] = wanted;
    if (missing !== undefined) throw withoutPart(missing);
    if (beside < others) throw withoutSegment(others);
    this.#match(fields);
  }

  /** Fields have the parts with their names in the Content-ID (WS-I Attachments Profile 1.0, R2933), else those without a name. */
  #match(fields: readonly string[]): void {
    const others: Received[] = [];
    for (const each of this.#arrived) {
      if (each.id !== undefined && this.#included.has(each.id)) continue;
      const name = fieldOf(each.id, fields);
      if (name !== undefined && !this.#fields.has(name)) this.#fields.set(name, each);
      else if (!isNamed(each.id)) others.push(each);
    }
    for (const field of fields) {
      const next = this.#fields.has(field) ? undefined : others.shift();
      if (next !== undefined) this.#fields.set(field, next);
    }
  }

  /** The part that is a field, after {@link MessageParts.include}. */
  attached(field: string): Attachment | undefined {
    const found = this.#fields.get(field);
    if (found !== undefined) this.#resolved.add(found);
    return found;
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

/** Whether an id names a part of WSDL. */
function isNamed(id: string | undefined): boolean {
  return id !== undefined && partNameOf(id) !== undefined;
}

/** The field that an id names: as `name=uuid@domain`, or, by senders who do not know the profile, as `name@domain` or `name`. */
function fieldOf(id: string | undefined, fields: readonly string[]): string | undefined {
  if (id === undefined) return undefined;
  const name = partNameOf(id) ?? id.replace(/@.*$/s, '');
  return fields.includes(name) ? name : undefined;
}

/** What an envelope includes: parts by their Content-IDs, those that texts may mean, and so many of the others. */
function includedBy(root: XmlElement): {
  readonly wanted: Set<string>;
  readonly hoped: Set<string>;
  /** Those that several texts mean, each of which is read. */
  readonly repeated: ReadonlySet<string>;
  readonly others: number;
} {
  const { hrefs, numbers, addresses } = includedBelow(root);
  const meant = addresses.flatMap((each) => meantBy(each) ?? []);
  const hoped = new Set(meant);
  const repeated = new Set(meant.filter((each, index) => meant.indexOf(each) !== index));
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
  return { wanted, hoped, repeated, others: Math.max(0, ...others) };
}

/** The id of the part that a text means; `undefined` for a mere text. */
function meantBy(text: string): string | undefined {
  try {
    return cidOf(text);
  } catch {
    return undefined;
  }
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
