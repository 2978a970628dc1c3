import types from 'mime';

/** The media type of bytes about which nothing is known (RFC 2046, section 4.5.1). */
export const OCTETS = 'application/octet-stream';

/** What may be known of content whose media type is not. */
interface Hints {
  /** Its file name, or a path. */
  readonly name?: string | undefined;
  /** A media type for content whose name suggests none. */
  readonly otherwise?: string | undefined;
}

/**
 * The media type under which content is sent (specification 4.3, 4.4): its own, else the one that its file name suggests, else
 * the one that the definitions have for such content, else {@link OCTETS}. OCTETS as its own type counts as unknown.
 */
export function sentMediaType(own: string | undefined, { name = '', otherwise = OCTETS }: Hints): string {
  if (own !== undefined && own !== OCTETS) return own;
  return types.getType(name) ?? otherwise;
}
