import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, openBrowser, openDesk, startConsole } from './support.ts';

/** Services that read the same database: more boxes than those for whose picture a page waits. */
const services = (name: string): string =>
  Array.from(
    { length: 60 },
    (_, n) =>
      `service: ${name}${n}.v1\npublic: true\noperations:\n  ${name.toUpperCase()}_${n}: { get: x, query: ROWS_${name.toUpperCase()} }\n---\n`,
  ).join('') +
  `query: ROWS_${name.toUpperCase()}\npublic: true\ndatasource: ${name.toUpperCase()}\ncolumns: { A: integer }\nsql: select 1 as a\n---\ndatasource: ${name.toUpperCase()}\nurl: "sqlite:${name}.db"\n`;

describe('a map of many boxes in a browser', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  beforeAll(async () => {
    const files = {
      'definitions/gateway.yaml': gatewayText('console: { sign-in: [password] }'),
      'definitions/users.yaml': USERS.replace('EVERYTHING\n', 'EVERYTHING\nconsole: [act]\n'),
      'definitions/first.yaml': services('First'),
      'definitions/second.yaml': services('Second'),
    };
    [gateway, browser] = await Promise.all([startConsole({ files }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('gets its picture when it is drawn, without a click', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    try {
      const { page } = desk;
      const reply = await page.goto(`${gateway.gateway.address}/console/map?like=First0.v1`);
      expect(await reply?.text()).toContain('The map is being drawn.');
      await page.getByRole('link', { name: 'service First59.v1', exact: true }).waitFor();
      await page.getByText('The map is being drawn.').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'service First7.v1', exact: true }).click();
      await page.waitForURL('**/console/registry/services/First7.v1');
      expect(desk.complaints).toEqual([]);
    } finally {
      await desk.close();
    }
  });

  it('gets it without a script by its link', async () => {
    const { cookie, get } = await gateway.signIn();
    const context = await browser.newContext({ javaScriptEnabled: false });
    try {
      const [name = '', value = ''] = cookie.split('=', 2);
      await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true }]);
      const page = await context.newPage();
      await page.goto(`${gateway.gateway.address}/console/map?like=Second0.v1`);
      expect(await page.getByRole('region', { name: 'Map' }).count()).toBe(0);
      // Answered once the picture is there.
      await get('/map?like=Second0.v1', { 'HX-Request': 'true' });
      await page.getByRole('link', { name: 'Load the page again' }).click();
      await page.getByRole('link', { name: 'service Second59.v1', exact: true }).waitFor();
    } finally {
      await context.close();
    }
  });
});
