// Lists the packages that Signalbox depends on with their licences (SPDX), and ends with 1 where it ships with one that is not
// on the list of allowed ones. What development alone needs is listed apart: it is never handed on.
import { readFileSync } from 'node:fs';
import { readLockFile } from './dependencies/lock-file.ts';

const ALLOWED: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'CC0-1.0',
  'Unlicense',
  'BlueOak-1.0.0',
  'Python-2.0',
]);

/** Whether an SPDX expression lets the package be handed on: one side of an OR, both of an AND. One that mixes them by parentheses is refused. */
export function isAllowed(expression: string): boolean {
  const text = expression.trim();
  const inner = /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
  if (/[()]/.test(inner)) return false;
  const either = inner.split(/\s+OR\s+/);
  if (either.length > 1) return either.some(isAllowed);
  return inner.split(/\s+AND\s+/).every((each) => ALLOWED.has(each));
}

/** The licence that a package's own file names, in its present form or an old one; undefined where it names none. */
export function licenceOf(manifest: unknown): string | undefined {
  const { license, licenses } = manifest as { license?: unknown; licenses?: unknown };
  if (typeof license === 'string') return license;
  const listed = [license, licenses].flat().map((each) => (each as { type?: unknown } | undefined)?.type);
  const types = listed.filter((type) => typeof type === 'string');
  return types.length === 0 ? undefined : types.join(' OR ');
}

interface Row {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly development: boolean;
}

/** Every package that is installed, by what its own file says. */
function rows(root: URL): Row[] {
  return readLockFile(root).flatMap(({ path, name, version, development, optional }) => {
    let manifest: unknown;
    try {
      manifest = JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'));
    } catch (error) {
      // Of another system's make, or of a kind that nothing here asks for.
      if (optional) return [];
      throw new Error(`${path} is in package-lock.json and not installed: run \`npm ci\`.`, { cause: error });
    }
    return { name, version, licence: licenceOf(manifest) ?? 'none', development };
  });
}

function table(title: string, list: readonly Row[]): string {
  const width = Math.max(0, ...list.map(({ name, version }) => name.length + version.length + 1));
  const lines = list.map(({ name, version, licence }) => `${`${name} ${version}`.padEnd(width)}  ${licence}`);
  return `${[title, '', ...lines].join('\n')}\n`;
}

if (import.meta.main) {
  const all = rows(new URL('../', import.meta.url)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const shipped = all.filter(({ development }) => !development);
  console.log(table('Signalbox depends on', shipped));
  console.log(
    table(
      'Development depends on',
      all.filter(({ development }) => development),
    ),
  );
  const refused = shipped.filter(({ licence }) => !isAllowed(licence));
  for (const { name, licence } of refused) console.error(`${name} has the licence ${licence}, which is not allowed.`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
