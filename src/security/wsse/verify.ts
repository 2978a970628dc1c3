import { createHash, type KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { DS, EXC_C14N, isNamed } from '../../wire/soap/wsse-names.ts';
import { XML_NAMESPACE } from '../../wire/xml/namespaces.ts';
import { readXml, XmlError } from '../../wire/xml/read.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { attributeOf, type XmlAttribute, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../port.ts';
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

// Exclusive XML Canonicalization 1.0 (W3C recommendation of 18 July 2002), without comments, of the strict reader's elements.
// The reader drops processing instructions, which SOAP forbids (1.1 section 3): a digest over them does not match.

const NONE: ReadonlyMap<string, string> = new Map([['', '']]);
const NOTHING: readonly (readonly [string, string])[] = [];

/** Characters of all tags. A prefix that is declared once on an outer element may be repeated on a thousand inner ones. */
const LONGEST_CANONICAL = 32 * 1024 ** 2;

/**
 * The canonical form of an element with its content.
 * @param inclusive prefixes treated as in Canonical XML 1.0 (section 3, InclusiveNamespaces); `''` is the default namespace
 * @throws Refused when it grows beyond any reasonable size
 */
export function canonicalXml(element: XmlElement, inclusive: readonly string[] = []): string {
  return write(element, NONE, inclusive, { length: 0 });
}

/** @param rendered the namespaces that the output declares around the element, by prefix */
function write(
  element: XmlElement,
  rendered: ReadonlyMap<string, string>,
  inclusive: readonly string[],
  written: { length: number },
): string {
  const { local, prefix, attributes, content } = element;
  const declared = declarationsOf(element, rendered, inclusive);
  const name = prefix === '' ? local : `${prefix}:${local}`;
  let out = `<${name}`;
  for (const [each, namespace] of declared)
    out += ` ${each === '' ? 'xmlns' : `xmlns:${each}`}="${attributeValue(namespace)}"`;
  for (const each of attributes.length < 2 ? attributes : attributes.toSorted(byNamespaceAndName))
    out += ` ${each.prefix ? `${each.prefix}:` : ''}${each.local}="${attributeValue(each.value)}"`;
  out += '>';
  written.length += out.length + name.length;
  if (written.length > LONGEST_CANONICAL)
    throw new Refused(`the tags of a canonical form have more than ${LONGEST_CANONICAL} characters`);
  const within = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  for (const each of content)
    out += typeof each === 'string' ? textValue(each) : write(each, within, inclusive, written);
  return `${out}</${name}>`;
}

/** The declarations of a start tag: the prefixes that it uses visibly and the inclusive ones, sorted. */
function declarationsOf(
  element: XmlElement,
  rendered: ReadonlyMap<string, string>,
  inclusive: readonly string[],
): readonly (readonly [string, string])[] {
  // Most elements have neither attributes nor a namespace of their own.
  const isPlain = element.attributes.length === 0 && inclusive.length === 0;
  if (isPlain && rendered.get(element.prefix) === element.namespace) return NOTHING;
  const needed = new Map([[element.prefix, element.namespace]]);
  for (const { prefix = '', namespace } of element.attributes) if (prefix !== '') needed.set(prefix, namespace);
  for (const prefix of inclusive) {
    const namespace = element.namespaceOf(prefix);
    if (namespace !== undefined) needed.set(prefix, namespace);
  }
  return [...needed]
    .filter(([prefix, namespace]) => namespace !== XML_NAMESPACE && rendered.get(prefix) !== namespace)
    .toSorted(([one], [other]) => compare(one, other));
}

/** Attributes without a namespace come first: theirs sorts as the empty text. */
function byNamespaceAndName(one: XmlAttribute, other: XmlAttribute): number {
  return compare(one.namespace, other.namespace) || compare(one.local, other.local);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const IN_VALUE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

function textValue(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (each) => IN_TEXT[each]!) : text;
}

function attributeValue(text: string): string {
  return /[&<"\t\n\r]/.test(text) ? text.replace(/[&<"\t\n\r]/g, (each) => IN_VALUE[each]!) : text;
}
