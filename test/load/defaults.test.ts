import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { TIMEOUTS } from '../../src/invoke/limits.ts';
import { loadFiles } from '../../src/load/load.ts';
import { definitionsSchema, type JsonSchema, kindSchemas } from '../../src/load/schema/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { projectOf } from './project-text.ts';

/** A project in which each key with a default may stand. */
const PROJECT = {
  gateway: {
    gateway: 'LOCAL',
    limits: { rate: { requests: 1, per: '1 s' } },
    once: {},
    console: {},
    compress: {},
    drain: {},
    properties: {},
    retention: {},
    tls: { certificate: 'gateway.pem', key: 'gateway.key' },
    settings: { CARRIER: { value: 'post' } },
    database: { url: '${env:DATABASE_URL}', keepalive: {}, timeouts: {}, replicas: { urls: ['postgres://db2/hr'] } },
  },
  node: { node: 'PARTNER', base: 'https://example.org', timeouts: {}, circuit: {} },
  redirecting: { node: 'REDIRECTING', base: 'https://example.org', redirects: { most: 1, post: true } },
  granting: {
    node: 'GRANTING',
    base: 'https://example.org',
    credential: {
      'client-credentials': {
        'token-url': 'https://example.org/token',
        'client-id': 'signalbox',
        'client-secret': '${secret:CLIENT}',
      },
    },
  },
  signing: {
    node: 'SIGNING',
    base: 'https://example.org',
    credential: {
      'username-token': { user: 'signalbox', password: '${secret:PASSWORD}' },
      'reply-signature': { certificate: 'partner.pem' },
    },
  },
  signingByHmac: {
    node: 'SIGNING_BY_HMAC',
    base: 'https://example.org',
    credential: { hmac: { secrets: '${secret:HMAC}', header: 'X-Signature' } },
  },
  bearer: {
    scheme: 'TOKENS',
    bearer: {
      issuer: 'https://example.org',
      audience: 'signalbox',
      jwks: 'https://example.org/keys',
      roles: { a: 'CLERK' },
    },
  },
  usernameToken: { scheme: 'USERS', 'username-token': { passwords: ['digest'] } },
  signature: { scheme: 'SIGNED', signature: {} },
  webhook: { scheme: 'WEBHOOK', webhook: { user: 'SAM', secrets: '${secret:WEBHOOK}' } },
  hmac: { scheme: 'HMAC', hmac: { user: 'SAM', secrets: '${secret:HMAC}', header: 'X-Signature' } },
  hmacWithTime: {
    scheme: 'HMAC_WITH_TIME',
    hmac: {
      user: 'SAM',
      secrets: '${secret:HMAC}',
      header: 'Signed',
      form: 't={timestamp},v1={hex}',
      signed: '{timestamp}.{body}',
    },
  },
  list: { 'permission-list': 'CLERKS' },
  role: { role: 'CLERK', 'permission-lists': ['CLERKS'] },
  user: { user: 'SAM', roles: ['CLERK'] },
  datasource: { datasource: 'REPORTS', url: '${env:REPORTS_URL}', replicas: { urls: ['postgres://db2/hr'] } },
  query: {
    query: 'CARS',
    permission: 'CLERKS',
    columns: { ID: 'integer' },
    sql: 'select id from car',
    csv: { file: 'cars.csv' },
  },
  type: { type: 'STATUS', base: 'string(1)', enum: ['A'] },
  document: {
    document: 'CAR',
    fields: {
      ID: { type: 'string(10)' },
      NUMBERS: { type: 'list of string(10)', entry: { minimum: 1 } },
      PHOTO: { type: 'binary' },
      MARKUP: { type: 'xml' },
      OWNER: { fields: { NAME: 'string(10)' } },
      OWNERS: { list: { fields: { NAME: 'string(10)' } } },
      EITHER: { 'one-of': { CAR: 'CAR_ROW', PLATE: 'PLATE' } },
      EITHERS: { list: { 'one-of': { CAR: 'CAR_ROW', PLATE: 'PLATE' } } },
    },
  },
  choice: { document: 'CHOICE', 'one-of': { CAR: 'CAR_ROW', PLATE: 'PLATE' } },
  component: {
    component: 'CARS',
    table: 'car',
    shape: 'CAR_ROW',
    keys: ['ID'],
    events: [{ event: 'SavePostChange', service: 'AUDIT' }],
  },
  plate: { document: 'PLATE', fields: { PLATE: { type: 'string(10)', required: true } } },
  row: { document: 'CAR_ROW', fields: { ID: { type: 'string(10)', required: true } } },
  relatedContent: { 'related-content': 'AUDIT', permission: 'CLERKS', class: 'audit' },
  process: { process: 'NIGHTLY', permission: 'CLERKS', type: 'Application Engine' },
  queue: { queue: 'CHANGES', retention: { done: '3 d', failed: '3 d' } },
  subscription: { subscription: 'COPY', operation: 'CHANGED' },
  routing: { routing: 'QUIET', operation: 'CAR_GET' },
  soapRouting: { routing: 'CALLED', operation: 'STOCK_CALL', properties: {} },
  restRouting: { routing: 'SENT', operation: 'FORM_CALL', properties: {} },
  service: {
    service: 'Cars.v2',
    permission: 'CLERKS',
    limits: { rate: { requests: 1, per: '1 s' } },
    once: {},
    operations: {
      CAR_GET: { get: 'cars/{ID}', request: { fields: { ID: 'string(10)' } }, response: 'CAR', handler: 'car' },
      CAR_PUT: {
        post: 'cars',
        soap: true,
        request: { fields: { ID: 'string(10)' } },
        response: { fields: { ID: 'string(10)' } },
        limits: { rate: { requests: 1, per: '1 s' } },
        once: {},
        handler: 'car',
      },
      EITHER_PUT: { put: 'either', request: { 'one-of': { CAR: 'CAR_ROW', PLATE: 'PLATE' } }, handler: 'car' },
      CAR_LIST: { get: 'cars{?limit,after}', query: 'CARS', paging: { order: ['ID'] } },
      CHANGED: { post: 'changes', queue: 'CHANGES', request: { fields: { ID: 'string(10)' } } },
    },
  },
  older: {
    service: 'Cars.v1',
    permission: 'CLERKS',
    call: 'Cars.v2',
    operations: {
      CAR_PUT: {
        post: 'cars',
        request: { fields: { ID: 'string(10)', OLD: 'string(10)' } },
        response: { fields: { ID: 'string(10)' } },
        map: { request: { ID: { from: 'OLD' } }, unused: ['ID'] },
      },
    },
  },
  calls: {
    service: 'Calls.v1',
    permission: 'CLERKS',
    target: 'PARTNER',
    properties: {},
    operations: {
      STOCK_CALL: {
        soap: { name: 'Stock' },
        request: { fields: { ID: 'string(10)' } },
        response: { fields: { ID: 'string(10)' } },
        properties: {},
      },
      FORM_CALL: {
        post: 'form',
        request: 'text',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        properties: {},
      },
      FILE_CALL: { post: 'file', request: 'binary', properties: {} },
    },
  },
};

