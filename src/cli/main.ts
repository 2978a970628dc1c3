#!/usr/bin/env node
// This file must parse and run on any Node from 18 on, since it reports versions that are too old. So it imports nothing of
// the product before the check, and tests for functions of `node:module` that older versions lack.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const oldest = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `signalbox: Node ${oldest.join('.')} or later is needed; this is ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 1;
} else {
  // The compile cache, which child processes use too, saves about a quarter of the time to start.
  const folder = process.env.NODE_COMPILE_CACHE ?? ownFolder();
  if (folder !== undefined) module.enableCompileCache?.(folder);
  const cache = module.getCompileCacheDir?.();
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= cache;
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2));
}

/**
 * A folder for compiled code that no other user can write to, because it is executed; Node's default is below the folder for
 * temporary files. `undefined` where there is none, as with a read-only home: then each start compiles.
 */
function ownFolder(): string | undefined {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
  try {
    // systemd.exec(5) and the XDG Base Directory Specification.
    const folder = CACHE_DIRECTORY ?? join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'signalbox');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}
