// Media types and proactive negotiation, RFC 9110 sections 8.3.1 (media-type), 5.6.6 (parameters), 12.4 and 12.5.1 (Accept).

/** A media type. `essence` is `type/subtype`; names are in lower case, values as written. */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses one media type; `undefined` for anything else, including wildcards. Of two parameters with one name the first
 * counts.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const found = parse(text);
  if (found === undefined || text.length > 100) return found;
  if (parsed.size === MOST_PARSED) parsed.clear();
  parsed.set(text, found);
  return found;
}

/** A gateway meets the same few types again and again; a boundary is different in each message. */
const parsed = new Map<string, MediaType>();
const MOST_PARSED = 200;

/** Not in a header's value, not even in a quoted string (RFC 9110 section 5.6.4): a line break would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

function parse(text: string): MediaType | undefined {
  if (CONTROL.test(text)) return undefined;
  const scanner = new Scanner(text);
  const found = scanner.mediaRange();
  if (found === undefined || !scanner.atEnd() || found.type === '*' || found.subtype === '*') return undefined;
  return found;
}

/** Whether content of a type is XML (RFC 7303 sections 8 and 9). @param essence `type/subtype`, in lower case */
export function isXmlType(essence: string): boolean {
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml');
}

/** Whether content of a type is JSON (RFC 8259 section 11, RFC 6839 section 3.1). */
export function isJsonType(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json');
}

/**
 * Which of several media types content of a type has: one of its `type/subtype`, namely that with most of the parameters of the content
 * and none of another value, else the first. @returns its index; `undefined` when none has its `type/subtype`
 */
export function closestType(
  types: readonly Pick<MediaType, 'essence' | 'parameters'>[],
  given: Pick<MediaType, 'essence' | 'parameters'>,
): number | undefined {
  let found: number | undefined;
  let most = -1;
  types.forEach(({ essence, parameters }, index) => {
    if (essence !== given.essence) return;
    found ??= index;
    const isOther = [...parameters].some(([name, value]) => {
      const own = given.parameters.get(name);
      return own !== undefined && own.toLowerCase() !== value.toLowerCase();
    });
    const shared = [...parameters.keys()].filter((name) => given.parameters.has(name)).length;
    if (isOther || shared <= most) return;
    found = index;
    most = shared;
  });
  return found;
}

/** The offer selected for a caller. */
export interface Negotiated {
  /** Its index among the offers. */
  readonly index: number;
  /** Whether the caller named its `type/subtype`; false when only a wildcard matched, or Accept was not sent. */
  readonly explicit: boolean;
}

/**
 * Compiles a list of offers, the server's preference first, into a function that selects one by the Accept header. The
 * offer with the highest quality wins; then one named by `type/subtype` over one matched by a wildcard; then the one
 * that Accept names first, since clients list types by preference; then the earliest offer. The most specific range
 * determines the quality of an offer, and `q=0` excludes it. Malformed ranges are ignored; without a valid range every
 * offer is acceptable. `charset=utf-8` in a range always matches, because every text is written in UTF-8.
 *
 * A range may have parameters that no offer declares (`application/json;version=1`, `;odata=nometadata`). Where nothing
 * is acceptable to the letter, such parameters and any `charset` are disregarded rather than the caller refused, which
 * section 12.5.1 permits. A parameter that an offer declares with another value still excludes it.
 * @returns `undefined` when no offer is acceptable
 * @throws TypeError for an offer that is not a media type
 */
export function compileOffers(offered: readonly string[]): (accept: string | undefined) => Negotiated | undefined {
  const offers = offered.map((text) => {
    const type = parseMediaType(text);
    if (type === undefined) throw new TypeError(`${text} is not a media type`);
    return type;
  });
  const first: Negotiated | undefined = offers.length === 0 ? undefined : { index: 0, explicit: false };
  const plain = new Map<string, Negotiated>();
  offers.forEach(({ essence, parameters }, index) => {
    if (!plain.has(essence) && !parameters.has('q')) plain.set(essence, { index, explicit: true });
  });
  return (accept) => {
    if (accept === undefined || accept === '*/*') return first;
    const named = plain.get(accept);
    if (named !== undefined) return named;
    const ranges = parseAccept(accept);
    if (ranges.length === 0) return first;
    return (
      choose(offers, ranges, specificityOf) ??
      choose(
        offers,
        ranges.filter((range) => isAboutAny(range, offers)),
        looseSpecificityOf,
      )
    );
  };
}

/** An exclusion of a variant that is not offered says nothing of the offers that have none of its parameters. */
const isAboutAny = (range: MediaRange, offers: readonly MediaType[]): boolean =>
  range.quality > 0 || offers.some((offer) => specificityOf(range, offer) > 0);

interface MediaRange extends MediaType {
  /** 0 to 1. */
  readonly quality: number;
}

type Specificity = (range: MediaRange, offer: MediaType) => number;

function choose(
  offers: readonly MediaType[],
  ranges: readonly MediaRange[],
  specificityIn: Specificity,
): Negotiated | undefined {
  let best: Negotiated | undefined;
  let bestQuality = 0;
  let bestPlace = 0;
  offers.forEach((offer, index) => {
    let specificity = 0;
    let quality = 0;
    let place = 0;
    ranges.forEach((range, at) => {
      const found = specificityIn(range, offer);
      if (found > specificity) {
        specificity = found;
        quality = range.quality;
        place = at;
      } else if (found === specificity && found > 0) quality = Math.max(quality, range.quality);
    });
    if (quality === 0 || quality < bestQuality) return;
    const explicit = specificity > ANY_SUBTYPE;
    const preferred = explicit && (best?.explicit === false || place < bestPlace);
    if (quality > bestQuality || preferred) {
      best = { index, explicit };
      bestQuality = quality;
      bestPlace = place;
    }
  });
  return best;
}

