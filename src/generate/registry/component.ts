import type { Component, RelatedContent } from '../../model/component.ts';
import type { JsonTree } from '../json-text.ts';
import { no, some, sortedIds, yes } from './tree.ts';

/** A component of `registry.json`. */
export function componentTree({ description, table, shape, keys, lock, events, permissions }: Component): JsonTree {
  return {
    description,
    table,
    shape: shape.id,
    keys: keys.map(({ name }) => name),
    lock: lock?.name,
    permissions: some(sortedIds(permissions)),
    events: some(
      events.map(({ event, service, sequence, processing, enabled }) => ({
        event,
        service: service.id,
        sequence,
        processing,
        enabled: no(enabled),
      })),
    ),
  };
}

/** A related-content service of `registry.json`. */
export function relatedContentTree(service: RelatedContent): JsonTree {
  return {
    description: service.description,
    class: service.file,
    permissions: sortedIds(service.permissions),
    public: yes(service.public),
  };
}
