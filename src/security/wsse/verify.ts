import { createHash, type KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { DS, EXC_C14N, isNamed } from '../../wire/soap/wsse-names.ts';
import { readXml, XmlError } from '../../wire/xml/read.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../port.ts';
import { digestAlgorithms, signatureAlgorithms } from './algorithms.ts';
import { canonicalXml } from './canonical.ts';
import { algorithmOf, bytesOf, contentOf, elementsOf, sequenceOf } from './header.ts';

// XML Signature 1.1 section 3.2: core validation, by xml-crypto.

/** Characters of a signature with the certificate in it. */
const LONGEST = 64 * 1024;

/** A part of the message that a reference names. */
export interface Covered {
  readonly id: string;
  readonly element: XmlElement;
}

/** What a signature that holds says. */
interface SignedParts {
  /** Each part read from the very text whose digest is signed, in the order of the references. */
  readonly signed: readonly XmlElement[];
  /** SHA-256 of SignedInfo: the same for whatever value an algorithm with chance in it signs it by. */
  readonly print: string;
}

/**
 * Verifies a signature. xml-crypto reads documents by a lenient parser and finds references by a search through all of
 * them: what it is given is therefore no message, but the signature alone, written anew from what the strict reader made
 * of it, beside one empty element for each reference. The canonical form of each it asks for here, and gets that of the
 * element which the reference was found to name.
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
  // Nothing of the message is gone through before it is known that somebody has signed as much.
  const Algorithm = algorithms[form.algorithm]!;
  if (!new Algorithm().verifySignature(signedInfo, key, form.value)) throw new Refused('the signature does not fit');
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
  if (!holds(verifier, alone, `<Message>${alone}${places}</Message>`)) throw new Refused('a digest does not fit');
  const texts = verifier.getSignedReferences();
  // Each part as it was asked for, in its place: nothing that the library did otherwise comes through.
  const isWhole = texts.length === covered.length && covered.every(({ id }, n) => texts[n] === forms.get(id));
  if (!isWhole) throw new Refused('the signature covers something else');
  return { signed: texts.map(readAgain), print: createHash('sha256').update(signedInfo).digest('hex') };
}

/** A canonical form may be larger than what it was made of, and than what is read. */
function readAgain(text: string): XmlElement {
  try {
    return readXml(text);
  } catch (error) {
    throw error instanceof XmlError ? new Refused(`a part as it was signed is not read: ${error.message}`) : error;
  }
}

/** As much as is looked at of an element of the library's document. */
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
    // It throws for a value that does not fit, too.
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
      if (form === undefined) throw new TypeError('a part that no reference names');
      return form;
    };
  };
}

// XML Signature 1.1 section 4: the element Signature, as little of it as WS-Security needs.

/** A Reference of a signature; what it refers to is not looked at yet. */
export interface SignatureReference {
  readonly uri: string | undefined;
  readonly digest: string;
  /** Prefixes that its canonical form treats as inclusive. */
  readonly inclusive: readonly string[];
}

/** A signature of the form that is taken. */
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
 * Reads a signature: SignedInfo, SignatureValue, KeyInfo, and nothing else (an Object would be content that no part of the
 * message is). Its canonical forms are exclusive and without comments, each reference has that one transform.
 * @param algorithms URIs of signature algorithms that are taken
 * @param digests URIs of digest algorithms that are taken
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
    throw new Refused('SignedInfo has no SignatureMethod where it belongs');
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
  if (!isNamed(reference, 'Reference', DS)) throw new Refused('SignedInfo holds something other than references');
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
  if (!algorithms.includes(algorithm)) throw new Refused(`the algorithm of ${method.local} is not taken`);
  if (contentOf(method, LONGEST_VALUE).trim() !== '') throw new Refused(`${method.local} has parameters`);
  return algorithm;
}

/** Inclusive prefixes of an exclusive canonicalisation; `''` is the default one. */
function exclusiveForm(method: XmlElement): readonly string[] {
  if (algorithmOf(method) !== EXC_C14N)
    throw new Refused(`${method.local} is other than exclusive canonicalisation without comments`);
  const [parameters, another] = elementsOf(method);
  if (parameters === undefined) return [];
  if (another !== undefined || !isNamed(parameters, 'InclusiveNamespaces', EXC_C14N))
    throw new Refused(`${method.local} has parameters that are not known here`);
  const listed = (attributeOf(parameters, 'PrefixList') ?? '').split(/[ \t\r\n]+/).filter((each) => each !== '');
  if (listed.length > MOST_PREFIXES || !listed.every((each) => each === '#default' || isXmlName(each)))
    throw new Refused('InclusiveNamespaces is no list of prefixes');
  return listed.map((each) => (each === '#default' ? '' : each));
}
