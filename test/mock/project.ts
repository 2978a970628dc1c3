import { loadProject, registryOf, renderDiagnostics } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { atFileEnd } from '../support/file-end.ts';
import { gatewayText, USERS, writeProject } from '../support/project.ts';

/** A gateway that provides vehicles, and calls a store of parts (OAuth, REST) and a valuer (SOAP). */
export const FLEET: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText('requires: basic'),
  'definitions/users.yaml': USERS,
  'definitions/vehicles.yaml': `service: Vehicles.v1
permission: EVERYTHING
operations:
  VEHICLE_GET:
    soap: true
    get: Vehicles/{PLATE}
    request: { fields: { PLATE: { type: string(10), pattern: "[A-Z0-9 ]+" } } }
    response: VEHICLE
    handler: vehicle-get
  VEHICLES_GET: { soap: true, get: "Vehicles{?status}", request: { fields: { status: string } }, response: list of VEHICLE, handler: vehicles-get }
  VEHICLE_COUNT: { soap: true, get: Count, response: integer, handler: vehicle-count }
  VEHICLE_POST:
    post: Vehicles
    request: VEHICLE
    response: VEHICLE
    handler: vehicle-get
  NOTES_GET: { get: Notes, response: list of NOTE, handler: vehicle-get }
  STOCK_GET: { get: Stock, response: { fields: { COUNTS: { type: map of integer, minimum: 2, required: true }, PAID: { type: list of PAYMENT, minimum: 9 }, TREE: TREE, OWNED: { type: list of OWNED, minimum: 9 } } }, handler: vehicle-get }
  VEHICLE_SOLD: { post: sold, soap: true, request: VEHICLE, queue: VEHICLE_EVENTS }
---
queue: VEHICLE_EVENTS
order: [PLATE]
---
{ subscription: SOLD, operation: VEHICLE_SOLD, handler: sold }
---
document: PAYMENT
one-of: { card: CARD, transfer: TRANSFER }
by: kind
---
document: CARD
fields: { NUMBER: { type: string(4), required: true } }
---
document: TRANSFER
fields: { IBAN: { type: string(4), required: true } }
---
document: TREE
one-of: { node: NODE, leaf: CARD }
---
document: NODE
fields: { LEFT: { type: TREE, required: true }, RIGHT: { type: TREE, required: true } }
---
document: OWNED
abstract: true
fields: { OWNER: { type: OWNED } }
---
document: BOAT
extends: OWNED
fields: { LENGTH: { type: integer, minimum: 3, maximum: 5, required: true } }
---
document: FLEET
restricts: OWNED
fields: {}
---
document: VEHICLE
fields:
  PLATE: { type: string(10), example: "M AB 1", required: true }
  STATUS: { type: string, enum: [ready, rented, repair], required: true }
  SEATS: { type: integer, minimum: 2, maximum: 9, required: true }
  PRICE: decimal(8.2)
  BOUGHT: date
  SEEN: datetime
  VIN: { type: string(17), pattern: "[A-HJ-NPR-Z0-9]{17}" }
  ELECTRIC: boolean
  ID: uuid
  OWNER: { fields: { NAME: string(20) } }
  NOTES: list of NOTE
---
document: NOTE
fields: { TEXT: text, REPLIES: list of NOTE }
`,
  'definitions/parts.yaml': `node: PARTS
base: \${env:PARTS_URL}
credential:
  client-credentials:
    token-url: \${env:PARTS_URL}/token
    client-id: fleet
    client-secret: \${secret:PARTS_SECRET}
---
service: PARTS.v1
target: PARTS
permission: EVERYTHING
fault: PART_FAULT
values: { SITE: "\${env:PARTS_SITE}" }
operations:
  PART_GET:
    get: /sites/{SITE}/parts/{NUMBER}{?lang}
    request: { fields: { NUMBER: { type: integer, required: true }, SITE: string, lang: string(2) } }
    response: PART
  PART_ORDER:
    post: sites/{SITE}/orders
    request: { fields: { SITE: string, NUMBER: { type: integer, required: true }, COUNT: { type: integer, minimum: 1, required: true }, KEY: string } }
    headers: { Idempotency-Key: "order-{KEY}", X-Site-Key: "\${secret:SITE_KEY}" }
    response: ORDER
  PARTS_LIST: { put: parts, request: list of PART, response: list of PART }
  PART_LIST: { get: parts, response: list of PART }
  PART_COUNT: { get: count, response: integer }
  PART_PHOTO:
    post: photos
    form: multipart
    request: { fields: { NUMBER: { type: integer, required: true }, PHOTO: { type: binary, required: true } } }
    response: { multipart/form-data: { fields: { NAME: { type: string, example: front }, THUMB: { type: binary, required: true } } } }
  PART_SEARCH:
    post: search
    request: { fields: { WORDS: { type: string, required: true }, MOST: integer } }
    form: { q: "{WORDS}", limit: "{MOST}", mode: "simple" }
    response: { fields: { PARTS: list of PART } }
---
document: PART
fields: { NUMBER: { type: integer, example: 4711, required: true }, NAME: { type: string(30), example: Brake pad }, STOCK: integer }
---
document: ORDER
fields: { ORDER_ID: { type: string, required: true }, DUE: date }
---
document: PART_FAULT
fields: { message: { type: text, default: "{fault.message}" } }
`,
  'definitions/valuer.yaml': `node: VALUER
base: \${env:VALUER_URL}
credential:
  username-token: { user: us, password: "\${secret:VALUER_PASSWORD}", digest: true }
  signature: { file: signer.pem, key-file: signer.key }
---
service: VALUER.v1
target: VALUER
permission: EVERYTHING
operations:
  VALUE_OF:
    soap: true
    request: { fields: { PLATE: { type: string, required: true } } }
    response: { fields: { AMOUNT: { type: decimal(9.2), example: 12000 }, CURRENCY: { type: string(3), enum: [EUR] } } }
`,
};

/** The registry of a project by its files. */
export function registryIn(files: Readonly<Record<string, string>> = FLEET): { root: string; registry: Registry } {
  const project = writeProject(files);
  atFileEnd(project.remove);
  const loaded = loadProject({ root: project.root, handlers: 'ignore-missing' });
  if (loaded.registry === undefined) throw new Error(renderDiagnostics(loaded, { colour: false }));
  return { root: project.root, registry: registryOf(loaded) };
}
