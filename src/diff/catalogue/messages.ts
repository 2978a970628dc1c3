import type { Rules } from './entry.ts';

const NUMBER = 'request: { fields: { NUMBER: integer } }\nresponse: text';
const CARS =
  'query: CARS\npublic: true\ncolumns: { PLATE: { type: string(9), required: true }, MAKE: string(20) }\nsql: select plate, make from cars\n---\nservice: Cars.v1\npublic: true\noperations:\n';
const paged = (order: string): string =>
  `${CARS}  CARS_GET: { get: "cars{?limit,after}", query: CARS, paging: { order: [${order}] } }`;

const GATEWAY =
  'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\n---\npermission-list: ASKERS\noperations: [QAS_QRY_SERVICE.*, PROCESSREQUEST.*]\n---\n';
const query = (id: string): string =>
  `query: ${id}\npermission: ASKERS\ncolumns: { NUMBER: integer }\nsql: select number from orders\n`;
const process = (id: string, type = 'Extract'): string =>
  `process: ${id}\npermission: ASKERS\ntype: ${type}\nquery: ORDERS\n`;

/** Changes of parameters in URLs and headers, and of what a caller may ask for. */
export const requestRules = {
  'query-parameter-added': {
    sentence: 'The query parameter {what} is new.',
    reason: 'Requests without an optional parameter remain valid. A system that is called may not know it.',
    verdicts: { request: 'CCC', sent: 'MCC' },
    sample: 'operation',
    before: `get: orders\n${NUMBER}`
      .replace('{ NUMBER', '{ X: integer, NUMBER')
      .replace('get: orders', 'get: "orders{?X}"'),
    after: `get: orders\n${NUMBER}`
      .replace('{ NUMBER', '{ X: integer, NUMBER')
      .replace('get: orders', 'get: "orders{?X,NUMBER}"'),
  },
  'required-query-parameter-added': {
    sentence: 'The query parameter {what} is new, and required.',
    reason: 'Requests without it do not match the URI any more.',
    verdicts: { request: 'BCB', sent: 'MCC' },
    sample: 'operation',
    before: 'get: orders\nresponse: text',
    after: `get: "orders?number={NUMBER}"\n${NUMBER}`,
  },
  'query-parameter-removed': {
    sentence: 'The query parameter {what} is removed.',
    reason: 'The parameter is ignored, so a request means something else than before.',
    verdicts: { request: 'MCM', sent: 'MCC' },
    sample: 'operation',
    before: `get: "orders{?NUMBER}"\n${NUMBER}`,
    after: 'get: orders\nresponse: text',
  },
  'query-parameter-refused': {
    sentence: 'The query parameter {what} is removed, and requests with it are rejected.',
    reason: 'With `strict: true`, a parameter that the URI does not declare is answered by 400.',
    verdicts: { request: 'BCB' },
    sample: 'operation',
    before: `get: "orders{?NUMBER}"\nstrict: true\n${NUMBER}`,
    after: 'get: orders\nstrict: true\nresponse: text',
  },
  'query-parameter-renamed': {
    sentence: 'The query parameter {before} is called {after}.',
    reason: 'Under its old name the parameter is ignored or rejected.',
    verdicts: { request: 'BCC', sent: 'BCC' },
    sample: 'operation',
    before: `get: "orders?number={NUMBER}"\n${NUMBER}`,
    after: `get: "orders?id={NUMBER}"\n${NUMBER}`,
  },
  'query-parameter-required': {
    sentence: 'The query parameter {what} is required.',
    reason: 'Requests without it do not match the URI any more.',
    verdicts: { request: 'BCB', sent: 'CCC' },
    sample: 'operation',
    before: `get: "orders{?NUMBER}"\n${NUMBER}`,
    after: `get: "orders?NUMBER={NUMBER}"\n${NUMBER}`,
  },
  'query-parameter-optional': {
    sentence: 'The query parameter {what} is optional.',
    reason: 'Requests that have it remain valid. A system that is called may rely on it.',
    verdicts: { request: 'CCC', sent: 'BCC' },
    sample: 'operation',
    before: `get: "orders?NUMBER={NUMBER}"\n${NUMBER}`,
    after: `get: "orders{?NUMBER}"\n${NUMBER}`,
  },
  'query-parameter-exploded': {
    sentence: 'The entries of the query parameter {what} are {after}, no longer {before}.',
    reason: 'This gateway reads both forms. Other readers may know one of them only.',
    verdicts: { request: 'MCC', sent: 'MCC' },
    sample: 'operation',
    before: 'get: "orders{?IDS}"\nrequest: { fields: { IDS: list of integer } }\nresponse: text',
    after: 'get: "orders{?IDS*}"\nrequest: { fields: { IDS: list of integer } }\nresponse: text',
  },
  'parameter-moved': {
    sentence: '{what} is in the {after}, no longer in the {before}.',
    reason: 'Where it was, it is ignored or rejected; where it is, no one sends it yet.',
    verdicts: { request: 'BCB', sent: 'BCB' },
    sample: 'operation',
    before: 'post: "orders{?NUMBER}"\nrequest: { fields: { NUMBER: integer, NOTE: text } }\nresponse: text',
    after: 'post: orders\nrequest: { fields: { NUMBER: integer, NOTE: text } }\nresponse: text',
  },
  'header-added': {
    sentence: 'The request header {what} is new.',
    reason: 'Requests without an optional header remain valid.',
    verdicts: { request: 'CCC' },
    sample: 'operation',
    before: 'get: orders\nresponse: text',
    after: `get: orders\nheaders: { X-Number: "{NUMBER}" }\n${NUMBER}`,
  },
  'required-header-added': {
    sentence: 'The request header {what} is new, and required.',
    reason: 'Requests without it are rejected.',
    verdicts: { request: 'BCB' },
    sample: 'operation',
    before: 'get: orders\nresponse: text',
    after:
      'get: orders\nheaders: { X-Number: "{NUMBER}" }\nrequest: { fields: { NUMBER: { type: integer, required: true } } }\nresponse: text',
  },
  'header-removed': {
    sentence: 'The request header {what} is removed.',
    reason: 'The header is ignored, so a request means something else than before.',
    verdicts: { request: 'MCM' },
    sample: 'operation',
    before: `get: orders\nheaders: { X-Number: "{NUMBER}" }\n${NUMBER}`,
    after: 'get: orders\nresponse: text',
  },
  'header-renamed': {
    sentence: 'The request header {before} is called {after}.',
    reason: 'Under its old name the header is ignored.',
    verdicts: { request: 'BCC' },
    sample: 'operation',
    before: `get: orders\nheaders: { X-Number: "{NUMBER}" }\n${NUMBER}`,
    after: `get: orders\nheaders: { X-Order: "{NUMBER}" }\n${NUMBER}`,
  },
  'parameters-strict': {
    sentence: 'Query parameters that the URI does not declare are rejected.',
    reason: 'Callers may send parameters that were ignored, such as those of a proxy or a tracker.',
    verdicts: { callers: 'MCM' },
    sample: 'operation',
    before: 'get: orders\nresponse: text',
    after: 'get: orders\nresponse: text\nstrict: true',
  },
  'parameters-free': {
    sentence: 'Query parameters that the URI does not declare are ignored.',
    reason: 'More requests are accepted than before.',
    verdicts: { callers: 'CCC' },
    sample: 'operation',
    before: 'get: orders\nresponse: text\nstrict: true',
    after: 'get: orders\nresponse: text',
  },
  'row-order-changed': {
    sentence: 'Rows are in the order of {after}, no longer of {before}.',
    reason: 'Addresses of further pages that callers have kept are no longer valid.',
    verdicts: { callers: 'MMM' },
    sample: 'definitions',
    before: paged('PLATE'),
    after: paged('-PLATE'),
  },
  'query-added': {
    sentence: 'The stored query is new.',
    reason:
      'No one runs it yet. Callers of the delivered service of queries name queries, and so each of them is part of the contract.',
    verdicts: { callers: 'CCC' },
    sample: 'definitions',
    before: `${GATEWAY}${query('ORDERS')}`,
    after: `${GATEWAY}${query('ORDERS')}---\n${query('PARTS')}`,
  },
  'query-removed': {
    sentence: 'The stored query is removed.',
    reason: 'Callers of the delivered service of queries that name it get an error.',
    verdicts: { callers: 'BBB' },
    sample: 'definitions',
    before: `${GATEWAY}${query('ORDERS')}---\n${query('PARTS')}`,
    after: `${GATEWAY}${query('ORDERS')}`,
  },
  'process-added': {
    sentence: 'The process is new.',
    reason:
      'No one requests it yet. Callers of the delivered service of processes name processes, and so each of them is part of the contract.',
    verdicts: { callers: 'CCC' },
    sample: 'definitions',
    before: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST')}`,
    after: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST')}---\n${process('ORDERS_EXTRACT')}`,
  },
  'process-removed': {
    sentence: 'The process is removed.',
    reason: 'Callers of the delivered service of processes that name it get an error.',
    verdicts: { callers: 'BBB' },
    sample: 'definitions',
    before: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST')}---\n${process('ORDERS_EXTRACT')}`,
    after: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST')}`,
  },
  'process-type-changed': {
    sentence: 'The type of the process is {after}, no longer {before}.',
    reason: 'Callers of the delivered service of processes name the type too, and search by it.',
    verdicts: { callers: 'BBB' },
    sample: 'definitions',
    before: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST')}`,
    after: `${GATEWAY}${query('ORDERS')}---\n${process('ORDERS_LIST', 'Report')}`,
  },
} as const satisfies Rules;

