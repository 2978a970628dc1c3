import { defineConfig } from 'vitest/config';

/** Runs against tools of other makers: xmllint, curl, Chromium. `.ci/run` installs them. */
export default defineConfig({
  test: {
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
