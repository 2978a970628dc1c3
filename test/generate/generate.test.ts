import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carriesHeader } from '../../src/generate/files.ts';
import { generate, handlerStubs } from '../../src/generate/index.ts';
import { registry } from '../support/registry.ts';
import { fullRegistry } from './full-registry.ts';

const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };

describe('generate', () => {
  const files = generate(fullRegistry(), { schema });

  it('gives types, a client, handlers, the schema, the registry and the contracts of every service that provides something, those of the package too', () => {
    expect([...files.keys()].sort()).toEqual([
      'generated/client.ts',
      'generated/contracts/Files.v1.wsdl',
      'generated/contracts/Files.v1.xsd',
      'generated/contracts/Locations.v1.none.xsd',
      'generated/contracts/Locations.v1.openapi.json',
      'generated/contracts/Locations.v1.wadl',
      'generated/contracts/Locations.v1.xsd',
      'generated/contracts/Orders.v2.openapi.json',
      'generated/contracts/Orders.v2.wadl',
      'generated/contracts/Orders.v2.wsdl',
      'generated/contracts/Orders.v2.xsd',
      'generated/contracts/PROCESSREQUEST.v1.openapi.json',
      'generated/contracts/PROCESSREQUEST.v1.wadl',
      'generated/contracts/PROCESSREQUEST.v1.xsd',
      'generated/contracts/Shapes.v1.openapi.json',
      'generated/contracts/Shapes.v1.wadl',
      'generated/contracts/Shapes.v1.xsd',
      'generated/definitions.schema.json',
      'generated/handlers.ts',
      'generated/mocks.schema.json',
      'generated/registry.json',
      'generated/types.ts',
    ]);
  });

  it('says in every file that it is generated, ends lines in LF and files in one newline', () => {
    for (const [path, text] of files) {
      expect(carriesHeader(text), path).toBe(true);
      expect(text, path).not.toContain('\r');
      expect(text, path).toMatch(/[^\n]\n$/);
    }
  });

  it('gives the same to the byte, in whatever order definitions were read', () => {
    const seed = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(seed, (numbers) => {
        const shuffle = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, rank: numbers.next().value ?? 0 }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ item }) => item);
        expect(new Map([...generate(fullRegistry(shuffle), { schema })].sort())).toEqual(new Map([...files].sort()));
      }),
      { numRuns: 20 },
    );
  });

  it('puts a placeholder where the address of a gateway would stand', () => {
    expect(files.get('generated/contracts/Locations.v1.wadl')).toContain('base="https://gateway.invalid/gateway/');
    for (const text of files.values()) expect(text).not.toContain('127.0.0.1:8080/');
  });

  it('keeps references to configuration, and no secret or hash', () => {
    const text = files.get('generated/registry.json') ?? '';
    expect(JSON.parse(text)).toMatchObject({
      gateway: { database: '${env:DATABASE_URL:-sqlite:x.db}' },
      nodes: {
        PARTNER: {
          base: ['https://${secret:PARTNER_HOST}'],
          credential: { basic: { user: 'me', password: '${secret:PARTNER_PASSWORD}' } },
        },
        LIBRARY: { credential: { 'client-credentials': { 'client-secret': '${secret:LIBRARY_SECRET}' } } },
      },
      consumers: { FILE_FETCH: { properties: { PRIMARYURL: '${env:FILES_URL}' } } },
      users: { demo: { password: 'scrypt' } },
    });
    for (const each of files.values()) expect(each).not.toMatch(/SALTSALT|HASHHASH/);
  });

  it('lists the URI templates of an operation in the order of their index', () => {
    const { operations } = JSON.parse(files.get('generated/registry.json') ?? '');
    expect(operations.LOCATIONS_GET.uris).toEqual([
      'Locations/?region={REGION}',
      'Locations/{REGION}/?location={LOCATION}',
    ]);
  });

  it('tells an operation that is SOAP alone from one over REST, and what is called from what is provided', () => {
    const { operations, consumers, services } = JSON.parse(files.get('generated/registry.json') ?? '');
    expect(operations.FILE_PUT).not.toHaveProperty('uris');
    const faults = [{ name: 'OutOfStock', document: 'LOC_FAULT' }];
    expect(operations.FILE_PUT.soap).toEqual({ name: 'FILE_PUT', request: 'FILE', response: 'FILE', faults });
    expect(operations.KINDS_GET).toMatchObject({ method: 'GET', uris: ['kinds/{id}'], soap: { name: 'KINDS_GET' } });
    expect(Object.keys(consumers)).toEqual(expect.arrayContaining(['FILE_FETCH', 'FILE_UPLOAD', 'PARTNER_PING']));
    expect(consumers.FILE_FETCH).not.toHaveProperty('uris');
    expect(consumers.FILE_UPLOAD).not.toHaveProperty('soap');
    expect(services['Partner.v1']).toMatchObject({
      operations: [],
      consumers: ['FILE_FETCH', 'PARTNER_PING', 'FILE_KEEP'],
    });
    expect(files.get('generated/handlers.ts')).not.toContain('FILE_FETCH');
  });

  it('shows of a consumer what a call may leave out, and what fills it, and the steps of a flow', () => {
    const { consumers, flows, services } = JSON.parse(files.get('generated/registry.json') ?? '');
    expect(consumers.FILE_UPLOAD).toMatchObject({
      input: ['ACCESS_TOKEN', 'SITE?', 'FOLDER', 'FILE', 'NAME?'],
      filled: { SITE: '${env:LIBRARY_SITE:-main}', NAME: '{FILE.name}' },
      body: { field: 'FILE' },
    });
    expect(flows['Library.v1.upload'].steps).toEqual([
      {
        call: 'TOKEN_FETCH',
        keep: { ACCESS_TOKEN: 'access_token' },
        for: 'expires_in',
        'renew-on': [401],
        timeout: 10000,
      },
      { call: 'FILE_UPLOAD' },
    ]);
    expect(services['Library.v1']).toMatchObject({ flows: ['upload'] });
  });

  it('names flows of the default version without it too', () => {
    const client = files.get('generated/client.ts');
    expect(client).toContain("'Library.upload': { request: Library_v1_upload_Call;");
    expect(client).toContain("'Library.v1.upload': { request: Library_v1_upload_Call;");
    expect(client).toContain("'Library.v2.upload': { request: Library_v2_upload_Call;");
  });

  it('keeps the members of the schema', () => {
    expect(JSON.parse(files.get('generated/definitions.schema.json') ?? '')).toMatchObject(schema);
  });

  it('gives compilable files where there is nothing to describe', () => {
    const empty = generate(registry({}), { schema });
    expect(empty.get('generated/types.ts')).toContain('export type Queries = Record<never, never>;');
    expect(empty.get('generated/handlers.ts')).toContain('export type Handlers = Record<never, never>;');
    expect(empty.get('generated/client.ts')).toContain('export type Calls = Record<never, never>;');
    expect(empty.get('generated/client.ts')).toContain('export type Flows = Record<never, never>;');
  });
});

describe('handlerStubs', () => {
  it('never gives a file that is there', () => {
    const all = handlerStubs(fullRegistry(), new Set());
    expect(all.size).toBe(18);
    expect(handlerStubs(fullRegistry(), new Set(all.keys())).size).toBe(0);
  });

  it('stands in the folder of the handlers, with the way back to the generated files', () => {
    const service = { operations: { GO_GET: { templates: ['go'], answer: { kind: 'handler', file: 'go' } } } } as const;
    const [entry] = handlerStubs(registry({ 'Go.v1': service }, { handlers: 'code' }), new Set());
    expect(entry?.[0]).toBe('code/go.ts');
    expect(entry?.[1]).toContain("from '../generated/handlers.ts'");
  });
});
