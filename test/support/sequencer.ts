import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files of all suites that take longest, mostly because they wait. They run first, because others can use the machine
 * meanwhile, and because a long one that runs last leaves a processor idle.
 */
const FIRST = [
  // npm test
  'test/load/cache.test.ts',
  'test/message/act.test.ts',
  'test/message/down.test.ts',
  'test/cli/serve.test.ts',
  'test/store/queue/control.test.ts',
  'test/testing/gateway.test.ts',
  'test/store/store.test.ts',
  'test/store/queue/recurrences.test.ts',
  'test/query/servers/runner.test.ts',
  'test/store/project-migrations.test.ts',
  'test/message/later.test.ts',
  'test/docs/handlers.test.ts',
  'test/generate/compile.test.ts',
  'test/cli/queue.test.ts',
  'test/cli/check-code.test.ts',
  'test/serve/paging.test.ts',
  'test/mistakes/mistakes.test.ts',
  'test/cli/invoke.test.ts',
  'test/cli/migrate.test.ts',
  'test/invoke/doclib-large.test.ts',
  'test/query/runs.test.ts',
  'test/store/blobs-postgres.test.ts',
  'test/query/readers.test.ts',
  'test/query/large.test.ts',
  // npm run test:interop
  'test/interop/openapi-generator.test.ts',
  'test/interop/package.test.ts',
  'test/interop/gsoap/gsoap.test.ts',
  'test/interop/java/generators.test.ts',
  'test/interop/changes.test.ts',
  'test/interop/java/wss4j.test.ts',
  'test/interop/message-clients.test.ts',
  'test/interop/prometheus.test.ts',
  'test/interop/pgbouncer.test.ts',
  'test/interop/testing.test.ts',
  'test/readme/versions.interop.test.ts',
  'test/interop/browser.test.ts',
  // npm run test:failures
  'test/failures/versions.test.ts',
  'test/cli/dev/dev.failures.test.ts',
  'test/failures/migrations.test.ts',
  'test/failures/rolling-restarts.test.ts',
  'test/cli/workers.failures.test.ts',
  'test/query/reader-processes.failures.test.ts',
  'test/failures/passed-port.test.ts',
  'test/failures/replicas.test.ts',
  'test/failures/frozen-kinds.test.ts',
  'test/failures/contention.test.ts',
  'test/store/queue/unknown.failures.test.ts',
  'test/store/queue/kill.failures.test.ts',
];

/** Runs the longest files first, so that no worker is left with one of them at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    for (const name of FIRST)
      if (!existsSync(join(root, name))) throw new Error(`${name}, which must run first, does not exist`);
    const sorted = await super.sort(files);
    const rank = (file: TestSpecification): number => {
      const at = FIRST.indexOf(relative(root, file.moduleId));
      return at === -1 ? FIRST.length : at;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
