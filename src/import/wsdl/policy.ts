import type { KeyReferenceKind, TokenForm } from '../../model/security.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftAddressing, DraftSecurity } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { attribute, placeOf } from '../xml.ts';
import type { Part } from './model.ts';
import { ADDRESSING, POLICY } from './sources.ts';

// Web Services Policy 1.5 - Framework and Attachment (W3C, 4 September 2007) and its predecessors; WS-SecurityPolicy.

const UTILITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/** Assertions about the exchange with an issuer of tokens, whose own assertions are listed where they are asked for. */
const TRUST = /^Trust1\d$/;

/** What assertions need that no message here has, by local names. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/Encrypt|^SymmetricBinding$|^ProtectionToken$/, 'encryption'],
  [/^(?:Kerberos|Spnego)/, 'a Kerberos ticket'],
  [/^(?:Saml|Issued|SecureConversation|SecurityContext|Rel)/, 'a token of an issuer, such as SAML'],
  [/^RM/, 'reliable messaging'],
  [/DerivedKeys$/, 'derived keys'],
  [/^WssX509(?:Pkcs7|PkiPath|V1)/, 'a token other than an X.509 v3 certificate'],
  [/^(?:X509|KeyValue)Token$/, 'a signature by a further key'],
  [/^(?:SignedParts|SignedElements)$/, 'a signature of these parts'],
  [/^ProtectTokens$/, 'a signature of a certificate that is not in the message'],
];

/** Demands on tokens, by local names. The other assertions in a token say nothing that a message shows. */
const DEMANDS =
  /^(?:Require(?:Implicit|Explicit)?DerivedKeys|WssX509(?:Pkcs7|PkiPath|V1)\w*|Issuer|IssuerName|RequireEmbeddedTokenReference)$/;

/** Assertions that the transport meets where it is protected. Signed parts are met by a signature, too. */
const BY_TRANSPORT =
  /^(?:SignedParts|EncryptedParts|SignedElements|EncryptedElements|ContentEncryptedElements|(?:Signed)?(?:Endorsing)?EncryptedSupportingTokens)$/;

/** What a UsernameToken has in place of the password as text. */
const PASSWORDS = [
  ['HashPassword', 'digest'],
  ['NoPassword', 'none'],
] as const;

const SUPPORTING = /^(?:Signed)?(?:Endorsing)?(?:Encrypted)?SupportingTokens$/;

/** How a token demands that it is referred to, and what the receiver states to understand (WS-SecurityPolicy 1.3, sections 5.1 and 9). */
const REFERENCES: readonly (readonly [word: string, reference: NamedKey])[] = [
  ['IssuerSerial', 'issuer-serial'],
  ['KeyIdentifier', 'key-identifier'],
  ['Thumbprint', 'thumbprint'],
];

type NamedKey = Exclude<KeyReferenceKind, 'token'>;

/** What policies ask of the messages of an operation. */
export interface Requirement {
  readonly security: readonly DraftSecurity[];
  /** Messages are sent as MTOM. */
  readonly mtom: boolean;
  /** Requests may, or must, have the header blocks of WS-Addressing. */
  readonly addressing: DraftAddressing | undefined;
}

/** An assertion that can't be met. */
interface Unmet {
  readonly what: string;
  readonly place: Place;
  /** What it needs that messages here do not have. */
  readonly needs?: string | undefined;
  /** A signature of the message meets it. */
  readonly bySignature?: boolean;
}

/** A signature of messages by the key of a certificate. */
interface SignatureNeed {
  /** It is that of a binding: replies are signed, too. */
  readonly replies: boolean;
  /** How it refers to the certificate: `named` for one that the message does not contain, in any way. */
  readonly reference: KeyReferenceKind | 'named';
  /** Whether the message contains the certificate, and the signature covers it. */
  readonly token: TokenForm | undefined;
}

/** The algorithms of a suite, if they are not the usual ones. */
interface Suite {
  readonly algorithm?: 'rsa-sha1';
  readonly digest?: 'sha1';
}

/** What one policy, or a part of one, asks for. */
interface Need extends Requirement {
  readonly signature: SignatureNeed | undefined;
  readonly suite: Suite | undefined;
  /** The references that the receiver states to understand. */
  readonly references: readonly NamedKey[];
  /** The transport protects messages. */
  readonly transport: boolean;
  /** Messages are signed, by a binding. */
  readonly signs: boolean;
  /** Replies confirm the signatures of requests. */
  readonly confirms: boolean;
  readonly unmet: readonly Unmet[];
  /** Not met, unless the transport protects messages. */
  readonly unprotected: readonly Unmet[];
}

