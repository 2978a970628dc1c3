import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import { ACCEPT_HEADERS, acceptedTypes } from '../../model/request-form.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import { normalizePercent } from '../../wire/percent.ts';
import type { QueryString } from '../../wire/query-string.ts';
import { compileUriMatcher, type RawValue, type UriMatcher } from '../../wire/uri-template/match.ts';
import { pathSegments } from '../../wire/uri-template/segments.ts';
import { compareSpecificity } from '../../wire/uri-template/specificity.ts';
import type { UriTemplate } from '../../wire/uri-template/uri-template.ts';
import { once } from '../../wire/waiting.ts';
import { quote } from '../../wire/words.ts';
import { methodNotAllowed } from '../exchange/refuse.ts';

/** One URI of one operation, ready to match: what a match reads is in one object, so that a large table costs few cache misses. */
interface Entry {
  readonly operation: Operation;
  readonly method: Operation['method'];
  readonly uri: OperationUri;
  readonly matcher: UriMatcher;
  /** The only names that its query may have; `undefined` where others are ignored. */
  readonly names: ReadonlySet<string> | undefined;
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
 * Routing of the REST connector: a Map from service and first segment to the few templates that can match, so its cost does
 * not grow with the registry.
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
  /** Headers that name the media types of the requests which a path allows: `Accept-Patch`, `Accept-Post`. */
  accepted(found: PathMatch): Readonly<Record<string, string>>;
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Compiles the routing of every active operation. */
export function compileRoutes(registry: Registry): RouteTable {
  const { services, resources } = compileServices(registry);
  const versions = versionsByName(registry);
  const local = registry.gateway.id;

  function segmentEnd(path: string, from: number): number {
    const slash = path.indexOf('/', from);
    return slash < 0 ? path.length : slash;
  }

  function findEntries(segment: string, resource: string): readonly Entry[] {
    const compiled = services.get(segment)?.();
    if (compiled !== undefined) return resources.get(resource) ?? compiled;
    const name = segment.includes('.') ? segment.slice(0, segment.lastIndexOf('.')) : segment;
    const known = versions.get(name) ?? [];
    const active = known.filter((each) => services.has(each));
    const others = active.length === 0 ? '' : `; there is ${active.join(', ')}`;
    const what = known.includes(segment)
      ? `operation of service ${segment} over REST that is active`
      : `service ${quote(segment)}${others}`;
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
      const rest = path.slice(end + 1);
      const text = normalizePercent(rest);
      const resource =
        text === rest
          ? path.slice(start, segmentEnd(path, end + 1))
          : `${segment}/${text.slice(0, segmentEnd(text, 0))}`;
      const entries = resources.get(resource) ?? findEntries(segment, resource);
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
      const wanted = method === 'HEAD' && found.every(({ entry }) => entry.method !== method) ? 'GET' : method;
      let best: Entry | undefined;
      let bestRaw: readonly RawValue[] = [];
      let mostBound = -1;
      let fewestMissing = Number.POSITIVE_INFINITY;
      let methodFits = false;
      for (const { entry, raw } of found) {
        if (entry.method !== wanted) continue;
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
        const { operation, uri, names } = best;
        const unknown = names === undefined ? NONE : [...query.keys()].filter((name) => !names.has(name));
        return { operation, uri, raw: bestRaw, unknown };
      }
      if (!methodFits) throw methodNotAllowed(method, allowedOf(found));
      throw Fault.of('NOT_FOUND', { what: 'resource with this query string' });
    },

    allowed: allowedOf,
    accepted: acceptedBy,
  };
}

const NONE: readonly never[] = [];

/** The entries of services, by what a path begins with. The entries of a service are compiled when it is first called. */
interface Services {
  /**
   * By the segment of the service in every spelling, with its version and without where the version is the default: the
   * entries whose first segment is not a literal.
   */
  readonly services: ReadonlyMap<string, () => readonly Entry[]>;
  /**
   * By the segment of a compiled service and a first segment after it (`Locations.v1/Locations`): every entry that can match it. One
   * map for all services, since each further one costs a call among thousands of operations a miss of the processor's cache.
   */
  readonly resources: ReadonlyMap<string, readonly Entry[]>;
}

