// XML Signature 1.1 section 3.2: core validation, by xml-crypto.
import { createHash, type KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { DS, EXC_C14N } from '../../wire/soap/wsse-names.ts';
import { readXml, XmlError } from '../../wire/xml/read.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';
import { digestAlgorithms, signatureAlgorithms } from './algorithms.ts';
import { canonicalXml } from './canonical.ts';
import type { SignatureForm } from './signature-form.ts';

/** Characters of a signature with the certificate in it. */
const LONGEST = 64 * 1024;

/** A part of the message that a reference names. */
export interface Covered {
  readonly id: string;
  readonly element: XmlElement;
}

/** What a signature that holds says. */
export interface SignedParts {
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
