import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How large the gateway is; a smoke run has a small one. */
export interface Size {
  /** Of ten operations each. */
  readonly services: number;
  readonly messages: number;
  readonly requests: number;
  /** Operations with statistics of a day. */
  readonly counted: number;
  /** Lines of each of the two trails. */
  readonly trail: number;
  readonly users: number;
}

export const WHOLE: Size = {
  ...{ services: 1000, messages: 1_000_000, requests: 100_000 },
  ...{ counted: 300, trail: 100_000, users: 5000 },
};
export const SMALL: Size = { services: 60, messages: 2000, requests: 200, counted: 10, trail: 200, users: 50 };

/** Queues, each with a subscription; also teams, with a role and a permission list each. */
export const QUEUES = 50;
/**
 * Nodes, each with a called service. Services lead to a hundred pairs of a queue and a node: with these, 240 boxes are on the map,
 * the most that are drawn.
 */
export const NODES = 20;
export const PROCESSES = 40;
const QUERIES = 200;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const SHARED = `gateway: LOCAL
description: Everything that the console shows, in one gateway.
context: gateway
listen: 127.0.0.1:0
database: \${env:DATABASE_URL}
namespace: urn:signalbox:large
requires: basic
handlers: handlers
---
permission-list: OPERATORS
console: [read, payload, act, users]
process-requests: all
---
{ role: OPERATOR, permission-lists: [OPERATORS, ${range(QUEUES)
  .map((n) => `TEAM_${n}`)
  .join(', ')}] }
---
user: demo
password: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg
roles: [OPERATOR]
sample: true
---
document: ITEM
fields:
  REGION: { type: string(1), required: true }
  ITEM_ID: { type: string(10), required: true }
  NAME: string
---
document: ITEM_EVENT
fields:
  ITEM_ID: { type: string(10), required: true }
  NOTE: text
`;

const team = (n: number): string => `{ permission-list: TEAM_${n} }
---
{ role: TEAM_${n}, permission-lists: [TEAM_${n}] }
`;

const node = (n: number): string => `node: NODE_${n}
base: http://127.0.0.1:9/node-${n}
---
service: Remote${n}.v1
target: NODE_${n}
permission: TEAM_${n}
operations:
  REMOTE_${n}_GET:
    get: "items/{REGION}/{ITEM_ID}"
    request: { fields: { REGION: string(1), ITEM_ID: string(10) } }
    response: ITEM
  REMOTE_${n}_POST:
    post: items
    request: ITEM_EVENT
`;

/** Every other subscription delivers to a node, the others to code. */
const queue = (n: number): string => `queue: EVENTS_${n}
order: [ITEM_ID]
search: [ITEM_ID]
---
subscription: TAKEN_${n}
operation: MANY_${n}_9_POST
${n % 2 === 0 ? 'handler: many' : `call: REMOTE_${n % NODES}_POST`}
`;

const query = (n: number): string => `query: ITEMS_${n}
description: Items of kind ${n}.
permission: TEAM_${n % QUEUES}
prompts: { REGION: { type: string(1), description: One region }, KIND: { type: string(4), enum: [old, new], default: new } }
columns: { REGION: string, ITEM_ID: string, NAME: string }
sql: select 'N' as region, cast(prcsinstance as text) as item_id, prcsname as name from psprcsrqst where (:REGION is null or oprid = :REGION) and :KIND is not null
`;

const process = (n: number): string => `process: PRCS_${n}
description: The work number ${n}.
type: SQR Report
permission: TEAM_${n % QUEUES}
query: ITEMS_${n}
`;

const service = (n: number): string => `service: Many${n}.v1
description: Service ${n} of many.
permission: TEAM_${n % QUEUES}
operations:
${range(8)
  .map(
    (each) => `  MANY_${n}_${each}_GET:
    description: Item ${each} of service ${n}.
    get: Things${each}/{REGION}/items/{ITEM_ID}{?detail}
    request: { fields: { REGION: string(1), ITEM_ID: string(10), detail: flag } }
    response: ITEM
    handler: many
`,
  )
  .join('')}  MANY_${n}_8_GET:
    description: The item of the other system.
    get: Remote/{REGION}/items/{ITEM_ID}
    request: { fields: { REGION: string(1), ITEM_ID: string(10) } }
    response: ITEM
    call: REMOTE_${n % NODES}_GET
  MANY_${n}_9_POST:
    description: An item of service ${n} has changed.
    post: changed
    request: ITEM_EVENT
    queue: EVENTS_${n % QUEUES}
`;

const HANDLER = `export default {
  onRequest: ({ REGION, ITEM_ID }) => ({ REGION, ITEM_ID }),
  onMessage() {},
};
`;

/** Writes the definitions of a gateway that has all that the console shows. @returns its folder */
export function writeConsoleProject(folder: string, { services }: Size): string {
  const root = join(folder, 'console');
  const definitions = join(root, 'definitions');
  for (const each of ['services', 'queues', 'nodes', 'queries', 'processes'])
    mkdirSync(join(definitions, each), { recursive: true });
  mkdirSync(join(root, 'handlers'));
  writeFileSync(join(root, 'handlers/many.ts'), HANDLER);
  const write = (path: string, text: string): void => writeFileSync(join(definitions, `${path}.yaml`), text);
  write('shared', SHARED);
  write('teams', range(QUEUES).map(team).join('---\n'));
  for (const n of range(services)) write(`services/many-${n}`, service(n));
  for (const n of range(QUEUES)) write(`queues/events-${n}`, queue(n));
  for (const n of range(NODES)) write(`nodes/node-${n}`, node(n));
  for (const n of range(QUERIES)) write(`queries/items-${n}`, query(n));
  for (const n of range(PROCESSES)) write(`processes/prcs-${n}`, process(n));
  return root;
}
