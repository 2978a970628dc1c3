import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

const orders = (rest: string): string =>
  `document: ORDER\nfields: { NUMBER: integer, REGION: string(1) }\n---\nservice: Orders.v1\npublic: true\noperations:\n${rest}`;

/** Mistakes in operations: templates, input, answers. */
export const operationEntries = {
  'bad-template': error<{ reason: string }>({
    message: ({ reason }) => `This is not a URI template: ${reason.replace(/\.$/, '')}.`,
    explanation:
      'URI templates follow RFC 6570: `{NAME}`, `{?a,b*}`, `{+path}` and their like. Variables are named with letters, digits, underscores and dots.',
    wrong: orders('  ORDER_GET: { get: "Orders/{NUMBER", request: ORDER }'),
    right: orders('  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }'),
  }),
  'template-not-receivable': error<{ reason: string }>({
    message: ({ reason }) => `No request can match this template: ${reason.replace(/\.$/, '')}.`,
    explanation:
      "What stands after `#` is a fragment, which clients keep to themselves, so a server never sees it. Two variables without a character between them can't be told apart.",
    wrong: orders('  ORDER_GET: { get: "Orders/{#NUMBER}", request: ORDER }'),
    right: orders('  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }'),
  }),
  'unknown-variable': error<{ variable: string; known: readonly string[] }>({
    message: ({ variable }) => `The template variable ${variable} is no field of the request or the template document.`,
    hint: ({ variable, known }) =>
      didYouMean(variable, known, 'Fields here:') ??
      'Name a document with `request:`, or with `template:` for URI variables alone.',
    explanation:
      'Every variable of a URI template is a field of the request, or of the document that `template:` names: so its type, length and required values are known. With `query:` the prompts are the request.',
    wrong: orders('  ORDER_GET: { get: "Orders/{NUMBR}", request: ORDER }'),
    right: orders('  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }'),
  }),
  'variable-type': error<{ variable: string; reason: string }>({
    message: ({ variable, reason }) => `${variable} can't travel here: ${reason}.`,
    explanation:
      "URI variables and headers carry texts: single values, and lists of single values. Binary content and documents travel in the body. A prefix (`{NAME:3}`) has no way back to the whole value, so requests can't be read with it.",
    wrong: orders('  ORDER_GET:\n    get: "Orders/{ITEM}"\n    request: { fields: { ITEM: ORDER } }'),
    right: orders('  ORDER_POST:\n    post: Orders\n    request: { fields: { ITEM: ORDER } }'),
  }),
  'unreachable-field': error<{ field: string; uri: number; why: string }>({
    message: ({ field, uri, why }) => `${field} is required, and a request to URI ${uri} can't give it: ${why}.`,
    hint: () => 'Name it in the template, or leave out `required`.',
    explanation:
      'A field of the request travels in the URI, in a header that names it, or in the body. GET, HEAD and DELETE have no body unless `body:` names a field. A required field that no request can carry would make every call fail, or in a call to another system never be sent.',
    wrong:
      'document: REQUEST\nfields: { REGION: { type: string(1), required: true } }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, request: REQUEST }',
    right:
      'document: REQUEST\nfields: { REGION: { type: string(1), required: true } }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: "Orders/?region={REGION}", request: REQUEST }',
  }),
  overlap: error<{ template: string; other: string; where: string }>({
    message: ({ template, other, where }) => `A request can match both ${template} and ${other} of ${where}.`,
    hint: () => 'Add a literal segment to one of them, or make them one template.',
    explanation:
      'A request must lead to one operation. Of several templates that match a path, the one with literal text in place of a variable wins, then the one that binds most of the given query variables; what remains equal is refused here rather than decided by chance.',
    wrong: orders(
      '  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }\n  REGION_GET: { get: "Orders/{REGION}", request: ORDER }',
    ),
    right: orders(
      '  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }\n  REGION_GET: { get: "Regions/{REGION}", request: ORDER }',
    ),
  }),
  'bad-header': error<{ header: string; reason: string }>({
    message: ({ header, reason }) => `The header ${header} ${reason}.`,
    hint: () => 'Write the field in braces and quotes: X-Region: "{REGION}".',
    explanation:
      '`headers:` ties request headers to fields of the request, each to one: `X-Region: "{REGION}"`. Headers of the protocol itself can\'t be tied.',
    wrong: orders('  ORDERS_GET:\n    get: Orders\n    request: ORDER\n    headers: { X-Region: N }'),
    right: orders('  ORDERS_GET:\n    get: Orders\n    request: ORDER\n    headers: { X-Region: "{REGION}" }'),
  }),
  'bad-body': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      "`body:` is `none`, or the one field of the request that is the whole body. That field can't travel in the URI or a header at the same time.",
    wrong: orders('  ORDER_POST: { post: Orders, request: ORDER, body: NUMBR }'),
    right: orders(
      '  ORDER_POST: { post: "Orders/{REGION}", request: { fields: { REGION: string(1), CONTENT: binary } }, body: CONTENT }',
    ),
  }),
  'bad-wrapper': error<{ operation: string }>({
    message: ({ operation }) => `${operation} has no JSON reply that the wrapper psnonxml could hold.`,
    explanation: 'The wrapper puts the JSON of a document into an XML element, so the response must be a document.',
    wrong: orders('  ORDERS_GET: { get: Orders, response: text, wrapper: psnonxml }'),
    right: orders('  ORDERS_GET: { get: Orders, response: ORDER, wrapper: psnonxml }'),
  }),
  'bad-writes': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    hint: () => 'Say `writes: true`, or name a field of the request with a value that it can have.',
    explanation:
      'An operation either reads or writes. `writes:` says so where method and answer do not: `true` for a GET that starts work, `false` for a POST that only reads, `{ FORM: FILE }` for one that writes when the field FORM of its request is FILE. PUT, PATCH, DELETE and `save:` always write.',
    wrong: orders('  ORDERS_GET: { get: "Orders{?REGION}", request: ORDER, writes: { REGIN: N } }'),
    right: orders('  ORDERS_GET: { get: "Orders{?REGION}", request: ORDER, writes: { REGION: N } }'),
  }),
  'not-granted': error<{ what: string; kind: string }>({
    message: ({ what }) => `${what} is neither granted nor public, so nobody may use it.`,
    hint: ({ kind }) =>
      kind === 'operation'
        ? 'Add `permission: LIST` to the operation or the service, name it in a permission list, or say `public: true`.'
        : kind === 'related-content'
          ? 'Add `permission: LIST`, or `public: true`.'
          : 'Add `permission: LIST`, name it in a permission list, or say `public: true`.',
    explanation:
      'Nothing may be used that is not granted. `permission:` names the lists that grant an operation or a query; a permission list may add more; `public: true` lets everybody in, without credentials.',
    wrong: 'service: Orders.v1\noperations:\n  ORDERS_GET: { get: Orders, response: text }',
    right:
      'permission-list: ORDERS\n---\nservice: Orders.v1\npermission: ORDERS\noperations:\n  ORDERS_GET: { get: Orders, response: text }',
  }),
  'missing-handler': error<{ operation: string; file: string }>({
    message: ({ operation, file }) => `${operation} is answered by ${file}, and there is no such file.`,
    hint: () =>
      '`signalbox generate` writes a stub with the right types. Without code, `query:` answers from a stored query.',
    explanation:
      'An operation without `query:`, `save:`, `read:` or `call:` is answered by code: the file that `handler:` names, or one called as its id, in small letters with dashes.',
    wrong:
      'service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: text }\n#file src/handlers/other/notes.ts\nexport {};',
    right:
      'service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: text }\n#file src/handlers/orders-get.ts\nexport default { onRequest: () => "none" };',
  }),
  'orphan-handler': error<{ file: string; known: readonly string[]; meant: string }>({
    message: ({ file }) => `No operation names the handler ${file}.`,
    hint: ({ meant, known }) =>
      didYouMean(meant, known, 'Operations look for') ??
      'Remove it, or move code that handlers share into a folder below.',
    explanation:
      'Every .ts file directly in the folder of handlers answers an operation. A file that none names is left over from one that was renamed or removed. Code that handlers share stands in a folder below.',
    wrong: 'gateway: LOCAL\n#file src/handlers/orders-gte.ts\nexport {};',
    right: 'gateway: LOCAL\n#file src/handlers/lib/orders.ts\nexport {};',
  }),
  'unknown-handler': error<{ name: string }>({
    message: ({ name }) => `There is no handler ${name} for operations of a project.`,
    hint: () => 'Handlers of the package answer the services that `delivered:` switches on. Name a file of your own.',
    explanation: 'Handlers that begin with `signalbox/` ship in the package and answer its own services.',
    wrong:
      'service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: text, handler: signalbox/orders }',
    right:
      'service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: Orders, response: text, handler: orders }',
  }),
  'uri-index': error<{ operation: string; index: number; template: string; change: 'removed' | 'moved'; now: number }>({
    message: ({ operation, index, template, change, now }) =>
      change === 'removed'
        ? `${operation} had ${template} as URI ${index}, and it is gone.`
        : `${operation} had ${template} as URI ${index}, and it is URI ${now} now.`,
    hint: () =>
      'Keep the order, and add new templates at the end. A contract that must change is a new version of the service.',
    explanation:
      'Callers and handlers know URI templates by their index. The committed `generated/registry.json` says which there were: an index is never removed or given to another template that was there.',
    wrong: `${orders('  ORDER_GET: { get: "Orders/{NUMBER}", request: ORDER }')}\n#file generated/registry.json\n{ "operations": { "ORDER_GET": { "uris": ["Orders/{NUMBER}", "Orders/?number={NUMBER}"] } } }`,
    right: `${orders('  ORDER_GET: { get: ["Orders/{NUMBER}", "Orders/?number={NUMBER}"], request: ORDER }')}\n#file generated/registry.json\n{ "operations": { "ORDER_GET": { "uris": ["Orders/{NUMBER}"] } } }`,
  }),
};

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
