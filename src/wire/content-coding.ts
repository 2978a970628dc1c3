// Content codings and their negotiation: RFC 9110 sections 8.4.1, 12.4.2 and 12.5.3; br is RFC 7932, zstd RFC 8878.
import { parseQuality } from './media-type.ts';

/** Codings that are written here. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Codings that a caller takes, the one to use first. */
export interface AcceptedCodings {
  /** Undefined when the caller prefers the bytes as they are, or takes nothing else. */
  readonly coding: Coding | undefined;
  /** Whether it takes the bytes as they are. */
  readonly identity: boolean;
}

const AS_THEY_ARE: AcceptedCodings = { coding: undefined, identity: true };

/**
 * Reads `Accept-Encoding`. The highest quality decides, then a coding before the bytes as they are, one that is named before
 * one that `*` lets through, then speed: zstd, br, gzip. For `*` alone it is gzip, which every client has. Without the header
 * anything may be sent (section 12.5.3), but many a client that leaves it out can read nothing but the bytes as they are.
 * Malformed entries are ignored.
 */
export function acceptedCodings(header: string | undefined): AcceptedCodings {
  if (header === undefined || header === '' || header === 'identity') return AS_THEY_ARE;
  const qualities = new Map<string, number>();
  for (const entry of header.split(',')) {
    const [, name = '', quality = '1'] = ENTRY.exec(entry) ?? [];
    const value = parseQuality(quality);
    if (name === '' || value === undefined) continue;
    const key = name.toLowerCase();
    qualities.set(ALIASES.get(key) ?? key, value);
  }
  const others = qualities.get('*');
  // What nobody speaks of is taken as it is, and only if there is nothing better (section 12.5.3).
  const identity = qualities.get('identity') ?? (others === 0 ? 0 : undefined);
  let coding: Coding | undefined;
  let best = qualities.get('identity') ?? others ?? 0;
  const consider = (each: Coding, quality: number | undefined): void => {
    if (quality === undefined || quality === 0 || quality < best || (quality === best && coding !== undefined)) return;
    coding = each;
    best = quality;
  };
  for (const each of CODINGS) consider(each, qualities.get(each));
  for (const each of BY_WILDCARD) if (!qualities.has(each)) consider(each, others);
  return { coding, identity: identity !== 0 };
}

const ENTRY = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*[qQ]=([0-9.]+)[ \t]*)?$/;

/** Section 8.4.1.3. */
const ALIASES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

const BY_WILDCARD: readonly Coding[] = ['gzip', 'br', 'zstd'];

/** The entity tag of a representation in a coding: a strong one tells them apart (section 8.8.3.3); a weak one need not. */
export function codedTag(tag: string, coding: Coding): string {
  return tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

/** Entity tags of a header without what {@link codedTag} adds: what a caller saves is the same in every coding. */
export function uncodedTags(header: string): string {
  return header.replace(CODED_END, '"');
}

const CODED_END = new RegExp(`-(?:${CODINGS.join('|')})"`, 'g');
