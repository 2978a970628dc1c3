import type { Pick } from '../../src/mock/instance.ts';
import { type Declaration, mutated as mutatedDocument } from './random-documents.ts';

/** Definitions of one service, as YAML would have them. */
export interface Project {
  gateway: Declaration;
  service: Declaration;
  /** With their ids. */
  documents: Declaration[];
}

/** A change of a project, by its name. It may have no effect, or lead to definitions with errors. */
type Mutation = (project: Project, pick: Pick) => void;

export function textOf({ gateway, service, documents }: Project): string {
  const lines = (definition: Declaration): string =>
    Object.entries(definition)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n');
  return `${[gateway, service, ...documents].map(lines).join('\n---\n')}\n`;
}

const oneOf = <T>(pick: Pick, all: readonly T[]): T => all[pick(all.length)] as T;
const maybe = (pick: Pick, inverse: number, more: Declaration): Declaration => (pick(inverse) === 0 ? more : {});

/** Fields that any part of a request can have. */
const PLAIN: readonly Declaration[] = [
  { type: 'string(5)' },
  { type: 'string(5)', enum: ['A', 'B'] },
  { type: 'string(5)', pattern: '[A-Z]+', example: 'AB' },
  { type: 'integer' },
  { type: 'integer', minimum: 1, maximum: 9 },
  { type: 'boolean' },
  { type: 'date' },
  { type: 'decimal(6.2)' },
  { type: 'flag' },
];
const LISTS: readonly Declaration[] = [
  { type: 'list of string(5)' },
  { type: 'list of integer', minimum: 1 },
  { type: 'list of integer', maximum: 2 },
];
const DEEP: readonly Declaration[] = [
  { fields: { A: { type: 'string(5)' }, B: { type: 'integer' } } },
  { list: { fields: { A: { type: 'string(5)', required: true } } } },
  { type: 'PART' },
  { type: 'list of PART' },
  { type: 'map of integer' },
];

function fieldOf(pick: Pick, among: readonly Declaration[]): Declaration {
  const field = structuredClone(oneOf(pick, among));
  return { ...field, ...maybe(pick, 3, { required: true }) };
}

const named = (prefix: string, count: number, make: (name: string) => Declaration): Record<string, Declaration> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = `${prefix}${index + 1}`;
      return [name, make(name)];
    }),
  );

export function randomProject(pick: Pick): Project {
  const operations = Object.fromEntries(
    Array.from({ length: 1 + pick(2) }, (_, index) => [`OP_${index + 1}`, randomOperation(pick, `things${index}`)]),
  );
  return {
    gateway: { gateway: 'LOCAL', ...maybe(pick, 6, { strict: true }) },
    service: {
      service: 'Orders.v1',
      public: true,
      ...maybe(pick, 5, { alias: 'sales' }),
      ...maybe(pick, 6, { namespace: 'urn:orders' }),
      operations,
    },
    documents: [
      { document: 'PART', fields: named('P', 2, () => fieldOf(pick, PLAIN)) },
      { document: 'TROUBLE', fields: { REASON: { type: 'text', default: '{fault.message}' } } },
      { document: 'SHORTAGE', fields: { LEFT: 'integer' } },
    ],
  };
}

/** Where the fields of a request are. */
interface Places {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly header: readonly string[];
}

function randomOperation(pick: Pick, folder: string): Declaration {
  const hasBody = pick(3) > 0;
  const isRest = pick(5) > 0;
  const path = named('P', pick(2), () => ({ ...structuredClone(oneOf(pick, PLAIN)), required: true }));
  const query = named('Q', pick(3), () => fieldOf(pick, [...PLAIN, ...LISTS]));
  const header = named('H', pick(4) === 0 ? 1 : 0, () => fieldOf(pick, PLAIN));
  const body = named('B', hasBody || !isRest ? 1 + pick(3) : 0, () => fieldOf(pick, [...PLAIN, ...LISTS, ...DEEP]));
  const fields = { ...path, ...query, ...header, ...body };
  const places = { path: Object.keys(path), query: Object.keys(query), header: Object.keys(header) };
  return {
    ...(isRest ? restKeys(pick, folder, places, hasBody) : {}),
    ...(isRest && pick(2) === 0 ? {} : { soap: randomSoap(pick), ...randomStyle(pick) }),
    ...(Object.keys(fields).length === 0 ? {} : { request: { fields } }),
    response: randomResponse(pick, isRest),
    ...maybe(pick, 4, { fault: 'TROUBLE' }),
    ...maybe(pick, 8, { wrapper: 'psnonxml' }),
  };
}

