import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { segmentsMayMeet, templatesOverlap } from '../../wire/uri-template/overlap.ts';
import { pathSegments, type Segment } from '../../wire/uri-template/segments.ts';
import { placeOf } from '../diagnostic/place.ts';
import type { Linking } from '../linking.ts';

interface Entry {
  readonly operation: Operation;
  readonly uri: OperationUri;
  readonly segments: readonly Segment[];
}

/** Refuses two templates of one method, below the same service segment, between which a request could not decide. */
export function checkOverlaps({ report }: Linking, services: Iterable<Service>): void {
  for (const entries of entriesBySegment(services)) {
    for (let i = 1; i < entries.length; i++) {
      const { operation, uri, segments } = entries[i] as Entry;
      for (let j = 0; j < i; j++) {
        const other = entries[j] as Entry;
        if (!segmentsMayMeet(segments, other.segments) || !overlap(uri, other.uri)) continue;
        const where = other.operation === operation ? 'the same operation' : other.operation.id;
        report.raise(
          'overlap',
          { template: uri.template.text, other: other.uri.template.text, where },
          placeOf(uri.at),
        );
      }
    }
  }
}

function overlap(a: OperationUri, b: OperationUri): boolean {
  const lists = new Set(
    [...a.variables, ...b.variables].filter(({ field }) => field.type.kind === 'list').map(({ field }) => field.name),
  );
  return templatesOverlap(a.template, b.template, ({ name }) => (lists.has(name) ? 'list' : 'string'));
}

/**
 * URIs that share a method and a service segment: with its version, and without where versions of several services are
 * defaults of one path name (an alias may be used by more than one service).
 */
function entriesBySegment(services: Iterable<Service>): Entry[][] {
  const versioned = new Map<string, Entry[]>();
  const unversioned = new Map<string, { readonly versions: Set<string>; readonly entries: Entry[] }>();
  for (const service of services) {
    for (const operation of service.operations) {
      if (!operation.active) continue;
      const { method, pathName } = operation;
      if (method === undefined) continue;
      const entries = operation.uris.map((uri) => ({ operation, uri, segments: pathSegments(uri.template) }));
      const key = `${method} ${pathName}.${service.version}`;
      const same = versioned.get(key);
      if (same === undefined) versioned.set(key, entries);
      else same.push(...entries);
      if (!service.default) continue;
      const found = unversioned.get(`${method} ${pathName}`) ?? { versions: new Set(), entries: [] };
      found.versions.add(service.version);
      found.entries.push(...entries);
      unversioned.set(`${method} ${pathName}`, found);
    }
  }
  const mixed = [...unversioned.values()].filter(({ versions }) => versions.size > 1);
  return [...versioned.values(), ...mixed.map(({ entries }) => entries)];
}
