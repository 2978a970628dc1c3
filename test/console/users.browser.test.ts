import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, openBrowser, openDesk, startConsole } from './support.ts';
import { FILES } from './users-project.ts';

describe('users in the console', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startConsole({ files: FILES }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('are added, get a role, see what it allows, and are signed out when they are disabled', async () => {
    const { address } = gateway.gateway;
    const desk = await openDesk(browser, address, 'demo');
    const context = await browser.newContext();
    try {
      const { page } = desk;
      await page.getByRole('link', { name: 'Users', exact: true }).first().click();
      await page.getByRole('link', { name: 'Add a user' }).click();
      await page.getByLabel('Id').fill('ann');
      await page.getByLabel('Description').fill('Night shift');
      await page.getByLabel('Password').fill('correct horse');
      await page.getByRole('button', { name: 'Add the user' }).click();
      expect(await page.getByRole('status').first().innerText()).toContain('ann is added.');
      await page.getByText('Change roles…').click();
      await page.getByLabel('READER').check();
      await page.getByRole('button', { name: 'Change roles' }).click();
      expect(await page.locator('main').innerText()).toContain('ann gets grants of the console: read.');
      // The question is a reply of its own, with the status of a conflict.
      await page.getByRole('button', { name: 'Change the roles' }).click();
      expect(await page.getByRole('status').first().innerText()).toContain('ann now has READER.');

      const window = await context.newPage();
      await window.goto(`${address}/console`);
      await window.getByLabel('User').fill('ann');
      await window.getByLabel('Password').fill('correct horse');
      await window.getByRole('button', { name: 'Sign in' }).click();
      await window.goto(`${address}/console/users`);
      expect(window.url()).toBe(`${address}/console/users/me`);
      expect(await window.getByRole('heading', { level: 1 }).innerText()).toBe('ann');
      const tabs = await window.getByRole('navigation', { name: 'Users and grants' }).getByRole('link').allInnerTexts();
      expect(tabs).toEqual(['Who can', 'What one can', 'Me']);
      await window.goto(`${address}/console/queues/events`);
      expect(await window.getByText('Pause…').count()).toBe(0);

      await page.getByText('Disable…').click();
      await page.getByRole('button', { name: 'Disable' }).click();
      expect(await page.getByRole('status').first().innerText()).toContain('ann is disabled');
      // The open page of the user goes there by itself, as its session has ended.
      await window.waitForURL('**/console/sign-in**');
      expect(desk.complaints).toEqual([]);
    } finally {
      await context.close();
      await desk.close();
    }
  });

  it('have a key that is shown once and opens what their roles grant; who can names the line', async () => {
    const { address } = gateway.gateway;
    const desk = await openDesk(browser, address, 'demo');
    try {
      const { page } = desk;
      await desk.open('/users/new');
      await page.getByLabel('Id').fill('bot');
      await page.getByLabel('GREETER').check();
      await page.getByRole('button', { name: 'Add the user' }).click();
      await page.getByText('Add an API key…').click();
      await page.getByLabel('Valid for').selectOption('30');
      await page.getByRole('button', { name: 'Add an API key' }).click();
      const key = await page.getByRole('region', { name: 'API key' }).innerText();
      const reply = await fetch(`${address}/gateway/RESTListeningConnector/Hello.v1/hello`, {
        headers: { 'X-Api-Key': key },
      });
      expect(reply.status).toBe(200);
      expect(page.url()).not.toContain(key);
      await page.getByRole('link', { name: 'Back to bot' }).click();
      expect(await page.content()).not.toContain(key);

      await page.getByRole('link', { name: 'Who can' }).click();
      await page.getByRole('searchbox', { name: 'Thing' }).fill('HELLO');
      await page.getByRole('button', { name: 'Filter' }).click();
      const row = page.getByRole('row', { name: /GREETINGS grants operation HELLO/ });
      expect(await row.innerText()).toMatch(/definitions\/hello\.yaml:4/);
      await page.getByRole('link', { name: 'bot', exact: true }).click();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('bot');
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });
});
