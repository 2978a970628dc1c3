import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import './test/support/compile-cache.ts';

/** What means harm: a file an attack, each against a gateway that listens. `npm test` leaves them out. */
export default defineConfig({
  resolve: { alias: { signalbox: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: './test/support/databases-setup.ts',
    fsModuleCache: true,
    setupFiles: './test/support/file-setup.ts',
    include: ['test/attacks/**/*.test.ts'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A second, the default, is short on a machine with other work.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
