import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project in its own folder. */
export interface TestProject {
  readonly root: string;
  remove(): void;
}

/** Password hashes of minimal cost, because tests do not depend on their strength. */
const SALT = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg';
/** `demo` has the permission list EVERYTHING, `guest` has none; their passwords are their names. */
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

/** The text of a gateway definition, with additional lines. */
export function gatewayText(more = ''): string {
  return `gateway: LOCAL\nnamespace: urn:test\ndatabase: \${env:DATABASE_URL:-sqlite:test.db}\n${more}\n`;
}

/**
 * Writes a project with these files, by path. Files that every project needs, `definitions/gateway.yaml` and
 * `definitions/users.yaml`, have defaults.
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

/** How long the next pause of a poll is: from ten to forty milliseconds, since what takes long need not be asked for often. */
export const pauseAfter = (ms: number): number => Math.min(ms + 2, 40);

/** Repeats a check until it returns a value; fails after 45 seconds, or as many as are given. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  seconds = 45,
): Promise<T> {
  const limit = performance.now() + seconds * 1000;
  for (let ms = 10; performance.now() < limit; ms = pauseAfter(ms)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  throw new Error(`timed out waiting for ${what}`);
}
