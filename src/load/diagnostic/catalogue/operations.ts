import { didYouMean } from '../suggest.ts';
import { error } from './entry.ts';

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
