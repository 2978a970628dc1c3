import type { SampleKind } from './samples.ts';

/** A part of definitions before and after a key is added or changed; what is around it is that of the catalogue's samples. */
type KeyChange = readonly [sample: SampleKind, before: string, after: string];

const field = (key: string, value: string, type = 'text'): KeyChange => [
  'fields',
  `F: { type: ${type} }`,
  `F: { type: ${type}, ${key}: ${value} }`,
];
const entry = (key: string, value: string, type = 'text'): KeyChange => [
  'fields',
  `F: { type: list of ${type} }`,
  `F: { type: list of ${type}, entry: { ${key}: ${value} } }`,
];
const named = (base: string, before: string, after: string): KeyChange => {
  const text = (keys: string): string => `F: KIND\n---\ntype: KIND\nbase: ${base}\n${keys}`;
  return ['fields', text(before), text(after)];
};
const document = (before: string, after: string): KeyChange => [
  'document',
  `document: ORDER\n${before}`,
  `document: ORDER\n${after}`,
];
const inPlace = (before: string, after: string): KeyChange => [
  'operation',
  `post: orders\nsoap: { name: Orders }\nwrapped: false\nrequest: { ${before} }\nresponse: { ${before} }`,
  `post: orders\nsoap: { name: Orders }\nwrapped: false\nrequest: { ${after} }\nresponse: { ${after} }`,
];
const operation = (before: string, after: string, more = 'response: text'): KeyChange => [
  'operation',
  `${before}\n${more}`,
  `${after}\n${more}`,
];
const DOC =
  'request: { fields: { N: { type: integer, required: true }, M: text } }\nresponse: { fields: { N: integer } }';
const service = (before: string, after: string): KeyChange => ['service', before, after];
const gateway = (before: string, after: string): KeyChange => ['gateway', before, after];
const call = (before: string, after: string): KeyChange => ['call', before, after];
const whole = (before: string, after: string): KeyChange => ['definitions', before, after];

const wsdl = (before: string, after: string): KeyChange => {
  const declared = (keys: string): string =>
    `service: Orders.v1\npublic: true\nwsdl: { ${keys} }\noperations:\n  A: { soap: true, response: { fields: { N: integer } }, faults: { Lack: LACK } }\n---\ndocument: LACK\nfields: { N: integer }`;
  return whole(declared(before), declared(after));
};

const REST_CALL = 'post: orders\nrequest: { fields: { N: integer } }\nresponse: { fields: { N: integer } }';
const SOAP_CALL = 'soap: true\nrequest: { fields: { N: integer } }\nresponse: { fields: { N: integer } }';
const property = (name: string, value: string, around = REST_CALL): KeyChange =>
  call(around, `${around}\nproperties: { ${name}: ${value} }`);

const nodes = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `node: PARTNER\n${keys}\n---\nservice: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n  PARTNER_CALL: { get: orders, response: text }`;
  return whole(text(before), text(after));
};
const BASE = 'base: https://partner.example.org\n';
const credential = (before: string, after: string): KeyChange =>
  nodes(`${BASE}credential: ${before}`, `${BASE}credential: ${after}`);

/** The same for calls over SOAP. */
const ofMessages = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `node: PARTNER\n${BASE}credential: ${keys}\n---\nservice: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n  PARTNER_CALL: { soap: true, request: { fields: { N: integer } }, response: { fields: { N: integer } } }`;
  return whole(text(before), text(after));
};

const scheme = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `scheme: KEY\n${keys}\n---\npermission-list: READERS\n---\nrole: CLERK\npermission-lists: [READERS]\n---\nservice: Orders.v1\npermission: READERS\nrequires: KEY\noperations:\n  ORDERS_GET: { ${[before, after].some((each) => /^(?:webhook|hmac):/.test(each)) ? 'post: orders' : 'soap: true'}, response: { fields: { N: integer } } }`;
  return whole(text(before), text(after));
};
const hmac = (more: string): string => `hmac: { secrets: ["\${secret:S}"], user: shop, header: X-A, ${more} }`;
const signed = (more: string): string => `{ hmac: { secrets: "\${secret:S}", header: X-A, ${more} } }`;
const TOKEN = 'issuer: https://login.example.org, audience: orders, jwks: "https://login.example.org/keys"';
const bearer = (before: string, after: string): KeyChange =>
  scheme(`bearer: { ${TOKEN}, ${before} }`, `bearer: { ${TOKEN}, ${after} }`);

const LISTS = 'permission-list: READERS\n---\npermission-list: WRITERS\n---\n';
const roles = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `${LISTS}role: CLERK\npermission-lists: [READERS]\n---\nrole: CHIEF\npermission-lists: [WRITERS]\n---\n${keys}`;
  return whole(text(before), text(after));
};
const user = (before: string, after: string): KeyChange => roles(`user: shop\n${before}`, `user: shop\n${after}`);
const granted = (before: string, after: string, more = ''): KeyChange => {
  const text = (keys: string): string =>
    `permission-list: READERS\n${keys}\n---\npermission-list: WRITERS\n---\n${more}`;
  return whole(text(before), text(after));
};
const GATED = 'service: Orders.v1\npermission: WRITERS\noperations:\n  ORDERS_GET: { get: orders, response: text }';

const QUERY =
  'columns: { N: { type: integer, required: true }, S: text }\nprompts: { P: { type: integer, required: true } }\nsql: "select n, s from t where n = :P"\n';
const query = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `${LISTS}query: CARS\n${keys}\n---\nservice: Cars.v1\npermission: [READERS, WRITERS]\noperations:\n  CARS_GET: { get: "cars{?P,limit,after,sort,count,S}", query: CARS, paging: { order: [N] } }`.replace(
      ',limit,after,sort,count,S}", query: CARS, paging: { order: [N] }',
      '}", query: CARS',
    );
  return whole(text(before), text(after));
};
const OFFERED =
  'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\n---\npermission-list: ASKERS\noperations: [QAS_QRY_SERVICE.*, PROCESSREQUEST.*]\n---\npermission-list: OTHERS\n---\n';
const offered = (before: string, after: string): KeyChange => whole(`${OFFERED}${before}`, `${OFFERED}${after}`);
const ORDERS_QUERY = 'query: ORDERS\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from orders\n---\n';
const process = (before: string, after: string): KeyChange =>
  offered(`${ORDERS_QUERY}process: LIST\n${before}`, `${ORDERS_QUERY}process: LIST\n${after}`);

const paging = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `query: CARS\npublic: true\ncolumns: { N: { type: integer, required: true }, S: text }\nsql: select n, s from t\n---\nservice: Cars.v1\npublic: true\noperations:\n  CARS_GET: { get: "cars{?limit,after${keys.includes('sort') ? ',sort' : ''}${keys.includes('filter') ? ',S' : ''}}", query: CARS, paging: { order: [N]${keys} } }`;
  return whole(text(before), text(after));
};

