import { error } from './entry.ts';

const provider = (rest: string): string => `service: Orders.v1\npublic: true\noperations:\n${rest}`;

const consumer = (rest: string, base = 'https://example.org'): string =>
  `node: PARTNER\nbase: ${base}\n---\nservice: Partner.v1\npublic: true\ntarget: PARTNER\noperations:\n${rest}`;

const REQUEST = 'request: { fields: { NUMBER: integer } }';

/** Mistakes in operations over SOAP, and in those that call another system. */
export const soapEntries = {
  'key-without-effect': error<{ key: string; owner: string; why: string }>({
    message: ({ key, why }) => `${key} has no effect here: ${why}.`,
    hint: ({ key, owner }) => `Take ${key} out of ${owner}.`,
    explanation:
      'Some keys of an operation belong to REST, some to what is answered here, some to calls of other systems. Where they could do nothing, they are refused rather than passed over. What a service says for all of its operations holds for those that have a use for it.',
    wrong: provider(`  ORDER_PUT: { soap: true, ${REQUEST}, response: text, status: 201 }`),
    right: provider(`  ORDER_PUT: { soap: true, ${REQUEST}, response: text }`),
  }),
  'one-way-fault': error<{ operation: string }>({
    message: ({ operation }) => `${operation} is one-way, because it has no response, and so its fault reaches nobody.`,
    hint: () => 'Say what is answered with `response:`, or leave out `fault:`.',
    explanation:
      'Over SOAP an operation without a response is one-way: the caller is told that the message has arrived, and nothing more. A fault document would never be sent. One that the service names for all is passed over.',
    wrong: provider(
      `  ORDER_SEND:\n    soap: true\n    ${REQUEST}\n    fault: { fields: { MESSAGE: { type: text, default: "{fault.message}" } } }`,
    ),
    right: provider(
      `  ORDER_SEND:\n    soap: true\n    ${REQUEST}\n    response: { fields: { NUMBER: integer } }\n    fault: { fields: { MESSAGE: { type: text, default: "{fault.message}" } } }`,
    ),
  }),
  'element-name': error<{ name: string; first: string; second: string }>({
    message: ({ name, first, second }) => `The XML element ${name} would be ${first} and ${second}.`,
    hint: () =>
      'Rename one of them; `xml:` gives a document another name in XML, `soap: NAME` an operation another one in SOAP.',
    explanation:
      'Over SOAP the element of a request is called as the operation, and that of the reply `<OPERATION>Response`. Both stand in the namespace of the service, beside the documents that are messages over REST or faults. An element of a namespace has one declaration, so their names must differ.',
    wrong: provider(`  ORDER: { soap: true, ${REQUEST}, response: text }\n  ORDERResponse: { soap: true, ${REQUEST} }`),
    right: provider(`  ORDER: { soap: true, ${REQUEST}, response: text }\n  ORDER_ANSWER: { soap: true, ${REQUEST} }`),
  }),
  'rest-consumer': error<{ operation: string; method: string }>({
    message: ({ operation }) => `${operation} calls another system over REST, which this version does not know.`,
    hint: ({ method }) => `Say \`soap: true\` in place of \`${method}:\`, or leave out \`target:\` to answer it here.`,
    explanation:
      'An operation with a `target`, its own or that of its service, is a call to another system. In this version such calls are made over SOAP.',
    wrong: consumer(`  ORDER_POST: { post: Orders, ${REQUEST} }`),
    right: consumer(`  ORDER_POST: { soap: true, ${REQUEST} }`),
  }),
  'consumer-header': error<{ header: string; reason: string }>({
    message: ({ header, reason }) => `The header ${header} ${reason}.`,
    hint: ({ header }) =>
      header.toLowerCase() === 'content-type' ? 'For example: Content-Type: text/xml.' : undefined,
    explanation:
      'Where an operation has a `target`, `headers:` are texts that every call carries as they are. Values of a call travel in its body. `Content-Type` says which SOAP it is: `text/xml` is SOAP 1.1, `application/soap+xml` is SOAP 1.2.',
    wrong: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, headers: { X-Number: "{NUMBER}" } }`),
    right: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, headers: { X-Sender: LOCAL, Content-Type: text/xml } }`),
  }),
  'bad-property': error<{ property: string; reason: string }>({
    message: ({ property, reason }) => `${property} ${reason}.`,
    hint: () => 'Say `request: xml`, or SOAPUpContent: Y, so that the gateway writes the envelope.',
    explanation:
      'With `SOAPUpContent: N` the caller hands over the whole envelope as a text, so the request is `xml` or `text`. With `Y` the gateway writes the envelope around the request.',
    wrong: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, properties: { SOAPUpContent: N } }`),
    right: consumer('  ORDER_PUT: { soap: true, request: xml, properties: { SOAPUpContent: N } }'),
  }),
  'no-address': error<{ operation: string; node: string }>({
    message: ({ operation, node }) => `The base of ${node} has no host, and ${operation} can't add one.`,
    hint: () => 'Write the address into the base of the node, or as PRIMARYURL into `properties:`.',
    explanation:
      'A base may be `https://` alone where URI templates begin with the host. A call over SOAP has no URI template: its address is the base of its node, or PRIMARYURL.',
    wrong: consumer(`  ORDER_PUT: { soap: true, ${REQUEST} }`, 'https://'),
    right: consumer(`  ORDER_PUT: { soap: true, ${REQUEST} }`),
  }),
  'consumer-routing': error<{ operation: string; node: string }>({
    message: ({ operation, node }) =>
      `The target ${node} is the routing of ${operation}, which no definition overrides.`,
    hint: () => 'Say `active: false` at the operation itself to switch it off.',
    explanation:
      'A routing definition overrides the routing of an operation that is answered here. Where an operation has a `target`, that is its routing.',
    wrong: `${consumer(`  ORDER_PUT: { soap: true, ${REQUEST} }`)}\n---\nrouting: ORDER_OFF\noperation: ORDER_PUT\nactive: false`,
    right: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, active: false }`),
  }),
};
