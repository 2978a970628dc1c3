import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Notes the project's own modules, from now on and as they are imported: these are what an edit may change. Packages, the
 * product itself and what it generates are left out.
 * @returns absolute paths; the set grows
 */
export function recordModules(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  const project = pathToFileURL(join(root, '/')).href;
  const others = [new URL('../../', import.meta.url).href, pathToFileURL(join(root, 'generated/')).href];
  registerHooks({
    load(url, context, nextLoad) {
      const isOurs = url.startsWith(project) && !url.includes('/node_modules/');
      if (isOurs && !others.some((other) => url.startsWith(other))) found.add(fileURLToPath(url));
      return nextLoad(url, context);
    },
  });
  return found;
}
