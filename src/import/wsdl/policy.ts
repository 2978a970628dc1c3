import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftSecurity } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { attribute, placeOf } from '../xml.ts';
import type { Part } from './model.ts';
import { ADDRESSING } from './sources.ts';

// Web Services Policy 1.5 - Framework and Attachment (W3C, 4 September 2007) and its predecessors; WS-SecurityPolicy.

/** Namespaces of policies, of all versions. */
const POLICY: ReadonlySet<string> = new Set([
  'http://schemas.xmlsoap.org/ws/2002/12/policy',
  'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'http://www.w3.org/2006/07/ws-policy',
  'http://www.w3.org/ns/ws-policy',
]);
const UTILITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/** Assertions that a credential or a scheme can meet, by local name: WS-SecurityPolicy and the assertions of .NET for HTTP. */
const MET: Readonly<Record<string, DraftSecurity>> = {
  UsernameToken: { kind: 'username-token' },
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
    'MustSupportRefExternalURI MustSupportRefEmbeddedToken RequireClientEntropy RequireServerEntropy MustSupportIssuedTokens'
  ).split(' '),
);

/** Assertions that the transport meets where it is protected, and nothing meets otherwise. */
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
  /** Requests have the header blocks of WS-Addressing. */
  readonly addressing: boolean;
}

/** An assertion that can't be met. */
interface Unmet {
  readonly what: string;
  readonly place: Place;
}

/** What one policy, or a part of one, asks for. */
interface Need extends Requirement {
  /** The transport protects messages. */
  readonly transport: boolean;
  readonly unmet: readonly Unmet[];
  /** Not met, unless the transport protects messages. */
  readonly unprotected: readonly Unmet[];
}

const NOTHING: Need = {
  security: [],
  mtom: false,
  addressing: false,
  transport: false,
  unmet: [],
  unprotected: [],
};

function together(needs: readonly Need[]): Need {
  const security = new Map(needs.flatMap((each) => each.security).map((each) => [each.kind, each]));
  return {
    security: [...security.values()],
    mtom: needs.some(({ mtom }) => mtom),
    addressing: needs.some(({ addressing }) => addressing),
    transport: needs.some(({ transport }) => transport),
    unmet: needs.flatMap(({ unmet }) => unmet),
    unprotected: needs.flatMap(({ unprotected }) => unprotected),
  };
}

/** How much of an alternative can't be met. */
function lacks({ unmet, unprotected, transport }: Need): number {
  return unmet.length + (transport ? 0 : unprotected.length);
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
    const unmet = [...need.unmet, ...(need.transport ? [] : need.unprotected)];
    for (const { what, place } of unmet)
      this.#losses.add(`${what} can't be met`, 'messages have none of it, and may be refused for that', place);
    return need;
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
    // What may be left out is: but who reads MTOM gets it.
    return need.mtom ? { ...NOTHING, mtom: true } : NOTHING;
  }

  #needOnce(element: XmlElement, location: string): Need {
    const { local } = element;
    const place = placeOf(element, location);
    const inside = (): Need => together(childrenOf(element).map((each) => this.#need(each, location)));
    if (local === 'PolicyReference') return this.#referred(attribute(element, 'URI') ?? '', element, location);
    if (local === 'ExactlyOne' || local === 'OneOrMore') return this.#best(element, location);
    const met = MET[local];
    // What is below a token belongs to it.
    if (met !== undefined) return { ...NOTHING, security: [met], unmet: unmetOfToken(element, location) };
    if (local === 'OptimizedMimeSerialization' || local === 'MTOM') return { ...NOTHING, mtom: true };
    if (local === 'UsingAddressing' || local === 'Addressing')
      return together([{ ...NOTHING, addressing: true }, inside()]);
    if (local === 'TransportBinding') return together([{ ...NOTHING, transport: true }, inside()]);
    if (local === 'HttpsToken' && attribute(element, 'RequireClientCertificate') === 'true')
      return together([{ ...NOTHING, security: [{ kind: 'client-certificate' }] }, inside()]);
    const unmet = { what: `the policy ${local}`, place };
    if (BY_TRANSPORT.has(local)) return together([{ ...NOTHING, unprotected: [unmet] }, tokensIn(inside())]);
    if (SILENT.has(local) || /^(?:Basic|TripleDes)\d*/.test(local)) return inside();
    return { ...NOTHING, unmet: [unmet] };
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

/** Demands on a token that has a name and a password. */
function unmetOfToken(token: XmlElement, location: string): Unmet[] {
  return childrenOf(token).flatMap((each): Unmet[] => [
    ...(['NoPassword', 'RequireDerivedKeys', 'IssuerName', 'Issuer'].includes(each.local)
      ? [{ what: `the policy ${each.local} of ${token.local}`, place: placeOf(each, location) }]
      : []),
    ...unmetOfToken(each, location),
  ]);
}

/** Whether WS-Addressing is required at a binding or a port by an extension element rather than by a policy. */
export function requiresAddressing({ element }: Part): boolean {
  return childrenOf(element).some(
    ({ local, namespace, attributes }) =>
      local === 'UsingAddressing' &&
      ADDRESSING.has(namespace) &&
      attributes.some((each) => each.local === 'required' && /^\s*(?:true|1)\s*$/.test(each.value)),
  );
}