const ANY_SUBTYPE = 2;
const NAMED = 3;

/**
 * 0 when the range does not match the offer; 1 for any type, 2 for any subtype, 3 for the type, more with parameters.
 */
function specificityOf(range: MediaRange, offer: MediaType): number {
  if (range.type === '*') return 1;
  if (range.type !== offer.type) return 0;
  if (range.subtype === '*') return ANY_SUBTYPE;
  if (range.subtype !== offer.subtype) return 0;
  let held = 0;
  for (const [name, value] of range.parameters) {
    const own = offer.parameters.get(name)?.toLowerCase() ?? (name === 'charset' ? 'utf-8' : undefined);
    if (own !== value.toLowerCase()) return 0;
    held += 1;
  }
  return NAMED + held;
}

/**
 * {@link specificityOf} without the parameters that the offer does not declare, and without `charset`. A range that
 * matches to the letter is more specific than one that matches so.
 */
function looseSpecificityOf(range: MediaRange, offer: MediaType): number {
  const parameters = new Map(
    [...range.parameters].filter(([name]) => name !== 'charset' && offer.parameters.has(name)),
  );
  const found = specificityOf({ ...range, parameters }, offer);
  return found >= NAMED && parameters.size < range.parameters.size ? found - 0.5 : found;
}

/** The valid ranges of an Accept header, each without its `q`. */
export function parseAccept(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  const scanner = new Scanner(accept);
  while (!scanner.finished()) {
    const range = scanner.mediaRange();
    const weighted = range !== undefined && scanner.atEntryEnd() ? withQuality(range) : undefined;
    if (weighted !== undefined) ranges.push(weighted);
    scanner.nextEntry();
  }
  return ranges;
}

function withQuality(range: MediaType): MediaRange | undefined {
  if (range.type === '*' && range.subtype !== '*') return undefined;
  const given = range.parameters.get('q');
  if (given === undefined) return { ...range, quality: 1 };
  const quality = parseQuality(given);
  if (quality === undefined) return undefined;
  const parameters = new Map(range.parameters);
  parameters.delete('q');
  return { ...range, parameters, quality };
}

/** qvalue of section 12.4.2: 0 to 1 with at most three decimals. */
export function parseQuality(text: string): number | undefined {
  if (text.length > 5 || (text[0] !== '0' && text[0] !== '1') || (text.length > 1 && text[1] !== '.')) return undefined;
  for (let at = 2; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= (text[0] === '1' ? 0 : 9))) return undefined;
  }
  return Number(text);
}

const isTokenCharacter = new Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

/** Reads a header value from left to right, without backtracking. */
class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  finished(): boolean {
    return this.at >= this.text.length;
  }

  atEnd(): boolean {
    this.space();
    return this.finished();
  }

  atEntryEnd(): boolean {
    this.space();
    return this.finished() || this.text[this.at] === ',';
  }

  /** Continues after the next comma outside quotes. */
  nextEntry(): void {
    while (!this.finished()) {
      const c = this.text[this.at];
      if (c === '"') {
        this.quoted();
        continue;
      }
      this.at += 1;
      if (c === ',') return;
    }
  }

  mediaRange(): MediaType | undefined {
    this.space();
    const type = this.token().toLowerCase();
    if (type === '' || !this.take('/')) return undefined;
    const subtype = this.token().toLowerCase();
    if (subtype === '') return undefined;
    const parameters = new Map<string, string>();
    for (;;) {
      this.space();
      if (!this.take(';')) return { type, subtype, essence: `${type}/${subtype}`, parameters };
      this.space();
      const name = this.token().toLowerCase();
      if (name === '') continue;
      if (!this.take('=')) return undefined;
      const value = this.text[this.at] === '"' ? this.quoted() : type === 'multipart' ? this.unquoted() : this.token();
      if (value === undefined || (value === '' && this.text[this.at - 1] !== '"')) return undefined;
      if (!parameters.has(name)) parameters.set(name, value);
    }
  }

  private space(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at += 1;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private token(): string {
    const from = this.at;
    while (isTokenCharacter.has(this.text[this.at] ?? '')) this.at += 1;
    return this.text.slice(from, this.at);
  }

  /**
   * A value that should be quoted but is not: senders of multipart types omit the quotes around a boundary or a type
   * (`boundary=----=_Part_1`, `type=text/xml`). It may contain anything but blanks, quotes, commas and semicolons.
   */
  private unquoted(): string {
    const from = this.at;
    while (!this.finished() && !' \t",;'.includes(this.text[this.at] ?? '')) this.at += 1;
    return this.text.slice(from, this.at);
  }

  /** quoted-string of section 5.6.4; `undefined` when it is not closed. */
  private quoted(): string | undefined {
    let value = '';
    this.at += 1;
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at];
      if (c === '"') {
        this.at += 1;
        return value;
      }
      if (c === '\\') this.at += 1;
      value += this.text[this.at] ?? '';
    }
    return undefined;
  }
}
