import type { Linking } from '../linking.ts';

/** Signature algorithms of tokens: asymmetric ones alone (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864). */
export const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/**
 * The algorithms of a list that may be taken; others are reported, with why.
 * @param key where the list stands in `container`
 * @param known those that may be taken
 */
export function linkAlgorithms<W extends string>(
  { report, places }: Linking,
  container: object,
  key: string,
  name: string,
  known: readonly W[],
): readonly W[] | undefined {
  const said = (container as Readonly<Record<string, readonly string[] | undefined>>)[key];
  return said?.flatMap((given, index) => {
    const found = known.find((each) => each === given);
    if (found !== undefined) return found;
    const at = places.value(said, index);
    const why = whyRefused(given);
    if (why === undefined) report.raise('not-one-of', { name, given, known }, at);
    else report.raise('algorithm-refused', { algorithm: given, why }, at);
    return [];
  });
}

/** What is wrong with algorithms that others take. */
function whyRefused(name: string): string | undefined {
  if (/^none$/i.test(name)) return 'it signs nothing, so that anybody could write such a token';
  if (/^(hs\d|hmac)/i.test(name)) return 'it has one key for both sides, so that whoever can check it could write it';
  if (/sha-?1$|md5$/i.test(name)) return 'two texts with one digest of that kind can be made';
  return undefined;
}
