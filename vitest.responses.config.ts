import { defineConfig, mergeConfig } from 'vitest/config';
import main from './vitest.config.ts';

/** The tests of serving once more, with a middleware in front of every gateway: each reply is a Response. `npm test` leaves them out. */
export default mergeConfig(
  { ...main, test: { ...main.test, include: [] } },
  defineConfig({
    test: {
      include: ['test/serve/**/*.test.ts'],
      // It has an app of its own.
      exclude: ['test/serve/own-app.test.ts'],
      env: { SIGNALBOX_TEST_RESPONSES: '1' },
    },
  }),
);
