import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repository, signalbox } from '../cli/support.ts';
import { DEMO, startTestGateway } from '../support/gateway.ts';
import { copySample } from '../support/sample.ts';
import { at, block, commands, readme } from './readme-text.ts';

const section = 'Add a second version of a service';

test('a second version of a service, word for word', { timeout: 120_000 }, async () => {
  const [, file = ''] = /Save this as\n`([^`]+)`/.exec(readme) ?? [];
  const [, handler = ''] = /can share the handler of v1 here, so `([^`]+)` names both operations/.exec(readme) ?? [];
  const sample = copySample({
    [file]: block(section, 'yaml'),
    [handler]: block(section, 'ts'),
    'tsconfig.json': JSON.stringify({
      extends: join(repository, 'tsconfig.json'),
      compilerOptions: { paths: { signalbox: [join(repository, 'dist/index.d.ts')] } },
      include: ['generated', 'src/handlers'],
    }),
  });
  onTestFinished(sample.remove);
  const cwd = sample.root;

  const written = await signalbox(['generate'], { cwd });
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toContain('generated/contracts/Locations.v2.wadl');
  expect(written.stdout).not.toContain('Locations.v1');
  expect(await signalbox(['check'], { cwd })).toMatchObject({ code: 0 });
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', cwd], { encoding: 'utf8' });
  expect(stdout).toBe('');

  const gateway = await startTestGateway({ root: cwd });
  onTestFinished(gateway.stop);
  const own = commands.filter((each) => each.section === section).map(({ command }) => command);
  const calls = own.filter((command) => command.startsWith('curl '));
  expect(calls).toHaveLength(2);
  for (const call of calls) {
    const [, url = ''] = /'([^']+)'/.exec(at(`http://127.0.0.1:${gateway.port}`, call)) ?? [];
    const reply = await fetch(url, { headers: { authorization: DEMO } });
    expect({ status: reply.status, text: await reply.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('LOC_DATA'),
    });
  }
  for (const command of own.filter((each) => each.startsWith('npx '))) {
    const ran = await signalbox(command.split(' ').slice(2), { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/LOCATIONS_GET/) });
  }
});