const NOTHING: Need = {
  security: [],
  mtom: false,
  addressing: undefined,
  signature: undefined,
  suite: undefined,
  references: [],
  transport: false,
  signs: false,
  confirms: false,
  unmet: [],
  unprotected: [],
};

const entries = <T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> => new Map(Object.entries(table));

const security = (kind: 'basic' | 'client-certificate' | 'timestamp'): Partial<Need> => ({ security: [{ kind }] });

/** Assertions that always ask for the same, by local name: WS-SecurityPolicy, and the assertions of .NET for HTTP. */
const ASKING = entries<Partial<Need>>({
  IncludeTimestamp: security('timestamp'),
  BasicAuthentication: security('basic'),
  HttpBasicAuthentication: security('basic'),
  RequireClientCertificate: security('client-certificate'),
  OptimizedMimeSerialization: { mtom: true },
  MTOM: { mtom: true },
  RequireSignatureConfirmation: { confirms: true },
  ...Object.fromEntries(REFERENCES.map(([word, each]) => [`MustSupportRef${word}`, { references: [each] }])),
});

/** Assertions that contain others: what they ask for themselves. */
const CONTAINING = entries<Partial<Need>>({
  UsingAddressing: { addressing: 'required' },
  Addressing: { addressing: 'required' },
  TransportBinding: { transport: true },
  ...Object.fromEntries(
    'Policy All TransportToken HttpsToken AlgorithmSuite Layout Wss10 Wss11 TransportSecurity'
      .split(' ')
      .map((each) => [each, {}]),
  ),
});

/** Assertions that ask for nothing that a definition says. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'Lax Strict LaxTsFirst UsingPolicy AnonymousResponses BinaryEncoding MustSupportRefEncryptedKey MustSupportRefExternalURI ' +
    'MustSupportRefEmbeddedToken OnlySignEntireHeadersAndBody SignBeforeEncrypting EncryptBeforeSigning'
  ).split(' '),
);

/** What holds where several parts of a contract state it. */
export function strictest(found: readonly (DraftAddressing | undefined)[]): DraftAddressing | undefined {
  return (['required', 'optional'] as const).find((each) => found.includes(each));
}

function together(needs: readonly Need[]): Need {
  const security = new Map(needs.flatMap((each) => each.security).map((each) => [each.kind, each]));
  const signatures = needs.flatMap(({ signature }) => signature ?? []);
  return {
    security: [...security.values()],
    mtom: needs.some(({ mtom }) => mtom),
    addressing: strictest(needs.map(({ addressing }) => addressing)),
    signature: signatures.find(({ replies }) => replies) ?? signatures[0],
    suite: needs.find(({ suite }) => suite !== undefined)?.suite,
    references: needs.flatMap(({ references }) => references),
    transport: needs.some(({ transport }) => transport),
    signs: needs.some(({ signs }) => signs),
    confirms: needs.some(({ confirms }) => confirms),
    unmet: needs.flatMap(({ unmet }) => unmet),
    unprotected: needs.flatMap(({ unprotected }) => unprotected),
  };
}

/** What of an alternative can't be met. */
function unmetOf({ unmet, unprotected, transport, signs }: Need): readonly Unmet[] {
  return transport ? unmet : [...unmet, ...unprotected.filter(({ bySignature }) => !(signs && bySignature === true))];
}

function lacks(need: Need): number {
  return unmetOf(need).length;
}

/** The policies of WSDL files, as they are attached to the parts of these. */
export class Policies {
  readonly #losses: Losses;
  /** Policies by the files that they are in, then by id or name. */
  readonly #named = new Map<string, Map<string, Part>>();
  readonly #open = new Set<XmlElement>();

  constructor(files: Iterable<readonly [location: string, root: XmlElement]>, losses: Losses) {
    this.#losses = losses;
    for (const [location, root] of files) {
      const named = new Map<string, Part>();
      this.#named.set(location, named);
      this.#find(root, location, named);
    }
  }

