import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageConsole, startMessageConsole } from './messages.ts';
import { actionsOf, type Desk, openBrowser, openDesk } from './support.ts';

describe('queues, the overview and the map at the desk', () => {
  const QUEUE = 'LOOSE_TO_ERP';
  let box: MessageConsole;
  let browser: Browser;
  let operator: Desk;
  let reader: Desk;
  beforeAll(async () => {
    [box, browser] = await Promise.all([startMessageConsole(), openBrowser()]);
    operator = await openDesk(browser, box.gateway.address, 'demo');
    reader = await openDesk(browser, box.gateway.address, 'reader', { password: 'demo' });
  });
  afterAll(async () => {
    await browser?.close();
    await box?.stop();
  });

  it('a queue is paused and resumed; what waits in between is seen and then done', async () => {
    const { page } = operator;
    await operator.open('/queues');
    await page.getByRole('table', { name: 'Queues' }).getByRole('link', { name: QUEUE }).click();
    await page.getByText('Pause…').click();
    await page.getByText(`No gateway takes jobs of ${QUEUE}`).waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(`${QUEUE} is paused.`).waitFor();
    expect(await page.locator('main').innerText()).toContain('console:demo');
    await page.getByText(`No job of ${QUEUE} is waiting.`).waitFor();
    // Without loading the page again. A gateway that was taking a job as the queue was paused still takes it.
    const waiting = page.getByRole('table', { name: 'Jobs that are waiting' }).getByRole('link').first();
    let id = '';
    for (let n = 0; n < 5 && !(await waiting.isVisible()); n++) {
      id = await box.publish('loose', { PLACE: 'X', N: 2 });
      await waiting.waitFor({ timeout: 5_000 }).catch(() => undefined);
    }
    expect(await waiting.isVisible()).toBe(true);

    await reader.open(`/queues/${QUEUE}`);
    await reader.page.getByText('console:demo').waitFor();
    expect(await actionsOf(reader.page)).toBe(0);

    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(`${QUEUE} is resumed.`).waitFor();
    await box.shows(id, 'succeeded');
    await page.getByText(`No job of ${QUEUE} is waiting.`).waitFor();
    for (const desk of [operator, reader]) expect(desk.complaints).toEqual([]);
  });

  it('a question that is open is closed by Escape, and the focus returns to what has opened it', async () => {
    const { page } = operator;
    await operator.open(`/queues/${QUEUE}`);
    const focused = 'document.activeElement.textContent';
    const opener = page.getByText('Pause…');
    await opener.focus();
    await page.keyboard.press('Enter');
    const answer = page.getByRole('button', { name: 'Pause', exact: true });
    await answer.waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toBe('Pause');
    await page.keyboard.press('Escape');
    await answer.waitFor({ state: 'hidden' });
    expect(await page.evaluate(focused)).toBe('Pause…');
    expect(operator.complaints).toEqual([]);
  });

  it('Tab stops at a table only where there is more of it than is seen', async () => {
    const { page } = operator;
    await operator.open('/queues');
    const stops = 'document.querySelectorAll(".scroll[tabindex], pre[tabindex]").length';
    expect(await page.evaluate(stops)).toBe(0);
    await page.setViewportSize({ width: 390, height: 900 });
    await operator.open('/registry/files/definitions%2Fplaces.yaml');
    expect(await page.evaluate(stops)).toBe(1);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('the number of dead letters leads to them, where one is seen with its error and sent again', async () => {
    const { page } = operator;
    const id = await box.publish('loose', { PLACE: 'X', N: 1, NOTE: 'confidential' });
    await box.shows(id, 'is Error');
    await operator.open('/overview');
    await page.getByRole('link', { name: /1\s*dead letters/ }).click();
    await page.waitForURL('**/console/queues?state=dead');
    const dead = page.getByRole('table', { name: `Jobs of ${QUEUE} that are dead` });
    expect(await dead.innerText()).toContain('500');
    await dead.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Last error' }).waitFor();
    await page.getByRole('link', { name: 'the message that it delivers' }).click();
    expect(
      await page.getByRole('table', { name: 'Messages' }).getByRole('link').first().getAttribute('href'),
    ).toContain(id);
    await page.goBack();
    expect(await page.getByRole('region', { name: 'Last error' }).innerText()).toContain('500');
    const path = new URL(page.url()).pathname.replace('/console', '');

    await reader.open(path);
    await reader.page.getByRole('region', { name: 'Last error' }).waitFor();
    expect(await actionsOf(reader.page)).toBe(0);
    expect(await reader.page.getByRole('heading', { name: 'Data' }).count()).toBe(0);

    box.erp.status = () => 200;
    await page.getByRole('button', { name: 'Resubmit' }).click();
    await page.getByText(/Job \S+ runs again\./).waitFor();
    await box.shows(id, 'succeeded');
    await operator.open('/overview');
    await page.getByRole('link', { name: /0\s*dead letters/ }).waitFor();
    for (const desk of [operator, reader]) expect(desk.complaints).toEqual([]);
  });

  it('a box of the map leads to its definition', async () => {
    for (const { page, open, complaints } of [operator, reader]) {
      for (const [box, path] of [
        [`subscription ${QUEUE}`, `subscriptions/${QUEUE}`],
        ['queue LOOSE_EVENTS', 'queues/LOOSE_EVENTS'],
        ['node ERP', 'nodes/ERP'],
      ] as const) {
        await open('/map');
        await page.getByRole('region', { name: 'Map' }).getByRole('link', { name: box, exact: true }).click();
        await page.waitForURL(`**/console/registry/${path}`);
        expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(path.split('/')[1]);
      }
      expect(complaints).toEqual([]);
    }
  });
});
