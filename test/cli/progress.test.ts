import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { finish } from './support.ts';

const progress = new URL('../../src/cli/progress.ts', import.meta.url).href;

/** Works for a time without ever giving way, as reading many files does, with standard error taken for a terminal or not. */
function busy(ms: number, terminal: boolean, report = '') {
  const script = `
    process.stderr.isTTY = ${terminal};
    const { withProgress } = await import(${JSON.stringify(progress)});
    await withProgress('Working', async (meter) => {
      ${report}
      const end = performance.now() + ${ms};
      while (performance.now() < end);
    });
    process.stderr.write('done');`;
  return finish(spawn(process.execPath, ['--input-type=module', '-e', script]));
}

test('work that takes longer than a second says so on a terminal, and leaves no trace', {
  timeout: 40_000,
}, async () => {
  // The thread that draws needs a processor: on a busy machine it may take several seconds to get one.
  let ran = await busy(1_500, true);
  for (let ms = 3_000; ran.stderr === 'done' && ms < 15_000; ms *= 2) ran = await busy(ms, true);
  const { code, stdout, stderr } = ran;
  const [first, ...drawn] = stderr.split('\r\u001b[2K');
  expect(first).toBe('');
  expect(drawn.pop()).toBe('done');
  for (const line of drawn) expect(line).toMatch(/^\S Working: \d\.\d s$/);
  expect(drawn.length).toBeGreaterThan(0);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
});

test('short work, and work that nobody watches, says nothing', async () => {
  expect(await busy(50, true)).toMatchObject({ code: 0, stderr: 'done' });
  expect(await busy(1_200, false)).toMatchObject({ code: 0, stderr: 'done' });
});

test('counted work shows its share', { timeout: 40_000 }, async () => {
  let ran = await busy(1_500, true, 'meter.count(3, 12);');
  for (let ms = 3_000; ran.stderr === 'done' && ms < 15_000; ms *= 2) ran = await busy(ms, true, 'meter.count(3, 12);');
  expect(ran.stderr).toMatch(/ Working: █{5}░{15} {2}25 % of 12, \d\.\d s/);
});
