import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { documentOf, load, names, operation } from './linked.ts';

describe('the sample registry', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const { registry, diagnostics } = loadProject({ root });
  const sample = registry as Registry;

  it('loads without a word', () => {
    expect(diagnostics).toEqual([]);
  });

  it('answers lookups by code, with two URIs and the wrapper', () => {
    const lookup = operation(sample, 'LOCATIONS_GET');
    expect(lookup).toMatchObject({
      method: 'GET',
      pathName: 'Locations',
      answer: { kind: 'handler', file: 'locations-get' },
      wrapper: 'psnonxml',
      status: 200,
      body: 'none',
      public: false,
      active: true,
      requires: [{ id: 'basic', kind: 'basic' }],
    });
    expect(lookup.uris.map((uri) => [uri.index, uri.template.text])).toEqual([
      [1, 'Locations/?region={REGION}'],
      [2, 'Locations/{REGION}/?location={LOCATION}'],
    ]);
    expect(
      lookup.uris[1]?.variables.map(({ field, place, wireName, required }) => [field.name, place, wireName, required]),
    ).toEqual([
      ['REGION', 'path', 'REGION', true],
      ['LOCATION', 'query', 'location', true],
    ]);
    expect(documentOf(lookup.responses[0]?.message)).toBe(sample.documents.get('LOC_RESPONSE'));
    expect(lookup.fault).toBe(sample.documents.get('LOC_FAULT'));
    expect(lookup.permissions).toEqual([sample.permissionLists.get('LOCATIONS')]);
    expect(lookup.service).toBe(sample.services.get('Locations.v1'));
    expect(lookup.uris[0]?.variables[0]?.field).toBe(sample.documents.get('LOC_REQUEST')?.fields[0]);
  });

  it('has the delivered query service, granted operation by operation: saving needs a list of its own', () => {
    const execute = operation(sample, 'QAS_EXECUTEQRY_REST_GET');
    expect(execute.answer).toEqual({ kind: 'delivered', name: 'signalbox/query-execute' });
    expect(execute.pathName).toBe('ExecuteQuery');
    expect(execute.service.delivered).toBe(true);
    expect(execute.permissions).toEqual([sample.permissionLists.get('QUERY_USER')]);
    expect(execute.at.file).toBe('signalbox/qas-qry-service.yaml');
    expect(execute.responses.map((each) => each.mediaType)).toEqual([
      'application/json',
      'application/xml',
      'text/html',
      'text/csv',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
    const save = operation(sample, 'QAS_SAVE_QUERY_REST_POST');
    expect(save.permissions).toEqual([sample.permissionLists.get('QUERY_AUTHOR')]);
    expect(sample.documents.get('QAS_QUERY_JSON_data_query_rows')).toMatchObject({ open: true, inPlace: true });
  });

  it('cuts queries at their prompts', () => {
    const monitor = sample.queries.get('PROCESS_MONITOR');
    expect(monitor?.columns.map((column) => `${column.name} ${column.type.kind}`)).toEqual([
      ...[
        'PRCSINSTANCE integer',
        'MAINJOBINSTANCE integer',
        'PRCSJOBNAME string',
        'PRCSTYPE string',
        'PRCSNAME string',
      ],
      ...[
        'OPRID string',
        'RUNCNTLID string',
        'RECURNAME string',
        'RUNSTATUS string',
        'DISTSTATUS string',
        'RUNDTTM datetime',
      ],
    ]);
    expect(names(monitor?.statement.prompts ?? [])).toEqual([
      'OPRID',
      'OPRID',
      'PRCSTYPE',
      'PRCSTYPE',
      'RUNSTATUS',
      'RUNSTATUS',
    ]);
    expect(monitor?.statement.texts).toHaveLength(7);
    expect(monitor?.statement.prompts[0]).toBe(monitor?.prompts[0]);
  });

  it('knows users by their roles, and routes every operation', () => {
    expect([...(sample.users.get('demo')?.permissionLists ?? [])].map((list) => list.id)).toEqual([
      'LOCATIONS',
      'QUERY_USER',
      'QUERY_AUTHOR',
      'PROCESS_USER',
      'PROCESS_ADMIN',
      'ATTACHMENTS',
      'PARTNERS',
      'OPERATORS',
    ]);
    expect(sample.users.get('guest')?.permissionLists.size).toBe(0);
    expect(
      sample.routings.map(({ id, sender, receiver, generated, log }) => [id, sender, receiver, generated, log]),
    ).toEqual([...sample.operations.keys()].map((id) => [`~GENERATED~${id}`, 'ANY', 'LOCAL', true, 'failures']));
  });

  it('is frozen through and through', () => {
    const open: unknown[] = [sample];
    const seen = new Set<unknown>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typeof next !== 'object' || next === null || seen.has(next)) continue;
      seen.add(next);
      expect(Object.isFrozen(next)).toBe(true);
      if (next instanceof Map) {
        expect(() => (next as Map<unknown, unknown>).set('x', 1)).toThrow(TypeError);
        expect(() => (next as Map<unknown, unknown>).clear()).toThrow(TypeError);
        open.push(...next.values());
      } else if (next instanceof Set) {
        expect(() => (next as Set<unknown>).add(1)).toThrow(TypeError);
        open.push(...next);
      } else open.push(...Object.values(next));
    }
    expect(seen.size).toBeGreaterThan(300);
  });

  it('has its maps in the order of ids', () => {
    for (const map of [
      sample.documents,
      sample.operations,
      sample.consumers,
      sample.queries,
      sample.services,
      sample.permissionLists,
      sample.users,
    ]) {
      expect([...map.keys()]).toEqual([...map.keys()].sort());
    }
  });
});

