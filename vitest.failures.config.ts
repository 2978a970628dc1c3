import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import './test/support/compile-cache.ts';
import LongestFirst from './test/support/sequencer.ts';

/**
 * What fails and is replaced: frozen gateways, servers that fail over, restarts behind proxies, versions side by side; and
 * the tests named *.failures.test.ts, which stand beside those of the part that has to bear the failure.
 */
export default defineConfig({
  // As in vitest.config.ts: one Fault class in the process.
  resolve: { alias: { signalbox: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['./test/support/compile-setup.ts', './test/support/databases-setup.ts'],
    fsModuleCache: true,
    setupFiles: './test/support/file-setup.ts',
    include: ['test/failures/**/*.test.ts', 'test/**/*.failures.test.ts'],
    // Most of the time is waiting.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A second, the default, is short on a machine with other work.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
