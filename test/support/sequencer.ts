import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, mostly because they wait. They run first, because others can use the machine meanwhile. */
const FIRST = [
  'test/store/queue/control.test.ts',
  'test/store/blobs-postgres.test.ts',
  'test/query/readers.test.ts',
  'test/store/queue/recurrences.test.ts',
  'test/query/servers/runner.test.ts',
  'test/serve/outbound.test.ts',
  'test/cli/tls.test.ts',
  'test/cli/serve.test.ts',
  'test/cli/invoke-rest.test.ts',
  'test/query/large.test.ts',
  'test/serve/queries.test.ts',
  'test/generate/compile.test.ts',
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
