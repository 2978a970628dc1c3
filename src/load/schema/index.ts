import { KIND_WORDS, type KindWord, kindOf } from '../../kinds/kinds.ts';
import { queue, subscription } from '../../messaging/link/schema.ts';
import { ROW_MEDIA_TYPES } from '../../model/query.ts';
import { process, recurrence } from '../process.ts';
import { datasource } from '../query/datasource.ts';
import { routing } from '../routing.ts';
import { component, relatedContent } from './component.ts';
import { document, field, fields, inPlaceDocument } from './document.ts';
import { flow, flowStep } from './flow.ts';
import { gateway } from './gateway.ts';
import { type JsonSchema, MEDIA_TYPE, mapOr } from './json-schema.ts';
import { members } from './mapping.ts';
import { node } from './node.ts';
import { operation } from './operation.ts';
import { query } from './query.ts';
import { scheme } from './scheme.ts';
import { permissionList, role, user } from './security.ts';
import { service } from './service.ts';
import { type } from './type.ts';

export type { JsonSchema } from './json-schema.ts';

/** The schema of each kind. */
export const kindSchemas: Readonly<Record<KindWord, JsonSchema>> = {
  gateway,
  node,
  service,
  type,
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
  queue,
  subscription,
};

/** One JSON Schema (draft 7) for every kind of definition, selected by its kind. An empty document is not a definition. */
export function definitionsSchema(): JsonSchema & { readonly $schema: string } {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Signalbox definitions',
    type: ['object', 'null'],
    if: { type: 'object', not: { anyOf: KIND_WORDS.map((kind) => ({ required: [kind] })) } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: kindWords,
    allOf: KIND_WORDS.map((kind) => ({
      if: ofKind(kind),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: kindSchemas[kind],
    })),
    $defs: partSchemas,
  };
}

/** The first key of a definition, which says its kind. */
const kindWords: JsonSchema = {
  type: 'object',
  minProperties: 1,
  properties: Object.fromEntries(
    KIND_WORDS.map((kind) => [kind, { type: 'string', description: kindSchemas[kind].description ?? kind }]),
  ),
  additionalProperties: false,
};

/** Matches definitions of a kind: they have its key, and it is not a key of another kind. */
function ofKind(kind: KindWord): JsonSchema {
  const others = kindOf(kind).alsoKeyOf;
  return {
    type: 'object',
    required: [kind],
    ...(others === undefined ? {} : { not: { anyOf: others.map((other) => ({ required: [other] })) } }),
  };
}

/** A reference to a definition. The loader resolves it, so any text is valid here. */
const id: JsonSchema = { type: 'string', minLength: 1 };

/** `response: [json, csv]` of operations that a query answers. */
const rowFormats: JsonSchema = {
  type: 'array',
  items: { type: 'string', enum: Object.keys(ROW_MEDIA_TYPES) },
  minItems: 1,
  uniqueItems: true,
};

/** Shared parts of the schemas, by their names in `$defs`. */
const partSchemas: Readonly<Record<string, JsonSchema>> = {
  field,
  fields,
  operation,
  flow,
  'flow-step': flowStep,
  'in-place-document': inPlaceDocument,
  members,
  type: {
    ...id,
    examples: [
      'string(10)',
      'text',
      'decimal(10.2)',
      'list of string',
      'LOC_DTL_VW',
      'SHIPMENT_STATUS',
      'list of LOC_DTL_VW',
      'map of integer',
    ],
  },
  ...Object.fromEntries(KIND_WORDS.map((kind) => [`${kind}-id`, id])),
  'operation-id': id,
  'consumer-id': id,
  'call-id': id,
  'answer-call-id': id,
  'delivered-id': { ...id, examples: ['QAS_QRY_SERVICE.v1'] },
  'message-word': id,
  'document-word': id,
  message: either('message-word'),
  'document-or-fields': either('document-word'),
  request: typedMessage('message'),
  response: {
    if: { type: 'object', anyOf: [{ required: ['fields'] }, { required: ['one-of'] }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: '#/$defs/in-place-document' },
    else: mapOr(byMediaType('message'), {
      if: { type: 'array' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: rowFormats,
      else: { $ref: '#/$defs/message-word' },
    }),
  },
  fault: typedMessage('document-or-fields'),
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

/** What a message is in each media type. */
function byMediaType(message: 'message' | 'document-or-fields'): JsonSchema {
  return {
    minProperties: 1,
    propertyNames: {
      title: 'a media type',
      pattern: MEDIA_TYPE,
      examples: ['application/json'],
    },
    additionalProperties: { $ref: `#/$defs/${message}` },
  };
}

/** A message, or a map from media types to it. Unless all of its names have a slash, a map is a document in place, whose keys editors propose. */
function typedMessage(message: 'message' | 'document-or-fields'): JsonSchema {
  return {
    if: { type: 'object', minProperties: 1, propertyNames: { pattern: '/' } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: byMediaType(message),
    else: either(message === 'message' ? 'message-word' : 'document-word'),
  };
}

/** A word or a document in place. */
function either(word: string): JsonSchema {
  return mapOr({ $ref: '#/$defs/in-place-document' }, { $ref: `#/$defs/${word}` });
}
