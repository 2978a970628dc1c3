import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

const SERVICE = 'service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET:\n    get: Orders\n    response: text\n';

const TWO_SERVICES = ['Orders', 'Invoices']
  .map(
    (name) =>
      `service: ${name}.v1\nrequires: basic\npermission: STATUS\noperations:\n  STATUS_GET: { get: Status, response: text }\n---\n`,
  )
  .join('');

/** Mistakes between definitions: ids, references, names, the gateway. */
export const projectEntries = {
  'no-definitions': error<{ folder: string }>({
    message: ({ folder }) => `There are no definitions: the folder ${folder} does not exist or holds no .yaml file.`,
    hint: () => '`signalbox init <dir>` makes a project; --definitions names another folder.',
    explanation: 'Definitions are the .yaml and .yml files in the folder `definitions` and in all folders below it.',
    wrong: '#file README.md\nNothing here.',
    right: 'gateway: LOCAL',
  }),
  'no-gateway': error<object>({
    message: () => 'There is no gateway definition.',
    hint: () => 'Add a file with the line `gateway: LOCAL`.',
    explanation: 'A project has one gateway definition. Everything in it but the id has a default.',
    wrong: 'document: ORDER\nfields: { NUMBER: integer }\n#file definitions/gateway.yaml\n# empty',
    right: 'gateway: LOCAL\n---\ndocument: ORDER\nfields: { NUMBER: integer }',
  }),
  'two-gateways': error<{ first: string }>({
    message: ({ first }) => `There is another gateway definition, at ${first}.`,
    explanation:
      'A project has one gateway definition. Systems that differ by their addresses refer to configuration: `${env:X}`.',
    wrong: 'gateway: LOCAL\n---\ngateway: TEST',
    right: 'gateway: LOCAL',
  }),
  'duplicate-id': error<{ what: string; first: string }>({
    message: ({ what, first }) => `${what} is declared already, at ${first}.`,
    hint: () => 'Rename one of them.',
    explanation:
      'Ids are unique over all files, by kind. Names of operations are unique in a service of one version, SOAP twins and flows among them; another version, or another service, may have the same. Services, and the operations of one, differ by more than letter case. Documents that are written in place get an id from where they stand: `LOCATIONS_GET_REQUEST`.',
    wrong: 'permission-list: ORDERS\n---\npermission-list: ORDERS',
    right: 'permission-list: ORDERS\n---\npermission-list: ORDER_ADMIN',
  }),
  'unknown-reference': error<{ what: string; id: string; known: readonly string[] }>({
    message: ({ what, id }) => `There is no ${what} ${id}.`,
    hint: ({ id, known }) => didYouMean(id, known),
    explanation:
      'What is referred to by id must be declared: documents, queries, schemes, permission lists, roles, operations, services of the package.',
    wrong: 'permission-list: ORDERS\n---\nrole: CLERK\npermission-lists: [ORDER]',
    right: 'permission-list: ORDERS\n---\nrole: CLERK\npermission-lists: [ORDERS]',
  }),
  'ambiguous-operation': error<{ name: string; meant: string; first: string }>({
    message: ({ name, meant }) => `${name} may be ${meant}.`,
    hint: ({ first }) => `Write one of them in full: ${first}.`,
    explanation:
      'An operation is named by its name alone, or with its service and version: `Orders.v1.STATUS_GET`. The name alone means the operation of the default version of its service; in a permission list it means the operation in every version. Where several services have an operation of that name, or several versions that are not the default one, the name alone is ambiguous.',
    wrong: `${TWO_SERVICES}permission-list: STATUS\noperations: [STATUS_GET]`,
    right: `${TWO_SERVICES}permission-list: STATUS\noperations: [Orders.v1.STATUS_GET]`,
  }),
  'reserved-name': error<{ name: string; why: string }>({
    message: ({ name, why }) => `${name} can't be a name here: ${why}.`,
    explanation:
      "Some words have a meaning of their own: the types and the words for messages can't be ids of documents, and `__proto__` can't be a field.",
    wrong: 'document: text\nfields: { NUMBER: integer }',
    right: 'document: TEXT_LINE\nfields: { NUMBER: integer }',
  }),
  'xml-name': error<{ name: string }>({
    message: ({ name }) => `${name} is not a name that XML can carry.`,
    hint: () =>
      'Names begin with a letter or underscore; letters, digits, ., - and _ follow. `xml:` gives a name for XML alone.',
    explanation:
      'Every document has an XML form, so names of documents, fields, columns and operations must be XML names without a colon (NCName, Namespaces in XML 1.0). `xml:` gives a field or document another name in XML, `json:` another one in JSON.',
    wrong: 'document: ORDER\nfields: { 1ST_ITEM: string }',
    right: 'document: ORDER\nfields: { 1ST_ITEM: { type: string, xml: FIRST_ITEM } }',
  }),
  'duplicate-name': error<{ name: string; where: string; other: string }>({
    message: ({ name, where, other }) => `${name} is the name in ${where} of ${other} too.`,
    explanation:
      "Two fields of one document can't have the same name in JSON or in XML, and two columns of a query must differ by more than letter case.",
    wrong: 'document: ORDER\nfields: { NUMBER: integer, LABEL: { type: string, json: NUMBER } }',
    right: 'document: ORDER\nfields: { NUMBER: integer, LABEL: { type: string, json: label } }',
  }),
  'node-name': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `A node can't be called ${name}: ${reason}.`,
    explanation:
      "The node stands at the same place of a path as the service (`/gateway/RESTListeningConnector/LOCAL/Locations.v1/...`) and may be left out. So its name holds no dot, and equals no name of a service in a path. This holds for the gateway's own name too.",
    wrong: `node: Orders\nbase: https://example.org\n---\n${SERVICE}`,
    right: `node: ORDER_HOST\nbase: https://example.org\n---\n${SERVICE}`,
  }),
  'variable-in-base': error<{ variable: string }>({
    message: ({ variable }) => `A base URL can't hold a variable of the call: ${variable}.`,
    hint: () => 'Move it to the URI templates; a base may be `https://` alone. Configuration is written ${env:NAME}.',
    explanation:
      'A base URL is the fixed part of an address (specification, section 8). What differs from call to call stands in the URI template.',
    wrong: 'node: PARTNER\nbase: "https://{TENANT}.example.org"',
    right: 'node: PARTNER\nbase: https://',
  }),
  'bad-address': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} ${reason}.`,
    explanation:
      'Addresses that hold no reference to configuration are checked here; the others at start, when the values are known.',
    wrong: 'node: PARTNER\nbase: ftp://example.org',
    right: 'node: PARTNER\nbase: https://example.org',
  }),
  'two-defaults': error<{ service: string; other: string }>({
    message: ({ service, other }) => `${service} and ${other} are both the default version.`,
    explanation:
      'A path without a version reaches the default version, so there is one of each service. Without `default: true` it is the lowest version.',
    wrong: `${SERVICE}default: true\n---\nservice: Orders.v2\npublic: true\ndefault: true\noperations:\n  ORDERS_GET_V2: { get: Orders, response: text }`,
    right: `${SERVICE}---\nservice: Orders.v2\npublic: true\ndefault: true\noperations:\n  ORDERS_GET_V2: { get: Orders, response: text }`,
  }),
  'bad-date': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} ${reason}.`,
    explanation:
      'Dates are written yyyy-MM-dd and exist in the calendar; a sunset does not come before the date since when a service is deprecated.',
    wrong: `${SERVICE}deprecated: { sunset: 2027-02-30 }`,
    right: `${SERVICE}deprecated: { sunset: 2027-02-28 }`,
  }),
  'two-routings': error<{ operation: string; first: string }>({
    message: ({ operation, first }) => `The routing of ${operation} is overridden already, at ${first}.`,
    explanation: 'An operation has one routing, which is generated; a routing definition overrides it, once.',
    wrong: `${SERVICE}---\nrouting: ONE\noperation: ORDERS_GET\n---\nrouting: TWO\noperation: ORDERS_GET`,
    right: `${SERVICE}---\nrouting: ONE\noperation: ORDERS_GET`,
  }),
  'registry-unreadable': warning<{ reason: string }>({
    message: ({ reason }) => `The committed registry can't be read, so URI indexes were not compared: ${reason}.`,
    hint: () => '`signalbox generate` writes it anew.',
    explanation:
      '`generated/registry.json` is compared with the definitions, because a URI index must not be removed or reordered. It holds no JSON, or not of the form that `generate` writes: perhaps a merge left its marks in it.',
    wrong: `${SERVICE}#file generated/registry.json\n<<<<<<< ours`,
    right: `${SERVICE}#file generated/registry.json\n{ "operations": {} }`,
  }),
};
