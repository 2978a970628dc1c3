import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { WritePlan } from '../generate/index.ts';
import type { Registry } from '../model/registry.ts';
import { codeOf } from '../wire/error.ts';

/** The changes to generated files, and the handler files to create. Paths are relative to the project, with `/`. */
export interface GeneratedPlan extends WritePlan {
  readonly stubs: ReadonlyMap<string, string>;
}

/** Compares the files generated from the definitions with those on disk. Changes nothing. */
export async function planGenerated(root: string, registry: Registry): Promise<GeneratedPlan> {
  const [{ GENERATED_FOLDER, generate, handlerStubs, knownIds, planWrite }, { deliveredServices, editorSchema }] =
    await Promise.all([import('../generate/index.ts'), import('../load/index.ts')]);
  const delivered = deliveredServices().map((id) => ({ id, about: `service ${id} of the package` }));
  const wanted = generate(registry, { schema: editorSchema({ ...knownIds(registry), delivered }) });
  const plan = planWrite(wanted, await readTexts(root, GENERATED_FOLDER));
  const handlers = new Set(await listFiles(root, registry.gateway.handlers));
  return { ...plan, stubs: handlerStubs(registry, handlers) };
}

/** Applies the plan. Files are replaced atomically; a handler that was created in the meantime is left alone. */
export async function writeGenerated(root: string, plan: GeneratedPlan): Promise<void> {
  for (const [path, text] of plan.write) await replaceFile(join(root, path), text);
  for (const path of plan.remove) await rm(join(root, path), { force: true });
  for (const [path, text] of plan.stubs) await createFile(join(root, path), text);
}

/** Replaces a file atomically. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Watchers and globs ignore names with a leading dot.
  const temporary = join(dirname(path), `.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, path);
}

async function createFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The texts of the files below a folder of the project whose names match, by their paths; none if it does not exist. */
export async function readTexts(root: string, folder: string, names = /(?:)/): Promise<Map<string, string>> {
  const paths = (await listFiles(root, folder)).filter((path) => names.test(path));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
  );
}

/** All files below a folder of the project; empty if it does not exist. */
async function listFiles(root: string, folder: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
    return files.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
