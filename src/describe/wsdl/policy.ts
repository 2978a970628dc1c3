// Web Services Policy 1.5 - Framework and Attachment (W3C Recommendations, 4 September 2007); WS-SecurityPolicy 1.3 (OASIS,
// 2 February 2009), section 8 (supporting tokens) and 5.4.1 (UsernameToken).
import type { UsernameTokenScheme } from '../../model/security.ts';
import { WSU } from '../../wire/soap/wsse-names.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { soapSchemes } from '../requirements.ts';
import type { SoapOperation } from '../scope.ts';

/** The policies of a WSDL, and which of them a request has. */
export interface Policies {
  /** `wsp:Policy` elements for the root. */
  readonly elements: readonly XmlElement[];
  /** A reference for the input of an operation in a binding; undefined where words alone tell what it needs. */
  referenceOf(operation: SoapOperation): XmlElement | undefined;
}

const WSP = 'http://www.w3.org/ns/ws-policy';
const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/**
 * Policies of the requests that a UsernameToken alone opens. A client that reads policies does exactly what one says, so
 * that all others are told in words:
 * - of several schemes, or forms of the password, a client would take the first that it knows, not the one that its user
 *   has credentials for;
 * - a transport binding or a signature policy is about replies too (IncludeTimestamp, a recipient's token), and replies
 *   are not signed and have no timestamp: the client would refuse them.
 * A policy at the input says nothing about the reply.
 */
export function policiesOf(operations: readonly SoapOperation[]): Policies {
  const wanted = new Map<string, UsernameTokenScheme>();
  for (const operation of operations) {
    const scheme = tokenOf(operation);
    if (scheme !== undefined) wanted.set(scheme.id, scheme);
  }
  const names = new Map(
    [...wanted.keys()].map((id, index) => [id, `UsernameTokenPolicy${index === 0 ? '' : index + 1}`]),
  );
  return {
    elements: [...wanted.values()].map((scheme) => policyElement(names.get(scheme.id) as string, scheme)),
    referenceOf(operation) {
      const scheme = tokenOf(operation);
      if (scheme === undefined) return undefined;
      return element('wsp:PolicyReference', { 'xmlns:wsp': WSP, URI: `#${names.get(scheme.id)}` });
    },
  };
}

/** The scheme of an operation that takes nothing but a UsernameToken, with the password in one form. */
function tokenOf(operation: SoapOperation): UsernameTokenScheme | undefined {
  const [scheme, ...others] = soapSchemes(operation);
  if (scheme?.kind !== 'username-token' || scheme.passwords.length > 1) return undefined;
  return others.length === 0 ? scheme : undefined;
}

function policyElement(name: string, { passwords }: UsernameTokenScheme): XmlElement {
  return element('wsp:Policy', { 'xmlns:wsp': WSP, 'xmlns:sp': SP, 'xmlns:wsu': WSU, 'wsu:Id': name }, [
    element('sp:SupportingTokens', {}, [
      element('wsp:Policy', {}, [
        element('sp:UsernameToken', { 'sp:IncludeToken': `${SP}/IncludeToken/AlwaysToRecipient` }, [
          // Without an assertion the password is text.
          element('wsp:Policy', {}, [passwords.includes('digest') ? element('sp:HashPassword') : undefined]),
        ]),
      ]),
    ]),
  ]);
}
