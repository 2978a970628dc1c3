import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

/** Mistakes in operations: templates, input, answers. */
export const operationEntries = {
  'bad-template': error<{ reason: string }>({
    message: ({ reason }) => `This is not a valid URI template: ${reason.replace(/\.$/, '')}.`,
    explanation:
      'URI templates follow RFC 6570: `{NAME}`, `{?a,b*}`, `{+path}` and so on. Names of variables consist of letters, digits, underscores and dots.',
  }),
  'template-not-receivable': error<{ reason: string }>({
    message: ({ reason }) => `No request can match this template: ${reason.replace(/\.$/, '')}.`,
    explanation:
      "Anything after `#` is a fragment, which clients do not send. Two variables without a character between them can't be told apart in a request.",
  }),
  'unknown-variable': error<{ variable: string; known: readonly string[] }>({
    message: ({ variable }) => `The template variable ${variable} is not a field of the request or of \`variables:\`.`,
    hint: ({ variable, known }) =>
      didYouMean(variable, known, 'Fields here:') ??
      'Add a document with `request:`, or with `variables:` for URI variables only.',
    explanation:
      'Every variable of a URI template is a field of the request, or of the document in `variables:`, which gives it its type and length and tells whether it is required. With `query:`, the prompts are the request.',
  }),
  'variable-type': error<{ variable: string; reason: string }>({
    message: ({ variable, reason }) => `${variable} can't be sent here: ${reason}.`,
    explanation:
      "URI variables and headers carry text: single values and lists of single values. Binary content and documents are sent in the body. A prefix (`{NAME:3}`) does not contain the whole value, so a request can't be read with it.",
  }),
  'unreachable-field': error<{ field: string; uri: number; why: string }>({
    message: ({ field, uri, why }) => `The required field ${field} can't be sent with URI ${uri}: ${why}.`,
    hint: ({ field }) => `Add it to the template, as {${field}} or {?${field}}, or remove \`required\`.`,
    explanation:
      'A field of the request is sent in the URI, in a header that refers to it, or in the body. GET, HEAD and DELETE have no body unless `body:` names a field. If no request could carry a required field, every call would fail; in a call to another system, the field would never be sent.',
  }),
  'unsent-field': warning<{ field: string; operation: string; why: string; isSingle: boolean }>({
    message: ({ field, operation, why }) => `No request to ${operation} can send ${field}: ${why}.`,
    hint: ({ field, isSingle }) =>
      isSingle
        ? `Add it to the template: {?${field}}.`
        : 'Write `post:` in place of the method, so that there is a body.',
    explanation:
      'A field of the request has no place in a template, in a header or in the body, so it never has a value. GET, HEAD and DELETE have no body unless `body:` names a field. This is not reported of documents with an id of their own, which operations may share, nor of prompts, which other callers of the query may give.',
  }),
  overlap: error<{ template: string; other: string; where: string }>({
    message: ({ template, other, where }) => `A request can match both ${template} and ${other} of ${where}.`,
    hint: () => 'Add a literal segment to one of them, or merge them into one template.',
    explanation:
      'A request must lead to exactly one operation. When several templates match a path, the one with literal text instead of a variable wins, then the one that binds most of the query variables. Templates that are still equal are rejected, because the choice between them would be arbitrary.',
  }),
  'bad-header': error<{ header: string; reason: string }>({
    message: ({ header, reason }) => `The header ${header} ${reason}.`,
    hint: () => 'Write the field in braces and quotes: X-Region: "{REGION}".',
    explanation:
      '`headers:` binds each request header to one field of the request: `X-Region: "{REGION}"`. Headers of the protocol itself can\'t be bound.',
  }),
  'bad-body': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      "`body:` is `none`, or the one field of the request that is the whole body. That field can't also be sent in the URI or a header.",
  }),
  'bad-wrapper': error<{ operation: string }>({
    message: ({ operation }) => `The wrapper psnonxml of ${operation} has no effect: the operation has no JSON reply.`,
    hint: () => 'Make the response a document, or remove `wrapper`.',
    explanation: 'The wrapper puts the JSON of a document into an XML element, so the response must be a document.',
  }),
  'bad-writes': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    hint: () => 'Write `writes: true`, or a field of the request with one of its possible values.',
    explanation:
      'An operation either reads or writes. `writes:` overrides what its method and answer imply: `true` for a GET that starts work, `false` for a POST that only reads, `{ FORM: FILE }` for one that writes when the field FORM of its request is FILE. PUT, PATCH, DELETE and `save:` always write.',
  }),
  'unknown-map-field': error<{ name: string; where: string; known: readonly string[] }>({
    message: ({ name, where }) => `${name} is not a field of ${where}.`,
    hint: ({ name, known }) => didYouMean(name, known, 'Fields there:'),
    explanation:
      'The keys of `map` are fields of what is filled: of the request of the called operation, and of the response. Their values name fields of what arrives: of the request, and of the reply of the called operation. A path leads into inner documents: `address.city`.',
  }),
  'unfilled-field': error<{ field: string; of: string; from: string }>({
    message: ({ field, of, from }) => `${field} of ${of} is required, and nothing of ${from} fills it.`,
    hint: ({ field }) => `Say what fills it with \`map\`: \`${field}: "{FIELD}"\`, or a value that is always the same.`,
    explanation:
      'An operation that another one answers fills all that this one requires, and gets all that its own response requires: from fields of the same name, or as `map` says.',
  }),
  'unused-field': error<{ field: string; operation: string; by: string }>({
    message: ({ field, operation, by }) => `${field} of the request of ${operation} fills nothing of ${by}.`,
    hint: ({ field }) => `Map it to a field with \`map\`, or list it in \`unused: [${field}]\` of \`map\`.`,
    explanation:
      'What callers send must not get lost by mistake: each field of the request fills a field of the operation that answers, or is listed as unused.',
  }),
  'bad-map': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'An entry of `map` fills a field from another one whose values fit it. Types must fit, a required field needs a value that is always there, and of a field with an `enum` all values must be allowed, or become allowed ones with `values`. Documents, and the entries of lists and maps of documents, are mapped field by field.',
  }),
  'call-circle': error<{ operation: string; path: string }>({
    message: ({ operation, path }) => `${operation} would answer itself: ${path}.`,
    hint: () => 'Give one of them an answer of its own.',
    explanation: 'Operations that answer each other with `call` end at one with code, a query, or another answer.',
  }),
  'not-granted': error<{ what: string; kind: string }>({
    message: ({ what, kind }) => `The ${kind} ${what} is neither granted nor public, so no one is permitted to use it.`,
    hint: ({ kind }) =>
      kind === 'operation'
        ? 'Add `permission: LIST` to the operation or the service, add it to a permission list, or write `public: true`.'
        : kind === 'related-content'
          ? 'Add `permission: LIST` or `public: true`.'
          : 'Add `permission: LIST`, add it to a permission list, or write `public: true`.',
    explanation:
      'Everything must be granted before it can be used. `permission:` names the lists that grant an operation or a query, and a permission list may add more. `public: true` permits everyone, without credentials.',
  }),
  'missing-handler': error<{ operation: string; file: string }>({
    message: ({ operation, file }) => `The handler of ${operation}, ${file}, does not exist.`,
    hint: () =>
      '`signalbox generate` writes a stub with the right types. An operation needs no code with `query:`, `save:`, `read:`, `call:` or `queue:`.',
    explanation:
      'Code answers an operation without `query:`, `save:`, `read:`, `call:` or `queue:`: the file in `handler:`, or the file named after the id of the operation, in lower case with hyphens. One that is not active may do without.',
  }),
  'orphan-handler': error<{ file: string; known: readonly string[]; meant: string }>({
    message: ({ file }) => `No operation uses the handler ${file}.`,
    hint: ({ meant, known }) =>
      didYouMean(meant, known, 'Operations look for') ?? 'Remove it, or move code that handlers share to a subfolder.',
    explanation:
      'Every .ts file directly in the handlers folder answers an operation. An unused file is left over from an operation that was renamed or removed. Code that handlers share belongs in a subfolder.',
  }),
  'unknown-handler': error<{ name: string }>({
    message: ({ name }) => `The handler ${name} can't be used by operations of a project.`,
    hint: () => 'Handlers of the package answer the services that `delivered:` enables. Use a file of your own.',
    explanation: 'Handlers whose names begin with `signalbox/` are part of the package and answer its own services.',
  }),
  'uri-index': error<{ operation: string; index: number; template: string; change: 'removed' | 'moved'; now: number }>({
    message: ({ operation, index, template, change, now }) =>
      change === 'removed'
        ? `The template ${template}, URI ${index} of ${operation}, was removed.`
        : `The template ${template} of ${operation} was moved from URI ${index} to URI ${now}.`,
    hint: () => 'Keep the order and append new templates. To change the contract, add a new version of the service.',
    explanation:
      'Callers and handlers identify URI templates by their index. The committed `generated/registry.json` records the indexes: an index is never removed or given to another of these templates.',
  }),
};

