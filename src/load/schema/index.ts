import { SCALAR_KINDS } from '../../model/scalar.ts';
import { RAW_KINDS } from '../../model/service.ts';
import { process, recurrence } from '../process.ts';
import { datasource } from '../query/datasource.ts';
import { routing } from '../routing.ts';
import { component, relatedContent } from './component.ts';
import { document, field, fields, inPlaceDocument } from './document.ts';
import { flow, flowStep } from './flow.ts';
import { gateway } from './gateway.ts';
import { type JsonSchema, mapOr } from './json-schema.ts';
import { KEYS_OF, KINDS, type Kind } from './kinds.ts';
import { node } from './node.ts';
import { operation } from './operation.ts';
import { query } from './query.ts';
import { scheme } from './scheme.ts';
import { permissionList, role, user } from './security.ts';
import { service } from './service.ts';

export type { JsonSchema } from './json-schema.ts';

/** The schema of each kind. */
export const kindSchemas: Readonly<Record<Kind, JsonSchema>> = {
  gateway,
  node,
  service,
  document,
  datasource,
  query,
  component,
  'related-content': relatedContent,
  process,
  recurrence,
  scheme,
  'permission-list': permissionList,
  role,
  user,
  routing,
};

/**
 * One JSON Schema (draft 7) for every kind of definition, selected by its kind. `known` adds the ids of a project as proposals
 * where a definition refers to one. Other texts stay valid there, because the loader reports more about them.
 */
export function definitionsSchema(known: KnownIds = {}): JsonSchema & { readonly $schema: string } {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Signalbox definitions',
    type: 'object',
    oneOf: KINDS.map(ofKind),
    allOf: KINDS.map((kind) => ({
      if: ofKind(kind),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: kindSchemas[kind],
    })),
    $defs: partSchemas(known),
  };
}

/** Matches definitions of a kind: they have its key, and it is not a key of another kind. */
function ofKind(kind: Kind): JsonSchema {
  const others = KEYS_OF[kind];
  return {
    required: [kind],
    ...(others === undefined ? {} : { not: { anyOf: others.map((other) => ({ required: [other] })) } }),
  };
}

/** Ids that editors propose for references. */
interface KnownIds {
  readonly documents?: readonly string[];
  readonly queries?: readonly string[];
  readonly nodes?: readonly string[];
  readonly operations?: readonly string[];
  /** Operations with a target. */
  readonly consumers?: readonly string[];
  /** As `Service.name` and `Service.version.name`. */
  readonly flows?: readonly string[];
  readonly schemes?: readonly string[];
  readonly permissionLists?: readonly string[];
  readonly roles?: readonly string[];
  readonly delivered?: readonly string[];
  readonly datasources?: readonly string[];
  readonly components?: readonly string[];
  readonly processes?: readonly string[];
  readonly relatedContent?: readonly string[];
  readonly recurrences?: readonly string[];
  readonly users?: readonly string[];
}

const typeExamples = ['string(10)', 'text', 'decimal(10.2)', 'list of string', 'LOC_DTL_VW', 'list of LOC_DTL_VW'];

/** An id of a kind. The loader resolves it, so any text is valid; known ids are proposals for editors. */
function id(what: string, known: readonly string[] = [], words: readonly string[] = []): JsonSchema {
  const proposals = [...new Set([...words, ...known])];
  if (known.length === 0) return { description: what, type: 'string', minLength: 1 };
  return { description: what, anyOf: [{ enum: proposals }, { type: 'string', minLength: 1 }] };
}

/** Shared parts of the schemas, by their names in `$defs`. */
function partSchemas(known: KnownIds): Readonly<Record<string, JsonSchema>> {
  const documents = known.documents ?? [];
  const lists = documents.map((name) => `list of ${name}`);
  return {
    field,
    fields,
    operation,
    flow,
    'flow-step': flowStep,
    'in-place-document': inPlaceDocument,
    type: {
      ...id('Type of a value.', [...documents, ...lists], documents.length === 0 ? [] : SCALAR_KINDS),
      examples: typeExamples,
    },
    'scheme-id': id('A scheme.', known.schemes),
    'permission-list-id': id('A permission list.', known.permissionLists),
    'node-id': id('A node.', known.nodes),
    'operation-id': id('An operation.', known.operations),
    'consumer-id': id('An operation with a target.', known.consumers),
    'call-id': id('An operation with a target, or a flow.', [...(known.consumers ?? []), ...(known.flows ?? [])]),
    'query-id': id('A stored query.', known.queries),
    'document-id': id('A document.', documents),
    'datasource-id': id('A datasource.', known.datasources),
    'component-id': id('A component.', known.components),
    'process-id': id('A process.', known.processes),
    'related-content-id': id('A related-content service.', known.relatedContent),
    'recurrence-id': id('A recurrence.', known.recurrences),
    'user-id': id('A user.', known.users),
    'role-id': id('A role.', known.roles),
    'delivered-id': { ...id('A service of the package.', known.delivered), examples: ['QAS_QRY_SERVICE.v1'] },
    'message-word': id(
      'A document, a list, a type, or a message without a document.',
      [...documents, ...lists],
      ['none', ...RAW_KINDS, ...SCALAR_KINDS.filter((word) => !(RAW_KINDS as readonly string[]).includes(word))],
    ),
    'document-word': id('A document.', documents, ['none']),
    message: either('message-word'),
    'document-or-fields': either('document-word'),
    response: {
      if: { type: 'object', required: ['fields'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: '#/$defs/in-place-document' },
      else: mapOr(
        {
          minProperties: 1,
          propertyNames: {
            title: 'a media type',
            pattern: '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$',
            examples: ['application/json'],
          },
          additionalProperties: { $ref: '#/$defs/message' },
        },
        { $ref: '#/$defs/message-word' },
      ),
    },
    requires: {
      title: 'a scheme or several',
      type: ['string', 'array'],
      minLength: 1,
      items: { type: 'string', $ref: '#/$defs/scheme-id' },
      minItems: 1,
      uniqueItems: true,
      description:
        "How callers of non-public operations authenticate: a scheme, or a list of schemes. Any one of them is enough. The first whose credentials are present decides; of `bearer` schemes, the one of the token's issuer. `basic` needs no definition.",
      examples: ['PARTNER_KEY', ['basic', 'LOGIN']],
    },
  };
}

/** A word or a document in place. */
function either(word: string): JsonSchema {
  return mapOr({ $ref: '#/$defs/in-place-document' }, { $ref: `#/$defs/${word}` });
}
