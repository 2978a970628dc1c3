import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, openBrowser, openDesk, startConsole } from './support.ts';

describe('signing in to the console', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('leads to the page that was asked for, and out again', async () => {
    const { address } = gateway.gateway;
    const desk = await openDesk(browser, address, 'demo');
    try {
      const cookies = await desk.context.cookies();
      expect(cookies).toMatchObject([
        { name: '__Host-signalbox', secure: true, httpOnly: true, sameSite: 'Strict', path: '/' },
      ]);
      await desk.open('/queues/processes');
      expect(await desk.page.getByRole('heading', { level: 1 }).innerText()).toBe('processes');
      await desk.page.getByRole('button', { name: 'Sign out' }).click();
      await desk.page.waitForURL('**/console/sign-in?out=1');
      expect(await desk.page.getByRole('status').innerText()).toContain('You have signed out.');
      await desk.open('/queues/processes');
      expect(desk.page.url()).toBe(`${address}/console/sign-in?to=%2Fqueues%2Fprocesses`);
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });

  it('with a wrong password says so, and leaves the name', async () => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${gateway.gateway.address}/console`);
      await page.getByLabel('User').fill('demo');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').innerText()).toContain('User or password is wrong.');
      expect(await page.getByLabel('User').inputValue()).toBe('demo');
      expect(await context.cookies()).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('of a user without a grant of the console is refused with the reason', async () => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${gateway.gateway.address}/console`);
      await page.getByLabel('User').fill('guest');
      await page.getByLabel('Password').fill('guest');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Not permitted');
      expect(await page.locator('main').innerText()).toContain('no permission list of this user grants `console:`');
      expect(await context.cookies()).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('follows the subject of a page as it changes, in another window', async () => {
    const { address } = gateway.gateway;
    const [seer, doer] = [await openDesk(browser, address, 'demo'), await openDesk(browser, address, 'demo')];
    try {
      await doer.open('/queues/events');
      await doer.page.locator('summary', { hasText: 'Pause' }).click();
      await doer.page.getByRole('button', { name: 'Pause' }).click();
      expect(await doer.page.getByRole('status').first().innerText()).toContain('events is paused.');
      await seer.page.getByRole('row', { name: /events.*paused/ }).waitFor();
      expect([...seer.complaints, ...doer.complaints]).toEqual([]);
    } finally {
      await seer.close();
      await doer.close();
    }
  });
});
