import { expect, it } from 'vitest';
import { corpusContracts, hasCorpus, outcomeOf } from './policies.ts';

// Those that are carried are called by test/interop/java/policies.test.ts.
it.skipIf(!hasCorpus)(
  'each policy of other suites is carried, or what calls lack of it is listed (needs ../shared/corpus)',
  async () => {
    const lines: string[] = [];
    for (const { file, bindings } of corpusContracts()) {
      lines.push(file);
      if (bindings === undefined) lines.push('  not well-formed');
      for (const { name, attached } of bindings ?? []) lines.push(`  ${name}: ${await outcomeOf(attached)}`);
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/policies.txt');
  },
);
