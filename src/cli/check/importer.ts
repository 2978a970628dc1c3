import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { builtinModules, registerHooks } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { didYouMean } from '../../load/diagnostic/suggest.ts';
import { codeDiagnostic, type Diagnostic, type Place } from '../../load/index.ts';
import { type CodeFile, type CodeProblem, codeProblem, thrownText } from '../../serve/start/handlers.ts';
import { post } from '../child-process.ts';

// The process in which `signalbox check` imports the code of a project, one file after the other. What the code writes goes to
// standard error. The process that started this one ends it when a file takes too long.

/** The first message to it, and the only one. */
export interface ImporterStart {
  /** The project's folder. */
  readonly root: string;
  readonly files: readonly CodeFile[];
}

/** To the process that started this one: a file is begun, is done; after the last, all are. */
export type ImporterMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly found: readonly Diagnostic[] }
  | { readonly kind: 'over' };

/** An import that could not be resolved. */
interface Unresolved {
  readonly specifier: string;
  readonly parent: string | undefined;
  readonly error: unknown;
}

process.on('disconnect', () => process.exit(1));
const [{ root, files }] = (await once(process, 'message')) as [ImporterStart];
let unresolved: Unresolved | undefined;
/** URL of the module that was loaded last: the one that does not parse, if any. */
let loaded = '';
let report: (error: unknown) => void = () => undefined;

registerHooks({
  resolve(specifier, context, nextResolve) {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      unresolved = { specifier, parent: context.parentURL, error };
      throw error;
    }
  },
  load(url, context, nextLoad) {
    loaded = url;
    return nextLoad(url, context);
  },
});
// Also what code does not wait for, such as a promise that is rejected.
process.on('uncaughtException', (error) => report(error));

for (const file of files) {
  tell({ kind: 'begun' });
  tell({ kind: 'done', found: await examine(file) });
}
post(process, { kind: 'over' } satisfies ImporterMessage, () => process.exit(0));

function tell(message: ImporterMessage): void {
  post(process, message);
}

async function examine(file: CodeFile): Promise<Diagnostic[]> {
  const { path } = file;
  const beside: unknown[] = [];
  report = (error) => void beside.push(error);
  unresolved = undefined;
  try {
    const { default: exported } = (await import(pathToFileURL(join(root, path)).href)) as { default?: unknown };
    // What is rejected without anyone waiting is reported at the end of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    const problem = codeProblem(file, exported);
    if (problem !== undefined) {
      const { code, message: reason, hint } = problem;
      return [codeDiagnostic(code, { file: path, reason, hint }, placeOfExport(path, code))];
    }
  } catch (error) {
    return [await diagnosticOf(error, path)];
  }
  return Promise.all(beside.map((error) => diagnosticOf(error, path)));
}

