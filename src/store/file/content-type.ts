/** RFC 2046, section 4.5.1: bytes of which nothing more is known. */
export const OCTETS = 'application/octet-stream';

/** The media type that a file's name says, else {@link OCTETS}. Its table is not small, and loaded when it is first needed. */
export async function contentTypeOf(name: string): Promise<string> {
  const { default: types } = await import('mime');
  return types.getType(name) ?? OCTETS;
}