const stock = (more: string): string =>
  `service: Stock.v1\npublic: true\noperations:\n  STOCK_GET: { soap: true, response: { fields: { COUNT: integer } }${more} }\n---\ndocument: NO_STOCK\nfields: { LEFT: integer }`;

/** Changes of messages over SOAP. */
export const soapRules = {
  'soap-name-changed': {
    sentence: 'Over SOAP the operation is called {after}, no longer {before}.',
    reason: 'The elements around request and reply have the name of the operation.',
    verdicts: { callers: 'CBC' },
    sample: 'operation',
    before: 'soap: true\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: GetOrders\nresponse: { fields: { NUMBER: integer } }',
  },
  'soap-action-changed': {
    sentence: 'The SOAP action is {after}, no longer {before}.',
    reason: 'A message whose action differs from its content is rejected.',
    verdicts: { callers: 'CBC' },
    sample: 'operation',
    before: 'soap: { action: "urn:orders:read" }\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: { action: "urn:orders:get" }\nresponse: { fields: { NUMBER: integer } }',
  },
  'soap-action-declared': {
    sentence: 'The SOAP action is {after}; {before} is accepted too.',
    reason: 'The names of an operation are accepted as its action, too. WSDL has the action that is declared.',
    verdicts: { callers: 'CCC' },
    sample: 'operation',
    before: 'soap: true\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: { action: "urn:orders:get" }\nresponse: { fields: { NUMBER: integer } }',
  },
  'soap-style-changed': {
    sentence: 'Over SOAP the messages are {after}, no longer {before}.',
    reason: 'The styles differ in the elements around a message and in their namespaces.',
    verdicts: { callers: 'CBC', called: 'CBC' },
    sample: 'operation',
    before: 'soap: true\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: true\nstyle: rpc\nresponse: { fields: { NUMBER: integer } }',
  },
  'soap-reply-changed': {
    sentence: 'Over SOAP the element around the reply is called {after}, no longer {before}.',
    reason: 'Readers of a reply expect the element that the contract states.',
    verdicts: { callers: 'CBC', called: 'CBC' },
    sample: 'operation',
    before: 'soap: true\nresponse: { fields: { NUMBER: integer } }',
    after: 'soap: { reply: Orders }\nresponse: { fields: { NUMBER: integer } }',
  },
  'soap-fault-added': {
    sentence: 'Over SOAP the operation has the further fault {after}.',
    reason:
      'Callers get a detail that they do not know, and generated code has no class for it. A fault of a call that is declared is an error with a name.',
    verdicts: { callers: 'CMM', called: 'CCC' },
    sample: 'definitions',
    before: stock(''),
    after: stock(', faults: { NoStock: NO_STOCK }'),
  },
  'soap-fault-removed': {
    sentence: 'Over SOAP the operation no longer has the fault {before}.',
    reason: 'Code that handles the fault by its name or its detail no longer gets it.',
    verdicts: { callers: 'CMM', called: 'CMM' },
    sample: 'definitions',
    before: stock(', faults: { NoStock: NO_STOCK }'),
    after: stock(''),
  },
} as const satisfies Rules;

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