describe('the gateway', () => {
  it('has time limits of its database that fit its own, unless they are set', () => {
    const short = load('gateway: Local-1\nlimits: { timeout: 3 s }').gateway;
    expect(short.database.bounds).toMatchObject({
      patience: 3000,
      timeouts: { connect: 3000, statement: 600_000, lock: 1000, transaction: 3000 },
    });
    const set = load(
      'gateway: Local-1\ndatabase: { timeouts: { lock: 2 s, transaction: 1 m }, keepalive: { interval: 1 s, count: 9 } }',
    ).gateway;
    expect(set.database.bounds.timeouts).toEqual({
      connect: 5000,
      statement: 600_000,
      lock: 2000,
      transaction: 60_000,
    });
    expect(set.database.bounds.keepalive).toEqual({ idle: 10_000, interval: 1000, count: 9 });
  });

  it('has a default for everything but its id', () => {
    const { gateway } = load('gateway: Local-1');
    expect(gateway).toEqual({
      id: 'Local-1',
      context: 'gateway',
      listen: { source: '127.0.0.1:8080', parts: [{ kind: 'literal', text: '127.0.0.1:8080' }] },
      database: {
        url: {
          source: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
          parts: [{ kind: 'env', name: 'DATABASE_URL', default: 'sqlite:.signalbox/signalbox.db' }],
        },
        engine: 'postgresql',
        connections: 20,
        migrate: true,
        bounds: {
          patience: 30_000,
          timeouts: { connect: 5000, statement: 600_000, lock: 10_000, transaction: 30_000 },
          keepalive: { idle: 10_000, interval: 5000, count: 3 },
        },
      },
      settings: [],
      handlers: 'src/handlers',
      namespace: 'urn:signalbox:local-1',
      strict: false,
      timezone: 'UTC',
      requires: [{ id: 'basic', kind: 'basic' }],
      proxies: [],
      delivered: [],
      contracts: 'public',
      metrics: [],
      cors: [],
      compress: { rest: true, soap: false },
      requestEncodings: [],
      console: { idle: 1_800_000, session: 43_200_000, signIn: [{ kind: 'password' }] },
      drain: { ready: 5_000, work: 30_000 },
      limits: {
        body: 10 * 1024 ** 2,
        timeout: 30_000,
        rows: 100_000,
        target: 64 * 1024,
        parameters: 1000,
        attachment: 1024 ** 3,
        attachments: 50,
        processes: 4,
        unknown: 3_600_000,
        temporary: 512 * 1024 ** 2,
        slowest: 240,
      },
      retention: {
        results: 7 * 86_400_000,
        'process-requests': 90 * 86_400_000,
        'process-logs': 30 * 86_400_000,
        calls: 7 * 86_400_000,
        'failed-jobs': 90 * 86_400_000,
        callers: 90 * 86_400_000,
        sessions: 30 * 86_400_000,
        statistics: 8 * 86_400_000,
        audit: 365 * 86_400_000,
      },
      mtom: { services: true, http: true },
      domainNames: [],
      at: { file: 'definitions/example.yaml', line: 1, column: 10 },
    });
  });

  it('takes sizes and times with their units', () => {
    const { gateway, queries } = load(`
gateway: LOCAL
publicUrl: https://example.org/x/
limits: { body: 1 GiB, target: 512, timeout: 500ms, attachment: 5 MiB, attachments: 3 }
drain: { ready: 0 s, work: 2 m }
properties: { ig.MTOM.enableHttpListeningConnector: false }
---
query: Q
public: true
columns: { A: string }
sql: select 'a' as a
timeout: 2 m
rows: 5
`);
    expect(gateway.limits).toMatchObject({ body: 1024 ** 3, target: 512, timeout: 500 });
    expect(gateway.limits).toMatchObject({ attachment: 5 * 1024 ** 2, attachments: 3 });
    expect(gateway.drain).toEqual({ ready: 0, work: 120_000 });
    expect(gateway.mtom).toEqual({ services: true, http: false });
    expect(gateway.publicUrl?.source).toBe('https://example.org/x');
    expect(queries.get('Q')).toMatchObject({ timeout: 120_000, rows: 5 });
  });
});

