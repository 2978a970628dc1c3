// Reports dependencies with known vulnerabilities (npm audit, severity high and above) or with install scripts that
// package.json does not list. Exits with 0 if it finds nothing, 1 if it finds something, 3 if the audit service does not answer.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type LockedPackage, readLockFile } from './dependencies/lock-file.ts';

const NOT_AUDITED = 3;

/** The result of npm audit. */
export type Audit =
  | { readonly kind: 'clean' }
  | { readonly kind: 'weak'; readonly found: readonly string[] }
  /** The service did not answer; the reason is printed as `not audited (...)`. */
  | { readonly kind: 'not audited'; readonly reason: string };

/** Reads the output of `npm audit --json`. */
export function readAudit(output: string): Audit {
  let report: Report;
  try {
    report = JSON.parse(output) as Report;
  } catch {
    return { kind: 'not audited', reason: 'npm returned no report' };
  }
  const { vulnerabilities, message } = report;
  if (vulnerabilities === undefined) {
    const status = /^(\d{3})\b/.exec(message ?? '')?.[1];
    return {
      kind: 'not audited',
      reason: status === undefined ? 'no answer of the service' : `the service answered ${status}`,
    };
  }
  const found = Object.values(vulnerabilities).filter(({ severity }) => severity === 'high' || severity === 'critical');
  if (found.length === 0) return { kind: 'clean' };
  return { kind: 'weak', found: found.map(({ name, range, severity }) => `${name} ${range}: ${severity}`) };
}

interface Report {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly name: string; readonly range: string; readonly severity: string }>
  >;
}

/** Packages with an install script that `allowScripts` of package.json neither allows nor refuses. */
export function unknownScripts(
  packages: readonly LockedPackage[],
  allowed: Readonly<Record<string, boolean>>,
): readonly string[] {
  const strangers = packages.filter(({ name, installScript }) => installScript && !Object.hasOwn(allowed, name));
  return strangers.map(
    ({ name, version }) => `${name} ${version} has an install script that package.json does not name.`,
  );
}

function npmAudit(root: URL): Audit {
  const { stdout, error } = spawnSync('npm', ['audit', '--json', '--audit-level=high'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  return error === undefined ? readAudit(stdout) : { kind: 'not audited', reason: error.message };
}

if (import.meta.main) {
  const root = new URL('../', import.meta.url);
  const manifest = readFileSync(new URL('package.json', root), 'utf8');
  const { allowScripts = {} } = JSON.parse(manifest) as { allowScripts?: Readonly<Record<string, boolean>> };
  const strangers = unknownScripts(readLockFile(root), allowScripts);
  const audit = npmAudit(root);
  for (const each of [...strangers, ...(audit.kind === 'weak' ? audit.found : [])]) console.error(each);
  if (strangers.length === 0) console.log('install scripts: only those that package.json lists');
  if (audit.kind === 'not audited') console.log(`npm audit: not audited (${audit.reason})`);
  else if (audit.kind === 'clean') console.log('npm audit: nothing of high severity or above');
  const bad = strangers.length > 0 || audit.kind === 'weak';
  process.exitCode = bad ? 1 : audit.kind === 'not audited' ? NOT_AUDITED : 0;
}
