import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './harness.ts';

const OPERATIONS = 10;

const SHARED = `gateway: LOCAL
description: Many services.
context: gateway
listen: 127.0.0.1:0
database: sqlite:unused.db
namespace: urn:signalbox:many
requires: basic
---
permission-list: MANY
---
user: demo
password: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg
sample: true
---
document: ITEM
fields:
  REGION: { type: string(1), required: true }
  ITEM_ID: { type: string(10), required: true }
  NAME: string
`;

/** A service of ten operations, in about 60 lines. */
function service(index: number): string {
  const operations = Array.from(
    { length: OPERATIONS },
    (_, number) => `  MANY_${index}_${number}_GET:
    description: Item ${number} of service ${index}.
    get: Things${number}/{REGION}/items/{ITEM_ID}{?detail}
    request:
      fields: { REGION: string(1), ITEM_ID: string(10), detail: flag }
    response: ITEM`,
  );
  return `service: Many${index}.v1\ndescription: Service ${index} of many.\npermission: MANY\noperations:\n${operations.join('\n')}\n`;
}

/** Writes a project with this number of service files, of ten operations each, and returns its folder. */
export function writeProject(bench: Bench, services: number): string {
  const root = join(bench.folder, `many-${services}`);
  const definitions = join(root, 'definitions');
  mkdirSync(join(definitions, 'services'), { recursive: true });
  writeFileSync(join(definitions, 'shared.yaml'), SHARED);
  for (let index = 0; index < services; index += 1) {
    writeFileSync(join(definitions, 'services', `many-${index}.yaml`), service(index));
  }
  return root;
}

/** The path of one of its operations below the connector; `pick` selects both service and operation. */
export function pathOf(pick: number, services: number): string {
  const operation = pick % OPERATIONS;
  const index = Math.floor(pick / OPERATIONS) % services;
  return `LOCAL/Many${index}.v1/Things${operation}/N/items/A${pick % 997}`;
}
