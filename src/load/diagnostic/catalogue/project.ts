import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

/** Mistakes between definitions: ids, references, names, the gateway. */
export const projectEntries = {
  'no-definitions': error<{ folder: string }>({
    message: ({ folder }) => `There are no definitions: the folder ${folder} does not exist or contains no .yaml file.`,
    hint: () => 'Create a project with `signalbox init <dir>`, or name another folder with --definitions.',
    explanation: 'Definitions are the .yaml and .yml files in the folder `definitions` and its subfolders.',
  }),
  'no-gateway': error<object>({
    message: () => 'The gateway definition is missing.',
    hint: () => 'Add a file with the line `gateway: LOCAL`.',
    explanation: 'A project has one gateway definition. Everything in it except the id has a default.',
  }),
  'two-gateways': error<{ first: string }>({
    message: ({ first }) => `A second gateway definition is not allowed; the first is at ${first}.`,
    hint: () => 'Remove one of them.',
    explanation:
      'A project has one gateway definition. For systems with different addresses, refer to configuration: `${env:X}`.',
  }),
  'duplicate-id': error<{ what: string; first: string }>({
    message: ({ what, first }) => `${what} is already declared at ${first}.`,
    hint: () => 'Rename one of them.',
    explanation:
      'Ids are unique within their kind, across all files. The names of operations, including SOAP twins and flows, are unique within one version of a service; other versions and services may use them again. Services, and the operations of a service, must differ by more than letter case. A document in place gets its id from its position: `LOCATIONS_GET_REQUEST`.',
  }),
  'unknown-reference': error<{ what: string; id: string; known: readonly string[] }>({
    message: ({ what, id }) => `Unknown ${what} "${id}".`,
    hint: ({ id, known }) => didYouMean(id, known),
    explanation:
      'Everything that is referred to by id must be declared: documents, queries, schemes, permission lists, roles, operations, services of the package.',
  }),
  'ambiguous-operation': error<{ name: string; meant: string; first: string }>({
    message: ({ name, meant }) => `The name ${name} is ambiguous: it may be ${meant}.`,
    hint: ({ first }) => `Write the full name, for example ${first}.`,
    explanation:
      'A reference to an operation is its name alone, or its name with service and version: `Orders.v1.STATUS_GET`. The name alone refers to the default version of the service; in a permission list, to every version. It is ambiguous when operations of several services, or of several versions none of which is the default, have it.',
  }),
  'reserved-name': error<{ name: string; why: string }>({
    message: ({ name, why }) => `${name} is a reserved name: ${why}.`,
    hint: () => 'Choose another name.',
    explanation:
      "Some words have a fixed meaning: the words for types and messages can't be ids of documents, and `__proto__` can't be a field.",
  }),
  'xml-name': error<{ name: string }>({
    message: ({ name }) => `${name} is not a valid XML name.`,
    hint: () =>
      'Begin with a letter or underscore, followed by letters, digits, ., - and _. To set a name for XML only, use `xml:`.',
    explanation:
      'Every document has an XML form, so the names of documents, fields, columns and operations must be XML names without a colon (NCName, Namespaces in XML 1.0). `xml:` gives a field or document another name in XML, `json:` in JSON.',
  }),
  'duplicate-name': error<{ name: string; where: string; other: string }>({
    message: ({ name, where, other }) => `${name} is already the name of ${other} in ${where}.`,
    hint: () => 'Rename one of them.',
    explanation:
      "Two fields of a document can't have the same name in JSON or in XML, and two columns of a query must differ by more than letter case.",
  }),
  'node-name': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} can't be the name of a node: ${reason}.`,
    hint: () => 'Rename the node.',
    explanation:
      "In a path, the node is at the same position as the service (`/gateway/RESTListeningConnector/LOCAL/Locations.v1/...`) and is optional. So its name has no dot and differs from every service name in a path. This also applies to the gateway's own name.",
  }),
  'variable-in-base': error<{ variable: string }>({
    message: ({ variable }) => `A base URL can't contain the call variable ${variable}.`,
    hint: () => 'Move it to the URI templates; a base may be only `https://`. Configuration is written ${env:NAME}.',
    explanation:
      'A base URL is the constant part of an address (specification, section 8). The part that differs between calls belongs in the URI template.',
  }),
  'bad-address': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} ${reason}.`,
    explanation:
      'Addresses without references to configuration are checked when definitions are loaded, all others at start, when their values are known.',
  }),
  'two-defaults': error<{ service: string; other: string }>({
    message: ({ service, other }) => `${service} and ${other} are both the default version.`,
    hint: () => 'Remove `default: true` from one of them.',
    explanation:
      'A path without a version leads to the default version, so a service has one. Without `default: true` it is the lowest version.',
  }),
  'bad-date': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} ${reason}.`,
    explanation: "Dates are written yyyy-MM-dd and must exist. `sunset` can't be before `since`.",
  }),
  'two-routings': error<{ operation: string; first: string }>({
    message: ({ operation, first }) => `The routing of ${operation} is already overridden at ${first}.`,
    hint: () => 'Remove one of the routings.',
    explanation: 'An operation has one generated routing, which one routing definition may override.',
  }),
  'no-migrations': error<{ folder: string }>({
    message: ({ folder }) => `The folder of migrations, ${folder}, does not exist.`,
    hint: ({ folder }) =>
      `Create it, with a file such as ${folder}/0001-orders.sql. It is relative to the project's folder, not to that of the definitions.`,
    explanation:
      '`migrations` of the gateway names a folder of SQL files, which create and change the tables of the project in the database of the gateway. It may be empty.',
  }),
  'migration-name': error<{ file: string; reason: string; remedy: string }>({
    message: ({ file, reason }) => `${file} is not a migration: ${reason}.`,
    hint: ({ remedy }) => remedy,
    explanation:
      'The name of a migration is a number, a hyphen, and a name of lower-case letters, digits, hyphens and underscores: `0001-orders.sql`. A file for one engine only has that before the ending: `0001-orders.sqlite.sql`, `0001-orders.postgres.sql`. All .sql files of the folder are migrations; those in its subfolders would never run.',
  }),
  'migration-number': error<{ file: string; other: string; reason: string; remedy: string }>({
    message: ({ file, other, reason }) => `${file} and ${other} ${reason}.`,
    hint: ({ remedy }) => remedy,
    explanation:
      'Migrations run in the order of their numbers, and the database records by number which of them ran. So a number belongs to one file for all engines, or to one file with the same name for each engine. Gaps are allowed.',
  }),
  'migration-sql': error<{ reason: string; remedy: string }>({
    message: ({ reason }) => `The migration can't run: ${reason}.`,
    hint: ({ remedy }) => remedy,
    explanation:
      'A migration runs in a transaction of its own, which also records it, so it contains no `begin` and no `commit`. The first lines may have the comment `-- signalbox: no transaction`: then each statement commits by itself, as `create index concurrently` of PostgreSQL requires.',
  }),
  'no-sample-data': error<{ pattern: string }>({
    message: ({ pattern }) => `The folder of the sample data ${pattern} can't be read.`,
    hint: () => 'Create it, or remove `sample-data`. It is relative to the definitions folder.',
    explanation:
      '`sample-data` of the gateway names files of SQL by a glob. Their folder must exist; it may contain no such file.',
  }),
  'sample-data-tables': warning<{ statement: string; folder: string }>({
    message: ({ statement }) => `Sample data changes tables: ${statement}.`,
    hint: ({ folder }) => `Move the statement to a migration, in ${folder}. Migrations run first, in production too.`,
    explanation:
      'Files of `sample-data` fill tables with data to try things with. A project that has `migrations` creates its tables there: migrations run before any sample data, in the order of their numbers, and a change of one that ran is noticed. The first such statement of each file is reported.',
  }),
  'registry-unreadable': warning<{ reason: string }>({
    message: ({ reason }) => `The committed registry can't be read, so URI indexes were not checked: ${reason}.`,
    hint: () => 'Write it again with `signalbox generate`.',
    explanation:
      '`generated/registry.json` is compared with the definitions, because a URI index must not be removed or reordered. The file is not JSON, or not of the form that `generate` writes; it may contain conflict markers of a merge.',
  }),
};