/** Mistakes in operations over SOAP, and in those that call another system. */
export const soapEntries = {
  'key-without-effect': error<{ key: string; owner: string; why: string }>({
    message: ({ key, why }) => `${key} has no effect here: ${why}.`,
    hint: ({ key, owner }) => `Remove ${key} from ${owner}.`,
    explanation:
      'Some keys of an operation are for REST, some for operations that are answered here, some for calls to other systems. A key that can have no effect is rejected instead of ignored. What a service sets for all of its operations applies to those that can use it.',
  }),
  'one-way-fault': error<{ operation: string }>({
    message: ({ operation }) =>
      `${operation} has no response and is therefore one-way, so its fault would never be sent.`,
    hint: () => 'Add a `response:`, or remove `fault:`.',
    explanation:
      'Over SOAP an operation without a response is one-way: the caller only learns that the message has arrived. A fault document would never be sent. One that the service sets for all operations is ignored.',
  }),
  'bad-soap': error<{ operation: string; reason: string }>({
    message: ({ operation, reason }) => `${operation} can't be offered or called over SOAP as declared: ${reason}.`,
    explanation:
      'WSDL describes the messages of an operation by elements and types of XML Schema. With `wrapped: false` the element of a document is the content of the Body, and needs a namespace.',
  }),
  'element-name': error<{ name: string; first: string; second: string }>({
    message: ({ name, first, second }) => `The XML element ${name} would be both ${first} and ${second}.`,
    hint: () =>
      'Rename one of them: `xml:` sets the name of a document in XML, `soap: NAME` that of an operation in SOAP.',
    explanation:
      'Over SOAP the element of a request has the name of the operation, and that of the reply is `<OPERATION>Response`. Both are in the namespace of the service, together with header blocks and the documents of REST messages and faults. A namespace has one declaration of each element, so their names must differ, unless the two are the same in XML: a document may be a message and a fault, and a header block, too. Only the element of a request with the name of its operation belongs to one operation alone.',
  }),
  'code-name': warning<{ name: string; other: string }>({
    message: ({ name, other }) => `${name} and ${other} have the same name in generated code.`,
    hint: () =>
      'Rename one so that they differ by more than punctuation and letter case. `xml:` renames it in XML only.',
    explanation:
      'Partners generate code from WSDL, WADL and XML Schema. JAXB removes `_`, `-` and `.` from a name and capitalises the next letter, so `a_b` and `aB` become one property. So do an attribute and an element of the same name, and `any` and the undeclared fields of an open document. JAXB rejects a contract with two such fields in one document, or two such elements (messages, faults, SOAP operations) in one service. Other clients, and callers that use JSON, are not affected, so this is a warning. Names that contracts derive never collide.',
  }),
  'clear-name': error<{ operation: string; field: string; xmlName: string }>({
    message: ({ operation, field, xmlName }) =>
      `The field ${field} of ${operation} can't have the XML name ${xmlName}: over SOAP the element clear lists the fields to empty.`,
    hint: ({ field }) => `Give ${field} another name in XML, with \`xml:\`.`,
    explanation:
      'A PATCH of a component over SOAP has an element `clear` for each field to empty, which contains the XML name of the field. So no field may have the XML name `clear`, `Clear` or `CLEAR_`, which code generators do not distinguish, and no two fields that can be emptied may have the same XML name.',
  }),
  'consumer-header': error<{ header: string; reason: string; example?: string }>({
    message: ({ header, reason }) => `The header ${header} ${reason}.`,
    hint: ({ header, example }) => (example === undefined ? undefined : `For example: ${header}: ${example}.`),
    explanation:
      'For an operation with a `target`, `headers:` are the headers of the call. Over REST they may contain values of the call and configuration, and `Content-Type` must fit the body. Over SOAP they are the same in every call, values are sent in the body, and `Content-Type` selects the version: `text/xml` is SOAP 1.1, `application/soap+xml` is SOAP 1.2. Headers of the protocol itself are written by the gateway.',
  }),
  'bad-property': error<{ property: string; reason: string; hint: string }>({
    message: ({ property, reason }) => `${property} ${reason}.`,
    hint: ({ hint }) => hint,
    explanation:
      'Connector properties must fit their call. With `SOAPUpContent: N` the caller passes the whole envelope as text, so the request is `xml` or `text`; with `Y` the gateway writes the envelope around the request. `Base64toBinary` is for a body of binary content, `Disable_URLEncodingBody` for a form, and METHOD must equal the method of the operation.',
  }),
  'no-address': error<{ operation: string; node: string }>({
    message: ({ operation, node }) => `The base of node ${node} has no host, and ${operation} can't add one.`,
    hint: () => 'Write the full address in the base of the node, or in PRIMARYURL of `properties:`.',
    explanation:
      'A base may be only `https://` when URI templates begin with the host. A call over SOAP has no URI template: its address is the base of its node, or PRIMARYURL.',
  }),
};
