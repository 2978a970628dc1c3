import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Handlers and tests that import 'signalbox' get the sources, so that there is one Fault class in the process.
  resolve: { alias: { signalbox: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: './test/support/postgres-setup.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', '**/node_modules/**'],
    // Most tests wait for processes and sockets rather than compute.
    maxWorkers: 3,
    testTimeout: 20_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
