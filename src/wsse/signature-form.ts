import { Refused } from '../model/security.ts';
import { DS, EXC_C14N, isNamed } from '../wire/soap/wsse-names.ts';
import { isXmlName } from '../wire/xml/text.ts';
import { attributeOf, type XmlElement } from '../wire/xml/tree.ts';
import { algorithmOf, bytesOf, contentOf, elementsOf, sequenceOf } from './elements.ts';

// XML Signature 1.1 section 4: the subset of the element Signature that WS-Security needs.

/** A Reference of a signature, not resolved yet. */
export interface SignatureReference {
  readonly uri: string | undefined;
  readonly digest: string;
  /** Prefixes that its canonical form treats as inclusive. */
  readonly inclusive: readonly string[];
}

/** A signature of the accepted form. */
export interface SignatureForm {
  readonly signedInfo: XmlElement;
  /** Prefixes that the canonical form of SignedInfo treats as inclusive. */
  readonly inclusive: readonly string[];
  readonly algorithm: string;
  /** SignatureValue, in base64. */
  readonly value: string;
  readonly references: readonly SignatureReference[];
  readonly keyInfo: XmlElement;
}

/** References of one signature: Body, Timestamp and a few header blocks. */
const MOST_REFERENCES = 16;
const MOST_PREFIXES = 32;
const LONGEST_VALUE = 4096;

/**
 * Reads a signature: SignedInfo, SignatureValue, KeyInfo, and nothing else (an Object would be content outside the message).
 * Exclusive canonicalisation without comments is the only accepted transform, exactly once for each reference.
 * @param algorithms URIs of accepted signature algorithms
 * @param digests URIs of accepted digest algorithms
 * @throws Refused
 */
export function readSignature(
  signature: XmlElement,
  algorithms: readonly string[],
  digests: readonly string[],
): SignatureForm {
  const [signedInfo, value, keyInfo] = sequenceOf(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo']);
  const bytes = bytesOf(value!, LONGEST_VALUE);
  const [canonical, method, ...references] = elementsOf(signedInfo!);
  if (canonical === undefined || !isNamed(canonical, 'CanonicalizationMethod', DS))
    throw new Refused('SignedInfo does not begin with CanonicalizationMethod');
  if (method === undefined || !isNamed(method, 'SignatureMethod', DS))
    throw new Refused('SignedInfo has no SignatureMethod after CanonicalizationMethod');
  const algorithm = allowed(method, algorithms);
  if (references.length === 0 || references.length > MOST_REFERENCES)
    throw new Refused(`SignedInfo has ${references.length} references`);
  return {
    signedInfo: signedInfo!,
    inclusive: exclusiveForm(canonical),
    algorithm,
    value: bytes.toString('base64'),
    references: references.map((each) => readReference(each, digests)),
    keyInfo: keyInfo!,
  };
}

function readReference(reference: XmlElement, digests: readonly string[]): SignatureReference {
  if (!isNamed(reference, 'Reference', DS)) throw new Refused('SignedInfo contains something other than references');
  const [transforms, method, value] = sequenceOf(reference, ['Transforms', 'DigestMethod', 'DigestValue']);
  const [transform] = sequenceOf(transforms!, ['Transform']);
  const inclusive = exclusiveForm(transform!);
  const digest = allowed(method!, digests);
  bytesOf(value!, LONGEST_VALUE);
  return { uri: attributeOf(reference, 'URI'), digest, inclusive };
}

/** The algorithm of a method that takes no parameters. */
function allowed(method: XmlElement, algorithms: readonly string[]): string {
  const algorithm = algorithmOf(method);
  if (!algorithms.includes(algorithm)) throw new Refused(`the algorithm of ${method.local} is not accepted`);
  if (contentOf(method, LONGEST_VALUE).trim() !== '') throw new Refused(`${method.local} has parameters`);
  return algorithm;
}

/** Inclusive prefixes of an exclusive canonicalisation; `''` is the default namespace. */
function exclusiveForm(method: XmlElement): readonly string[] {
  if (algorithmOf(method) !== EXC_C14N)
    throw new Refused(`${method.local} is not exclusive canonicalisation without comments`);
  const [parameters, another] = elementsOf(method);
  if (parameters === undefined) return [];
  if (another !== undefined || !isNamed(parameters, 'InclusiveNamespaces', EXC_C14N))
    throw new Refused(`${method.local} has unknown parameters`);
  const listed = (attributeOf(parameters, 'PrefixList') ?? '').split(/[ \t\r\n]+/).filter((each) => each !== '');
  if (listed.length > MOST_PREFIXES || !listed.every((each) => each === '#default' || isXmlName(each)))
    throw new Refused('InclusiveNamespaces is not a list of prefixes');
  return listed.map((each) => (each === '#default' ? '' : each));
}
