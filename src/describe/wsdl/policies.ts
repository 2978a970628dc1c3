import type { UsernameTokenScheme } from '../../model/security.ts';
import { WSU } from '../../wire/soap/wsse-names.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { soapSchemes } from '../requirements.ts';
import type { SoapOperation } from '../scope.ts';

// Web Services Policy 1.5 - Framework and Attachment (W3C Recommendations, 4 September 2007); WS-SecurityPolicy 1.3 (OASIS,
// 2 February 2009), section 8 (supporting tokens) and 5.4.1 (UsernameToken).

/** The policies of a WSDL and the references to them. */
export interface Policies {
  /** `wsp:Policy` elements for the root. */
  readonly elements: readonly XmlElement[];
  /** For each binding; `undefined` when nothing is stated about WS-Addressing. */
  readonly addressing: XmlElement | undefined;
  /** A reference for the input of an operation in a binding; `undefined` if only its documentation states what it requires. */
  referenceOf(operation: SoapOperation): XmlElement | undefined;
}

const WSP = 'http://www.w3.org/ns/ws-policy';
/** Metadata of WS-Addressing, whose prefix the root element declares. */
export const WSAM = 'http://www.w3.org/2007/05/addressing/metadata';
const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/**
 * Policies of the operations that require a UsernameToken and nothing else. A client that reads policies does exactly what
 * they state, so other requirements are documented in words only:
 * - of several schemes, or forms of the password, a client would take the first one that it supports, not the one for which
 *   its user has credentials;
 * - a transport binding or a signature policy covers replies too (IncludeTimestamp, a recipient's token). Replies are not
 *   signed and have no timestamp, so the client would refuse them.
 * A policy of the input does not apply to the reply.
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
    addressing: addressingPolicy(operations),
    referenceOf(operation) {
      const scheme = tokenOf(operation);
      if (scheme === undefined) return undefined;
      return element('wsp:PolicyReference', { 'xmlns:wsp': WSP, URI: `#${names.get(scheme.id)}` });
    },
  };
}

/** The scheme of an operation that only accepts a UsernameToken, with a single form of the password. */
function tokenOf(operation: SoapOperation): UsernameTokenScheme | undefined {
  const [scheme, ...others] = soapSchemes(operation);
  if (scheme?.kind !== 'username-token' || scheme.passwords.length > 1) return undefined;
  return others.length === 0 ? scheme : undefined;
}

/**
 * WS-Addressing 1.0 - Metadata (W3C Recommendation, 4 September 2007), section 3.1: requests may have its headers, or must. It is
 * stated where the service says so, or where the address of a reply may be another one than that of the request. A nested policy
 * applies to each operation of a binding: required headers allow both addresses, where some operations take only one.
 */
function addressingPolicy(operations: readonly SoapOperation[]): XmlElement | undefined {
  const isLater = operations.some(takesReplyTo);
  const declared = operations[0]?.service.addressing;
  if (declared === undefined && !isLater) return undefined;
  const isRequired = declared === 'required';
  const response = isLater ? !isRequired && 'wsam:NonAnonymousResponses' : 'wsam:AnonymousResponses';
  return element('wsp:Policy', { 'xmlns:wsp': WSP }, [
    element('wsam:Addressing', { 'wsp:Optional': isRequired ? undefined : 'true' }, [
      element('wsp:Policy', {}, [response === false ? undefined : element(response)]),
    ]),
  ]);
}

function policyElement(name: string, { passwords }: UsernameTokenScheme): XmlElement {
  return element('wsp:Policy', { 'xmlns:wsp': WSP, 'xmlns:sp': SP, 'xmlns:wsu': WSU, 'wsu:Id': name }, [
    element('sp:SupportingTokens', {}, [
      element('wsp:Policy', {}, [
        element('sp:UsernameToken', { 'sp:IncludeToken': `${SP}/IncludeToken/AlwaysToRecipient` }, [
          // Without an assertion the password is sent as text.
          element('wsp:Policy', {}, [passwords.includes('digest') ? element('sp:HashPassword') : undefined]),
        ]),
      ]),
    ]),
  ]);
}

/** Whether the reply of an operation is sent to the address that its caller names. */
export function takesReplyTo({ answer }: SoapOperation): boolean {
  return answer.kind === 'queue' && answer.replyTo !== undefined;
}
