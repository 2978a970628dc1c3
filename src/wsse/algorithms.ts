// The algorithms that definitions can name (XML Signature 1.1 section 6, RFC 9231). MACs are not among them.
import {
  constants,
  createHash,
  type KeyLike,
  type KeyObject,
  sign,
  type VerifyKeyObjectInput,
  verify,
} from 'node:crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../model/security.ts';
import type { MessageSigning } from '../wire/soap/wsse-write.ts';

interface SignatureKind {
  readonly hash: string;
  readonly key: 'rsa' | 'ec';
  /** RSASSA-PSS, its salt as long as the hash. */
  readonly pss: boolean;
}

/** By URI. The word of an algorithm describes it: `rsa-pss-sha256`. */
const SIGNATURES: ReadonlyMap<string, SignatureKind> = new Map(
  Object.entries(SIGNATURE_ALGORITHMS).map(([word, uri]) => {
    const hash = word.slice(word.lastIndexOf('-') + 1);
    return [uri, { hash, key: word.startsWith('ecdsa-') ? 'ec' : 'rsa', pss: word.startsWith('rsa-pss-') }];
  }),
);

const DIGESTS: ReadonlyMap<string, string> = new Map(
  Object.entries(DIGEST_ALGORITHMS).map(([hash, uri]) => [uri, hash]),
);

const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** Bits of an RSA key: shorter ones are insecure, longer ones make verification expensive. */
const RSA_BITS = { least: 2048, most: 8192 } as const;

/** Why a key can't be used with a signature algorithm; `undefined` when it can. */
export function faultOfKey(key: KeyObject, algorithm: string): string | undefined {
  const wanted = SIGNATURES.get(algorithm);
  if (wanted === undefined) return 'its signature algorithm is unknown';
  if (key.asymmetricKeyType !== wanted.key) return 'its key does not match its signature algorithm';
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (wanted.key === 'ec') return CURVES.has(namedCurve) ? undefined : 'its key is on a curve that is not accepted';
  const fits = modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
  return fits ? undefined : `its RSA key has ${modulusLength} bits`;
}

/** Signature algorithms by URI, in xml-crypto's form. */
export function signatureAlgorithms(allowed: readonly string[]): Record<string, new () => SignatureAlgorithm> {
  return select(SIGNATURES, allowed, verifierOf);
}

/** Digest algorithms by URI, in xml-crypto's form. */
export function digestAlgorithms(allowed: readonly string[]): Record<string, new () => HashAlgorithm> {
  return select(DIGESTS, allowed, hasherOf);
}

function select<K, A>(
  known: ReadonlyMap<string, K>,
  allowed: readonly string[],
  compile: (uri: string, kind: K) => A,
): Record<string, A> {
  // Without a prototype, whose members would count as algorithms.
  const found: Record<string, A> = Object.create(null);
  for (const uri of allowed) {
    const kind = known.get(uri);
    if (kind !== undefined) found[uri] = compile(uri, kind);
  }
  return found;
}

/** The form of signature values. */
function formOf({ key, pss }: SignatureKind): Omit<VerifyKeyObjectInput, 'key'> {
  return {
    // An ECDSA signature is the concatenation of r and s (XML Signature 1.1 section 6.4.3), not the usual DER.
    ...(key === 'ec' ? { dsaEncoding: 'ieee-p1363' as const } : {}),
    ...(pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}),
  };
}

/**
 * What signs with a key.
 * @param algorithm URI of a signature algorithm that fits the key
 * @param digest URI of a digest algorithm
 */
export function signerBy(key: KeyObject, algorithm: string, digest: string): MessageSigning {
  const kind = SIGNATURES.get(algorithm);
  const hash = DIGESTS.get(digest);
  if (kind === undefined || hash === undefined) throw new TypeError(`unknown algorithm: ${algorithm}, ${digest}`);
  const by = { key, ...formOf(kind) };
  return {
    algorithm,
    digest,
    digestOf: (text) => createHash(hash).update(text).digest('base64'),
    sign: (text) => sign(kind.hash, Buffer.from(text), by).toString('base64'),
  };
}

function verifierOf(uri: string, kind: SignatureKind): new () => SignatureAlgorithm {
  const { hash } = kind;
  const form = formOf(kind);
  return class {
    getAlgorithmName = (): string => uri;
    getSignature = (): string => {
      throw new TypeError('nothing is signed here');
    };
    verifySignature = (material: string, key: KeyLike, value: string): boolean =>
      verify(hash, Buffer.from(material), { key: key as KeyObject, ...form }, Buffer.from(value, 'base64'));
  };
}

function hasherOf(uri: string, hash: string): new () => HashAlgorithm {
  return class {
    getAlgorithmName = (): string => uri;
    getHash = (xml: string): string => createHash(hash).update(xml).digest('base64');
  };
}
