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

/** Assertions about the message or the transport that ask for nothing that a definition says. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'Policy All ExactlyOne TransportBinding TransportToken HttpsToken AlgorithmSuite Layout Lax Strict IncludeTimestamp Basic256 ' +
    'Basic128 Basic256Rsa15 Basic128Rsa15 UsingAddressing Addressing AnonymousResponses NonAnonymousResponses SupportingTokens ' +
    'SignedSupportingTokens OptimizedMimeSerialization MTOM WssUsernameToken10 WssUsernameToken11 Wss10 Wss11 HashPassword ' +
    'NoPassword MustSupportRefKeyIdentifier MustSupportRefIssuerSerial MustSupportRefThumbprint MustSupportRefEncryptedKey ' +
    'RequireClientEntropy RequireServerEntropy MustSupportIssuedTokens Trust10 Trust13 TransportSecurity PolicyReference BinaryEncoding'
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
    else if (!SILENT.has(local)) {
      losses.add(`the policy ${local} is not known`, 'calls do not meet it', placeOf(element, location));
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
