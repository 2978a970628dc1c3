import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from './process-project.ts';
import {
  actionsOf,
  type ConsoleGateway,
  type Desk,
  openBrowser,
  openDesk,
  startConsole,
  type Visitor,
} from './support.ts';

const WORK: Readonly<Record<string, string>> = {
  ...PROJECT,
  // `reader` sees the requests of others.
  'definitions/users.yaml': (PROJECT['definitions/users.yaml'] as string).replace(
    'permission-list: LOOKING\n',
    'permission-list: LOOKING\nprocess-requests: all\n',
  ),
  'definitions/count-up.yaml': `process: COUNT_UP
description: Says how far it counts.
type: Application Engine
permission: EVERYTHING
parameters:
  HOW_FAR: { type: integer, required: true, maximum: 9 }
  MOOD: { type: string(5), enum: [good, bad], default: good }
  SINCE: date
`,
  'src/handlers/count-up.ts': `export default {
  async run({ HOW_FAR, MOOD }: { HOW_FAR: number; MOOD: string }, context: any) {
    context.message('info', 'Counted to ' + HOW_FAR + '.');
    await context.report({ contentType: 'text/plain', name: 'count.txt', stream: async function* () { yield Buffer.from(HOW_FAR + ' in a ' + MOOD + ' mood'); } });
    return 'success';
  },
};
`,
};

/** Clicks a link or button, and reads the file that comes. */
async function downloaded(page: Page, click: () => Promise<void>): Promise<readonly [name: string, text: string]> {
  const [file] = await Promise.all([page.waitForEvent('download'), click()]);
  return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
}

/** Complaints without those about replies with a status that the journey means to see. */
const unexpected = ({ complaints }: Desk, status: number): readonly string[] =>
  complaints.filter((each) => !each.includes(String(status)));

/** Opens a page that is refused. */
async function isRefused({ page, open }: Desk, path: string): Promise<void> {
  await open(path);
  await page.getByRole('heading', { name: 'Not permitted' }).waitFor();
}

describe('processes and queries at the desk', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  let operator: Desk;
  let reader: Desk;
  let visitor: Visitor;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startConsole({ files: WORK }), openBrowser()]);
    const { address } = gateway.gateway;
    operator = await openDesk(browser, address, 'demo');
    reader = await openDesk(browser, address, 'reader', { password: 'demo' });
    visitor = await gateway.signIn();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('a process is scheduled by its form, followed to its success, and has a log and a report', async () => {
    const { page } = operator;
    // So that it waits until the page is looked at.
    await visitor.post('/queues/processes/pause');
    await operator.open('/processes');
    await page.getByRole('link', { name: 'Schedule a process' }).first().click();
    await page.getByRole('link', { name: 'COUNT_UP', exact: true }).click();
    const field = (name: string) => page.getByLabel(new RegExp(`^${name}`));
    await field('HOW_FAR').fill('far');
    await field('MOOD').selectOption('bad');
    await field('SINCE').fill('2026-01-31');
    await field('Run control').fill('NIGHT');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Nothing was scheduled.').waitFor();
    expect(await page.locator('.problem').allInnerTexts()).toEqual([
      expect.stringContaining('HOW_FAR is not an integer'),
    ]);
    expect(await field('HOW_FAR').getAttribute('aria-invalid')).toBe('true');
    for (const [name, value] of Object.entries({
      ...{ HOW_FAR: 'far', MOOD: 'bad', SINCE: '2026-01-31', 'Run control': 'NIGHT' },
    }))
      expect(await field(name).inputValue(), name).toBe(value);

    await field('HOW_FAR').fill('7');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Request \d+ of COUNT_UP is scheduled\./).waitFor();
    const path = new URL(page.url()).pathname.replace('/console', '');
    expect(path).toMatch(/^\/processes\/\d+$/);
    const request = page.locator('#request');
    await request.getByText('Queued').waitFor();
    expect(await request.getByRole('link', { name: /^Download/ }).count()).toBe(0);
    await visitor.post('/queues/processes/resume');
    // Without loading the page again.
    await request.locator('.badge.good', { hasText: 'Success' }).waitFor();
    await request.getByRole('cell', { name: 'Counted to 7.' }).waitFor();
    const report = request.getByRole('link', { name: 'Download count.txt' });
    expect(await downloaded(page, () => report.click())).toEqual(['count.txt', '7 in a bad mood']);
    expect(await actionsOf(page)).toBeGreaterThan(0);
    expect(unexpected(operator, 422)).toEqual([]);

    await reader.open('/processes');
    const seen = reader.page;
    expect(await actionsOf(seen)).toBe(1); // The filter.
    expect(await seen.getByRole('link', { name: 'Schedule a process' }).count()).toBe(0);
    await seen.getByRole('table', { name: 'Process requests' }).getByRole('link').first().click();
    await seen.waitForURL(`**${path}`);
    await seen.getByRole('cell', { name: 'Counted to 7.' }).waitFor();
    expect(await actionsOf(seen)).toBe(0);
    const text = await seen.locator('main').innerText();
    for (const hidden of ['count.txt', '2026-01-31']) expect(text).not.toContain(hidden);
    expect(reader.complaints).toEqual([]);
    await isRefused(reader, `${path}/report`);
    await isRefused(reader, '/processes/new');
    expect(unexpected(reader, 403)).toEqual([]);
  });

  it('a query is run with a prompt, sorted, turned over and downloaded', async () => {
    const { page } = operator;
    const before = operator.complaints.length;
    await operator.open('/queries');
    await page.getByRole('link', { name: 'NUMBERS', exact: true }).click();
    await page.getByLabel(/^COUNT/).fill('250');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('250 rows.').waitFor();
    const rows = page.getByRole('region', { name: 'Rows of NUMBERS' });
    const first = () => rows.locator('tbody td').first().innerText();
    await rows.getByRole('link', { name: 'N', exact: true }).click();
    await page.getByText('Sorted by N.').waitFor();
    expect(await first()).toBe('1');
    await rows.getByRole('link', { name: 'N ↑' }).click();
    await page.getByText('Sorted by N, descending.').waitFor();
    expect(await first()).toBe('250');
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText('Page 2 of 3').waitFor();
    expect(await first()).toBe('150');
    const [name, text] = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
    expect(name).toBe('NUMBERS.csv');
    const lines = text.trim().split('\r\n');
    expect([lines[0], lines[1], lines.length]).toEqual(['N,WORD', '1,word 1 good', 251]);
    expect(operator.complaints.slice(before)).toEqual([]);
  });

  it('without payload a query shows its prompts, and no rows', async () => {
    const { page } = reader;
    const before = reader.complaints.length;
    await reader.open('/queries');
    await page.getByRole('link', { name: 'NUMBERS', exact: true }).click();
    await page.getByRole('table', { name: 'Prompts' }).getByRole('cell', { name: 'How far.' }).waitFor();
    expect(await actionsOf(page)).toBe(0);
    expect(reader.complaints.slice(before)).toEqual([]);
    await isRefused(reader, '/queries/NUMBERS?show=rows&p.COUNT=3');
    expect(await page.locator('main').innerText()).not.toContain('word 1');
    await isRefused(reader, '/queries/NUMBERS/download?format=csv&p.COUNT=3');
    expect(unexpected(reader, 403)).toEqual([]);
  });
});
