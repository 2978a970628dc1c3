import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import './test/support/compile-cache.ts';
import LongestFirst from './test/support/sequencer.ts';

/** Runs against tools of other makers: xmllint, curl, Chromium. `.ci/run` installs them. And follows documents word for word. */
export default defineConfig({
  // As in vitest.config.ts: one Fault class in the process.
  resolve: { alias: { signalbox: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: './test/support/databases-setup.ts',
    fsModuleCache: true,
    setupFiles: './test/support/file-setup.ts',
    include: ['test/interop/**/*.test.ts', 'test/**/*.interop.test.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is short on a machine with other work.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
