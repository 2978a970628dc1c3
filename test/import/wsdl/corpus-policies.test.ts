import { expect, it } from 'vitest';
import { declaredOf } from '../support.ts';
import { type Attached, contractOf, corpusContracts, hasCorpus } from './policies.ts';

/** What calls lack of what policies ask for, as the list of an import has it; `carried` when they lack nothing. */
async function outcomeOf(attached: Attached): Promise<string> {
  const text = contractOf(attached, 'https://partner.example.org/');
  const imported = await declaredOf({ 'a.wsdl': text }).catch((error: Error) => error);
  if (imported instanceof Error) return imported.message.replace(/^\S+ /, 'not read: ');
  const { losses } = imported;
  const words = losses.map(({ what, instead }) => {
    const [, needs] = /^it needs (.*), which messages here do not have$/.exec(instead) ?? [];
    return needs === undefined
      ? `${what}: ${instead}`
      : `${what.replace(/^the policy (.*) can't be met$/, '$1')} (${needs})`;
  });
  return [...new Set(words)].sort().join(', ') || 'carried';
}

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
