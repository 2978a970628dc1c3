import { createHash, type KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { Refused } from '../model/security.ts';
import { DS, EXC_C14N } from '../wire/soap/wsse-names.ts';
import { CanonicalError, canonicalXml as canonicalForm } from '../wire/xml/canonical.ts';
import { readXml, XmlError } from '../wire/xml/read-xml.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { digestAlgorithms, signatureAlgorithms } from './algorithms.ts';
import type { SignatureForm } from './signature-form.ts';

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
