import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageConsole, startMessageConsole } from './messages.ts';
import { type Desk, openBrowser, openDesk } from './support.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What WCAG 2.2 AA forbids and a page has. */
async function violations({ page }: Desk): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        run(options: object): Promise<{
          readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
        }>;
      };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const found = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

describe('messages at the desk of an operator', () => {
  let box: MessageConsole;
  let browser: Browser;
  let desk: Desk;
  beforeAll(async () => {
    [box, browser] = await Promise.all([startMessageConsole(), openBrowser()]);
    desk = await openDesk(browser, box.gateway.address, 'demo');
  });
  afterAll(async () => {
    await desk?.close();
    await browser?.close();
    await box?.stop();
  });

  it('a failed delivery is found, its error read, the message edited, sent again and seen delivered', async () => {
    const { page } = desk;
    const id = await box.publish('changed', { PLACE: 'NYC01', N: 1 });
    const second = await box.publish('changed', { PLACE: 'NYC01', N: 2 });
    await box.shows(second, 'is blocked behind');
    await desk.open('/messages');
    await page.getByLabel('Status').selectOption('Hold');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('table', { name: 'Messages' }).getByRole('link').first().click();
    await page.waitForURL(`**/messages/${id}`);
    const held = page.getByRole('status').filter({ hasText: 'TO_ERP is Hold' });
    expect(await held.innerText()).toContain('500');
    expect(await violations(desk)).toEqual([]);

    await page.getByText('is blocked behind this one').getByRole('link', { name: second }).click();
    await page.waitForURL(`**/messages/${second}`);
    await page.getByText('is blocked behind').getByRole('link', { name: id }).first().click();
    await page.waitForURL(`**/messages/${id}`);

    await page.getByRole('navigation', { name: 'Message' }).getByRole('link', { name: 'Payload' }).click();
    await page.getByRole('heading', { name: 'sent.TO_ERP' }).waitFor();
    expect(await violations(desk)).toEqual([]);
    await page.getByRole('navigation', { name: 'Message' }).getByRole('link', { name: 'Edit' }).click();
    expect(await violations(desk)).toEqual([]);
    await page.getByLabel('N', { exact: true }).fill('7');
    await page.getByRole('button', { name: 'Publish the copy' }).click();
    await page.getByText('in place of that to TO_ERP, which was Hold').waitFor();
    // The page follows the delivery by itself.
    await page.getByText('attempt 1 succeeded').waitFor();
    expect(box.erp.at('/erp/NYC01').map(({ body }) => body.N)).toEqual([1, 7, 2]);
    expect(desk.complaints).toEqual([]);
  });

  it('many are sent again after a preview', async () => {
    const { page } = desk;
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(await box.publish('loose', { PLACE: 'X', N: 1 }));
    for (const id of ids) await box.shows(id, 'is Error');
    box.erp.status = () => 200;
    await desk.open('/messages?status=Error');
    expect(await violations(desk)).toEqual([]);
    await page.getByRole('link', { name: 'Resubmit…' }).click();
    await page.getByRole('heading', { name: 'Resubmit all that match' }).waitFor();
    expect(await violations(desk)).toEqual([]);
    await page.getByRole('button', { name: 'Resubmit 3 deliveries' }).click();
    await page.getByText('3 deliveries are sent again. Nothing is left.').waitFor();
    expect(await violations(desk)).toEqual([]);
    for (const id of ids) await box.shows(id, 'succeeded');
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByText('No message matches.').waitFor();
    await desk.open('/messages/held');
    expect(await violations(desk)).toEqual([]);
    expect(desk.complaints).toEqual([]);
  });
});