describe('versions and switches', () => {
  const service = (id: string, rest = ''): string =>
    `service: ${id}\npublic: true\n${rest}operations: { OP_${id.replace('.', '_')}: { get: a, response: text } }\n`;
  const defaults = (...services: string[]): string[] =>
    [...load(services.join('---\n')).services.values()].filter((each) => each.default).map((each) => each.id);

  it('makes the lowest version the default, until another says so', () => {
    expect(defaults(service('A.v10'), service('A.v2'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1'), service('A.v2', 'default: true\n'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1', 'default: false\n'), service('A.v2'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1', 'default: false\n'))).toEqual([]);
    expect(defaults(service('A.v1'), service('B.v3'))).toEqual(['A.v1', 'B.v3']);
  });

  it('switches an operation off by itself, its service or its routing', () => {
    const registry = load(`
service: A.v1
public: true
active: false
operations: { A_GET: { get: a, response: text } }
---
service: B.v1
public: true
deprecated: true
operations:
  B_GET: { get: b, response: text }
  C_GET: { get: c, response: text, active: false }
  D_GET: { get: d, response: text }
---
routing: D_OFF
operation: D_GET
active: false
log: header
---
routing: B_LOGGED
operation: B_GET
log: header
`);
    const active = [...registry.operations.values()].filter((each) => each.active).map((each) => each.id);
    expect(active).toEqual(['B_GET']);
    expect(registry.services.get('B.v1')?.deprecated).toEqual({});
    expect(registry.routings.map(({ id, generated, active: on, log }) => [id, generated, on, log])).toEqual([
      ['B_LOGGED', false, true, 'header'],
      ['D_OFF', false, false, 'header'],
    ]);
  });
});

describe('delivered services', () => {
  it('are there only where they are switched on, by a version or without', () => {
    expect([...load('gateway: LOCAL').services.keys()]).toEqual([]);
    const on = load(
      'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE, QAS_QRY_SERVICE.v1]\n---\npermission-list: P\noperations: [QAS_QRY_SERVICE.v1.*]',
    );
    expect(on.gateway.delivered).toEqual(['QAS_QRY_SERVICE.v1']);
    expect([...on.services.keys()]).toEqual(['QAS_QRY_SERVICE.v1']);
  });
});