/** A map in the project: the definition that has it, and the keys that lead to it. */
type Place = readonly [keyof typeof PROJECT, ...(string | number)[]];

const FIELD = ['document', 'fields', 'ID'] as const;
const CAR_PUT = ['service', 'operations', 'CAR_PUT'] as const;
const SOURCE = ['older', 'operations', 'CAR_PUT', 'map', 'request', 'ID'] as const;

/** Where the keys of a map of the schemas are tried, or one of them, by the path in the schemas. */
const PLACES: Readonly<Record<string, Place>> = {
  gateway: ['gateway'],
  'gateway.settings': ['gateway', 'settings', 'CARRIER'],
  'gateway.database': ['gateway', 'database'],
  'gateway.database.timeouts': ['gateway', 'database', 'timeouts'],
  'gateway.database.keepalive': ['gateway', 'database', 'keepalive'],
  'gateway.database.replicas': ['gateway', 'database', 'replicas'],
  'gateway.tls': ['gateway', 'tls'],
  'gateway.compress': ['gateway', 'compress'],
  'gateway.drain': ['gateway', 'drain'],
  'gateway.limits': ['gateway', 'limits'],
  'gateway.limits.rate': ['gateway', 'limits', 'rate'],
  'gateway.once': ['gateway', 'once'],
  'gateway.retention': ['gateway', 'retention'],
  'gateway.console': ['gateway', 'console'],
  'gateway.properties': ['gateway', 'properties'],
  node: ['node'],
  'node.timeouts': ['node', 'timeouts'],
  'node.circuit': ['node', 'circuit'],
  'node.redirects': ['redirecting', 'redirects'],
  'node.credential.client-credentials': ['granting', 'credential', 'client-credentials'],
  'node.credential.username-token': ['signing', 'credential', 'username-token'],
  'node.credential.reply-signature': ['signing', 'credential', 'reply-signature'],
  'node.credential.hmac': ['signingByHmac', 'credential', 'hmac'],
  service: ['service'],
  'service.limits.rate': ['service', 'limits', 'rate'],
  'service.once': ['service', 'once'],
  'service.properties': ['calls', 'properties'],
  type: ['type'],
  document: ['document'],
  'document named': ['choice'],
  'datasource.replicas': ['datasource', 'replicas'],
  query: ['query'],
  'query.csv': ['query', 'csv'],
  'component.events': ['component', 'events', 0],
  'related-content': ['relatedContent'],
  process: ['process'],
  'scheme.bearer': ['bearer', 'bearer'],
  'scheme.username-token': ['usernameToken', 'username-token'],
  'scheme.signature': ['signature', 'signature'],
  'scheme.webhook': ['webhook', 'webhook'],
  'scheme.hmac': ['hmac', 'hmac'],
  'scheme.hmac tolerance': ['hmacWithTime', 'hmac'],
  user: ['user'],
  routing: ['routing'],
  'routing.properties': ['restRouting', 'properties'],
  'routing.properties MTOM': ['soapRouting', 'properties'],
  'routing.properties SOAPUpContent': ['soapRouting', 'properties'],
  'queue.retention': ['queue', 'retention'],
  subscription: ['subscription'],
  field: FIELD,
  'field open': ['document', 'fields', 'OWNER'],
  'field named': ['document', 'fields', 'EITHER'],
  'field attachment': ['document', 'fields', 'PHOTO'],
  'field any': ['document', 'fields', 'MARKUP'],
  'field inline': ['document', 'fields', 'OWNER'],
  'field flat': ['document', 'fields', 'NUMBERS'],
  'field spaced': ['document', 'fields', 'NUMBERS'],
  'field.entry': ['document', 'fields', 'NUMBERS', 'entry'],
  'field.list': ['document', 'fields', 'OWNERS', 'list'],
  'field.list named': ['document', 'fields', 'EITHERS', 'list'],
  operation: CAR_PUT,
  'operation.soap': ['calls', 'operations', 'STOCK_CALL', 'soap'],
  'operation.limits.rate': [...CAR_PUT, 'limits', 'rate'],
  'operation.once': [...CAR_PUT, 'once'],
  'operation.properties': ['calls', 'operations', 'FORM_CALL', 'properties'],
  'operation.properties MTOM': ['calls', 'operations', 'STOCK_CALL', 'properties'],
  'operation.properties SOAPUpContent': ['calls', 'operations', 'STOCK_CALL', 'properties'],
  'operation.paging': ['service', 'operations', 'CAR_LIST', 'paging'],
  'in-place-document': [...CAR_PUT, 'request'],
  'in-place-document named': ['service', 'operations', 'EITHER_PUT', 'request'],
  members: SOURCE,
};