const component = (
  before: string,
  after: string,
  operations = 'PLACE_SAVE: { put: "places/{ID}", save: PLACES }',
): KeyChange => {
  const text = (keys: string): string =>
    `${LISTS}document: PLACE\nfields: { ID: { type: string(5), required: true }, AREA: { type: string(5), required: true }, NAME: string(30), COUNT: integer }\n---\ndocument: SITE\nfields: { ID: { type: string(5), required: true }, NAME: string(9) }\n---\ncomponent: PLACES\ntable: place\n${keys}\n---\nservice: Places.v1\npermission: [READERS, WRITERS]\noperations:\n  ${operations}`;
  return whole(text(before), text(after));
};
const SHAPE = 'shape: PLACE\nkeys: [ID]\n';

const QUEUED =
  'node: SHOP\nbase: https://shop.example.org\n---\nnode: MALL\nbase: https://mall.example.org\n---\nqueue: INBOX\n---\ndocument: ORDER\nfields: { N: integer, CALLBACK: text }\n---\nsubscription: TAKEN\noperation: ORDER_POST\nhandler: taken\ngives-reply: true\n---\nservice: Orders.v1\npublic: true\noperations:\n';
const queued = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `${QUEUED}  ORDER_POST: { post: orders, soap: true, request: ORDER, response: ORDER, queue: INBOX${keys} }`;
  return whole(text(before), text(after));
};

const routing = (before: string, after: string): KeyChange => {
  const text = (keys: string): string =>
    `node: PARTNER\n${BASE}---\nnode: OTHER\nbase: https://other.example.org\n---\nservice: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n  PARTNER_CALL: { soap: true, request: { fields: { N: integer } }, response: { fields: { N: integer } } }\n---\nrouting: R\noperation: PARTNER_CALL\n${keys}`;
  return whole(text(before), text(after));
};
const routedRest = (
  name: string,
  value: string,
  around = 'post: orders, request: { fields: { N: integer } }, response: { fields: { N: integer } }',
): KeyChange => {
  const text = (keys: string): string =>
    `node: PARTNER\n${BASE}---\nservice: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n  PARTNER_CALL: { ${around} }\n---\nrouting: R\noperation: PARTNER_CALL\n${keys}`;
  return whole(text('log: header'), text(`properties: { ${name}: ${value} }`));
};

