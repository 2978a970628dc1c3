import type { Rules } from './entry.ts';

const PARTNER = 'node: PARTNER\nbase: https://partner.example.org\n---\n';
const calls = (names: readonly string[], node = PARTNER): string =>
  `${node}service: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n${names.map((name) => `  ${name}: { post: orders, request: json, response: json }`).join('\n')}`;

/** Changes of what other systems are asked for. */
export const callRules = {
  'call-added': {
    sentence: 'The call is new.',
    reason: 'The other system gets requests that it did not get before.',
    verdicts: { called: 'CCC' },
    sample: 'definitions',
    before: calls(['ORDER_POST']),
    after: calls(['ORDER_POST', 'PART_POST']),
  },
  'call-removed': {
    sentence: 'The call is removed.',
    reason: 'The other system does not get these requests any more.',
    verdicts: { called: 'CCC' },
    sample: 'definitions',
    before: calls(['ORDER_POST', 'PART_POST']),
    after: calls(['ORDER_POST']),
  },
  'call-protocol-changed': {
    sentence: 'The call is made over {after}, no longer over {before}.',
    reason: 'The other system has to offer it there.',
    verdicts: { called: 'BBB' },
    sample: 'call',
    before: 'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after: 'post: orders\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'target-changed': {
    sentence: 'The call goes to {after}, no longer to {before}.',
    reason: 'Another system, or another address, has to offer the same.',
    verdicts: { called: 'MMM' },
    sample: 'definitions',
    before: calls(['ORDER_POST']),
    after: calls(['ORDER_POST'], PARTNER.replace('partner.', 'new.')),
  },
  'credential-changed': {
    sentence: 'The call sends {after} as its credential, no longer {before}.',
    reason: 'The other system has to accept it.',
    verdicts: { called: 'MMM' },
    sample: 'definitions',
    before: calls(['ORDER_POST']),
    after: calls(['ORDER_POST'], PARTNER.replace('---', 'credential: { bearer: "${secret:TOKEN}" }\n---')),
  },
  'call-method-changed': {
    sentence: 'The call uses the method {after}, no longer {before}.',
    reason: 'The other system expects the method that it knows.',
    verdicts: { called: 'BBB' },
    sample: 'call',
    before: 'put: orders\nrequest: json\nresponse: json',
    after: 'post: orders\nrequest: json\nresponse: json',
  },
  'call-path-changed': {
    sentence: 'The URI {before} of the call is {after} now.',
    reason: 'The other system has to offer that address.',
    verdicts: { called: 'BCC' },
    sample: 'call',
    before: 'get: orders\nresponse: json',
    after: 'get: sales\nresponse: json',
  },
  'call-header-changed': {
    sentence: 'The header {what} of the call is {after}, no longer {before}.',
    reason: 'The other system may need the header as it was, or reject it as it is.',
    verdicts: { called: 'MMM' },
    sample: 'call',
    before: 'get: orders\nresponse: json',
    after: 'get: orders\nresponse: json\nheaders: { X-Api-Version: "2" }',
  },
  'call-body-changed': {
    sentence: 'The body of the call is {after}, no longer {before}.',
    reason: 'A body of another form is another request.',
    verdicts: { called: 'BBB' },
    sample: 'call',
    before: 'post: orders\nrequest: json\nresponse: json',
    after: 'post: orders\nrequest: text\nresponse: json',
  },
  'accepted-type-added': {
    sentence: 'A reply may also be {after}.',
    reason: 'The other system may reply in a form that the call did not ask for before.',
    verdicts: { received: 'CCC' },
    sample: 'call',
    before: 'get: orders\nresponse: { application/json: json }',
    after: 'get: orders\nresponse: { application/json: json, text/csv: text }',
  },
  'call-name-changed': {
    sentence: 'Over SOAP the call is named {after}, no longer {before}.',
    reason: 'The element around the request has this name.',
    verdicts: { called: 'CBC' },
    sample: 'call',
    before: 'soap: GetOrders\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: ListOrders\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'call-action-changed': {
    sentence: 'The SOAP action of the call is {after}, no longer {before}.',
    reason: 'The other system may select the operation by it.',
    verdicts: { called: 'CBC' },
    sample: 'call',
    before: 'soap: GetOrders\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: ListOrders\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'addressing-required': {
    sentence: 'Requests over SOAP need header blocks of WS-Addressing.',
    reason: 'A request without Action, or without MessageID where it has a reply, is refused.',
    verdicts: { callers: 'CBC' },
    sample: 'definitions',
    before:
      'service: Orders.v1\npublic: true\noperations:\n  ORDER: { soap: true, response: { fields: { NUMBER: integer } } }',
    after:
      'service: Orders.v1\npublic: true\naddressing: required\noperations:\n  ORDER: { soap: true, response: { fields: { NUMBER: integer } } }',
  },
  'addressing-stated': {
    sentence: 'In the WSDL, WS-Addressing is {after}; it was {before}.',
    reason: 'Messages with them are accepted as before. Clients that are generated anew may send them.',
    verdicts: { callers: 'CCC' },
    sample: 'definitions',
    before:
      'service: Orders.v1\npublic: true\noperations:\n  ORDER: { soap: true, response: { fields: { NUMBER: integer } } }',
    after:
      'service: Orders.v1\npublic: true\naddressing: optional\noperations:\n  ORDER: { soap: true, response: { fields: { NUMBER: integer } } }',
  },
  'call-addressing-changed': {
    sentence: 'The call {after} header blocks of WS-Addressing; it {before} them.',
    reason: 'A system may reject header blocks that it does not know, or need those that it had.',
    verdicts: { called: 'CMC' },
    sample: 'call',
    before:
      'soap: true\nheaders: { Content-Type: text/xml }\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after:
      'soap: { addressing: true }\nheaders: { Content-Type: text/xml }\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'call-property-changed': {
    sentence: 'The property {what} of the call is {after}, no longer {before}.',
    reason: 'Requests are sent in another form, which the other system has to read.',
    verdicts: { called: 'MMM' },
    sample: 'call',
    before: 'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after:
      'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }\nproperties: { MTOM: Y }',
  },
  'call-strict': {
    sentence: 'Parts of a reply that its document does not have are no longer ignored.',
    reason: 'Over SOAP, a reply with an additional element is an error now.',
    verdicts: { called: 'MMM' },
    sample: 'call',
    before:
      'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }\nlenient: true',
    after: 'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
  },
  'call-lenient': {
    sentence: 'Parts of a reply that its document does not have are ignored and counted.',
    reason: 'The other system may add elements.',
    verdicts: { called: 'CCC' },
    sample: 'call',
    before: 'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }',
    after:
      'soap: true\nrequest: { fields: { NUMBER: integer } }\nresponse: { fields: { NUMBER: integer } }\nlenient: true',
  },
  'call-timeout-lowered': {
    sentence: 'The call is given up after {after}; it was {before}.',
    reason: 'Replies of the other system that come later are lost.',
    verdicts: { called: 'MMM' },
    sample: 'call',
    before: 'get: orders\nresponse: json\ntimeout: 30 s',
    after: 'get: orders\nresponse: json\ntimeout: 10 s',
  },
  'call-timeout-raised': {
    sentence: 'The call is given up after {after}; it was {before}.',
    reason: 'The other system has more time.',
    verdicts: { called: 'CCC' },
    sample: 'call',
    before: 'get: orders\nresponse: json\ntimeout: 10 s',
    after: 'get: orders\nresponse: json\ntimeout: 30 s',
  },
} as const satisfies Rules;
