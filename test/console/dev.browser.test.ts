import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { start } from '../cli/support.ts';
import { copySample } from '../support/sample.ts';
import { openBrowser, openDesk } from './support.ts';

it('an edit that is not applied is shown on every page with its lines, until it is mended', async () => {
  const project = copySample();
  onTestFinished(() => project.remove());
  const dev = start(['dev'], { cwd: project.root, env: { PORT: '0' } });
  const [, address = ''] = await dev.until(/^Signalbox is ready on (http:\/\/127\.0\.0\.1:\d+) .*$/m);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const { page, complaints } = await openDesk(browser, address, 'demo');

  const file = join(project.root, 'definitions/locations/service.yaml');
  const text = await readFile(file, 'utf8');
  const line = text.split('\n').findIndex((each) => each.includes('handler:') || each.includes('request:'));
  expect(line).toBeGreaterThan(0);
  const broken = text.split('\n').with(line, (text.split('\n')[line] as string).replace(/(\w+):/, '$1x:'));
  await writeFile(file, broken.join('\n'));

  await page.getByText('The latest edit is not applied').waitFor();
  await page.getByRole('link', { name: 'See what is wrong' }).click();
  await page.getByRole('heading', { level: 1, name: 'Diagnostics' }).waitFor();
  const shown = await page.locator('#diagnostics').innerText();
  expect(shown).toContain(`definitions/locations/service.yaml:${line + 1}:`);
  expect(shown).toContain(broken[line] as string);
  expect(shown).toContain('Did you mean request?');

  await writeFile(file, text);
  await page.getByText('All edits are applied').waitFor();
  expect(await page.locator('#edit').innerText()).toBe('');
  // While a gateway takes over from another, the stream of events is opened again.
  expect(complaints.filter((each) => !each.includes('/console/live') && !each.includes('ERR_'))).toEqual([]);
});
