import type { Rules } from './entry.ts';

/** Changes of what other systems are asked for. */
export const callRules = {
  'call-added': {
    sentence: 'The call is new.',
    reason: 'The other system gets requests that it did not get before.',
    verdicts: { called: 'CCC' },
  },
  'call-removed': {
    sentence: 'The call is removed.',
    reason: 'The other system does not get these requests any more.',
    verdicts: { called: 'CCC' },
  },
  'call-protocol-changed': {
    sentence: 'The call is made over {after}, no longer over {before}.',
    reason: 'The other system has to offer it there.',
    verdicts: { called: 'BBB' },
  },
  'target-changed': {
    sentence: 'The call goes to {after}, no longer to {before}.',
    reason: 'Another system, or another address, has to offer the same.',
    verdicts: { called: 'MMM' },
  },
  'credential-changed': {
    sentence: 'The call sends {after} as its credential, no longer {before}.',
    reason: 'The other system has to accept it.',
    verdicts: { called: 'MMM' },
  },
  'call-method-changed': {
    sentence: 'The call uses the method {after}, no longer {before}.',
    reason: 'The other system expects the method that it knows.',
    verdicts: { called: 'BBB' },
  },
  'call-path-changed': {
    sentence: 'The URI {before} of the call is {after} now.',
    reason: 'The other system has to offer that address.',
    verdicts: { called: 'BCC' },
  },
  'call-header-changed': {
    sentence: 'The header {what} of the call is {after}, no longer {before}.',
    reason: 'The other system may need the header as it was, or reject it as it is.',
    verdicts: { called: 'MMM' },
  },
  'call-body-changed': {
    sentence: 'The body of the call is {after}, no longer {before}.',
    reason: 'A body of another form is another request.',
    verdicts: { called: 'BBB' },
  },
  'accepted-type-added': {
    sentence: 'A reply may also be {after}.',
    reason: 'The other system may reply in a form that the call did not ask for before.',
    verdicts: { received: 'CCC' },
  },
  'call-name-changed': {
    sentence: 'Over SOAP the call is named {after}, no longer {before}.',
    reason: 'The element around the request has this name.',
    verdicts: { called: 'CBC' },
  },
  'call-action-changed': {
    sentence: 'The SOAP action of the call is {after}, no longer {before}.',
    reason: 'The other system may select the operation by it.',
    verdicts: { called: 'CBC' },
  },
  'addressing-required': {
    sentence: 'Requests over SOAP need header blocks of WS-Addressing.',
    reason: 'A request without Action, or without MessageID where it has a reply, is refused.',
    verdicts: { callers: 'CBC' },
  },
  'addressing-stated': {
    sentence: 'In the WSDL, WS-Addressing is {after}; it was {before}.',
    reason: 'Messages with them are accepted as before. Clients that are generated anew may send them.',
    verdicts: { callers: 'CCC' },
  },
  'wsdl-name-changed': {
    sentence: '{what} in the WSDL is {after}, no longer {before}.',
    reason: 'Messages are the same. Clients that are generated anew have other names of classes or other ports.',
    verdicts: { callers: 'CCM' },
  },
  'tags-changed': {
    sentence: 'In the OpenAPI description, its tags are {after}, no longer {before}.',
    reason: 'Messages are the same. Clients that are generated anew have it in classes with other names.',
    verdicts: { callers: 'CCM' },
  },
  'call-addressing-changed': {
    sentence: 'The call {after} header blocks of WS-Addressing; it {before} them.',
    reason: 'A system may reject header blocks that it does not know, or need those that it had.',
    verdicts: { called: 'CMC' },
  },
  'call-property-changed': {
    sentence: 'The property {what} of the call is {after}, no longer {before}.',
    reason: 'Requests are sent in another form, which the other system has to read.',
    verdicts: { called: 'MMM' },
  },
  'call-strict': {
    sentence: 'Parts of a reply that its document does not have are no longer ignored.',
    reason: 'Over SOAP, a reply with an additional element is an error now.',
    verdicts: { called: 'MMM' },
  },
  'call-lenient': {
    sentence: 'Parts of a reply that its document does not have are ignored and counted.',
    reason: 'The other system may add elements.',
    verdicts: { called: 'CCC' },
  },
  'call-timeout-lowered': {
    sentence: 'The call is given up after {after}; it was {before}.',
    reason: 'Replies of the other system that come later are lost.',
    verdicts: { called: 'MMM' },
  },
  'call-timeout-raised': {
    sentence: 'The call is given up after {after}; it was {before}.',
    reason: 'The other system has more time.',
    verdicts: { called: 'CCC' },
  },
} as const satisfies Rules;