/** For each key that concerns partners, a change of it that has to be reported, in both directions. */
export const KEY_CHANGES: Readonly<Record<string, KeyChange>> = {
  'field.type': ['fields', 'F: { type: text }', 'F: { type: integer }'],
  'type.description': named('text', '', 'description: What it is.'),
  'type.base': ['fields', 'F: KIND\n---\ntype: KIND\nbase: text', 'F: KIND\n---\ntype: KIND\nbase: integer'],
  'type.type': ['fields', 'F: KIND\n---\ntype: KIND\nbase: text', 'F: SORT\n---\ntype: SORT\nbase: text'],
  'type.xml-type': named('text', '', 'xml-type: KindType'),
  'type.namespace': named('text', '', 'namespace: "urn:example:kinds"'),
  'type.enum': named('string(3)', '', 'enum: [A, B]'),
  'type.labels': named('string(3)', 'enum: [A, B]', 'enum: [A, B]\nlabels: { A: Abroad }'),
  'type.pattern': named('text', '', 'pattern: "[A-Z]+"'),
  'type.space': named('text', '', 'space: collapse'),
  'type.minimum': named('integer', '', 'minimum: 1'),
  'type.above': named('integer', '', 'above: 1'),
  'type.maximum': named('integer', '', 'maximum: 9'),
  'type.below': named('integer', '', 'below: 9'),
  'type.digits': named('integer', '', 'digits: 5'),
  'type.fraction': named('decimal', '', 'fraction: 2'),
  'type.any-case': named('string(3)', 'enum: [A, B]', 'enum: [A, B]\nany-case: true'),
  'type.example': named('text', '', 'example: A'),
  'field.fields': ['fields', 'F: { fields: { A: text } }', 'F: { fields: { A: text, B: text } }'],
  'field.open': ['fields', 'F: { fields: { A: text } }', 'F: { fields: { A: text }, open: true }'],
  'field.one-of': [
    'fields',
    'F: { one-of: { a: text, b: text }, named: true }',
    'F: { one-of: { a: text, b: text, c: integer }, named: true }',
  ],
  'field.by': [
    'fields',
    'F: { one-of: { a: A, b: B } }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
    'F: { one-of: { a: A, b: B }, by: kind }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
  ],
  'field.named': [
    'fields',
    'F: { one-of: { a: A, b: B } }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
    'F: { one-of: { a: A, b: B }, named: true }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
  ],
  'field.list': ['fields', 'F: { list: { fields: { A: text } } }', 'F: { list: { fields: { A: text, B: text } } }'],
  'field.list.fields': [
    'fields',
    'F: { list: { fields: { A: text } } }',
    'F: { list: { fields: { A: text, B: text } } }',
  ],
  'field.list.open': [
    'fields',
    'F: { list: { fields: { A: text } } }',
    'F: { list: { fields: { A: text }, open: true } }',
  ],
  'field.list.xml': [
    'fields',
    'F: { list: { fields: { A: text } } }',
    'F: { list: { fields: { A: text }, xml: row } }',
  ],
  'field.description': field('description', 'What it is.'),
  'field.required': field('required', 'true'),
  'field.nullable': field('nullable', 'true'),
  'field.default': field('default', 'A', 'string(3)'),
  'field.assumed': field('assumed', 'A', 'string(3)'),
  'field.fixed': field('fixed', 'A', 'string(3)'),
  'field.enum': field('enum', '[A, B]', 'string(3)'),
  'field.labels': [
    'fields',
    'F: { type: string(1), enum: [A] }',
    'F: { type: string(1), enum: [A], labels: { A: Abroad } }',
  ],
  'field.pattern': field('pattern', '"[A-Z]+"'),
  'field.space': field('space', 'collapse'),
  'field.minimum': field('minimum', '1', 'integer'),
  'field.above': field('above', '1', 'integer'),
  'field.maximum': field('maximum', '9', 'integer'),
  'field.below': field('below', '9', 'integer'),
  'field.digits': field('digits', '5', 'integer'),
  'field.fraction': field('fraction', '2', 'decimal'),
  'field.sensitive': field('sensitive', 'true'),
  'field.any-case': [
    'fields',
    'F: { type: string(1), enum: [A] }',
    'F: { type: string(1), enum: [A], any-case: true }',
  ],
  'field.example': field('example', 'A'),
  'field.json': field('json', 'f'),
  'field.xml': field('xml', 'f'),
  'field.header': field('header', 'true'),
  'field.attachment': field('attachment', 'true', 'binary'),
  'field.attribute': field('attribute', 'true'),
  'field.content': [
    'fields',
    'F: { fields: { A: { type: text } } }',
    'F: { fields: { A: { type: text, content: true } } }',
  ],
  'field.inline': ['fields', 'F: { fields: { A: text } }', 'F: { fields: { A: text }, inline: true }'],
  'field.any': field('any', 'true', 'xml'),
  'field.namespace': field('namespace', 'urn:other'),
  'field.flat': field('flat', 'true', 'list of text'),
  'field.spaced': field('spaced', 'true', 'list of integer'),
  'field.entry': entry('minimum', '2'),
  'field.entry.xml': entry('xml', 'Entry'),
  'field.entry.nullable': entry('nullable', 'true'),
  'field.entry.enum': entry('enum', '[A, B]', 'string(3)'),
  'field.entry.labels': [
    'fields',
    'F: { type: list of string(1), entry: { enum: [A] } }',
    'F: { type: list of string(1), entry: { enum: [A], labels: { A: Abroad } } }',
  ],
  'field.entry.pattern': entry('pattern', '"[A-Z]+"'),
  'field.entry.space': entry('space', 'collapse'),
  'field.entry.minimum': entry('minimum', '1', 'integer'),
  'field.entry.above': entry('above', '1', 'integer'),
  'field.entry.maximum': entry('maximum', '9', 'integer'),
  'field.entry.below': entry('below', '9', 'integer'),
  'field.entry.digits': entry('digits', '5', 'integer'),
  'field.entry.fraction': entry('fraction', '2', 'decimal'),
  'field.absent': field('absent', 'blank'),
  'field.url': [
    'operation',
    'get: "orders/{F}"\nrequest: { fields: { F: text } }\nresponse: text',
    'get: "orders/{F}"\nrequest: { fields: { F: { type: text, url: odata } } }\nresponse: text',
  ],

  'document.document': [
    'fields',
    'F: PART\n---\ndocument: PART\nfields: { A: text }',
    'F: PIECE\n---\ndocument: PIECE\nfields: { A: text }',
  ],
  'document.description': document('fields: { A: text }', 'description: An order.\nfields: { A: text }'),
  'document.fields': document('fields: { A: text }', 'fields: { A: text, B: text }'),
  'document.open': document('fields: { A: text }', 'open: true\nfields: { A: text }'),
  'document.one-of': document(
    'one-of: { a: text, b: text }\nnamed: true',
    'one-of: { a: text, b: text, c: integer }\nnamed: true',
  ),
  'document.by': document(
    'one-of: { a: A, b: B }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
    'one-of: { a: A, b: B }\nby: kind\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
  ),
  'document.named': document(
    'one-of: { a: A, b: B }\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
    'one-of: { a: A, b: B }\nnamed: true\n---\ndocument: A\nfields: { X: { type: text, required: true } }\n---\ndocument: B\nfields: { Y: { type: text, required: true } }',
  ),
  'document.xml': whole(
    'document: ORDER\nfields: { A: text }\n---\nservice: O.v1\npublic: true\noperations:\n  X: { get: x, response: { application/xml: ORDER } }',
    'document: ORDER\nxml: order\nfields: { A: text }\n---\nservice: O.v1\npublic: true\noperations:\n  X: { get: x, response: { application/xml: ORDER } }',
  ),
  'document.xml-type': document('fields: { A: text }', 'xml-type: OrderType\nfields: { A: text }'),
  'document.namespace': document('fields: { A: text }', 'namespace: urn:orders\nfields: { A: text }'),
  'document.unqualified': document('fields: { A: text }', 'unqualified: true\nfields: { A: text }'),
  'document.root': document('fields: { A: text }', 'root: true\nfields: { A: text }'),
  'document.extends': document(
    'fields: { A: text }\n---\ndocument: BASE\nfields: { A: text }',
    'extends: BASE\nfields: { B: text }\n---\ndocument: BASE\nfields: { A: text }',
  ),
  'document.restricts': document(
    'fields: { A: string(5) }\n---\ndocument: BASE\nfields: { A: text }',
    'restricts: BASE\nfields: { A: string(5) }\n---\ndocument: BASE\nfields: { A: text }',
  ),
  'document.abstract': document(
    'fields: { A: text }\n---\ndocument: MORE\nextends: ORDER\nfields: { B: text }',
    'abstract: true\nfields: { A: text }\n---\ndocument: MORE\nextends: ORDER\nfields: { B: text }',
  ),
  'document.by-value': document(
    'fields: { A: text }\n---\ndocument: MORE\nextends: ORDER\nfields: { B: text }',
    'fields: { A: text }\n---\ndocument: MORE\nextends: ORDER\nby-value: more\nfields: { B: text }',
  ),

  'in-place-document.description': inPlace('fields: { A: text }', 'description: An order., fields: { A: text }'),
  'in-place-document.fields': inPlace('fields: { A: text }', 'fields: { A: text, B: text }'),
  'in-place-document.open': inPlace('fields: { A: text }', 'fields: { A: text }, open: true'),
  'in-place-document.one-of': inPlace(
    'one-of: { a: text, b: text }, named: true',
    'one-of: { a: text, b: text, c: text }, named: true',
  ),
  'in-place-document.by': inPlace(
    'one-of: { a: { fields: { X: { type: text, required: true } } }, b: { fields: { Y: { type: text, required: true } } } }',
    'one-of: { a: { fields: { X: { type: text, required: true } } }, b: { fields: { Y: { type: text, required: true } } } }, by: kind',
  ),
  'in-place-document.named': inPlace(
    'one-of: { a: { fields: { X: { type: text, required: true } } }, b: { fields: { Y: { type: text, required: true } } } }',
    'one-of: { a: { fields: { X: { type: text, required: true } } }, b: { fields: { Y: { type: text, required: true } } } }, named: true',
  ),
  'in-place-document.xml': inPlace('fields: { A: text }', 'xml: order, fields: { A: text }'),
  'in-place-document.xml-type': inPlace('fields: { A: text }', 'xml-type: OrderType, fields: { A: text }'),
  'in-place-document.namespace': inPlace('fields: { A: text }', 'namespace: urn:orders, fields: { A: text }'),
  'in-place-document.unqualified': inPlace('fields: { A: text }', 'unqualified: true, fields: { A: text }'),
  'in-place-document.root': inPlace('fields: { A: text }', 'root: true, fields: { A: text }'),

  'operation.description': operation('get: orders', 'get: orders\ndescription: All orders.'),
  'operation.get': operation('get: orders', 'get: all-orders'),
  'operation.post': operation('post: orders', 'post: all-orders'),
  'operation.put': operation('put: orders', 'put: all-orders'),
  'operation.patch': operation('patch: orders', 'patch: all-orders'),
  'operation.delete': operation('delete: orders', 'delete: all-orders'),
  'operation.head': operation('head: orders', 'head: all-orders', 'response: none'),
  'operation.soap': operation('post: orders', 'post: orders\nsoap: true', DOC),
  'operation.soap.name': operation('post: orders\nsoap: { name: A }', 'post: orders\nsoap: { name: B }', DOC),
  'operation.soap.action': operation('soap: { action: "urn:a" }', 'soap: { action: "urn:b" }', DOC),
  'operation.soap.actions': operation('soap: { actions: ["urn:a"] }', 'soap: { actions: ["urn:b"] }', DOC),
  'operation.soap.namespace': operation('soap: { namespace: "urn:a" }', 'soap: { namespace: "urn:b" }', DOC),
  'operation.soap.reply-namespace': operation(
    'soap: { reply-namespace: "urn:a" }\nstyle: rpc',
    'soap: { reply-namespace: "urn:b" }\nstyle: rpc',
    DOC,
  ),
  'operation.soap.reply-element': operation('soap: { reply-element: A }', 'soap: { reply-element: B }', DOC),
  'operation.soap.addressing': call(
    SOAP_CALL.replace('true', '{ name: A }'),
    SOAP_CALL.replace('true', '{ name: A, addressing: true }'),
  ),
  'operation.faults': [
    'definitions',
    `service: Orders.v1\npublic: true\noperations:\n  A: { soap: true, response: { fields: { N: integer } } }\n---\ndocument: F\nfields: { M: text }`,
    `service: Orders.v1\npublic: true\noperations:\n  A: { soap: true, response: { fields: { N: integer } }, faults: { Full: F } }\n---\ndocument: F\nfields: { M: text }`,
  ],
  'operation.wrapped': operation('soap: true', 'soap: true\nwrapped: false', DOC),
  'operation.style': operation('soap: true', 'soap: true\nstyle: rpc', DOC),
  'operation.permission': whole(
    `${LISTS}service: Orders.v1\noperations:\n  A: { get: orders, response: text, permission: READERS }`,
    `${LISTS}service: Orders.v1\noperations:\n  A: { get: orders, response: text, permission: WRITERS }`,
  ),
  'operation.public': whole(
    `${LISTS}service: Orders.v1\noperations:\n  A: { get: orders, response: text, permission: READERS }`,
    `${LISTS}service: Orders.v1\noperations:\n  A: { get: orders, response: text, public: true }`,
  ),
  'operation.requires': whole(
    `${LISTS}scheme: KEY\napi-key: { header: X-Key }\n---\nservice: Orders.v1\npermission: READERS\noperations:\n  A: { get: orders, response: text }`,
    `${LISTS}scheme: KEY\napi-key: { header: X-Key }\n---\nservice: Orders.v1\npermission: READERS\noperations:\n  A: { get: orders, response: text, requires: KEY }`,
  ),
  'operation.limits': operation('get: orders', 'get: orders\nlimits: { concurrent: 5 }'),
  'operation.limits.concurrent': operation('get: orders', 'get: orders\nlimits: { concurrent: 5 }'),
  'operation.limits.rate': operation('get: orders', 'get: orders\nlimits: { rate: 5 per 1 s }'),
  'operation.limits.rate.requests': operation(
    'get: orders\nlimits: { rate: { requests: 5, per: 1 s } }',
    'get: orders\nlimits: { rate: { requests: 6, per: 1 s } }',
  ),
  'operation.limits.rate.per': operation(
    'get: orders\nlimits: { rate: { requests: 5, per: 1 s } }',
    'get: orders\nlimits: { rate: { requests: 5, per: 2 s } }',
  ),
  'operation.limits.rate.by': operation(
    'get: orders\nlimits: { rate: { requests: 5, per: 1 s } }',
    'get: orders\nlimits: { rate: { requests: 5, per: 1 s, by: all } }',
  ),
  'operation.once': operation('post: orders', 'post: orders\nonce: { for: 1 d }'),
  'operation.once.for': operation('post: orders\nonce: { for: 1 d }', 'post: orders\nonce: { for: 2 d }'),
  'operation.once.required': operation(
    'post: orders\nonce: { for: 1 d }',
    'post: orders\nonce: { for: 1 d, required: true }',
  ),
  'operation.request': operation('post: orders\nrequest: text', 'post: orders\nrequest: json'),
  'operation.response': operation('get: orders\nresponse: text', 'get: orders\nresponse: json', ''),
  'operation.fault': operation(
    'get: orders',
    'get: orders\nfault: { fields: { M: { type: text, default: "{fault.message}" } } }',
  ),
  'operation.variables': operation(
    'get: "orders/{N}"\nvariables: { fields: { N: integer } }',
    'get: "orders/{N}"\nvariables: { fields: { N: text } }',
  ),
  'operation.headers': operation('post: orders', 'post: orders\nheaders: { X-M: "{M}" }', DOC),
  'operation.alias': operation('get: orders', 'get: orders\nalias: shop'),
  'operation.tags': operation('get: orders', 'get: orders\ntags: [shop]'),
  'operation.strict': operation('get: orders', 'get: orders\nstrict: true'),
  'operation.body': operation(
    'post: orders',
    'post: orders\nbody: M',
    DOC.replace('N: { type: integer, required: true }, ', ''),
  ),
  'operation.form': operation('post: orders', 'post: orders\nform: multipart', DOC),
  'operation.encoding': operation(
    'post: orders\nform: urlencoded',
    'post: orders\nform: urlencoded\nencoding: { L: comma }',
    DOC.replace('N: {', 'L: list of text, N: {'),
  ),
  'operation.wrapper': operation('post: orders', 'post: orders\nwrapper: psnonxml', DOC),
  'operation.status': operation('get: orders', 'get: orders\nstatus: 201'),
  'operation.writes': operation('post: orders', 'post: orders\nwrites: false'),
  'operation.active': operation('get: orders', 'get: orders\nactive: false'),
  'operation.target': whole(
    `node: A\n${BASE}---\nnode: B\nbase: https://other.example.org\n---\nservice: P.v1\npublic: true\noperations:\n  C: { get: x, response: text, target: A }`,
    `node: A\n${BASE}---\nnode: B\nbase: https://other.example.org\n---\nservice: P.v1\npublic: true\noperations:\n  C: { get: x, response: text, target: B }`,
  ),
  'operation.lenient': call(REST_CALL, `${REST_CALL}\nlenient: true`),
  'operation.timeout': call(REST_CALL, `${REST_CALL}\ntimeout: 5 s`),
  'operation.properties': property('sendUncompressed', 'N'),
  'operation.properties.Base64toBinary': property(
    'Base64toBinary',
    'Y',
    'post: orders\nrequest: { fields: { F: binary } }\nbody: F\nresponse: text',
  ),
  'operation.properties.Disable_URLEncodingBody': property(
    'Disable_URLEncodingBody',
    'true',
    'post: orders\nrequest: text\nheaders: { Content-Type: application/x-www-form-urlencoded }\nresponse: text',
  ),
  'operation.properties.MTOM': property('MTOM', 'Y', SOAP_CALL),
  'operation.properties.PRIMARYURL': property('PRIMARYURL', '"https://other.example.org"', SOAP_CALL),
  'operation.properties.SOAPUpContent': property(
    'SOAPUpContent',
    'N',
    'soap: true\nrequest: text\nresponse: { fields: { N: integer } }',
  ),
  'operation.properties.SegmentContentTransfer': property('SegmentContentTransfer', 'base64', SOAP_CALL),
  'operation.properties.SegmentContentType': property('SegmentContentType', 'text/plain', SOAP_CALL),
  'operation.properties.sendUncompressed': property('sendUncompressed', 'N'),
  'operation.query': whole(
    'query: A\npublic: true\ncolumns: { N: integer }\nsql: select n from t\n---\nquery: B\npublic: true\ncolumns: { M: integer }\nsql: select m from t\n---\nservice: Q.v1\npublic: true\noperations:\n  Q_GET: { get: q, query: A }',
    'query: A\npublic: true\ncolumns: { N: integer }\nsql: select n from t\n---\nquery: B\npublic: true\ncolumns: { M: integer }\nsql: select m from t\n---\nservice: Q.v1\npublic: true\noperations:\n  Q_GET: { get: q, query: B }',
  ),
  'operation.paging': paging('', ', limit: 10'),
  'operation.paging.order': whole(paging('', '')[1], paging('', '')[1].replace('order: [N]', 'order: [-N]')),
  'operation.paging.sort': paging('', ', sort: [S]'),
  'operation.paging.filter': paging('', ', filter: [S]'),
  'operation.paging.limit': paging(', limit: 10', ', limit: 20'),
  'operation.paging.maximum': paging(', maximum: 100', ', maximum: 200'),
  'operation.queue': whole(
    `${QUEUED}  ORDER_POST: { post: orders, request: ORDER, response: ORDER, queue: INBOX }\n  ORDER_PUT: { put: orders, request: ORDER, response: none }`,
    `${QUEUED}  ORDER_POST: { post: orders, request: ORDER, response: ORDER, queue: INBOX }\n  ORDER_PUT: { put: orders, request: ORDER, queue: INBOX }\n---\nsubscription: TAKEN_TOO\noperation: ORDER_PUT\nhandler: taken`,
  ),
  'operation.reply-to': queued('', ', reply-to: SHOP'),
  'operation.reply-to.nodes': queued(', reply-to: { nodes: SHOP }', ', reply-to: { nodes: MALL }'),
  'operation.reply-to.field': queued(', reply-to: { nodes: SHOP }', ', reply-to: { nodes: SHOP, field: CALLBACK }'),

  'service.service': whole(
    'service: A.v1\npublic: true\noperations: { X: { get: x, response: text } }',
    'service: B.v1\npublic: true\noperations: { X: { get: x, response: text } }',
  ),
  'service.operations': whole(
    'service: A.v1\npublic: true\noperations: { X: { get: x, response: text } }',
    'service: A.v1\npublic: true\noperations: { X: { get: x, response: text }, Y: { get: y, response: text } }',
  ),
  'service.description': service('', 'description: Orders.'),
  'service.namespace': whole(
    'service: A.v1\npublic: true\noperations: { X: { soap: true, response: { fields: { N: integer } } } }',
    'service: A.v1\npublic: true\nnamespace: urn:a\noperations: { X: { soap: true, response: { fields: { N: integer } } } }',
  ),
  'service.default': whole(
    'service: A.v1\npublic: true\noperations: { X: { get: x, response: text } }\n---\nservice: A.v2\npublic: true\noperations: { X: { get: x, response: text } }',
    'service: A.v1\npublic: true\noperations: { X: { get: x, response: text } }\n---\nservice: A.v2\npublic: true\ndefault: true\noperations: { X: { get: x, response: text } }',
  ),
  'service.active': service('', 'active: false'),
  'service.deprecated': service('', 'deprecated: true'),
  'service.deprecated.since': service('deprecated: { since: "2026-01-01" }', 'deprecated: { since: "2026-02-01" }'),
  'service.deprecated.sunset': service('deprecated: { sunset: "2026-11-01" }', 'deprecated: { sunset: "2026-12-01" }'),
  'service.addressing': whole(
    `service: Orders.v1\npublic: true\noperations:\n  A: { soap: true, response: { fields: { N: integer } } }`,
    `service: Orders.v1\npublic: true\naddressing: required\noperations:\n  A: { soap: true, response: { fields: { N: integer } } }`,
  ),
  'service.wsdl': wsdl('', 'service: Shop'),
  'service.wsdl.namespace': wsdl('namespace: urn:a', 'namespace: urn:b'),
  'service.wsdl.service': wsdl('service: A', 'service: B'),
  'service.wsdl.port-type': wsdl('port-type: A', 'port-type: B'),
  'service.wsdl.soap11': wsdl('', 'soap11: {}'),
  'service.wsdl.soap11.port': wsdl('soap11: { port: A }', 'soap11: { port: B }'),
  'service.wsdl.soap11.binding': wsdl('soap11: { binding: A }', 'soap11: { binding: B }'),
  'service.wsdl.soap12': wsdl('', 'soap12: {}'),
  'service.wsdl.soap12.port': wsdl('soap12: { port: A }', 'soap12: { port: B }'),
  'service.wsdl.soap12.binding': wsdl('soap12: { binding: A }', 'soap12: { binding: B }'),
  'service.wsdl.faults': wsdl('faults: { A: LACK }', 'faults: { B: LACK }'),
  'service.cors': service('', 'cors: [https://app.example.org]'),

  'gateway.gateway': whole('gateway: LOCAL\nnamespace: urn:a', 'gateway: B\nnamespace: urn:a'),
  'gateway.context': gateway('', 'context: api'),
  'gateway.publicUrl': gateway('', 'publicUrl: https://api.example.org'),
  'gateway.namespace': whole(
    'gateway: LOCAL\n---\nservice: A.v1\npublic: true\noperations: { X: { soap: true, response: { fields: { N: integer } } } }',
    'gateway: LOCAL\nnamespace: urn:b\n---\nservice: A.v1\npublic: true\noperations: { X: { soap: true, response: { fields: { N: integer } } } }',
  ),
  'gateway.timezone': gateway('', 'timezone: Europe/Berlin'),
  'gateway.requires': whole(
    `gateway: LOCAL\n---\n${LISTS}scheme: KEY\napi-key: { header: X-Key }\n---\n${GATED}`,
    `gateway: LOCAL\nrequires: KEY\n---\n${LISTS}scheme: KEY\napi-key: { header: X-Key }\n---\n${GATED}`,
  ),
  'gateway.tls': gateway('', 'tls: { certificate: tls/cert.pem, key: tls/key.pem }'),
  'gateway.tls.minimum': gateway(
    'tls: { certificate: tls/cert.pem, key: tls/key.pem }',
    'tls: { certificate: tls/cert.pem, key: tls/key.pem, minimum: TLSv1.3 }',
  ),
  'gateway.delivered': whole(
    'gateway: LOCAL\n---\npermission-list: P\noperations: []\n'.replace('operations: []\n', ''),
    `gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1]\n---\npermission-list: P\noperations: [QAS_QRY_SERVICE.*]\n`,
  ),
  'gateway.contracts': gateway('', 'contracts: private'),
  'gateway.strict': gateway('', 'strict: true'),
  'gateway.cors': gateway('', 'cors: [https://app.example.org]'),
  'gateway.compress': gateway('', 'compress: false'),
  'gateway.compress.rest': gateway('', 'compress: { rest: false }'),
  'gateway.compress.soap': gateway('', 'compress: { soap: true }'),
  'gateway.request-encodings': gateway('', 'request-encodings: [gzip]'),
  'gateway.limits': gateway('', 'limits: { body: 1 MiB }'),
  ...Object.fromEntries(
    [
      ...[
        'body: 1 MiB',
        'timeout: 5 s',
        'rows: 10',
        'target: 1 KiB',
        'parameters: 5',
        'attachment: 1 MiB',
        'attachments: 3',
      ],
      ...['queries: 2', 'queued: 20', 'slowest: 1 KiB', 'rate: 5 per 1 s', 'concurrent: 2'],
    ].map((limit) => [`gateway.limits.${limit.split(':')[0]}`, gateway('', `limits: { ${limit} }`)]),
  ),
  'gateway.limits.rate.requests': gateway(
    'limits: { rate: { requests: 5, per: 1 s } }',
    'limits: { rate: { requests: 6, per: 1 s } }',
  ),
  'gateway.limits.rate.per': gateway(
    'limits: { rate: { requests: 5, per: 1 s } }',
    'limits: { rate: { requests: 5, per: 2 s } }',
  ),
  'gateway.limits.rate.by': gateway(
    'limits: { rate: { requests: 5, per: 1 s } }',
    'limits: { rate: { requests: 5, per: 1 s, by: all } }',
  ),
  'gateway.once': whole(
    'gateway: LOCAL\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
    'gateway: LOCAL\nonce: { for: 1 d }\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
  ),
  'gateway.once.for': whole(
    'gateway: LOCAL\nonce: { for: 1 d }\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
    'gateway: LOCAL\nonce: { for: 2 d }\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
  ),
  'gateway.once.required': whole(
    'gateway: LOCAL\nonce: { for: 1 d }\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
    'gateway: LOCAL\nonce: { for: 1 d, required: true }\n---\nservice: A.v1\npublic: true\noperations: { X: { post: x, response: text } }',
  ),
  'gateway.properties': gateway('', 'properties: { ig.MTOM.enableHttpListeningConnector: false }'),
  'gateway.properties.ig.MTOM.enableHttpListeningConnector': gateway(
    '',
    'properties: { ig.MTOM.enableHttpListeningConnector: false }',
  ),
  'gateway.properties.ig.MTOM.enablePeopleSoftServiceListeningConnector': gateway(
    '',
    'properties: { ig.MTOM.enablePeopleSoftServiceListeningConnector: false }',
  ),

  'node.node': whole(
    `node: A\n${BASE}---\nservice: P.v1\npublic: true\ntarget: A\noperations:\n  C: { get: x, response: text }`,
    `node: B\n${BASE}---\nservice: P.v1\npublic: true\ntarget: B\noperations:\n  C: { get: x, response: text }`,
  ),
  'node.base': nodes(BASE, 'base: https://other.example.org'),
  'node.lenient': nodes(BASE, `${BASE}lenient: true`),
  'node.credential': nodes(BASE, `${BASE}credential: { bearer: "\${secret:T}" }`),
  'node.credential.basic': credential('{ bearer: "${secret:T}" }', '{ basic: { user: u, password: "${secret:T}" } }'),
  'node.credential.bearer': credential('{ basic: { user: u, password: "${secret:T}" } }', '{ bearer: "${secret:T}" }'),
  'node.credential.api-key': credential(
    '{ bearer: "${secret:T}" }',
    '{ api-key: { header: X-K, value: "${secret:T}" } }',
  ),
  'node.credential.api-key.header': credential(
    '{ api-key: { header: X-J, value: "${secret:T}" } }',
    '{ api-key: { header: X-K, value: "${secret:T}" } }',
  ),
  'node.credential.client-credentials': credential(
    '{ bearer: "${secret:T}" }',
    '{ client-credentials: { token-url: "https://l.example.org/t", client-id: a, client-secret: "${secret:T}" } }',
  ),
  'node.credential.username-token': ofMessages(
    '{ timestamp: 5 m }',
    '{ timestamp: 5 m, username-token: { user: u, password: "${secret:T}" } }',
  ),
  'node.credential.username-token.digest': ofMessages(
    '{ username-token: { user: u, password: "${secret:T}" } }',
    '{ username-token: { user: u, password: "${secret:T}", digest: true } }',
  ),
  'node.credential.timestamp': ofMessages('{ timestamp: 5 m }', '{ timestamp: 1 m }'),
  'node.credential.signature': ofMessages(
    '{ timestamp: 5 m }',
    '{ timestamp: 5 m, signature: { file: a.pem, key-file: a.key } }',
  ),
  'node.credential.signature.algorithm': ofMessages(
    '{ signature: { file: a.pem, key-file: a.key } }',
    '{ signature: { file: a.pem, key-file: a.key, algorithm: rsa-sha512 } }',
  ),
  'node.credential.signature.digest': ofMessages(
    '{ signature: { file: a.pem, key-file: a.key } }',
    '{ signature: { file: a.pem, key-file: a.key, digest: sha512 } }',
  ),
  'node.credential.signature.reference': ofMessages(
    '{ signature: { file: a.pem, key-file: a.key } }',
    '{ signature: { file: a.pem, key-file: a.key, reference: thumbprint } }',
  ),
  'node.credential.signature.token': ofMessages(
    '{ signature: { file: a.pem, key-file: a.key } }',
    '{ signature: { file: a.pem, key-file: a.key, token: signed } }',
  ),
  'node.credential.reply-signature': ofMessages(
    '{ timestamp: 5 m }',
    '{ timestamp: 5 m, reply-signature: { certificate: a.pem } }',
  ),
  'node.credential.reply-signature.certificate': ofMessages(
    '{ reply-signature: { certificate: a.pem } }',
    '{ reply-signature: { certificate: b.pem } }',
  ),
  'node.credential.reply-signature.ca': ofMessages(
    '{ reply-signature: { certificate: a.pem } }',
    '{ reply-signature: { ca: a.pem, subject: CN=a } }',
  ),
  'node.credential.reply-signature.subject': ofMessages(
    '{ reply-signature: { ca: a.pem, subject: CN=a } }',
    '{ reply-signature: { ca: a.pem, subject: CN=b } }',
  ),
  'node.credential.reply-signature.algorithms': ofMessages(
    '{ reply-signature: { certificate: a.pem } }',
    '{ reply-signature: { certificate: a.pem, algorithms: [rsa-sha512] } }',
  ),
  'node.credential.reply-signature.digests': ofMessages(
    '{ reply-signature: { certificate: a.pem } }',
    '{ reply-signature: { certificate: a.pem, digests: [sha512] } }',
  ),
  'node.credential.reply-signature.max-age': ofMessages(
    '{ reply-signature: { certificate: a.pem } }',
    '{ reply-signature: { certificate: a.pem, max-age: 1 m } }',
  ),
  'node.credential.reply-signature.confirmation': ofMessages(
    '{ signature: { file: a.pem, key-file: a.key }, reply-signature: { certificate: a.pem } }',
    '{ signature: { file: a.pem, key-file: a.key }, reply-signature: { certificate: a.pem, confirmation: true } }',
  ),
  'node.credential.hmac': credential('{ bearer: "${secret:T}" }', signed('')),
  'node.credential.hmac.header': credential(signed(''), signed('').replace('X-A', 'X-B')),
  'node.credential.hmac.algorithm': credential(signed(''), signed('algorithm: sha512')),
  'node.credential.hmac.form': credential(signed(''), signed('form: "sha256={hex}"')),
  'node.credential.hmac.signed': credential(signed(''), signed('signed: "v0:{body}"')),
  'node.credential.hmac.timestamp': credential(
    signed('signed: "{timestamp}{body}", timestamp: X-Time'),
    signed('signed: "{timestamp}{body}", timestamp: X-Date'),
  ),
  'node.credential.hmac.id': credential(
    signed('signed: "{id}{body}", id: X-Id'),
    signed('signed: "{id}{body}", id: X-Event'),
  ),
  'node.credential.webhook': credential('{ bearer: "${secret:T}" }', '{ webhook: "${secret:T}" }'),
  'node.certificate': nodes(BASE, `${BASE}certificate: { file: a.pem, key-file: b.pem }`),

  'scheme.scheme': whole(
    `${LISTS}scheme: A\napi-key: { header: X-A }\n---\nservice: Orders.v1\npermission: READERS\nrequires: A\noperations:\n  X: { get: x, response: text }`,
    `${LISTS}scheme: B\napi-key: { header: X-B }\n---\nservice: Orders.v1\npermission: READERS\nrequires: B\noperations:\n  X: { get: x, response: text }`,
  ),
  'scheme.api-key': scheme('api-key: { header: X-A }', 'client-certificate: {}'),
  'scheme.api-key.header': scheme('api-key: { header: X-A }', 'api-key: { header: X-B }'),
  'scheme.client-certificate': scheme('api-key: { header: X-A }', 'client-certificate: {}'),
  'scheme.client-certificate.header': scheme('client-certificate: {}', 'client-certificate: { header: X-Cert }'),
  'scheme.bearer': scheme('api-key: { header: X-A }', `bearer: { ${TOKEN} }`),
  'scheme.bearer.issuer': scheme(`bearer: { ${TOKEN} }`, `bearer: { ${TOKEN.replace('login.', 'sso.')} }`),
  'scheme.bearer.audience': scheme(
    `bearer: { ${TOKEN} }`,
    `bearer: { ${TOKEN.replace('audience: orders', 'audience: sales')} }`,
  ),
  'scheme.bearer.algorithms': bearer('algorithms: [RS256]', 'algorithms: [ES256]'),
  'scheme.bearer.scopes': bearer('scopes: [a]', 'scopes: [a, b]'),
  'scheme.bearer.tolerance': bearer('tolerance: 10 s', 'tolerance: 20 s'),
  'scheme.bearer.user': bearer('user: sub', 'user: email'),
  'scheme.bearer.users': bearer('claim: roles, roles: { a: CLERK }', 'users: known, claim: roles, roles: { a: CLERK }'),
  'scheme.bearer.claim': bearer('claim: roles, roles: { a: CLERK }', 'claim: groups, roles: { a: CLERK }'),
  'scheme.bearer.roles': bearer('claim: roles, roles: { a: CLERK }', 'claim: roles, roles: { b: CLERK }'),
  'scheme.username-token': scheme('api-key: { header: X-A }', 'username-token: {}'),
  'scheme.username-token.passwords': scheme(
    'username-token: { passwords: [text] }',
    'username-token: { passwords: [digest] }',
  ),
  'scheme.username-token.max-age': scheme('username-token: { max-age: 1 m }', 'username-token: { max-age: 2 m }'),
  'scheme.signature': scheme('api-key: { header: X-A }', 'signature: { ca: ca.pem }'),
  'scheme.signature.algorithms': scheme(
    'signature: { ca: ca.pem, algorithms: [rsa-sha256] }',
    'signature: { ca: ca.pem, algorithms: [rsa-sha512] }',
  ),
  'scheme.signature.digests': scheme(
    'signature: { ca: ca.pem, digests: [sha256] }',
    'signature: { ca: ca.pem, digests: [sha512] }',
  ),
  'scheme.signature.certificates': scheme(
    'signature: { ca: ca.pem }',
    'signature: { ca: ca.pem, certificates: c.pem }',
  ),
  'scheme.signature.max-age': scheme(
    'signature: { ca: ca.pem, max-age: 1 m }',
    'signature: { ca: ca.pem, max-age: 2 m }',
  ),
  'scheme.webhook': scheme('api-key: { header: X-A }', 'webhook: { secrets: ["${secret:S}"], user: shop }'),
  'scheme.webhook.tolerance': scheme(
    'webhook: { secrets: ["${secret:S}"], user: shop, tolerance: 1 m }',
    'webhook: { secrets: ["${secret:S}"], user: shop, tolerance: 2 m }',
  ),
  'scheme.hmac': scheme('api-key: { header: X-A }', hmac('')),
  'scheme.hmac.header': scheme(hmac(''), hmac('').replace('X-A', 'X-B')),
  'scheme.hmac.algorithm': scheme(hmac(''), hmac('algorithm: sha512')),
  'scheme.hmac.form': scheme(hmac(''), hmac('form: "sha256={hex}"')),
  'scheme.hmac.signed': scheme(hmac(''), hmac('signed: "v0:{body}"')),
  'scheme.hmac.timestamp': scheme(
    hmac('signed: "{timestamp}{body}", timestamp: X-Time'),
    hmac('signed: "{timestamp}{body}", timestamp: X-Date'),
  ),
  'scheme.hmac.id': scheme(hmac('signed: "{id}{body}", id: X-Id'), hmac('signed: "{id}{body}", id: X-Event')),
  'scheme.hmac.tolerance': scheme(
    hmac('signed: "{timestamp}{body}", timestamp: X-Time, tolerance: 1 m'),
    hmac('signed: "{timestamp}{body}", timestamp: X-Time, tolerance: 2 m'),
  ),

  'permission-list.permission-list': whole(
    `permission-list: READERS\n---\npermission-list: WRITERS\n---\n${GATED}`,
    `permission-list: READERS\n---\npermission-list: WRITERS\n---\n${GATED.replace('WRITERS', 'READERS')}`,
  ),
  'permission-list.operations': granted('', 'operations: [ORDERS_GET]', GATED),
  'permission-list.queries': granted(
    '',
    'queries: [CARS]',
    `query: CARS\npermission: WRITERS\n${QUERY}\n---\nservice: Cars.v1\npermission: [READERS, WRITERS]\noperations:\n  CARS_GET: { get: "cars{?P}", query: CARS }`,
  ),
  'permission-list.components': whole(
    component(`${SHAPE}permission: WRITERS`, '')[1],
    component(`${SHAPE}permission: WRITERS`, '')[1].replace('READERS\n', 'READERS\ncomponents: [PLACES]\n'),
  ),
  'permission-list.processes': whole(
    OFFERED.replace('permission-list: OTHERS', 'permission-list: OTHERS\noperations: [PROCESSREQUEST.*]') +
      `${ORDERS_QUERY}process: LIST\npermission: ASKERS\ntype: Extract\nquery: ORDERS`,
    OFFERED.replace(
      'permission-list: OTHERS',
      'permission-list: OTHERS\noperations: [PROCESSREQUEST.*]\nprocesses: [LIST]',
    ) + `${ORDERS_QUERY}process: LIST\npermission: ASKERS\ntype: Extract\nquery: ORDERS`,
  ),
  'role.role': whole(
    bearer('claim: roles, roles: { a: CLERK }', '')[1],
    bearer('claim: roles, roles: { a: CLERK }', '')[1].replaceAll('CLERK', 'CHIEF'),
  ),
  'role.permission-lists': whole(
    `${LISTS}role: CLERK\npermission-lists: [READERS]`,
    `${LISTS}role: CLERK\npermission-lists: [READERS, WRITERS]`,
  ),
  'user.user': roles('user: shop\nroles: [CLERK]', 'user: store\nroles: [CLERK]'),
  'user.roles': user('roles: [CLERK]', 'roles: [CLERK, CHIEF]'),
  'user.password': user(
    'roles: [CLERK]',
    'roles: [CLERK]\npassword: "$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg"',
  ),
  'user.api-keys': user('roles: [CLERK]', `roles: [CLERK]\napi-keys: ["sha256:${'1'.repeat(64)}"]`),
  'user.certificates': user('roles: [CLERK]', `roles: [CLERK]\ncertificates: ["sha256:${'1'.repeat(64)}"]`),
  'user.shared-secret': user('roles: [CLERK]', 'roles: [CLERK]\nshared-secret: "${secret:S}"'),

  'query.query': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: B\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
  ),
  'query.description': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\ndescription: All.\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
  ),
  'query.columns': query(
    `permission: READERS\n${QUERY}`,
    `permission: READERS\n${QUERY.replace('S: text', 'T: text').replace(', s ', ', t ')}`,
  ),
  'query.prompts': query(
    `permission: READERS\n${QUERY}`,
    `permission: READERS\n${QUERY.replace('P: { type: integer', 'P: { type: text')}`,
  ),
  'query.rows': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\npermission: ASKERS\nrows: 5\ncolumns: { N: integer }\nsql: select n from t',
  ),
  'query.csv': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t\ncsv: { neutral: true }',
  ),
  'query.csv.neutral': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t\ncsv: { neutral: true }',
  ),
  'query.csv.bom': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t\ncsv: { bom: true }',
  ),
  'query.csv.file': offered(
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t',
    'query: A\npermission: ASKERS\ncolumns: { N: integer }\nsql: select n from t\ncsv: { file: orders.csv }',
  ),
  'query.permission': query(`permission: [READERS, WRITERS]\n${QUERY}`, `permission: READERS\n${QUERY}`),
  'query.public': query(`permission: READERS\n${QUERY}`, `public: true\n${QUERY}`),

  'process.process': process(
    'permission: ASKERS\ntype: Extract\nquery: ORDERS',
    'permission: ASKERS\ntype: Extract\nquery: ORDERS\n---\nprocess: MORE\npermission: ASKERS\ntype: Extract\nquery: ORDERS',
  ),
  'process.description': process(
    'permission: ASKERS\ntype: Extract\nquery: ORDERS',
    'description: All.\npermission: ASKERS\ntype: Extract\nquery: ORDERS',
  ),
  'process.type': process(
    'permission: ASKERS\ntype: Extract\nquery: ORDERS',
    'permission: ASKERS\ntype: Report\nquery: ORDERS',
  ),
  'process.parameters': process(
    'permission: ASKERS\ntype: Extract\nhandler: list',
    'permission: ASKERS\ntype: Extract\nhandler: list\nparameters: { P: integer }',
  ),
  'process.permission': process(
    'permission: ASKERS\ntype: Extract\nquery: ORDERS',
    'permission: [ASKERS, OTHERS]\ntype: Extract\nquery: ORDERS',
  ),
  'process.public': process(
    'permission: ASKERS\ntype: Extract\nquery: ORDERS',
    'public: true\ntype: Extract\nquery: ORDERS',
  ),

  'component.shape': component(SHAPE, SHAPE.replace('PLACE', 'SITE')),
  'component.keys': component(
    SHAPE,
    SHAPE.replace('[ID]', '[ID, AREA]'),
    'PLACE_SAVE: { put: "places/{ID}/{AREA}", save: PLACES }',
  ),
  'component.lock': component(SHAPE, `${SHAPE}lock: COUNT`),
  'component.permission': component(`${SHAPE}permission: [READERS, WRITERS]`, `${SHAPE}permission: READERS`),

  'routing.active': routing('log: header', 'active: false'),
  'routing.target': routing('log: header', 'target: OTHER'),
  'routing.headers': routing('log: header', 'headers: { X-A: b }'),
  'routing.properties': routing('log: header', 'properties: { MTOM: Y }'),
  'routing.properties.MTOM': routing('log: header', 'properties: { MTOM: Y }'),
  'routing.properties.PRIMARYURL': routing('log: header', 'properties: { PRIMARYURL: "https://other.example.org" }'),
  'routing.properties.SOAPUpContent': routedRest(
    'SOAPUpContent',
    'N',
    'soap: true, request: text, response: { fields: { N: integer } }',
  ),
  'routing.properties.SegmentContentTransfer': routing('log: header', 'properties: { SegmentContentTransfer: base64 }'),
  'routing.properties.SegmentContentType': routing('log: header', 'properties: { SegmentContentType: text/plain }'),
  'routing.properties.Base64toBinary': routedRest(
    'Base64toBinary',
    'Y',
    'post: orders, request: { fields: { F: binary } }, body: F, response: text',
  ),
  'routing.properties.Disable_URLEncodingBody': routedRest(
    'Disable_URLEncodingBody',
    'true',
    'post: orders, request: text, headers: { Content-Type: application/x-www-form-urlencoded }, response: text',
  ),
  'routing.properties.sendUncompressed': routedRest('sendUncompressed', 'N'),
};
