/** A small project without mistakes: a workshop that looks up vehicles, calls a partner and keeps orders. */
export const workshop: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': `gateway: LOCAL
context: gateway
listen: 127.0.0.1:8080
database: \${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}
sample-data: sample/*.sql
namespace: urn:workshop
requires: basic
`,
  'definitions/sample/tables.sql': `create table vehicle (plate varchar(12) primary key, make varchar(30) not null, built integer);
create table work_order (nr varchar(10) primary key, plate varchar(12) not null, state varchar(10) not null);
`,
  'definitions/security.yaml': `permission-list: WORKSHOP
---
role: MECHANIC
permission-lists: [WORKSHOP]
---
user: anna
password: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg
roles: [MECHANIC]
`,
  'definitions/vehicles.yaml': `document: VEHICLE
fields:
  PLATE: { type: string(12), required: true }
  MAKE: string(30)
  BUILT: integer
---
query: VEHICLES_BY_MAKE
public: true
prompts:
  MAKE: { type: string(30), required: true }
columns:
  PLATE: string(12)
  MAKE: string(30)
  BUILT: integer
sql: |
  select plate, make, built
  from vehicle
  where make = :MAKE
  order by plate
---
service: Vehicles.v1
description: Vehicles of the workshop.
permission: WORKSHOP
operations:
  VEHICLES_GET:
    get: Vehicles/{MAKE}
    query: VEHICLES_BY_MAKE
  VEHICLE_CHECK:
    post: Checks
    soap: true
    request: VEHICLE
    response: { fields: { RESULT: string(20) } }
    handler: vehicle-check
`,
  'definitions/orders.yaml': `document: ORDER
fields:
  NR: { type: string(10), required: true }
  PLATE: { type: string(12), required: true }
  STATE: { type: string(10), enum: [OPEN, DONE], default: OPEN }
---
component: ORDERS
table: work_order
shape: ORDER
keys: [NR]
---
service: Orders.v1
permission: WORKSHOP
operations:
  ORDER_GET:
    get: Orders/{NR}
    read: ORDERS
  ORDER_PUT:
    put: Orders/{NR}
    save: ORDERS
`,
  'definitions/partner.yaml': `node: PARTS
base: \${env:PARTS_URL:-https://parts.example.org}
---
service: Parts.v1
target: PARTS
permission: WORKSHOP
operations:
  PART_GET:
    get: parts/{NUMBER}
    request: { fields: { NUMBER: string(20) } }
    response: { fields: { PRICE: decimal(10.2) } }
    headers:
      X-Part: "{NUMBER}"
`,
  'src/handlers/vehicle-check.ts': `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('VEHICLE_CHECK', {
  onRequest: ({ PLATE }) => ({ RESULT: PLATE.startsWith('X') ? 'REFUSED' : 'PASSED' }),
});
`,
  'generated/handlers.ts': 'export const defineHandler = (_: unknown, handler: unknown): unknown => handler;\n',
};