  #find(element: XmlElement, location: string, named: Map<string, Part>): void {
    for (const each of childrenOf(element)) {
      if (each.local === 'schema') continue;
      if (each.local === 'PolicyAttachment' && POLICY.has(each.namespace))
        this.#losses.add('wsp:PolicyAttachment', 'its policy is not applied', placeOf(each, location));
      if (each.local !== 'Policy' || !POLICY.has(each.namespace)) {
        this.#find(each, location, named);
        continue;
      }
      const part = { element: each, location, namespace: '' };
      const id = attributeOf(each, 'Id', UTILITY) ?? attributeOf(each, 'id', 'http://www.w3.org/XML/1998/namespace');
      if (id !== undefined) named.set(`#${id.trim()}`, part);
      const name = attribute(each, 'Name');
      if (name !== undefined) named.set(name, part);
    }
  }

  /** The effective policy of subjects together: a port with its binding and port type, an operation with its input. */
  effective(subjects: readonly Part[]): Requirement {
    const need = together(subjects.flatMap((subject) => this.#attached(subject)));
    for (const { what, place, needs } of unmetOf(need)) {
      const instead =
        needs === undefined
          ? 'messages have none of it, and may be refused for that'
          : `it needs ${needs}, which messages here do not have`;
      this.#losses.add(`${what} can't be met`, instead, place);
    }
    return { ...need, security: [...signaturesOf(need), ...need.security] };
  }

  /** How many assertions of an effective policy can't be met. */
  lacks(subjects: readonly Part[]): number {
    return lacks(together(subjects.flatMap((subject) => this.#attached(subject))));
  }

  /** The policies at an element of WSDL: in it, by reference, and by `wsp:PolicyURIs`. */
  #attached({ element, location }: Part): Need[] {
    const uris = element.attributes
      .filter(({ local, namespace }) => local === 'PolicyURIs' && POLICY.has(namespace))
      .flatMap(({ value }) => value.split(/\s+/).filter((each) => each !== ''));
    return [
      ...uris.map((uri) => this.#referred(uri, element, location)),
      ...childrenOf(element)
        .filter(isAttachment)
        .map((each) => this.#need(each, location)),
    ];
  }

  #referred(uri: string, element: XmlElement, location: string): Need {
    const others = [...this.#named.values()].flatMap((named) => named.get(uri) ?? []);
    const found = this.#named.get(location)?.get(uri) ?? others[0];
    if (found !== undefined) return this.#need(found.element, found.location);
    this.#losses.add(`the policy "${uri}" does not exist`, 'what it asks for is unknown', placeOf(element, location));
    return NOTHING;
  }

  /** What an assertion, or an operator, asks for. */
  #need(element: XmlElement, location: string): Need {
    // Policies that refer to each other in a circle.
    if (this.#open.has(element)) return NOTHING;
    this.#open.add(element);
    const need = this.#needOnce(element, location);
    this.#open.delete(element);
    if (!isOptional(element)) return need;
    // What may be left out is: but who reads MTOM gets it, and a service offers WS-Addressing on.
    const addressing = need.addressing && ('optional' as const);
    return { ...NOTHING, mtom: need.mtom, addressing };
  }

  #needOnce(element: XmlElement, location: string): Need {
    const { local } = element;
    const and = (own: Partial<Need>): Need =>
      together([{ ...NOTHING, ...own }, ...childrenOf(element).map((each) => this.#need(each, location))]);
    if (local === 'PolicyReference') return this.#referred(attribute(element, 'URI') ?? '', element, location);
    if (local === 'ExactlyOne' || local === 'OneOrMore') return this.#best(element, location);
    if (local === 'AsymmetricBinding') return this.#signature(element, location);
    const unmet = unmetAssertion(element, location);
    if (SUPPORTING.test(local)) {
      const tokens = and(BY_TRANSPORT.test(local) ? { unprotected: [unmet] } : {});
      return local.includes('Endorsing') ? endorsing(tokens, element, location) : tokens;
    }
    const containing = CONTAINING.get(local);
    if (containing !== undefined) return and({ ...containing, ...ownOf(element) });
    if (SILENT.has(local) || SUITE.test(local) || TRUST.test(local)) return NOTHING;
    return {
      ...NOTHING,
      ...(ASKING.get(local) ?? TOKENS.get(local)?.(element, unmet, location) ?? unmetBy(local, unmet)),
    };
  }

  /** A binding whose messages are signed by the sender's certificate. */
  #signature(binding: XmlElement, location: string): Need {
    const parts = partsOf(binding);
    const inside = together(
      parts
        .filter((each) => !SIGNERS.test(each.local) && !isProtecting(each))
        .map((each) => this.#need(each, location)),
    );
    const tokens = parts.filter(({ local }) => SIGNERS.test(local));
    const ours = tokens.filter(({ local }) => local.startsWith('Initiator')).map(certificateIn);
    const own = referenceOf(ours.find((each) => each !== undefined));
    const lacking = tokens.flatMap((part): readonly Unmet[] => {
      const token = certificateIn(part);
      if (token === undefined) return [unmetAssertion(partsOf(part)[0] ?? part, location)];
      return demandsOf(token, token, location);
    });
    const isSigned = own.token !== undefined && parts.some(isProtecting);
    const signature: SignatureNeed = { replies: true, ...own, ...(isSigned ? { token: 'signed' } : {}) };
    const unmet = isSigned
      ? lacking
      : [...lacking, ...parts.filter(isProtecting).map((each) => unmetAssertion(each, location))];
    const need: Need = { ...NOTHING, signs: true, signature, unmet };
    return together([need, inside]);
  }

  /** The alternative that lacks least; the first of several. */
  #best(element: XmlElement, location: string): Need {
    const alternatives = childrenOf(element).map((each) => this.#need(each, location));
    const [best] = alternatives.toSorted((a, b) => lacks(a) - lacks(b));
    return (
      best ?? { ...NOTHING, unmet: [{ what: 'a policy without alternatives', place: placeOf(element, location) }] }
    );
  }
}

/** The signature that policies ask for: by a binding, or over a protected transport. What replies confirm is one: without it there is nothing to confirm. */
function signaturesOf({ signature, suite, references, transport, confirms }: Need): readonly DraftSecurity[] {
  if (signature === undefined || !(signature.replies || transport)) return [];
  const { replies, reference, token } = signature;
  const understood = REFERENCES.find(([, each]) => references.includes(each))?.[1] ?? 'issuer-serial';
  const named = reference === 'named' ? understood : reference;
  const isUsual = token === undefined || (token === 'included' && named === 'token');
  return [
    {
      kind: 'signature',
      ...suite,
      ...(named === 'token' ? {} : { reference: named }),
      ...(isUsual ? {} : { token }),
      ...(replies ? { replies: confirms ? 'confirmed' : 'signed' } : {}),
    },
  ];
}

/** What the attributes of an assertion, or the algorithms in it, ask for. */
function ownOf(element: XmlElement): Partial<Need> {
  if (element.local === 'AlgorithmSuite') return { suite: suiteOf(element) };
  return attribute(element, 'RequireClientCertificate') === 'true' ? security('client-certificate') : {};
}

/** Tokens that messages here can have. What is below a token belongs to it. */
const TOKENS = entries<(token: XmlElement, unmet: Unmet, location: string) => Partial<Need>>({
  UsernameToken: (token, _, location) => {
    const password = PASSWORDS.find(([word]) => below(token, word))?.[1];
    return {
      security: [{ kind: 'username-token', ...(password && { password }) }],
      unmet: demandsOf(token, token, location),
    };
  },
  X509Token: (token, unmet, location) => ({
    signature: { replies: false, ...referenceOf(token) },
    unprotected: [unmet],
    unmet: demandsOf(token, token, location),
  }),
});

function unmetBy(local: string, unmet: Unmet): Partial<Need> {
  if (BY_TRANSPORT.test(local)) return { unprotected: [unmet] };
  // Its signature is by a key that only the receiver can decrypt.
  return { signs: local === 'SymmetricBinding', unmet: [unmet] };
}

/** Tokens whose keys sign the signature of a binding, or the Timestamp where the transport protects messages: certificates alone. */
function endorsing(tokens: Need, element: XmlElement, location: string): Need {
  const others = partsOf(element).filter((each) => each.local === 'UsernameToken' && !isOptional(each));
  return {
    ...tokens,
    unmet: [...tokens.unmet, ...others.map((each) => unmetAssertion(each, location, 'derived keys'))],
  };
}

function isAttachment({ local, namespace }: XmlElement): boolean {
  if (local === 'Policy' || local === 'PolicyReference') return POLICY.has(namespace);
  return false;
}

/** Whether an assertion may be ignored (section 4.3.1 of the framework). */
function isOptional({ attributes }: XmlElement): boolean {
  return attributes.some(
    ({ local, namespace, value }) =>
      POLICY.has(namespace) &&
      ((local === 'Optional' && /^\s*(?:true|1)\s*$/.test(value)) ||
        (local === 'Usage' && /:Optional\s*$/.test(value))),
  );
}

/** Tokens of signatures: ours, and that of the other side. */
const SIGNERS = /^(?:Initiator|Recipient)(?:Signature)?Token$/;

const certificateIn = (part: XmlElement): XmlElement | undefined =>
  partsOf(part).find(({ local }) => local === 'X509Token');

const isProtecting = ({ local }: XmlElement): boolean => local === 'ProtectTokens';

/** How messages refer to the certificate of a token that is ours. Those of replies may do so in any way. */
function referenceOf(token: XmlElement | undefined): Pick<SignatureNeed, 'reference' | 'token'> {
  const demanded = REFERENCES.find(([word]) => token && below(token, `Require${word}Reference`))?.[1];
  const inclusion = token?.attributes.find(({ local }) => local === 'IncludeToken')?.value ?? '';
  const isThere = !/\/(?:Never|AlwaysToInitiator)\s*$/.test(inclusion);
  return isThere
    ? { reference: demanded ?? 'token', token: 'included' }
    : { reference: demanded ?? 'named', token: undefined };
}

/** The assertions in a binding or a token, below the operators that contain them. */
function partsOf(element: XmlElement): readonly XmlElement[] {
  return childrenOf(element).flatMap((each) =>
    ['Policy', 'All', 'ExactlyOne'].includes(each.local) ? partsOf(each) : [each],
  );
}

function below(element: XmlElement, local: string): XmlElement | undefined {
  for (const each of childrenOf(element)) {
    const found = each.local === local ? each : below(each, local);
    if (found !== undefined) return found;
  }
  return undefined;
}

const needOf = (local: string): string | undefined => NEEDS.find(([names]) => names.test(local))?.[1];

/** @param needs what it needs, if that is not by its name alone */
function unmetAssertion(assertion: XmlElement, location: string, needs = needOf(assertion.local)): Unmet {
  const { local } = assertion;
  return {
    what: `the policy ${local}`,
    place: placeOf(assertion, location),
    needs,
    bySignature: local === 'SignedParts' && childrenOf(assertion).every(isSigned),
  };
}

/** Whether a signature here covers a part. */
function isSigned({ local }: XmlElement): boolean {
  return local === 'Body' || local === 'Header';
}

const SUITE = /^(?:Basic|TripleDes)\d*/;

/**
 * The algorithms of a suite: all of them sign with RSA-SHA1, and most make digests by SHA-1 (WS-SecurityPolicy 1.3, section 6.1).
 * Many systems are set to RSA-SHA256 all the same, which no policy says.
 */
function suiteOf(element: XmlElement): Suite | undefined {
  const suite = partsOf(element).find(({ local }) => SUITE.test(local));
  if (suite === undefined) return undefined;
  return { algorithm: 'rsa-sha1', ...(/Sha256/.test(suite.local) ? {} : { digest: 'sha1' }) };
}

/** Demands below a token that no message here meets. */
function demandsOf(token: XmlElement, element: XmlElement, location: string): readonly Unmet[] {
  return childrenOf(element).flatMap((each) => [
    ...(DEMANDS.test(each.local) ? [demandOf(token, each, location)] : []),
    ...demandsOf(token, each, location),
  ]);
}

function demandOf(token: XmlElement, demand: XmlElement, location: string): Unmet {
  const { local } = demand;
  return {
    what: `the policy ${local} of ${token.local}`,
    place: placeOf(demand, location),
    needs: needOf(local),
  };
}

/** What a binding or a port states about WS-Addressing by an extension element rather than by a policy. */
export function extensionAddressing({ element }: Part): DraftAddressing | undefined {
  return strictest(
    childrenOf(element).map(({ local, namespace, attributes }) => {
      if (local !== 'UsingAddressing' || !ADDRESSING.has(namespace)) return undefined;
      const isRequired = attributes.some((each) => each.local === 'required' && /^\s*(?:true|1)\s*$/.test(each.value));
      return isRequired ? 'required' : 'optional';
    }),
  );
}