/** Every key with a default in the schemas: the path of its map, the key, and the default. */
function defaultsIn(): [map: string, key: string, value: unknown][] {
  const found = new Map<string, [string, string, unknown]>();
  const visit = (schema: JsonSchema, map: string): void => {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (value.default !== undefined) found.set(`${map} ${key}`, [map, key, value.default]);
      visit(value, `${map}.${key}`);
    }
    for (const part of [schema.then, schema.else, schema.items, schema.additionalProperties])
      if (typeof part === 'object') visit(part, map);
  };
  for (const [kind, schema] of Object.entries(kindSchemas)) visit(schema, kind);
  for (const [name, schema] of Object.entries(definitionsSchema().$defs ?? {})) visit(schema, name);
  return [...found.values()];
}

const DEFAULT = '"the default"';

/** The project with a key without its value, and with it. Everything else is at the same place in both. */
function written(place: Place, key: string, value: unknown): { absent: string; present: string } {
  const project = structuredClone(PROJECT);
  let map: Record<string | number, unknown> = project;
  for (const step of place) map = map[step] as Record<string | number, unknown>;
  delete map[key];
  const isAlone = Object.keys(map).length === 0;
  map[key] = JSON.parse(DEFAULT);
  const text = Object.values(project)
    .map((each) => JSON.stringify(each))
    .join('\n---\n');
  const entry = `${isAlone ? '' : ','}${JSON.stringify(key)}:${DEFAULT}`;
  const filled = entry.replace(DEFAULT, JSON.stringify(value));
  if (!text.includes(entry)) throw new TypeError(`${key} is not at ${place.join('.')}`);
  return { absent: text.replace(entry, ' '.repeat(filled.length)), present: text.replace(entry, filled) };
}

/** The registry; warnings do not matter here. */
function registryOf(text: string): Registry {
  const { registry, diagnostics } = loadFiles(projectOf(`#file definitions/gateway.yaml\n${text}`), 'ignore-missing');
  if (registry === undefined)
    throw new TypeError(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return registry;
}

/** Members of the registry that say a key was written. Its default in writing says more than its absence, as its description states. */
const WRITTEN: Readonly<Record<string, string>> = { 'operation status': 'exactStatus', 'field required': 'optional' };

/** A copy without functions and what equals an absent member; a node has the timeouts that its calls have. */
function comparable(value: unknown, written: string | undefined, copies = new Map<unknown, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const inside = (each: unknown): unknown => comparable(each, written, copies);
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (const each of value) copy.push(inside(each));
    return copy;
  }
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined || each === false || typeof each === 'function' || key === written) continue;
    copy[key] = inside(key === 'timeouts' ? { ...TIMEOUTS, ...each } : each);
  }
  return copy;
}

describe('the default of', () => {
  it.each(defaultsIn())('%s: %s is what an absent key means', (map, key, value) => {
    const place = PLACES[`${map} ${key}`] ?? PLACES[map];
    if (place === undefined) throw new TypeError(`a place in the project for ${map} is missing above`);
    const { absent, present } = written(place, key, value);
    const [without, given] = [absent, present].map((each) => comparable(registryOf(each), WRITTEN[`${map} ${key}`]));
    // Definitions refer to each other, and toEqual compares them again at each reference.
    if (!serialize(without).equals(serialize(given))) expect(without).toEqual(given);
  });
});
