import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size, mostly because they wait: what waits first leaves the machine to others meanwhile. */
const FIRST = [
  'test/store/queue/kill.test.ts',
  'test/cli/dev/dev.test.ts',
  'test/query/large.test.ts',
  'test/cli/init.test.ts',
  'test/store/queue/contract.test.ts',
  'test/store/blobs-postgres.test.ts',
  'test/serve/queries.test.ts',
  'test/query/reader-processes.test.ts',
  'test/cli/workers.test.ts',
  'test/store/queue/recurrences.test.ts',
  'test/serve/outbound.test.ts',
  'test/load/hostile.test.ts',
  'test/invoke/doclib-large.test.ts',
];

/** Begins with those that take longest, so that no worker is left with one of them at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = (file: TestSpecification): number => {
      const at = FIRST.indexOf(relative(this.ctx.config.root, file.moduleId));
      return at === -1 ? FIRST.length : at;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