function compileServices(registry: Registry): Services {
  const compileMatcher = matcherCompiler();
  const resources = new Map<string, readonly Entry[]>();
  const compile = (spelling: string, operations: readonly Operation[]): readonly Entry[] => {
    const entries = ranked(operations.flatMap((operation) => entriesOf(operation, registry, compileMatcher)));
    const firsts = new Map(entries.map((entry) => [entry, firstLiteral(entry.uri.template)]));
    for (const first of new Set(firsts.values())) {
      if (first === undefined) continue;
      const able = entries.filter((entry) => (firsts.get(entry) ?? first) === first);
      resources.set(`${spelling}/${first}`, able);
    }
    return entries.filter((entry) => firsts.get(entry) === undefined);
  };
  const services = new Map(
    [...operationsBySpelling(registry)].map(([spelling, operations]) => [
      spelling,
      once(() => compile(spelling, operations)),
    ]),
  );
  return { services, resources };
}

function operationsBySpelling(registry: Registry): Map<string, readonly Operation[]> {
  const found = new Map<string, Operation[]>();
  for (const service of registry.services.values()) {
    if (!service.active) continue;
    for (const operation of service.operations) {
      if (!operation.active) continue;
      const spellings = [`${operation.pathName}.${service.version}`, ...(service.default ? [operation.pathName] : [])];
      for (const spelling of spellings) {
        const known = found.get(spelling);
        if (known === undefined) found.set(spelling, [operation]);
        else known.push(operation);
      }
    }
  }
  return found;
}

/** The first segment of every path that matches a template; `undefined` when there can be several. */
function firstLiteral(template: UriTemplate): string | undefined {
  const [first] = pathSegments(template);
  return first?.kind === 'literal' ? first.text : undefined;
}

function entriesOf(
  operation: Operation,
  { gateway }: Registry,
  compileMatcher: (uri: OperationUri) => UriMatcher,
): Omit<Entry, 'rank'>[] {
  const { method, service, strict = gateway.strict } = operation;
  return operation.uris.map((uri) => {
    const matcher = compileMatcher(uri);
    const names = strict && !service.delivered ? matcher.queryNames : undefined;
    return { operation, method, uri, matcher, names };
  });
}

/** In the order of their specificity. */
function ranked(entries: readonly Omit<Entry, 'rank'>[]): Entry[] {
  const sorted = entries.toSorted((a, b) => compareSpecificity(a.uri.template, b.uri.template));
  let rank = 0;
  return sorted.map((entry, index) => {
    const before = sorted[index - 1];
    if (before !== undefined && compareSpecificity(before.uri.template, entry.uri.template) !== 0) rank++;
    return { ...entry, rank };
  });
}

/** Compiles matchers; URIs with the same template and the same lists share one. */
function matcherCompiler(): (uri: OperationUri) => UriMatcher {
  const known = new Map<string, UriMatcher>();
  return ({ template, variables }) => {
    const lists = new Set(variables.filter(({ field }) => field.type.kind === 'list').map(({ field }) => field.name));
    const key = JSON.stringify([template.text, ...lists]);
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const matcher = compileUriMatcher(template, ({ name }) => (lists.has(name) ? 'list' : 'string'));
    known.set(key, matcher);
    return matcher;
  };
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

function acceptedBy(found: PathMatch): Record<string, string> {
  const types = new Map<string, Set<string>>();
  for (const { entry } of found) {
    const { operation, uri, method } = entry;
    const name = method === undefined ? undefined : ACCEPT_HEADERS[method];
    if (name === undefined || (operation.body !== 'raw' && uri.body.length === 0)) continue;
    types.set(name, new Set([...(types.get(name) ?? []), ...acceptedTypes(operation, uri)]));
  }
  return Object.fromEntries([...types].map(([name, list]) => [name, [...list].join(', ')]));
}

function allowedOf(found: PathMatch): string[] {
  const all = new Set<string>(found.flatMap(({ entry }) => entry.method ?? []));
  if (all.has('GET')) all.add('HEAD');
  return [...METHOD_ORDER.filter((method) => all.has(method)), 'OPTIONS'];
}
