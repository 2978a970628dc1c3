import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, type Desk, openBrowser, openDesk, startConsole } from './support.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of WCAG 2.2 AA on the page that is open. */
async function violations({ page }: Desk): Promise<unknown> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations: found } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

describe('the registry and the map in a browser', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('lead by the keyboard from the search to an operation, and to its lines in the file', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    try {
      const { page } = desk;
      await page.keyboard.press('Control+K');
      const found = page.waitForResponse((reply) => reply.url().endsWith('q=locations_get'));
      await page.keyboard.type('locations_get');
      await found;
      await page.locator('#found a', { hasText: 'LOCATIONS_GET' }).first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/console/registry/operations/LOCATIONS_GET');
      await page.locator('#definition').getByRole('link', { name: 'definitions/locations/service.yaml' }).click();
      await page.waitForURL('**/console/registry/files/*#L*');
      expect(await page.locator('.line:target').innerText()).toContain('LOCATIONS_GET:');
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });

  it('lead from a box of the map to the page of its node', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    try {
      await desk.open('/map');
      await desk.page.getByRole('link', { name: 'node DOCLIB_LOGIN' }).click();
      await desk.page.waitForURL('**/console/registry/nodes/DOCLIB_LOGIN');
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });

  it.each([
    'light',
    'dark',
  ] as const)('have nothing that keeps people out (WCAG 2.2 AA), in %s colours', async (colorScheme) => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo', { colorScheme });
    try {
      for (const path of [
        '/registry?q=location',
        '/registry/operations/LOCATIONS_GET',
        '/registry/documents/LOC_RESPONSE',
        '/registry/queries/LOCATION_LIST',
        '/registry/nodes/DOCLIB',
        '/registry/files/definitions%2Fnodes.yaml',
        '/map',
      ]) {
        await desk.open(path);
        expect(await violations(desk), path).toEqual([]);
      }
    } finally {
      await desk.close();
    }
  });

  it('never scroll sideways on a phone', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo', { width: 390 });
    try {
      for (const path of [
        '/registry',
        '/registry/operations/LOCATIONS_GET',
        '/registry/services/QAS_QRY_SERVICE.v1',
        '/map',
      ]) {
        await desk.open(path);
        expect(await desk.page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390);
      }
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });
});
