import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftSecurity } from '../draft.ts';
import type { Losses } from '../place.ts';
import { placeOf } from '../xml.ts';

/** Namespaces of WS-Policy 1.2 and 1.5. */
const POLICY: ReadonlySet<string> = new Set([
  'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'http://www.w3.org/ns/ws-policy',
  'http://www.w3.org/2006/07/ws-policy',
]);

/** Assertions that a credential or a scheme can meet, by local name: WS-SecurityPolicy and the assertions of .NET for HTTP. */
const MET: Readonly<Record<string, DraftSecurity>> = {
  UsernameToken: { kind: 'username-token' },
  BasicAuthentication: { kind: 'basic' },
  HttpBasicAuthentication: { kind: 'basic' },
};

/** Assertions that only contain others, and those that ask for nothing that a definition says. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'Policy All ExactlyOne PolicyReference TransportBinding TransportToken HttpsToken AlgorithmSuite Layout Lax Strict ' +
    'IncludeTimestamp UsingAddressing Addressing AnonymousResponses NonAnonymousResponses SupportingTokens ' +
    'SignedSupportingTokens OptimizedMimeSerialization MTOM Wss10 Wss11 Trust10 Trust13 TransportSecurity BinaryEncoding ' +
    'MustSupportRefKeyIdentifier MustSupportRefIssuerSerial MustSupportRefThumbprint MustSupportRefEncryptedKey ' +
    'RequireClientEntropy RequireServerEntropy MustSupportIssuedTokens'
  ).split(' '),
);

/** What the policies of a WSDL ask for. */
export interface Policies {
  readonly security: readonly DraftSecurity[];
  /** Messages are sent as MTOM. */
  readonly mtom: boolean;
}

/** Reads the policies of all files; an assertion that can't be met is a loss. */
export function readPolicies(files: Iterable<readonly [location: string, root: XmlElement]>, losses: Losses): Policies {
  const security = new Map<string, DraftSecurity>();
  let mtom = false;
  const visit = (element: XmlElement, location: string): void => {
    const { local } = element;
    mtom ||= local === 'OptimizedMimeSerialization' || local === 'MTOM';
    const met = MET[local];
    if (met !== undefined) security.set(met.kind, met);
    // What is below an assertion belongs to it.
    if (met !== undefined) return;
    if (!SILENT.has(local) && !/^(?:Basic|TripleDes)\d*/.test(local)) {
      losses.add(`the policy ${local} can't be met`, 'messages have none of it', placeOf(element, location));
      return;
    }
    for (const each of childrenOf(element)) visit(each, location);
  };
  const find = (element: XmlElement, location: string): void => {
    for (const each of childrenOf(element)) {
      if (each.local === 'Policy' && POLICY.has(each.namespace)) visit(each, location);
      else if (each.local !== 'schema') find(each, location);
    }
  };
  for (const [location, root] of files) find(root, location);
  return { security: [...security.values()], mtom };
}
