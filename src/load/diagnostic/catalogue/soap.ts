import { error, warning } from './entry.ts';

const provider = (rest: string): string => `service: Orders.v1\npublic: true\noperations:\n${rest}`;

const consumer = (rest: string, base = 'https://example.org'): string =>
  `node: PARTNER\nbase: ${base}\n---\nservice: Partner.v1\npublic: true\ntarget: PARTNER\noperations:\n${rest}`;

const changed = (field: string): string =>
  `document: PLACE\nfields: { ID: { type: string(10), required: true }, ${field} }\n---\ncomponent: PLACES\ntable: place\nshape: PLACE\nkeys: [ID]\n---\n${provider('  PLACE_PATCH: { patch: "Places/{ID}", soap: true, save: PLACES }')}`;

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
  'code-name': warning<{ name: string; other: string }>({
    message: ({ name, other }) => `${name} and ${other} have the same name in generated code.`,
    hint: () =>
      'Rename one so that they differ by more than punctuation and capital letters; `xml:` gives it another name in XML alone.',
    explanation:
      'Partners generate code from WSDL, WADL and XML Schema. JAXB drops `_`, `-` and `.` from a name and capitalises what follows, so that `a_b` and `aB` are one property, as are an attribute and an element of one name, and `any` and what an open document holds beside its fields. It refuses a contract with two such fields in one document, or two such elements (messages, faults, operations over SOAP) in one service. Other clients can use it, and so can callers that speak JSON, so this is a warning. Names that contracts make up never collide.',
    wrong: provider(
      '  ORDERS_GET: { get: Orders, response: { application/xml: ORDER } }\n---\ndocument: ORDER\nfields: { ORDER_ID: integer, OrderId: string }',
    ),
    right: provider(
      '  ORDERS_GET: { get: Orders, response: { application/xml: ORDER } }\n---\ndocument: ORDER\nfields: { ORDER_ID: integer, OrderId: { type: string, xml: ExternalId } }',
    ),
  }),
  'clear-name': error<{ operation: string; field: string; xmlName: string }>({
    message: ({ operation, field, xmlName }) =>
      `${operation} is a change over SOAP, where the element clear names the fields to empty: ${field} can't be called ${xmlName} in XML.`,
    hint: ({ field }) => `Give ${field} another name in XML, with \`xml:\`.`,
    explanation:
      'A PATCH of a component over SOAP has an element `clear`, once for each field that is to be emptied, with the name that the field has in XML. So no field may be called `clear` there, nor `Clear` or `CLEAR_`: generators of code take the two for one. Nor may two fields that can be emptied have one name.',
    wrong: changed('CLEAR: flag'),
    right: changed('CLEAR: { type: flag, xml: CLEARED }'),
  }),
  'consumer-header': error<{ header: string; reason: string; example?: string }>({
    message: ({ header, reason }) => `The header ${header} ${reason}.`,
    hint: ({ header, example }) => (example === undefined ? undefined : `For example: ${header}: ${example}.`),
    explanation:
      'Where an operation has a `target`, `headers:` are the headers of the call. Over REST their texts may hold values of the call and configuration, and `Content-Type` fits the body. Over SOAP every call carries them as they are, values of a call travel in its body, and `Content-Type` says which SOAP it is: `text/xml` is SOAP 1.1, `application/soap+xml` is SOAP 1.2. Headers of the protocol itself are written by the gateway.',
    wrong: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, headers: { X-Number: "{NUMBER}" } }`),
    right: consumer(`  ORDER_PUT: { soap: true, ${REQUEST}, headers: { X-Sender: LOCAL, Content-Type: text/xml } }`),
  }),
  'bad-property': error<{ property: string; reason: string; hint: string }>({
    message: ({ property, reason }) => `${property} ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'Connector properties fit the call that they are for. With `SOAPUpContent: N` the caller hands over the whole envelope as a text, so the request is `xml` or `text`; with `Y` the gateway writes the envelope around the request. `Base64toBinary` is for a body of binary content, `Disable_URLEncodingBody` for one that is a form, and METHOD says again what the operation says.',
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
};
