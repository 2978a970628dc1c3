import { component, relatedContent } from './component.ts';
import { datasource } from './datasource.ts';
import { document } from './document.ts';
import { gateway } from './gateway.ts';
import type { JsonSchema } from './json-schema.ts';
import { KEYS_OF, KINDS, type Kind } from './kinds.ts';
import { node } from './node.ts';
import { type KnownIds, partSchemas } from './parts.ts';
import { process, recurrence } from './process.ts';
import { query } from './query.ts';
import { routing } from './routing.ts';
import { scheme } from './scheme.ts';
import { permissionList, role, user } from './security.ts';
import { service } from './service.ts';

export type { JsonSchema } from './json-schema.ts';

/** The schema of each kind, by its kind word. */
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
 * One JSON Schema (draft 7) for every kind of definition, picked by the kind word. With `known`, the ids that a project
 * has are proposed where a definition refers to one; other texts stay valid there, since the loader says more about them.
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

/** Holds for definitions of a kind: its word stands there, and not as a key of another kind. */
function ofKind(kind: Kind): JsonSchema {
  const others = KEYS_OF[kind];
  return {
    required: [kind],
    ...(others === undefined ? {} : { not: { anyOf: others.map((other) => ({ required: [other] })) } }),
  };
}
