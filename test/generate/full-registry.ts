import type { Component } from '../../src/model/component.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import { databaseBounds } from '../../src/model/gateway.ts';
import { NODE_DEFAULTS } from '../../src/model/node.ts';
import type { Query } from '../../src/model/query.ts';
import type { Registry, Routing } from '../../src/model/registry.ts';
import type { PermissionList, Role, SecurityScheme, User } from '../../src/model/security.ts';
import type { Service } from '../../src/model/service.ts';
import { compound, decimal, document, field, listOf, registry, string } from '../support/registry.ts';
import { config, LIBRARY, laterLibrary, library, PARTNER, partner } from './full-consumers.ts';
import { NETWORK, partnerUser, schemes } from './full-security.ts';
import { PET, SHAPES } from './full-shapes.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };

const LOC_REQUEST = document('LOC_REQUEST', [
  field('REGION', string(1), { example: 'N', description: 'Code of a region' }),
  field('LOCATION', string(10), { example: 'NYC01' }),
]);
const LOC_DTL_VW = document('LOC_DTL_VW', [
  field('LOCATION'),
  field('CITY'),
  field('EFFDT', 'date'),
  field('STATUS', 'flag'),
]);
const EE_LIST_VW = document('EE_LIST_VW', [
  field('NAME'),
  field('PHONE', 'string', { sensitive: true, example: '555' }),
]);
const LOC_RESPONSE = document(
  'LOC_RESPONSE',
  [field('LOC_DATA', listOf(LOC_DTL_VW)), field('EMP_DATA', listOf(EE_LIST_VW), { absent: 'blank' })],
  { root: true, description: 'Locations of a region, or the people at one' },
);
const LOC_FAULT = document('LOC_FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })]);

const PLACE = document('PLACE', [
  field('ID', 'integer', { required: true }),
  field('NAME', string(30), { required: true }),
  field('STATUS', string(1), { enum: ['A', 'I'], default: 'A' }),
  field('REVISION', 'integer'),
]);
const [ID, , , REVISION] = PLACE.fields;
const PLACES: Component = {
  id: 'PLACES',
  description: 'Where things are',
  table: 'place',
  shape: PLACE,
  keys: [ID as Field],
  lock: REVISION as Field,
  events: [],
  afterSave: { file: 'places-saved', on: ['created', 'updated'], when: [], at },
  publications: [],
  permissions: [],
  public: true,
  at,
};

/** Every kind of field, and every option that shows in a type or its comment. */
const KINDS = document('KINDS', [
  field('id', 'integer', { required: true }),
  field('small', 'integer', { minimum: 0, maximum: 100 }),
  field('huge', 'integer', { minimum: 0, maximum: 2 ** 60 }),
  field('level', 'integer', { enum: [1, 2, 3] }),
  field('price', decimal(10, 2), { minimum: 0 }),
  field('rate', 'decimal', { enum: [1.5, 2] }),
  field('active', 'boolean', { default: true }),
  field('sure', 'boolean', { fixed: true }),
  field('mode', 'string', { enum: ["it's", 'B\\n'], anyCase: true, default: 'B\\n' }),
  field('version', 'string', { fixed: '1.0', required: true }),
  field('flag', 'flag', { default: 'N' }),
  field('code', string(8), { patterns: ['[A-Z]*/x'], minimum: 2, description: 'Line one\n*/ line two' }),
  field('day', 'date'),
  field('hour', 'time'),
  field('moment', 'datetime'),
  field('token', 'uuid', { enum: ['0f8fad5b-d9cb-469f-a165-70867728950e'] }),
  field('trace', 'uuid'),
  field('link', 'uri', { patterns: ['https://.+'], maximum: 200 }),
  field('markup', 'xml'),
  field('photo', 'binary'),
  field('extra', 'json'),
  field('tags', listOf('string'), { maximum: 5 }),
  field('colours', listOf('string'), { enum: ['red', 'blue'] }),
  field('counts', listOf('integer'), { minimum: 0, maximum: 9 }),
  field('queryname=', 'string', { jsonName: 'queryname=' }),
]);

/** Holds itself, and stands inside a request and a reply. */
const TREE = selfHolding();

function selfHolding(): Document {
  const fields: Field[] = [field('name', 'string', { required: true }), field('depth', 'integer', { default: 0 })];
  const tree = document('TREE', fields);
  fields.push(field('parent', compound(tree)), field('children', listOf(tree)));
  return tree;
}

const OPEN = document('OPEN', [field('id', 'integer', { required: true }), field('tree', compound(TREE))], {
  open: true,
});
const ORDER_LINE = document(
  'ORDER_POST.lines',
  [
    field('article', string(20), { required: true }),
    field('amount', 'integer', { minimum: 1, maximum: 999, default: 1 }),
  ],
  { inPlace: true },
);
const ORDER = document('ORDER', [
  field('customer', 'string'),
  field('lines', listOf(ORDER_LINE), { required: true }),
  field('tree', compound(TREE)),
]);
/** Named as TypeScript names a type of its own. */
const WORD = document('string', [field('Value'), field('Attachment', listOf('boolean'))]);
/** Declared, and used by nothing. */
const UNUSED = document('UNUSED', []);
const ROW = document('EMPLOYEES_GET_RESPONSE', [field('rows', listOf(EE_LIST_VW))], { inPlace: true });
const FILE = document('FILE', [
  field('name', string(255), { required: true }),
  field('contentType'),
  field('content', 'binary', { required: true }),
]);
const INSTANCE = document('PRQ_INSTANCE', [field('ProcessInstance', 'integer')]);

const locations: PermissionList = { id: 'LOCATIONS', operations: [], queries: [], processes: [], components: [], at };
const processes: PermissionList = {
  id: 'PROCESSES',
  description: 'Runs processes',
  operations: ['PROCESSREQUEST.*'],
  queries: [],
  processes: [],
  components: [],
  console: new Map([
    ['read', at],
    ['act', at],
  ]),
  at,
};

function query(id: string, prompts: readonly Field[], columns: readonly Field[], options: Partial<Query> = {}): Query {
  const sql = `select *\nfrom t_${id.toLowerCase()}\n`;
  const permissions = [locations];
  return {
    id,
    sql,
    statement: { texts: [sql], prompts: [] },
    prompts,
    columns,
    children: [],
    permissions,
    public: false,
    at,
    ...options,
  };
}

const queries: readonly Query[] = [
  query(
    'LOCATIONS_BY_REGION',
    [field('REGION', string(1), { required: true })],
    [field('LOCATION', string(10)), field('CITY'), field('STATUS', 'flag')],
    { description: 'Locations of a region', rows: 500 },
  ),
  query(
    'EMPLOYEES',
    [field('DEPT', 'string'), field('LIMIT', 'integer', { required: true, default: 10 })],
    [
      field('NAME'),
      field('PHONE'),
      field('ACTIVE', 'boolean'),
      field('LEVEL', 'integer', { enum: [1, 2] }),
      field('NOTES', 'json'),
      field('COUNT', 'integer'),
      field('SALARY', decimal(9, 2)),
    ],
  ),
  query('odd name', [], [field('A.EMPLID')], { public: true, permissions: [], timeout: 5000 }),
];

/** A registry with something of everything. `order` reorders whatever may come in any order. */
export function fullRegistry(order: <T>(items: readonly T[]) => readonly T[] = (items) => items): Registry {
  const all: Role = { id: 'ALL', permissionLists: [processes, locations], at };
  const known = schemes(all, order);
  const asked = (...ids: readonly string[]): SecurityScheme[] => ids.map((id) => known.get(id) as SecurityScheme);
  const built = registry(
    {
      'Locations.v1': {
        description: 'Locations of a region',
        cors: [],
        wsdl: {
          namespace: 'urn:wsdl',
          service: 'Shop',
          portType: 'ShopType',
          ports: [{ version: 'soap12', port: 'ShopPort', binding: 'ShopBinding' }],
        },
        operations: {
          LOCATIONS_GET: {
            templates: ['Locations/?region={REGION}', 'Locations/{REGION}/?location={LOCATION}'],
            description: 'Locations of a region, or who works at one',
            request: LOC_REQUEST,
            response: LOC_RESPONSE,
            wrapper: 'psnonxml',
            tags: ['places'],
            fault: LOC_FAULT,
            permissions: [locations],
          },
          EMPLOYEES_GET: {
            templates: ['Employees/{DEPT}'],
            response: ROW,
            answer: { kind: 'query', query: queries[1] as Query },
            permissions: [locations],
          },
        },
      },
      'Orders.v2': {
        default: false,
        deprecated: { since: '2026-01-01' },
        operations: {
          ORDER_POST: {
            method: 'POST',
            templates: ['orders{?dry}'],
            request: ORDER,
            status: 204,
            permissions: [locations],
            requires: asked('LOGIN', 'KEY', 'basic'),
            limits: { rate: { requests: 100, per: 60_000, by: 'all' }, concurrent: 20 },
          },
          ORDER_COPY: {
            method: 'POST',
            templates: ['orders/{ID}/copy'],
            request: ORDER,
            response: OPEN,
            public: true,
            answer: { kind: 'handler', file: 'orders/copy' },
          },
          ORDER_CLONE: {
            method: 'PUT',
            templates: ['orders/{ID}/clone'],
            request: ORDER,
            response: OPEN,
            public: true,
            answer: { kind: 'handler', file: 'orders/copy' },
          },
          KINDS_GET: { templates: ['kinds/{id}'], soap: true, request: KINDS, response: KINDS, public: true },
          PHOTO_PUT: {
            method: 'PUT',
            templates: ['photos/{ID}{?size}'],
            request: 'binary',
            response: 'text',
            public: true,
          },
          PHOTO_GET: {
            templates: ['photos/{ID}'],
            response: { 'image/png': 'binary', 'application/json': 'json' },
            public: true,
          },
          WORD_GET: {
            templates: ['words'],
            requestHeaders: [{ header: 'X-Word', field: WORD.fields[0] as Field }],
            request: WORD,
            response: { 'application/json': WORD, 'text/plain': 'text' },
            public: true,
            active: false,
          },
        },
      },
      'Files.v1': {
        operations: {
          FILE_PUT: {
            soap: true,
            faults: [{ name: 'OutOfStock', document: LOC_FAULT }],
            request: FILE,
            response: FILE,
            fault: LOC_FAULT,
            permissions: [locations],
            requires: asked('SIGNED', 'TOKEN', 'CERTIFICATE'),
          },
          FILE_SEND: { soap: true, request: 'xml', public: true, description: 'Takes a message, and answers nothing' },
        },
      },
      'Shapes.v1': { operations: SHAPES },
      'Library.v1': { operations: {} },
      'Library.v2': { default: false, operations: {} },
      'Partner.v1': { operations: {} },
      'PROCESSREQUEST.v1': {
        delivered: true,
        operations: {
          PRCS_GET: {
            templates: ['requests/{ProcessInstance}'],
            request: INSTANCE,
            response: INSTANCE,
            answer: { kind: 'delivered', name: 'process-get' },
            permissions: [processes],
          },
        },
      },
    },
    {
      database: {
        url: config('${env:DATABASE_URL:-sqlite:x.db}', [
          { kind: 'env', name: 'DATABASE_URL', default: 'sqlite:x.db' },
        ]),
        engine: 'postgresql',
        migrate: true,
        connections: 20,
        bounds: databaseBounds(30_000),
      },
      settings: [
        {
          name: 'HEAVIEST_PARCEL',
          field: field('HEAVIEST_PARCEL', 'int', { default: 30, description: 'In kg; heavier ones go by freight' }),
          value: config('${env:HEAVIEST_PARCEL:-30}', [{ kind: 'env', name: 'HEAVIEST_PARCEL', default: '30' }]),
          isSecret: false,
          at,
        },
        {
          name: 'CARRIER_KEY',
          field: field('CARRIER_KEY', 'string', { required: true }),
          value: config('${secret:CARRIER_KEY}', [{ kind: 'secret', name: 'CARRIER_KEY' }]),
          isSecret: true,
          at,
        },
        {
          name: 'SUPPORT_MAIL',
          field: field('SUPPORT_MAIL', 'string'),
          value: config('${env:SUPPORT_MAIL:-}', [{ kind: 'env', name: 'SUPPORT_MAIL', default: '' }]),
          isSecret: false,
          at,
        },
      ],
      delivered: ['PROCESSREQUEST.v1'],
      requires: asked('basic', 'KEY'),
      ...NETWORK,
    },
  );
  const shapes = { FILE, KINDS, LOC_FAULT, ORDER };
  const soap = partner(built.services.get('Partner.v1') as Service, shapes, [locations]);
  const rest = library(built.services.get('Library.v1') as Service, shapes, [locations]);
  const later = laterLibrary(built.services.get('Library.v2') as Service, rest.consumers);
  const documents = [
    LOC_REQUEST,
    LOC_RESPONSE,
    LOC_DTL_VW,
    EE_LIST_VW,
    LOC_FAULT,
    KINDS,
    TREE,
    OPEN,
    ORDER,
    ORDER_LINE,
    WORD,
    UNUSED,
    ROW,
    INSTANCE,
    FILE,
    PET,
    ...rest.documents,
  ];
  return {
    ...built,
    services: byId(order([...built.services.values()])),
    operations: byId(order([...built.operations.values()])),
    consumers: byId(order([...soap.consumers, ...rest.consumers])),
    flows: byId(order([...rest.flows, ...later.flows])),
    documents: byId(order(documents)),
    queries: byId(order(queries)),
    components: byId([PLACES]),
    nodes: byId(
      order([
        PARTNER,
        LIBRARY,
        {
          ...NODE_DEFAULTS,
          id: 'B_NODE',
          description: 'Another',
          base: [config('https://b', [{ kind: 'literal', text: 'https://b' }])],
          at,
        },
      ]),
    ),
    schemes: known,
    permissionLists: byId(order([locations, processes])),
    roles: byId([all]),
    users: byId(order([user('guest', []), user('demo', [all]), partnerUser([all])])),
    routings: order([...built.operations.values()].map(routing)),
  };
}

function byId<T extends { readonly id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

function user(id: string, roles: readonly Role[]): User {
  const permissionLists = new Set(roles.flatMap((role) => role.permissionLists));
  return {
    id,
    password: '$scrypt$ln=14,r=8,p=1$SALTSALT$HASHHASH',
    roles,
    permissionLists,
    apiKeys: [],
    certificates: [],
    origin: 'definitions',
    sample: true,
    at,
  };
}

function routing(operation: Routing['operation']): Routing {
  const id = `~GENERATED~${operation.id}`;
  return { id, operation, sender: 'ANY', receiver: 'LOCAL', generated: true, active: true, log: 'failures', at };
}
