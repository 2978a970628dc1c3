import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The whole gateway, and the code of its readers, which only readers load. */
const MODULES = ['index.ts', 'query/sqlite/execute.ts', 'query/sqlite/output.ts'];

/**
 * Compiles the sources once for all processes that run them, into the folder of NODE_COMPILE_CACHE. Node writes that cache only
 * when a process exits by itself, but most processes that tests start are killed. Tests need not wait for this.
 */
export default function setup(): () => Promise<void> {
  const imports = MODULES.map(
    (name) => `await import(${JSON.stringify(new URL(`../../src/${name}`, import.meta.url).href)});`,
  );
  const done = new Promise<void>((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', imports.join('\n')],
      { cwd: fileURLToPath(new URL('../../', import.meta.url)) },
      (error) => (error === null ? resolve() : reject(error)),
    );
  });
  done.catch(() => undefined);
  return () => done;
}
