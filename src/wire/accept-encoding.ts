import { parseQuality } from './media-type.ts';

// Content codings and their negotiation: RFC 9110 sections 8.4.1, 12.4.2 and 12.5.3; br is RFC 7932, zstd RFC 8878.

/** The supported content codings. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The codings that a caller accepts. */
interface AcceptedCodings {
  /** The preferred coding; `undefined` when the caller prefers unencoded content, or accepts nothing else. */
  readonly coding: Coding | undefined;
  /** Whether unencoded content is acceptable. */
  readonly identity: boolean;
}

const AS_THEY_ARE: AcceptedCodings = { coding: undefined, identity: true };

/** Whether `Accept-Encoding` names a coding, for content that is compressed beforehand. */
export function acceptsCoding(header: string | undefined, coding: Coding): boolean {
  return (header ?? '').split(',').some((entry) => {
    const [, name = '', quality = '1'] = ENTRY.exec(entry) ?? [];
    return name.toLowerCase() === coding && (parseQuality(quality) ?? 0) > 0;
  });
}

/**
 * Reads `Accept-Encoding`. The highest quality wins, then a coding over unencoded content, a named coding over one
 * matched by `*`, then speed: zstd, br, gzip. For `*` alone gzip is chosen, which every client supports. Without the
 * header any coding is permitted (section 12.5.3), but many clients that omit it can read only unencoded content.
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
  // Content without a coding is accepted unless it is excluded, but any named coding is better (section 12.5.3).
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
