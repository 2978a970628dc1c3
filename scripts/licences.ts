// Lists the packages that Signalbox depends on with their licences (SPDX). Exits with 1 if one that ships has a licence that is
// not in the list of allowed ones. Packages for development only, which are not distributed, are listed separately.
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

/** Whether an SPDX expression permits distribution: one side of an OR, both sides of an AND. Nested parentheses are refused. */
export function isAllowed(expression: string): boolean {
  const text = expression.trim();
  const inner = /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
  if (/[()]/.test(inner)) return false;
  const either = inner.split(/\s+OR\s+/);
  if (either.length > 1) return either.some(isAllowed);
  return inner.split(/\s+AND\s+/).every((each) => ALLOWED.has(each));
}

/** The licence in a package's package.json, in the current or an older form; `undefined` if there is none. */
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

/** All installed packages, with the licence from their package.json. */
function rows(root: URL): Row[] {
  return readLockFile(root).flatMap(({ path, name, version, development, optional }) => {
    let manifest: unknown;
    try {
      manifest = JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'));
    } catch (error) {
      // For another operating system, or not needed here.
      if (optional) return [];
      throw new Error(`${path} is in package-lock.json but not installed. Run \`npm ci\`.`, { cause: error });
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
  for (const { name, licence } of refused)
    console.error(`${name} has the licence ${licence}, which is not in the list of allowed licences.`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
