import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import type { QueryString } from '../../wire/query-string.ts';
import { compileUriMatcher, type RawValue, type UriMatcher } from '../../wire/uri-template/match.ts';
import { compareSpecificity } from '../../wire/uri-template/specificity.ts';
import { quote } from '../../wire/words.ts';
import { methodNotAllowed } from '../exchange/refuse.ts';

/** One URI of one operation, ready to match. */
interface Entry {
  readonly operation: Operation;
  readonly uri: OperationUri;
  readonly matcher: UriMatcher;
  /** Rank among the service's paths by specificity; equally specific paths have equal ranks. */
  readonly rank: number;
}

/**
 * The candidates for a path, before method and query are considered: the most specific first, so a literal segment takes
 * precedence over a variable.
 */
export type PathMatch = readonly { readonly entry: Entry; readonly raw: RawValue[] }[];

/** The operation that a request is for. */
export interface RouteMatch {
  readonly operation: Operation;
  readonly uri: OperationUri;
  /** Aligned with the URI's variables, still percent-encoded. */
  readonly raw: readonly RawValue[];
  /** Names in the query that the URI does not have, and that a strict operation refuses. */
  readonly unknown: readonly string[];
}

/**
 * Routing of the REST connector: a Map from service segment to its few templates, so its cost does not grow with the
 * registry.
 */
export interface RouteTable {
  /**
   * Finds the candidates for a path.
   * @param path raw, below the connector, without its leading slash: `[<node>/]Locations.v1/Locations/N/`
   * @throws Fault NOT_FOUND
   */
  findPath(path: string): PathMatch;
  /**
   * Picks the operation: by method, then the most specific path, then the template that binds most of the given query
   * variables. One that lacks required variables is picked where no other fits: its reader reports them.
   * @throws Fault METHOD_NOT_ALLOWED, NOT_FOUND
   */
  pick(found: PathMatch, method: string, query: QueryString): RouteMatch;
  /** Methods that a path allows, in the order of Allow. */
  allowed(found: PathMatch): readonly string[];
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Compiles the routing of every active operation. */
export function compileRoutes(registry: Registry): RouteTable {
  const isStrict = ({ service, strict = registry.gateway.strict }: Operation): boolean => strict && !service.delivered;
  const services = compileServices(registry);
  const versions = versionsByName(registry);
  const local = registry.gateway.id;

  function segmentEnd(path: string, from: number): number {
    const slash = path.indexOf('/', from);
    return slash < 0 ? path.length : slash;
  }

  function findService(segment: string): readonly Entry[] {
    const entries = services.get(segment);
    if (entries !== undefined) return entries;
    const name = segment.includes('.') ? segment.slice(0, segment.lastIndexOf('.')) : segment;
    const known = versions.get(name);
    const what =
      known === undefined ? `service ${quote(segment)}` : `service ${quote(segment)}; there is ${known.join(', ')}`;
    throw Fault.of('NOT_FOUND', { what });
  }

  return {
    findPath(path) {
      let start = 0;
      let end = segmentEnd(path, 0);
      let segment = path.slice(0, end);
      if (segment === local) {
        start = end + 1;
        end = segmentEnd(path, start);
        segment = path.slice(start, end);
      } else if (registry.nodes.has(segment)) {
        throw Fault.of('NOT_FOUND', { what: `operation of node ${segment} here: this gateway is node ${local}` });
      }
      const entries = findService(segment);
      const rest = path.slice(end + 1);
      const candidates = [];
      for (const entry of entries) {
        const raw = entry.matcher.matchPath(rest);
        if (raw !== undefined) candidates.push({ entry, raw });
      }
      if (candidates.length === 0)
        throw Fault.of('NOT_FOUND', { what: `resource ${quote(rest)} in service ${segment}` });
      return candidates;
    },

    pick(found, method, query) {
      // A template of HEAD itself takes precedence over GET without its body.
      const wanted =
        method === 'HEAD' && found.every(({ entry }) => entry.operation.method !== method) ? 'GET' : method;
      let best: Entry | undefined;
      let bestRaw: readonly RawValue[] = [];
      let mostBound = -1;
      let fewestMissing = Number.POSITIVE_INFINITY;
      let methodFits = false;
      for (const { entry, raw } of found) {
        if (entry.operation.method !== wanted) continue;
        methodFits = true;
        if (best !== undefined && fewestMissing === 0 && best.rank !== entry.rank) break;
        const { bound, missing, ok } = entry.matcher.matchQuery(query, raw);
        if (!ok || missing.length > fewestMissing) continue;
        if (missing.length === fewestMissing && bound <= mostBound) continue;
        fewestMissing = missing.length;
        mostBound = bound;
        best = entry;
        bestRaw = raw;
      }
      if (best !== undefined) {
        const { operation, uri, matcher } = best;
        const names = isStrict(operation) ? matcher.queryNames : undefined;
        const unknown = names === undefined ? NONE : [...query.keys()].filter((name) => !names.has(name));
        return { operation, uri, raw: bestRaw, unknown };
      }
      if (!methodFits) throw methodNotAllowed(method, allowedOf(found));
      throw Fault.of('NOT_FOUND', { what: 'resource with this query string' });
    },

    allowed: allowedOf,
  };
}

const NONE: readonly never[] = [];

/** Every spelling of a service segment: with its version, and without where the version is the default. */
function compileServices(registry: Registry): Map<string, readonly Entry[]> {
  const found = new Map<string, Omit<Entry, 'rank'>[]>();
  for (const service of registry.services.values()) {
    if (!service.active) continue;
    for (const operation of service.operations) {
      if (!operation.active) continue;
      const entries = operation.uris.map((uri) => ({ operation, uri, matcher: compileMatcher(uri) }));
      const spellings = [`${operation.pathName}.${service.version}`, ...(service.default ? [operation.pathName] : [])];
      for (const spelling of spellings) {
        const known = found.get(spelling) ?? [];
        known.push(...entries);
        found.set(spelling, known);
      }
    }
  }
  return new Map([...found].map(([spelling, entries]) => [spelling, ranked(entries)]));
}

function ranked(entries: readonly Omit<Entry, 'rank'>[]): Entry[] {
  const sorted = entries.toSorted((a, b) => compareSpecificity(a.uri.template, b.uri.template));
  let rank = 0;
  return sorted.map((entry, index) => {
    const before = sorted[index - 1];
    if (before !== undefined && compareSpecificity(before.uri.template, entry.uri.template) !== 0) rank++;
    return { ...entry, rank };
  });
}

function compileMatcher(uri: OperationUri): UriMatcher {
  const kinds = new Map(uri.variables.map((variable) => [variable.field.name, variable.field.type.kind]));
  return compileUriMatcher(uri.template, (variable) => (kinds.get(variable.name) === 'list' ? 'list' : 'string'));
}

function versionsByName(registry: Registry): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const service of registry.services.values()) {
    if (!service.active) continue;
    for (const name of new Set(service.operations.map((operation) => operation.pathName))) {
      found.set(name, [...(found.get(name) ?? []), `${name}.${service.version}`]);
    }
  }
  return found;
}

function allowedOf(found: PathMatch): string[] {
  const all = new Set<string>(found.flatMap(({ entry }) => entry.operation.method ?? []));
  if (all.has('GET')) all.add('HEAD');
  return [...METHOD_ORDER.filter((method) => all.has(method)), 'OPTIONS'];
}
