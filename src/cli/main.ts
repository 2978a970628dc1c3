#!/usr/bin/env node
// This file must parse and run on any Node from 18 on, since it reports versions that are too old. So it imports nothing of
// the product before the check, and tests for functions of `node:module` that older versions lack.
import module from 'node:module';

const oldest = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `signalbox: Node ${oldest.join('.')} or later is needed; this is ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 1;
} else {
  // The compile cache, which child processes use too, saves about a quarter of the time to start.
  module.enableCompileCache?.();
  const cache = module.getCompileCacheDir?.();
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= cache;
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2));
}
