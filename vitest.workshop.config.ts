import { defineConfig } from 'vitest/config';

/** The project of examples/workshop, with the package as it is installed. */
export default defineConfig({
  test: {
    globalSetup: './test/support/databases-setup.ts',
    fsModuleCache: true,
    setupFiles: './test/support/file-setup.ts',
    include: ['test/workshop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second, the default, is short on a machine with other work.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
