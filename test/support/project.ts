import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project in a folder of its own. */
export interface TestProject {
  readonly root: string;
  remove(): void;
}

/** Hashes of the least cost that there is: what is tested is not their strength. */
const SALT = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg';
/** `demo` holds the list EVERYTHING, `guest` none; their passwords are their names. */
export const USERS = `permission-list: EVERYTHING
---
role: ALL
permission-lists: [EVERYTHING]
---
user: demo
password: ${SALT}$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
---
user: guest
password: ${SALT}$omzwekRZhK7H14WBx2uNfQdcBMmSmpudUeBNrb/md2A
sample: true
`;

/** Text of a gateway definition, with more lines. */
export function gatewayText(more = ''): string {
  return `gateway: LOCAL\nnamespace: urn:test\ndatabase: \${env:DATABASE_URL:-sqlite:test.db}\n${more}\n`;
}

/**
 * Writes a project out of its files, by path. What every project needs is there unless the files say otherwise:
 * `definitions/gateway.yaml` and `definitions/users.yaml`.
 */
export function writeProject(files: Readonly<Record<string, string>>): TestProject {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-project-'));
  const all = { 'definitions/gateway.yaml': gatewayText(), 'definitions/users.yaml': USERS, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Asks again and again, ten milliseconds apart, until there is an answer; fails after fifteen seconds. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const limit = performance.now() + 15_000;
  while (performance.now() < limit) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited in vain for ${what}`);
}
