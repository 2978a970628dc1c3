import { CodecError } from '../../codec/index.ts';
import type { Attachment } from '../../model/value.ts';
import { isInclude } from '../../wire/soap/xop.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { Pieces } from '../pieces.ts';
import { attributesOf, endOfTag, startTags } from './start-tags.ts';

/** References of the elements below one to other parts of a message. */
interface Included {
  /** The `href` of each `xop:Include` (XOP 1.0, section 2.1), undefined for one without. */
  readonly hrefs: readonly (string | undefined)[];
  /** Texts of elements that look like the address of a part: swaRef of the WS-I Attachments Profile 1.0, or mere texts. */
  readonly addresses: readonly string[];
  /** The `SegmentNumber` of each marker (specification 4.4), as it is written. */
  readonly numbers: readonly string[];
}

/** Finds the references of elements. A marker is an Include of any namespace; the content of an Include is ignored. */
export function includedBelow(root: XmlElement): Included {
  const hrefs: (string | undefined)[] = [];
  const numbers: string[] = [];
  const addresses: string[] = [];
  const walk = (element: XmlElement): void => {
    for (const each of element.content) {
      if (typeof each === 'string') {
        if (/^\s*cid:/i.test(each)) addresses.push(each);
        continue;
      }
      const number = each.local === 'Include' ? attributeOf(each, NUMBER) : undefined;
      if (number !== undefined) numbers.push(number);
      else if (isInclude(each)) hrefs.push(attributeOf(each, 'href'));
      else walk(each);
    }
  };
  walk(root);
  return { hrefs, numbers, addresses };
}

/** The number of a segment, from 1; undefined for a text that is not one. */
export function segmentNumber(text: string): number | undefined {
  return /^\s*[1-9]\d{0,8}\s*$/.test(text) ? Number(text) : undefined;
}

/** XML with its segments inserted. */
interface PlacedSegments {
  readonly pieces: Pieces;
  /** Segments that no marker refers to, in order: they are sent as parts. */
  readonly rest: readonly Attachment[];
}

/**
 * Puts segments where the markers of XML want them: an Include element, of any namespace, with the attribute
 * `SegmentNumber="1"` stands for the first (specification 4.4). Everything else stays as it is written, character by
 * character.
 * @param xml well-formed, or pieces that are so together
 * @throws CodecError for a marker without a segment, two for one, and one that holds something
 */
export function placeSegments(xml: string | Pieces, segments: readonly Attachment[]): PlacedSegments {
  const placed = new Set<Attachment>();
  const pieces = (typeof xml === 'string' ? [xml] : xml).flatMap((piece) =>
    typeof piece === 'string' ? placeInText(piece, segments, placed) : [piece],
  );
  return { pieces, rest: segments.filter((segment) => !placed.has(segment)) };
}

/**
 * The same for a message that is MTOM and whose XML the caller wrote: each segment must have its marker there, and each marker its number.
 * @throws CodecError also for a segment without a marker, and for an empty Include without attributes
 */
export function placeEverySegment(xml: Pieces, segments: readonly Attachment[]): Pieces {
  for (const piece of xml) if (typeof piece === 'string') refuseUnnumbered(piece);
  const { pieces, rest } = placeSegments(xml, segments);
  const [first] = rest;
  if (first === undefined) return pieces;
  const number = segments.indexOf(first) + 1;
  throw new CodecError(
    `segment ${number}`,
    `is not included: the message has no marker <Include ${NUMBER}="${number}"/>`,
  );
}

/** Text without this word contains no marker and need not be searched. */
const NUMBER = 'SegmentNumber';

function refuseUnnumbered(xml: string): void {
  if (!xml.includes('Include')) return;
  for (const tag of startTags(xml))
    if (tag.local === 'Include' && endOfTag(xml, tag) !== undefined && attributesOf(tag).size === 0)
      throw new CodecError('Include', `names no segment; the marker of the first is <Include ${NUMBER}="1"/>`);
}

function placeInText(xml: string, segments: readonly Attachment[], placed: Set<Attachment>): Pieces {
  if (!xml.includes(NUMBER)) return [xml];
  const pieces: (string | Attachment)[] = [];
  let from = 0;
  for (const tag of startTags(xml)) {
    if (tag.local !== 'Include') continue;
    const number = attributesOf(tag).get(NUMBER);
    if (number === undefined) continue;
    const marker = `Include ${NUMBER}=${JSON.stringify(number)}`;
    const segment = segmentOf(number, segments, marker);
    if (placed.has(segment)) throw new CodecError(marker, 'stands twice, and a segment is sent once');
    const end = endOfTag(xml, tag);
    if (end === undefined) throw new CodecError(marker, 'holds something, and is to be empty');
    placed.add(segment);
    pieces.push(xml.slice(from, tag.start), segment);
    from = end;
  }
  return [...pieces, xml.slice(from)];
}

function segmentOf(number: string, segments: readonly Attachment[], marker: string): Attachment {
  const index = segmentNumber(number);
  if (index === undefined) throw new CodecError(marker, 'has no number from 1 on');
  const segment = segments[index - 1];
  if (segment !== undefined) return segment;
  const given = segments.length === 0 ? 'none' : `${segments.length}`;
  throw new CodecError(
    marker,
    `wants a segment that is not given: there ${segments.length > 1 ? 'are' : 'is'} ${given}`,
  );
}