/** The place of the id, or of the export. */
function placeOfExport(path: string, code: CodeProblem['code']): Place {
  const pattern =
    code === 'code-id'
      ? /\bdefine(?:Handler|Process|Subscription)?\(\s*\[?\s*(?<it>['"`][^'"`\n]*['"`])/
      : /^\s*(?<it>export default)\b/m;
  return placeIn(path, pattern);
}

/** The place of the group `it` of a pattern in a file; its beginning when it is not found. */
function placeIn(path: string, pattern: RegExp): Place {
  const text = textOf(path);
  const found = pattern.exec(text);
  const it = found?.groups?.it;
  if (found === null || it === undefined) return { file: path, line: 1, column: 1 };
  const lines = text.slice(0, found.index + found[0].lastIndexOf(it)).split('\n');
  return { file: path, line: lines.length, column: (lines.at(-1) ?? '').length + 1, length: it.length };
}

function textOf(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

/** The diagnostic for an error of an import. @param path of the file that was imported */
async function diagnosticOf(error: unknown, path: string): Promise<Diagnostic> {
  if (unresolved !== undefined && unresolved.error === error) return unresolvedImport(unresolved, path);
  if (error instanceof SyntaxError) {
    const missing = /^The requested module '(.*)' does not provide an export named '(.*)'/.exec(error.message);
    const place = excerptIn(error.stack ?? '') ?? excerptIn(parsedAlone(loaded)) ?? { file: path, line: 1, column: 1 };
    if (missing !== null) return missingName(missing[1] as string, missing[2] as string, place);
    const erasable = codeOf(error) !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
    return codeDiagnostic('code-syntax', { reason: reasonOf(error), erasable }, place);
  }
  const frame = /(file:\/\/[^\s()]+):(\d+):(\d+)\)?$/gm;
  const places = [...String((error as Partial<Error> | null)?.stack ?? '').matchAll(frame)].map(
    ([, url = '', line, column]) => ({ file: shown(url), line: Number(line), column: Number(column) }),
  );
  const own = places.find(({ file }) => !file.startsWith('..') && !file.includes('node_modules/'));
  return codeDiagnostic(
    'code-throws',
    { file: path, reason: reasonOf(error) },
    own ?? { file: path, line: 1, column: 1 },
  );
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}

/** The first line of an error's message, without a full stop. */
function reasonOf(error: unknown): string {
  return (thrownText(error).trim().split('\n', 1)[0] ?? '').replace(/[.:]$/, '');
}

/** A URL as a path relative to the project, with `/`. */
function shown(url: string): string {
  return relative(root, fileURLToPath(url)).split(sep).join('/');
}

/** Finds the place that Node quotes before an error: the URL with the line, an excerpt, and a line of carets. */
function excerptIn(text: string): Place | undefined {
  const head = /^(file:\/\/\S+?):(\d+)$/m.exec(text);
  const carets = /^( *)(\^+) *$/m.exec(text);
  if (head === null || carets === null) return undefined;
  const [, url = '', line] = head;
  const [, before = '', marks = ''] = carets;
  return { file: shown(url), line: Number(line), column: before.length + 1, length: marks.length };
}

/** What Node prints about a module that does not parse: the error that an import throws does not always have the place. */
function parsedAlone(url: string): string {
  return spawnSync(process.execPath, ['-e', `import(${JSON.stringify(url)})`], { encoding: 'utf8', cwd: root }).stderr;
}

function unresolvedImport({ specifier, parent, error }: Unresolved, path: string): Diagnostic {
  const file = parent?.startsWith('file:') ? shown(parent) : path;
  const literal = specifier.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const at = placeIn(file, new RegExp(`\\b(?:from|import)[\\s(]*(?<it>['"\`]${literal}['"\`])`));
  return codeDiagnostic('code-import', { specifier, ...whyUnresolved(specifier, file, error) }, at);
}

function whyUnresolved(
  specifier: string,
  file: string,
  error: unknown,
): { readonly reason: string; readonly hint?: string } {
  if (codeOf(error) === 'ERR_MODULE_NOT_FOUND' && !/^[./]|^\w+:/.test(specifier))
    return missingPackage(specifier, file);
  if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND' && codeOf(error) !== 'ERR_UNSUPPORTED_DIR_IMPORT')
    return {
      reason: reasonOf(error)
        .replace(/ imported from .*$/, '')
        .replaceAll(root + sep, ''),
    };
  const target = new URL(specifier, pathToFileURL(join(root, file)));
  const reason = `${shown(target.href)} ${codeOf(error) === 'ERR_UNSUPPORTED_DIR_IMPORT' ? 'is a folder' : 'does not exist'}`;
  if (/^generated\/[^/]+$/.test(shown(target.href)))
    return { reason, hint: 'Run `signalbox generate`, which writes it.' };
  const written = specifier.replace(/\.[cm]?js$/, '').replace(/\/$/, '');
  const meant = [`${written}.ts`, `${written}/index.ts`].find((each) =>
    isFile(fileURLToPath(new URL(each, pathToFileURL(join(root, file))))),
  );
  return meant === undefined
    ? { reason }
    : { reason, hint: `Did you mean ${JSON.stringify(meant)}? Imports name the file as it is.` };
}

function missingPackage(specifier: string, file: string): { readonly reason: string; readonly hint: string } {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const reason = `the package ${name} is not installed`;
  if (file.includes('node_modules/')) return { reason, hint: 'Run `npm install`: another package needs it.' };
  const builtin = builtinModules.includes(name)
    ? undefined
    : didYouMean(
        name,
        builtinModules.filter((each) => !each.startsWith('_')),
        '',
      );
  const manifest = /"(?:dev|peer|optional)?[dD]ependencies"/.test(textOf('package.json')) ? textOf('package.json') : '';
  if (manifest.includes(`"${name}":`)) return { reason, hint: 'Run `npm install`: package.json lists it.' };
  return { reason, hint: [`Run \`npm install ${name}\`.`, builtin?.startsWith('Did') ? builtin : []].flat().join(' ') };
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

async function missingName(specifier: string, name: string, at: Place): Promise<Diagnostic> {
  const exported = await namesOf(specifier, at.file);
  const meant = didYouMean(
    name,
    exported.filter((each) => each !== 'default'),
    'It exports',
  );
  if (/^generated\/[^/]+$/.test(shown(new URL(specifier, pathToFileURL(join(root, at.file))).href))) {
    const again = 'Run `signalbox generate`: the file may be older than the definitions.';
    return codeDiagnostic('code-export', { specifier, name, hint: [again, meant ?? []].flat().join(' ') }, at);
  }
  const asType = `If ${name} is a type, write \`import type { ${name} }\`.`;
  const hint =
    name === 'default' ? `It has no default export. ${meant ?? ''}`.trim() : [meant ?? [], asType].flat().join(' ');
  return codeDiagnostic('code-export', { specifier, name, hint }, at);
}

/** The names that a module exports; none when it can't be imported either. */
async function namesOf(specifier: string, file: string): Promise<string[]> {
  const before = unresolved;
  try {
    const url = /^\.{0,2}\//.test(specifier)
      ? new URL(specifier, pathToFileURL(join(root, file))).href
      : import.meta.resolve(specifier, pathToFileURL(join(root, file)).href);
    return Object.keys((await import(url)) as object);
  } catch {
    return [];
  } finally {
    unresolved = before;
  }
}
