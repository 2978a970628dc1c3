import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHORITY, EXPIRED } from '../support/certificates.ts';
import { nodesProject, PUT, System } from './nodes-project.ts';
import { type ConsoleGateway, openBrowser, openDesk, startConsole } from './support.ts';

describe('a node that goes down', () => {
  let erp: System;
  let gateway: ConsoleGateway;
  let browser: Browser;
  beforeAll(async () => {
    erp = await System.start();
    const env = { ERP_URL: erp.url, ERP_PASSWORD: 'hush', SAFE_HOST: 'hidden', SIGNALBOX_SAMPLE_USERS: 'true' };
    const files = {
      ...nodesProject('500 ms'),
      'ca.pem': AUTHORITY,
      'old.pem': EXPIRED.certificate,
      'old.key': EXPIRED.key,
    };
    [gateway, browser] = await Promise.all([startConsole({ files, env }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await erp?.stop();
  });

  const put = () =>
    gateway.call(PUT, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"Id":"A"}' });

  it('shows its open circuit and why, is tested, comes back, and its circuit is closed', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    const { page } = desk;
    try {
      expect((await put()).status).toBe(200);
      await desk.open('/nodes');
      await page.getByRole('link', { name: 'ERP', exact: true }).click();
      const now = page.locator('#node-now');
      await now.getByText('closed', { exact: false }).first().waitFor();
      await erp.stop();
      await put();
      await put();
      // Without loading the page again.
      await now.getByText('Open since').waitFor();
      await now.getByText('nothing listens at its address').first().waitFor();

      await page.getByRole('button', { name: 'Test connection' }).click();
      const test = page.locator('#test');
      await test.getByText('The test failed. No request was sent.').waitFor();
      expect(await test.innerText()).toContain(`connect ECONNREFUSED 127.0.0.1:${erp.port}`);

      await erp.comeBack();
      await page.getByRole('button', { name: 'Test connection' }).click();
      await test.getByText('1 of 2 addresses failed.').waitFor();
      expect((await put()).status).toBe(200);
      await now.locator('.badge.good', { hasText: 'closed' }).waitFor();
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });
});
