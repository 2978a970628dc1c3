import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, type Desk, openBrowser, openDesk, startConsole } from './support.ts';
import { TRY_PROJECT } from './try-project.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page. */
async function violations({ page }: Desk): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(async () =>
    (
      await (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run()
    ).violations.map(({ id }) => id),
  );
}

const PARTNER = `node: PARTNER
base: http://127.0.0.1:9
credential: { basic: { user: me, password: "\${secret:PARTNER_PASSWORD}" } }
---
service: Partner.v1
permission: EVERYTHING
operations:
  ITEM_GET:
    target: PARTNER
    get: items/{NAME}
    request: { fields: { NAME: { type: string(20), required: true, example: shoes } } }
    response: ECHO
flows:
  twice:
    steps: [{ call: ITEM_GET }, { call: ITEM_GET }]
`;

describe('trying operations in a browser', { timeout: 60_000 }, () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  let desk: Desk;
  beforeAll(async () => {
    gateway = await startConsole({
      files: { ...TRY_PROJECT, 'definitions/partner.yaml': PARTNER },
      env: { PARTNER_PASSWORD: 'canary-Secret' },
    });
    browser = await openBrowser();
    desk = await openDesk(browser, gateway.gateway.address.replace(/\/gateway.*$/, ''), 'demo');
  }, 60_000);
  afterAll(async () => {
    expect(desk.complaints).toEqual([]);
    await browser.close();
    await gateway.stop();
  });

  it('finds an operation and calls it by GET', async () => {
    const { page } = desk;
    await desk.open('/try');
    await page.fill('#q', 'echo');
    await page.click('text=Filter');
    await page.click('main >> text=ECHO_GET');
    await page.getByLabel(/^TEXT/).fill('from a browser');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#http').textContent()).toContain('echo/from%20a%20browser');
    await page.click('text=Send as demo');
    await page.waitForURL('**#reply');
    expect(await page.locator('#body').textContent()).toContain('"TEXT": "from a browser"');
    expect(await page.getByLabel(/^TEXT/).inputValue()).toBe('from a browser');
    expect(await violations(desk)).toEqual([]);
  });

  it('sends a nested list and an enum, after a question', async () => {
    const { page } = desk;
    await desk.open('/try/ORDER_PUT?way=rest-1');
    await page.getByLabel(/^STATE/).selectOption('closed');
    await page.getByRole('button', { name: 'Add an entry to LINES' }).click();
    await page.waitForSelector('[id="v:LINES/1/SKU"]');
    await page.fill('[id="v:LINES/1/SKU"]', 'B2');
    expect(await violations(desk)).toEqual([]);
    await page.click('summary:has-text("Send as demo")');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL('**#reply');
    const body = JSON.parse((await page.locator('#body').textContent()) ?? '');
    expect(body).toMatchObject({ STATE: 'closed', LINES: [{ SKU: 'A1' }, { SKU: 'B2' }] });
  });

  it.each(['1.1', '1.2'])('calls over SOAP %s', async (version) => {
    const { page } = desk;
    await desk.open('/try/ECHO_GET');
    await page.click(`text=SOAP ${version}`);
    await page.waitForURL(`**way=soap-${version}`);
    await page.getByLabel(/^TEXT/).fill(`over SOAP ${version}`);
    await page.click('text=Send as demo');
    await page.waitForURL('**#reply');
    expect(await page.locator('#body').textContent()).toContain(`<TEXT>over SOAP ${version}</TEXT>`);
  });

  it.each(['rest-1', 'soap-1.2'])('sends a file by %s, and keeps it for the next time', async (way) => {
    const { page } = desk;
    await desk.open(`/try/FILE_POST?way=${way}`);
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('twelve bytes') };
    await page.setInputFiles('[id="f:CONTENT"]', file);
    for (let times = 0; times < 2; times++) {
      await page.click('summary:has-text("Send as demo")');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.waitForURL('**#reply');
      expect(await page.locator('#body').textContent()).toMatch(/BYTES\W+12\b/);
      expect(await page.locator('.kept').textContent()).toContain('notes.txt, text/plain, 12 bytes');
    }
  });

  it('shows the requests of a flow without secrets, and sends none of them', async () => {
    const { page } = desk;
    await desk.open('/try/Partner.v1.twice');
    await page.getByRole('button', { name: 'Dry run', exact: true }).click();
    await expect.poll(() => page.locator('#request-2').textContent()).toContain('GET http://127.0.0.1:9/items/shoes');
    expect(await page.content()).not.toContain('canary-Secret');
    expect(await page.locator('#program').textContent()).toContain('client.flow("Partner.v1.twice"');
    expect(await violations(desk)).toEqual([]);
  });

  it('reports why a call of another system has failed', async () => {
    const { page } = desk;
    await desk.open('/try/ITEM_GET');
    await page.click('summary:has-text("Send as demo")');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL('**#reply');
    expect(await page.locator('#reply').textContent()).toContain('CONNECTION');
  });

  it('runs nothing of a hostile reply', async () => {
    const { page } = desk;
    await desk.open('/try/HOSTILE_GET');
    await page.click('text=Send as demo');
    await page.waitForURL('**#reply');
    expect(await page.locator('#reply img, #reply script').count()).toBe(0);
    expect(await page.locator('#body').textContent()).toContain('<script>alert(1)</script>');
  });
});
