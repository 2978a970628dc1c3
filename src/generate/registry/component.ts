import type { Component, RelatedContent } from '../../model/component.ts';
import type { JsonTree } from '../json-text.ts';

/** A component of `registry.json`. */
export function componentTree({ description, table, shape, keys, lock, events, permissions }: Component): JsonTree {
  return {
    description,
    table,
    shape: shape.id,
    keys: keys.map(({ name }) => name),
    lock: lock?.name,
    permissions: permissions.length === 0 ? undefined : permissions.map(({ id }) => id).sort(),
    events:
      events.length === 0
        ? undefined
        : events.map(({ event, service, sequence, processing, enabled }) => ({
            event,
            service: service.id,
            sequence,
            processing,
            enabled: enabled ? undefined : false,
          })),
  };
}

/** A related-content service of `registry.json`. */
export function relatedContentTree(service: RelatedContent): JsonTree {
  return {
    description: service.description,
    class: service.file,
    permissions: service.permissions.map(({ id }) => id).sort(),
    public: service.public || undefined,
  };
}
