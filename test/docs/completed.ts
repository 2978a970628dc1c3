/** What a sample becomes a project by: what is put behind it, or made of it and of those before. */
type Completion = string | ((samples: readonly string[]) => string);

const lists = (...ids: readonly string[]): string => ids.map((id) => `---\npermission-list: ${id}\n`).join('');
const STOCK = `${lists('STOCK')}---\n{ document: ITEMS, fields: { Id: integer } }\n`;

/** The ten patterns: each with those before it. */
const TOGETHER: readonly Completion[] = Array.from(
  { length: 10 },
  (_, index) => (samples) => samples.slice(0, index + 1).join('---\n'),
);

/** What completes each sample of a page: what its last definition lacks, and definitions that it speaks of. */
export const COMPLETED: Readonly<Record<string, readonly Completion[]>> = {
  'docs/security.md': [
    '---\nrole: LOCATION_READER\npermission-lists: []\n',
    `---
scheme: CORP_TOKENS
bearer: { issuer: https://login.example.org/, audience: a, jwks: https://login.example.org/jwks.json, users: known }
`,
    'operations: { REPORT_GET: { get: Report, public: true, response: { fields: { TEXT: string } } } }\n',
    '',
  ],
  'docs/console.md': [
    '',
    `---
scheme: CORP_TOKENS
bearer: { issuer: https://login.example.org/, audience: a, jwks: https://login.example.org/jwks.json, users: known }
`,
  ],
  'docs/messages.md': [
    '',
    ([events, saved]) => `${saved}---\n${events}`,
    ([events, saved, long]) => `${saved?.replace(/^publish: .*\n/m, long ?? '')}---
service: Closed.v1
permission: LOCATIONS
operations:
  LOCATION_CLOSED:
    post: closed
    request: { fields: { CODE: { type: string(10), required: true }, WAS: string(50), ACTION: string(7) } }
    queue: LOCATION_EVENTS
---
${events?.replace(/^order: .*\n/m, '')}`,
    ...['', '', '', '', '', '', '', '', ''],
  ],
  'docs/ws-security.md': ['', '---\nrole: PARTNER\npermission-lists: []\n'],
  'docs/java-clients.md': [],
  'docs/glossary.md': [],
  'docs/migrations.md': ['#file migrations/0001-vehicles.sql\ncreate table vehicle (plate varchar(12) primary key);\n'],
  'docs/fleet.md': ['', '', '', '', '', ''],
  'docs/operating.md': [lists('MONITORS'), '', '', '', '---\ngateway: LOCAL\ndelivered: [QUEUES.v1]\n', ''],
  'docs/migrating.md': [lists('DEPARTMENTS', 'ORDERS')],
  // Its own samples; those of the kinds below them are examples of the schema.
  'docs/definitions.md': [
    ...TOGETHER,
    '',
    '',
    '',
    '',
    STOCK,
    (samples) => `${samples[TOGETHER.length + 4]}${samples[TOGETHER.length + 5]}${STOCK}---
service: Orders.v1
permission: STOCK
target: STOCK
operations:
  ORDER_POST: { post: orders, headers: { X-Session: "{SESSION}" }, request: { fields: { SESSION: text } }, body: none }
`,
    lists('CLAIMS'),
    '',
    '',
    '',
    '',
    '',
    `${lists('CARS')}---
query: CARS
permission: CARS
columns: { PLATE: string(8), MAKE: string(20), PRICE: decimal(10.2), STATUS: string(1) }
sql: select plate, make, price, status from car
`,
    `${lists('QUERY_USER')}---
query: EMPLOYEES_OF
permission: QUERY_USER
columns: { DEPTNAME: string(30), NAME: string }
sql: select deptname, name from employee_tbl
`,
    `---
{ document: JOB, fields: { JOB_NO: { type: integer, required: true }, TITLE: string(30), STATUS: { type: string, enum: [OPEN, WAITING, CLOSED] } } }
---
{ queue: JOB_EVENTS }
---
service: JobEvents.v1
public: true
operations:
  JOB_SAVED: { post: saved, request: JOB, queue: JOB_EVENTS }
  JOB_CLOSED: { post: closed, request: { fields: { Id: integer, Label: text, Was: string, Source: string } }, queue: JOB_EVENTS }
`,
    `${lists('PARTNERS')}---
{ query: EMP_ALL, permission: STAFF, columns: { NAME: string }, sql: select name from employee_tbl }
---
{ process: LOCATION_EXTRACT, type: Application Engine, query: EMP_ALL, permission: STAFF }
---
{ component: LOCATION_SETUP, table: location_tbl, shape: STAFF, keys: [Id] }
---
{ document: STAFF, fields: { Id: { type: integer, required: true } } }
---
{ node: PARTNER, base: https://partner.example.org }
---
service: Partner.v1
target: PARTNER
permission: PARTNERS
operations: { PARTNER_POST: { post: staff, request: STAFF, response: text } }
`,
    `${lists('ORDERS')}---\n{ role: READER, permission-lists: [ORDERS] }\n---\n{ document: ORDERS, fields: { Id: integer } }\n`,
    `${lists('LOCATIONS')}---
{ document: LOCATION, fields: { code: string(10), address: { fields: { city: string } }, status: { type: string, enum: [active, inactive] } } }
---
{ document: LOC_DTL, fields: { LOCATION: string(10), CITY: string, EFF_STATUS: { type: string, enum: [A, I] } } }
`,
  ],
  'docs/architecture.md': [],
  'docs/importing.md': [
    `operations: { ORDER_GET: { soap: true, request: { fields: { ID: string } }, response: text } }
---
{ service: OrderService_2.v1, target: OLD, permission: OLD, operations: { ORDER_GET: { soap: true, request: { fields: { ID: string } }, response: text } } }
---
{ node: OLD, base: https://old.example.org }
${lists('OLD', 'OLD_SERVICE')}`,
  ],
  'docs/performance.md': [],
  'CONTRIBUTING.md': [],
  'CHANGELOG.md': [],
  'SECURITY.md': [],
};
