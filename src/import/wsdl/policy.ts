import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftAddressing, DraftSecurity } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { attribute, placeOf } from '../xml.ts';
import type { Part } from './model.ts';
import { ADDRESSING, POLICY } from './sources.ts';

// Web Services Policy 1.5 - Framework and Attachment (W3C, 4 September 2007) and its predecessors; WS-SecurityPolicy.

const UTILITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/** Assertions that a credential or a scheme can meet, by local name: WS-SecurityPolicy and the assertions of .NET for HTTP. */
const MET: Readonly<Record<string, DraftSecurity>> = {
  UsernameToken: { kind: 'username-token' },
  IncludeTimestamp: { kind: 'timestamp' },
  BasicAuthentication: { kind: 'basic' },
  HttpBasicAuthentication: { kind: 'basic' },
  RequireClientCertificate: { kind: 'client-certificate' },
};

/** Assertions that only contain others, and those that ask for nothing that a definition says. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'Policy All PolicyReference TransportToken HttpsToken AlgorithmSuite Layout Lax Strict LaxTsFirst LaxTsLast UsingPolicy ' +
    'AnonymousResponses SupportingTokens SignedSupportingTokens Wss10 Wss11 Trust10 Trust13 TransportSecurity BinaryEncoding ' +
    'MustSupportRefKeyIdentifier MustSupportRefIssuerSerial MustSupportRefThumbprint MustSupportRefEncryptedKey ' +
    'OnlySignEntireHeadersAndBody SignBeforeEncrypting EncryptBeforeSigning MustSupportRefExternalURI MustSupportRefEmbeddedToken RequireClientEntropy RequireServerEntropy MustSupportIssuedTokens'
  ).split(' '),
);

/** What assertions need that no message here has, by local names. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:Encrypt|ContentEncrypted|SignedEncrypted|SymmetricBinding|ProtectionToken|\w+EncryptionToken)/, 'encryption'],
  [/^(?:Saml|Issued|SecureConversation|SecurityContext|SpnegoContext|Kerberos)/, 'a token of an issuer, such as SAML'],
];

/** Assertions that the transport meets where it is protected. Signed parts are met by a signature, too. */
const BY_TRANSPORT: ReadonlySet<string> = new Set(
  'SignedParts EncryptedParts SignedElements EncryptedElements ContentEncryptedElements EncryptedSupportingTokens SignedEncryptedSupportingTokens'.split(
    ' ',
  ),
);

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

/** What one policy, or a part of one, asks for. */
interface Need extends Requirement {
  /** The transport protects messages. */
  readonly transport: boolean;
  /** Messages are signed. */
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
  transport: false,
  signs: false,
  confirms: false,
  unmet: [],
  unprotected: [],
};

/** What holds where several parts of a contract state it. */
export function strictest(found: readonly (DraftAddressing | undefined)[]): DraftAddressing | undefined {
  return (['required', 'optional'] as const).find((each) => found.includes(each));
}

