import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bin, cleanEnvironment, repository } from '../cli/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { copySample } from '../support/sample.ts';
import { at, block, commands, type OrderedSection, readme } from './readme-text.ts';

const section: OrderedSection = 'Grant permissions';

test('a key of its own, from the definitions to the last call, word for word', { timeout: 60_000 }, async () => {
  const security = 'definitions/security.yaml';
  const gatewayFile = 'definitions/gateway.yaml';
  const [, said = ''] = new RegExp(`set \`(requires: [^\`]+)\` in\\s\`${gatewayFile}\``).exec(readme) ?? [];
  const gatewayText = readFileSync(join(repository, gatewayFile), 'utf8');
  const sample = copySample({
    [security]: readFileSync(join(repository, security), 'utf8') + block(section, 'yaml'),
    [gatewayFile]: gatewayText.replace(/^requires: basic\b/m, said),
  });
  onTestFinished(sample.remove);
  const gateway = await startTestGateway({ root: sample.root, usersWithin: 10 });
  onTestFinished(gateway.stop);
  const env = cleanEnvironment({
    DATABASE_URL: `sqlite:${join(gateway.folder, 'test.db')}`,
    NODE: process.execPath,
    BIN: bin,
  });
  let key = '';
  /** What a line prints, with its exit code in front. */
  const run = async (line: string): Promise<string> => {
    const script = `npx() { shift; "$NODE" "$BIN" "$@"; }\n${line.replace('curl', 'curl -sS')} 2>&1; echo "exit $? $KEY"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: sample.root,
      env: { ...env, KEY: key },
    });
    const [, printed = '', code = '', kept = ''] = /^(.*)exit (\d+) (\S*)\n$/s.exec(stdout) ?? [];
    key = kept;
    return `${code}: ${printed}`;
  };
  const lines = commands.flatMap(({ section: under, command }) => {
    if (under !== section) return [];
    return command.startsWith('curl ') ? at(`http://127.0.0.1:${gateway.port}`, command) : command;
  });
  const [add, make, call, who, can, disable, log, ...others] = lines as [string, string, string, ...string[]];
  expect(others).toEqual([]);
  expect(await run(add)).toMatch(/^0: partner was added to /);
  expect(await run(make)).toBe('0: ');
  expect(key).toMatch(/^sbk_\w+/);
  await eventually('the key', async () => ((await run(call)).includes('"LOC_DATA"') ? true : undefined));
  expect(await run(who as string)).toMatch(/partner has the role PARTNER/);
  expect(await run(can as string)).toMatch(/^1: partner may not use operation LOCATION_PATCH/);
  expect(await run(disable as string)).toMatch(/^0: /);
  await eventually('the end of the key', async () =>
    (await run(call)).includes('Credentials are missing') ? true : undefined,
  );
  expect(await run(log as string)).toMatch(/add .*key-add .*disable /s);
});
