import { createHash, type KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { Refused } from '../model/security.ts';
import { DS, EXC_C14N, isNamed } from '../wire/soap/wsse-names.ts';
import { CanonicalError, canonicalXml as canonicalForm } from '../wire/xml/canonical.ts';
import { readXml, XmlError } from '../wire/xml/read-xml.ts';
import { isXmlName } from '../wire/xml/text.ts';
import { attributeOf, type XmlElement } from '../wire/xml/tree.ts';
import { digestAlgorithms, signatureAlgorithms } from './algorithms.ts';
import { algorithmOf, bytesOf, contentOf, elementsOf, sequenceOf } from './header.ts';

// XML Signature 1.1 section 3.2: core validation, by xml-crypto.

/** Characters of a signature with the certificate in it. */
const LONGEST = 64 * 1024;

/** A part of the message that a reference names. */
export interface Covered {
  readonly id: string;
  readonly element: XmlElement;
}

/** The content that a valid signature covers. */
interface SignedParts {
  /** Each part, read from the very text whose digest is signed; in the order of the references. */
  readonly signed: readonly XmlElement[];
  /** SHA-256 of SignedInfo: the same for every signature value, also of algorithms that sign with random numbers. */
  readonly print: string;
}

/**
 * Verifies a signature. xml-crypto uses a lenient parser and searches the whole document for the target of a reference.
 * Therefore it never sees the message, only the signature, written anew from the strict reader's tree, with an empty element
 * for each reference. It gets the canonical form of each from here: that of the element which the reference really names.
 * @param covered by the signature's references, in their order
 * @throws Refused
 */
export function verifySignature(
  signature: XmlElement,
  form: SignatureForm,
  covered: readonly Covered[],
  key: KeyObject,
): SignedParts {
  const signedInfo = canonicalXml(form.signedInfo, form.inclusive);
  const algorithms = signatureAlgorithms([form.algorithm]);
  // Canonicalising the message is expensive: it is done only once SignedInfo is known to be authentic.
  const Algorithm = algorithms[form.algorithm]!;
  if (!new Algorithm().verifySignature(signedInfo, key, form.value)) throw new Refused('the signature does not match');
  const forms = new Map(
    covered.map(({ id, element }, n) => [id, canonicalXml(element, form.references[n]?.inclusive)] as const),
  );
  const verifier = new SignedXml({ publicCert: key, getCertFromKeyInfo: () => null });
  verifier.CanonicalizationAlgorithms = { [EXC_C14N]: canonicaliserOf(signedInfo, forms) };
  verifier.SignatureAlgorithms = algorithms;
  verifier.HashAlgorithms = digestAlgorithms(form.references.map(({ digest }) => digest));
  const alone = canonicalXml(signature);
  if (alone.length > LONGEST) throw new Refused(`Signature has more than ${LONGEST} characters`);
  const places = covered.map(({ id }) => `<Part Id="${id}"/>`).join('');
  if (!holds(verifier, alone, `<Message>${alone}${places}</Message>`)) throw new Refused('a digest does not match');
  const texts = verifier.getSignedReferences();
  // The library must have digested exactly these parts, in this order.
  const isWhole = texts.length === covered.length && covered.every(({ id }, n) => texts[n] === forms.get(id));
  if (!isWhole) throw new Refused('the signature covers something else');
  return { signed: texts.map(readAgain), print: createHash('sha256').update(signedInfo).digest('hex') };
}

/** @throws Refused for a form that is too large */
function canonicalXml(element: XmlElement, inclusive?: readonly string[]): string {
  try {
    return canonicalForm(element, inclusive);
  } catch (error) {
    throw error instanceof CanonicalError ? new Refused(error.message) : error;
  }
}

/** A canonical form may be larger than its source, and exceed the limits of the reader. */
function readAgain(text: string): XmlElement {
  try {
    return readXml(text);
  } catch (error) {
    throw error instanceof XmlError ? new Refused(`a signed part can't be read: ${error.message}`) : error;
  }
}

/** The members used of an element in the library's document. */
interface Place {
  readonly localName: string;
  readonly namespaceURI: string | null;
  getAttribute(name: string): string | null;
}

function holds(verifier: SignedXml, signature: string, message: string): boolean {
  try {
    verifier.loadSignature(signature);
    return verifier.checkSignature(message);
  } catch {
    // It also throws for a value that does not match.
    return false;
  }
}

function canonicaliserOf(
  signedInfo: string,
  forms: ReadonlyMap<string, string>,
): new () => CanonicalizationOrTransformationAlgorithm {
  return class {
    getAlgorithmName = (): typeof EXC_C14N => EXC_C14N;
    process = (node: Place): string => {
      if (node.localName === 'SignedInfo' && node.namespaceURI === DS) return signedInfo;
      const form = forms.get(node.getAttribute('Id') ?? '');
      if (form === undefined) throw new TypeError('no reference names this part');
      return form;
    };
  };
}

// XML Signature 1.1 section 4: the subset of the element Signature that WS-Security needs.

/** A Reference of a signature, not resolved yet. */
export interface SignatureReference {
  readonly uri: string | undefined;
  readonly digest: string;
  /** Prefixes that its canonical form treats as inclusive. */
  readonly inclusive: readonly string[];
}

/** A signature of the accepted form. */
interface SignatureForm {
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
