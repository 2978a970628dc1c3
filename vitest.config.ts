import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import './test/support/compile-cache.ts';
import LongestFirst from './test/support/sequencer.ts';

export default defineConfig({
  // Handlers and tests that import 'signalbox' get the sources, so that there is one Fault class in the process.
  resolve: { alias: { signalbox: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: [
      './test/support/memory-setup.ts',
      './test/support/compile-setup.ts',
      './test/support/databases-setup.ts',
    ],
    setupFiles: './test/support/file-setup.ts',
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/interop/**',
      'test/attacks/**',
      'test/failures/**',
      'test/**/*.failures.test.ts',
      'test/**/*.interop.test.ts',
      'test/console/**/*.browser.test.ts',
      'test/workshop/**',
      '**/node_modules/**',
    ],
    // All suites share what is transformed once (node_modules/.vitest-cache).
    fsModuleCache: true,
    // A process takes one file after the other: the sources are loaded and compiled once in each, not once per file.
    isolate: false,
    // Most tests wait for processes and sockets rather than compute.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // What takes a second alone takes many where other work has the processors.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is short on a machine with other work.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