function restKeys(pick: Pick, folder: string, { path, query, header }: Places, hasBody: boolean): Declaration {
  const segments = path.map((name) => `/{${name}}`).join('');
  const explode = pick(3) === 0 ? '*' : '';
  const rest = query.length === 0 ? '' : `{?${query.map((name) => `${name}${explode}`).join()}}`;
  const method = hasBody ? oneOf(pick, ['post', 'put', 'patch']) : oneOf(pick, ['get', 'get', 'delete']);
  return {
    [method]: `${folder}${segments}${rest}`,
    ...(header.length === 0 ? {} : { headers: Object.fromEntries(header.map((name) => [`X-${name}`, `{${name}}`])) }),
    ...(hasBody && pick(6) === 0 ? { form: 'multipart' } : {}),
    ...maybe(pick, 4, { status: 201 }),
  };
}

function randomSoap(pick: Pick): unknown {
  return oneOf(pick, [
    true,
    true,
    'Buy',
    { name: 'Buy', action: 'urn:buy' },
    { namespace: 'urn:own', reply: 'Bought' },
  ]);
}

function randomStyle(pick: Pick): Declaration {
  return oneOf(pick, [{}, {}, { style: 'rpc' }, { wrapped: false }, { faults: { Shortage: 'SHORTAGE' } }]);
}