function together(needs: readonly Need[]): Need {
  const security = new Map(needs.flatMap((each) => each.security).map((each) => [each.kind, each]));
  return {
    security: [...security.values()],
    mtom: needs.some(({ mtom }) => mtom),
    addressing: strictest(needs.map(({ addressing }) => addressing)),
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
    return need.confirms ? { ...need, security: need.security.map(confirmed) } : need;
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
    const inside = (): Need => together(childrenOf(element).map((each) => this.#need(each, location)));
    if (local === 'PolicyReference') return this.#referred(attribute(element, 'URI') ?? '', element, location);
    if (local === 'ExactlyOne' || local === 'OneOrMore') return this.#best(element, location);
    if (local === 'UsernameToken' && hasBelow(element, 'HashPassword'))
      return {
        ...NOTHING,
        security: [{ kind: 'username-token', digest: true }],
        unmet: unmetOfToken(element, location),
      };
    if (local === 'AsymmetricBinding') return this.#signature(element, location);
    const met = MET[local];
    // What is below a token belongs to it.
    if (met !== undefined) return { ...NOTHING, security: [met], unmet: unmetOfToken(element, location) };
    if (local === 'OptimizedMimeSerialization' || local === 'MTOM') return { ...NOTHING, mtom: true };
    if (local === 'UsingAddressing' || local === 'Addressing')
      return together([{ ...NOTHING, addressing: 'required' }, inside()]);
    if (local === 'TransportBinding') return together([{ ...NOTHING, transport: true }, inside()]);
    if (local === 'HttpsToken' && attribute(element, 'RequireClientCertificate') === 'true')
      return together([{ ...NOTHING, security: [{ kind: 'client-certificate' }] }, inside()]);
    if (local === 'RequireSignatureConfirmation') return { ...NOTHING, confirms: true };
    const unmet = unmetAssertion(element, location);
    if (BY_TRANSPORT.has(local)) return together([{ ...NOTHING, unprotected: [unmet] }, tokensIn(inside())]);
    if (SILENT.has(local) || /^(?:Basic|TripleDes)\d*/.test(local)) return inside();
    return { ...NOTHING, unmet: [unmet] };
  }

  /** A binding whose messages are signed by the sender's certificate. */
  #signature(binding: XmlElement, location: string): Need {
    const parts = partsOf(binding);
    const others = parts.filter(({ local }) => !SIGNERS.has(local));
    const unmet = parts.flatMap((part): Unmet[] => {
      if (!SIGNERS.has(part.local) || hasBelow(part, 'X509Token')) return unmetOfToken(part, location);
      return [unmetAssertion(partsOf(part)[0] ?? part, location)];
    });
    const inside = together(others.map((each) => this.#need(each, location)));
    const own: Need = { ...NOTHING, signs: true, security: [{ kind: 'signature', ...algorithmsOf(parts) }], unmet };
    return together([own, inside]);
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

/** The tokens that parts of messages are about: which elements these are says nothing else. */
function tokensIn({ security }: Need): Need {
  return { ...NOTHING, security };
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
const SIGNERS: ReadonlySet<string> = new Set([
  'InitiatorToken',
  'RecipientToken',
  'InitiatorSignatureToken',
  'RecipientSignatureToken',
]);

/** The assertions in a binding or a token, below the operators that contain them. */
function partsOf(element: XmlElement): readonly XmlElement[] {
  return childrenOf(element).flatMap((each) =>
    ['Policy', 'All', 'ExactlyOne'].includes(each.local) ? partsOf(each) : [each],
  );
}

function hasBelow(element: XmlElement, local: string): boolean {
  return childrenOf(element).some((each) => each.local === local || hasBelow(each, local));
}

function unmetAssertion(assertion: XmlElement, location: string): Unmet {
  const { local } = assertion;
  return {
    what: `the policy ${local}`,
    place: placeOf(assertion, location),
    needs: NEEDS.find(([names]) => names.test(local))?.[1],
    bySignature: local === 'SignedParts' && childrenOf(assertion).every(isSigned),
  };
}

/** Namespaces of the header blocks of WS-Addressing. */
const WSA: ReadonlySet<string> = new Set([
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
]);

/** Whether a signature here covers a part: the Body, and header blocks of WS-Addressing. */
function isSigned(part: XmlElement): boolean {
  return part.local === 'Body' || (part.local === 'Header' && WSA.has(attribute(part, 'Namespace') ?? ''));
}

/**
 * The algorithms of the suite of a binding: all suites sign with RSA-SHA1, and most make digests by SHA-1 (WS-SecurityPolicy 1.3,
 * section 6.1). Many systems are set to RSA-SHA256 all the same, which no policy says.
 */
function algorithmsOf(parts: readonly XmlElement[]): { readonly algorithm?: 'rsa-sha1'; readonly digest?: 'sha1' } {
  const suite = parts
    .filter(({ local }) => local === 'AlgorithmSuite')
    .flatMap(partsOf)
    .find(({ local }) => /^(?:Basic|TripleDes)/.test(local));
  if (suite === undefined) return {};
  return { algorithm: 'rsa-sha1', ...(/Sha256/.test(suite.local) ? {} : { digest: 'sha1' }) };
}

/** What replies confirm is a signature: without one there is nothing to confirm. */
function confirmed(security: DraftSecurity): DraftSecurity {
  return security.kind === 'signature' ? { ...security, confirmation: true } : security;
}

/** Demands on a token that no message here meets. */
function unmetOfToken(token: XmlElement, location: string): Unmet[] {
  return childrenOf(token).flatMap((each): Unmet[] => [
    ...([
      ...['NoPassword', 'RequireDerivedKeys', 'IssuerName', 'Issuer', 'RequireKeyIdentifierReference'],
      ...['RequireThumbprintReference', 'RequireIssuerSerialReference', 'RequireEmbeddedTokenReference'],
    ].includes(each.local)
      ? [{ what: `the policy ${each.local} of ${token.local}`, place: placeOf(each, location) }]
      : []),
    ...unmetOfToken(each, location),
  ]);
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
