import { defineConfig } from 'vitest/config';

/** Runs against tools of other makers: xmllint, curl, Chromium. `.ci/run` installs them. */
export default defineConfig({
  test: {
    globalSetup: './test/support/postgres-setup.ts',
    setupFiles: './test/support/file-setup.ts',
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