function randomResponse(pick: Pick, isRest: boolean): unknown {
  const fields = { fields: named('R', 1 + pick(3), () => fieldOf(pick, [...PLAIN, ...LISTS, ...DEEP])) };
  if (!isRest) return oneOf(pick, [fields, fields, 'PART', 'none']);
  return oneOf(pick, [
    ...[fields, fields, fields, 'PART', 'list of PART', 'json', 'text', 'none'],
    { 'application/json': 'PART', 'application/xml': 'PART' },
    { 'application/json': 'PART', 'text/csv': 'text' },
  ]);
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Found {
  readonly name: string;
  readonly operation: Declaration;
  readonly all: Declaration;
}

function operationIn({ service }: Project, pick: Pick): Found {
  const all = service.operations as Declaration;
  const name = oneOf(pick, Object.keys(all));
  return { name, operation: all[name] as Declaration, all };
}

/** Changes an operation of the project. */
const ofOperation =
  (change: (operation: Declaration, pick: Pick, project: Project) => void): Mutation =>
  (project, pick) =>
    change(operationIn(project, pick).operation, pick, project);

/** Changes the URI template of an operation. */
const ofUri = (change: (template: string, pick: Pick) => string): Mutation =>
  ofOperation((operation, pick) => {
    for (const method of METHODS)
      if (typeof operation[method] === 'string') operation[method] = change(operation[method], pick);
  });

const fieldsOf = ({ request }: Declaration): Declaration =>
  ((request as Declaration | undefined)?.fields as Declaration | undefined) ?? {};

/** Sets a key to one of some values; `undefined` removes it. */
const setting = (key: string, ...values: readonly unknown[]): Mutation =>
  ofOperation((operation, pick) => {
    operation[key] = oneOf(
      pick,
      values.filter((each) => JSON.stringify(each) !== JSON.stringify(operation[key])),
    );
  });

const ofService =
  (key: string, ...values: readonly unknown[]): Mutation =>
  ({ service }, pick) => {
    service[key] = oneOf(pick, values);
  };

const ofGateway =
  (key: string, ...values: readonly unknown[]): Mutation =>
  ({ gateway }, pick) => {
    gateway[key] = oneOf(pick, values);
  };

/** Renames a field of the request wherever it is, or in its template alone. */
function renamed(operation: Declaration, pick: Pick, isField: boolean): void {
  const [name] = [oneOf(pick, Object.keys(fieldsOf(operation)))];
  if (name === undefined) return;
  const within = (text: string): string => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}X`);
  for (const method of METHODS)
    if (typeof operation[method] === 'string') operation[method] = within(operation[method]);
  if (operation.headers !== undefined)
    operation.headers = JSON.parse(JSON.stringify(operation.headers).replaceAll(`{${name}}`, `{${name}X}`)) as unknown;
  const entries = Object.entries(fieldsOf(operation)).map(([key, value]) => [key === name ? `${name}X` : key, value]);
  const fields = Object.fromEntries(entries) as Declaration;
  if (!isField) (fields[`${name}X`] as Declaration).json = name;
  (operation.request as Declaration).fields = fields;
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  method: ofOperation((operation, pick) => {
    const method = METHODS.find((each) => operation[each] !== undefined);
    if (method === undefined) return;
    const other = oneOf(
      pick,
      METHODS.filter((each) => each !== method),
    );
    operation[other] = operation[method];
    delete operation[method];
  }),
  path: ofUri((template) => template.replace(/^things/, 'goods')),
  'path-end': ofUri((template) => template.replace(/(?=\{\?|$)/, '/all')),
  'path-order': ofUri((template) => template.replace(/^(things\d)\/(\{\w+\})/, '$2/$1')),
  'path-operator': ofUri((template) => template.replace(/\/\{(\w+)\}/, '{/$1}')),
  matrix: ofUri((template) => template.replace(/\/\{(\w+)\}/, '{;$1}')),
  'query-constant': ofUri((template) =>
    template.includes('{?') ? template.replace('{?', '?kind=all{&') : `${template}?kind=all`,
  ),
  'query-explode': ofUri((template) =>
    template.includes('*') ? template.replaceAll('*', '') : template.replace(/(\{\?.*)\}/, '$1*}'),
  ),
  'query-required': ofUri((template) => template.replace(/\{\?(\w+)\*?\}/, '?$1={$1}')),
  'query-to-path': ofUri((template) =>
    template
      .replace(/\{\?(\w+)\*?/, '/{$1}{?')
      .replace('{?}', '')
      .replace('{?,', '{?'),
  ),
  'query-dropped': ofUri((template) => template.replace(/\{\?(\w+)\*?,?/, '{?').replace('{?}', '')),
  'uri-added': ofOperation((operation) => {
    for (const method of METHODS)
      if (typeof operation[method] === 'string') operation[method] = [operation[method], `more/${operation[method]}`];
  }),
  'uri-before': ofOperation((operation) => {
    for (const method of METHODS)
      if (typeof operation[method] === 'string') operation[method] = [`more/${operation[method]}`, operation[method]];
  }),
  'header-name': ofOperation((operation) => {
    if (operation.headers !== undefined)
      operation.headers = JSON.parse(JSON.stringify(operation.headers).replaceAll('"X-', '"Y-')) as unknown;
  }),
  'header-dropped': ofOperation((operation) => delete operation.headers),
  'header-added': ofOperation((operation, pick) => {
    (operation.request as Declaration | undefined) ??= { fields: {} };
    if (operation.request === undefined) operation.request = { fields: {} };
    fieldsOf(operation).H9 = fieldOf(pick, PLAIN);
    operation.headers = { ...(operation.headers as Declaration | undefined), 'X-H9': '{H9}' };
  }),
  'field-renamed': ofOperation((operation, pick) => {
    if (Object.keys(fieldsOf(operation)).length > 0) renamed(operation, pick, true);
  }),
  'field-renamed-inside': ofOperation((operation, pick) => {
    if (Object.keys(fieldsOf(operation)).length > 0) renamed(operation, pick, false);
  }),
  request: ofOperation((operation, pick) => {
    if (Object.keys(fieldsOf(operation)).length > 0)
      operation.request = mutatedDocument(pick, operation.request as Declaration);
  }),
  response: ofOperation((operation, pick) => {
    const { response } = operation;
    if (typeof response === 'object' && response !== null && 'fields' in response)
      operation.response = mutatedDocument(pick, response as Declaration);
  }),
  part: (project, pick) => {
    const [{ document, ...part }, ...others] = project.documents as [Declaration, ...Declaration[]];
    project.documents = [{ document, ...mutatedDocument(pick, part) }, ...others];
  },
  'document-options': ({ documents }, pick) => {
    const [part] = documents as [Declaration];
    Object.assign(
      part,
      oneOf(pick, [{ xml: 'Teil' }, { namespace: 'urn:parts' }, { unqualified: true }, { root: true }, { open: true }]),
    );
  },
  'response-kind': ofOperation((operation, pick) => {
    operation.response = randomResponse(
      pick,
      METHODS.some((each) => operation[each] !== undefined),
    );
  }),
  'media-types': ofOperation((operation, pick) => {
    operation.response = oneOf(pick, [
      { 'application/json': 'PART', 'application/xml': 'PART' },
      { 'application/xml': 'PART', 'application/json': 'PART' },
      { 'application/json': 'PART' },
      { 'application/vnd.part+json': 'PART' },
      { 'application/json': 'PART', 'text/csv': 'text' },
    ]);
  }),
  status: setting('status', 200, 201, 202, 204),
  fault: setting('fault', undefined, 'TROUBLE', 'SHORTAGE'),
  faults: setting('faults', undefined, { Shortage: 'SHORTAGE' }, { Shortage: 'PART' }, { Other: 'SHORTAGE' }),
  soap: setting(
    'soap',
    undefined,
    true,
    'Buy',
    'Sell',
    { name: 'Buy', action: 'urn:sell' },
    { action: '' },
    { name: 'Buy', action: '' },
    { namespace: 'urn:own' },
    { reply: 'Sold' },
  ),
  style: setting('style', undefined, 'rpc'),
  wrapped: setting('wrapped', undefined, false),
  form: setting('form', undefined, 'multipart'),
  body: ofOperation((operation, pick) => {
    operation.body = oneOf(pick, [
      undefined,
      'none',
      ...Object.keys(fieldsOf(operation)).filter((name) => name.startsWith('B')),
    ]);
  }),
  wrapper: setting('wrapper', undefined, 'psnonxml'),
  'header-block': ofOperation((operation) => {
    const [field] = Object.values(fieldsOf(operation)) as Declaration[];
    if (field !== undefined) field.header = field.header === undefined ? true : undefined;
  }),
  'url-style': ofOperation((operation, pick) => {
    const [field] = Object.values(fieldsOf(operation)) as Declaration[];
    if (field !== undefined) field.url = oneOf(pick, ['path', 'odata', 'odata-path']);
  }),
  strict: setting('strict', true, false),
  active: setting('active', false),
  alias: ofService('alias', undefined, 'sales', 'shop'),
  namespace: ofService('namespace', undefined, 'urn:orders', 'urn:other'),
  'service-inactive': ofService('active', false),
  'service-name': ofService('service', 'Orders.v2', 'Sales.v1'),
  deprecated: ofService('deprecated', true),
  context: ofGateway('context', 'api'),
  'gateway-name': ofGateway('gateway', 'OFFICE'),
  'gateway-namespace': ofGateway('namespace', 'urn:office'),
  'gateway-strict': ofGateway('strict', true, false),
  'body-limit': ofGateway('limits', { body: '64 B' }, { parameters: 1 }, { target: '64 B' }),
  'operation-removed': (project, pick) => {
    const { name, all } = operationIn(project, pick);
    if (Object.keys(all).length > 1) delete all[name];
  },
  'operation-added': (project, pick) => {
    (project.service.operations as Declaration).OP_9 = randomOperation(pick, 'others');
  },
  'operation-renamed': ({ service }) => {
    const entries = Object.entries(service.operations as Declaration);
    service.operations = Object.fromEntries(entries.map(([name, each]) => [`${name}_NEW`, each]));
  },
};

/** The project with one change. */
export function mutated(pick: Pick, project: Project): { readonly name: string; readonly project: Project } {
  const copy = structuredClone(project);
  const name = oneOf(pick, Object.keys(MUTATIONS));
  MUTATIONS[name]?.(copy, pick);
  return { name, project: JSON.parse(JSON.stringify(copy)) as Project };
}
