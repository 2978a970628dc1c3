import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../support/gateway.ts';
import { type ConsoleGateway, type Desk, openBrowser, openDesk, startConsole } from './support.ts';

// Every kind of page that links of the console lead to, as a reader of it: with the tools of the browser and of axe-core.

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What axe-core finds against WCAG 2.2 A and AA, one line each. */
const FINDINGS = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    id + ' at ' + target.join(' ') + ': ' + failureSummary)))`;

const WIDER_THAN_WINDOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** Tables whose rows follow each other on a telephone, with something beside the window all the same. */
const OUT_OF_SIGHT = `[...document.querySelectorAll('table.stacks')].filter(({ parentElement: { scrollWidth, clientWidth } }) => scrollWidth > clientWidth + 1).length`;
const LINKS = `[...document.querySelectorAll('a[href^="/console/"]')].map((link) => link.getAttribute('href'))`;

/** Bytes of a page with all that it loads, as they are sent. */
const MOST_BYTES = 60 * 1024;
/** Pages of one kind that are opened. */
const SAMPLES = 1;
const MOST_PAGES = 70;

/** The kind of a page: its path without names and numbers. */
function kindOf(path: string): string {
  const [own = ''] = path.split(/[?#]/);
  const [, area = '', first = '', ...rest] = own.replace('/console', '').split('/');
  const literal = /^[a-z-]+$/;
  return [
    area,
    literal.test(first) ? first : first === '' ? '' : ':',
    ...rest.map((each) => (literal.test(each) ? each : ':')),
  ].join('/');
}

describe('every page of the console', () => {
  let gateway: ConsoleGateway;
  let browser: Browser;
  /** Paths with their queries, one of each kind. */
  let paths: string[];
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startConsole(), openBrowser()]);
    const path = '/gateway/RESTListeningConnector/LOCAL/Locations.v1';
    for (const each of ['/Locations/?region=N', '/Locations/N/?location=x', '/nothing'])
      await gateway.call(`${path}${each}`, { headers: { Authorization: DEMO } });
    paths = await crawl();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  /** The pages that links lead to, over HTTP. */
  async function crawl(): Promise<string[]> {
    const visitor = await gateway.signIn();
    const seen = new Map<string, string[]>([['overview', ['/console/overview']]]);
    const found: string[] = [];
    for (const queue = ['/console/overview']; queue.length > 0 && found.length < MOST_PAGES; ) {
      const path = queue.shift() as string;
      const { status, text, headers } = await visitor.get(path.replace('/console', ''));
      expect(status, path).toBe(200);
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      if (headers['content-disposition'] !== undefined) continue;
      found.push(path);
      for (const [, link = ''] of text.matchAll(/href="(\/console\/[^"#]*)/g)) {
        const to = link.replaceAll('&amp;', '&');
        const kind = kindOf(to);
        const samples = seen.get(kind) ?? [];
        if (to.includes('/assets/') || samples.length >= SAMPLES) continue;
        seen.set(kind, [...samples, to]);
        queue.push(to);
      }
    }
    return found;
  }

  const open = async (desk: Desk, path: string): Promise<void> => {
    await desk.open(path.replace('/console', ''));
  };

  it.each(['light', 'dark'] as const)('is accessible, and complains about nothing, in %s', async (colorScheme) => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo', { colorScheme });
    try {
      const findings: string[] = [];
      for (const path of paths) {
        await open(desk, path);
        await desk.page.evaluate(AXE);
        const all = (await desk.page.evaluate(FINDINGS)) as string[];
        findings.push(...all.map((each) => `${path}: ${each}`));
      }
      expect(findings).toEqual([]);
      expect(desk.complaints).toEqual([]);
      expect(paths.length).toBeGreaterThan(5);
    } finally {
      await desk.close();
    }
  }, 180_000);

  it('fits a telephone and a wide screen', async () => {
    for (const width of [390, 2560]) {
      const desk = await openDesk(browser, gateway.gateway.address, 'demo', { width });
      try {
        const wider: string[] = [];
        for (const path of paths) {
          await open(desk, path);
          const by = (await desk.page.evaluate(WIDER_THAN_WINDOW)) as number;
          if (by > 0) wider.push(`${path}: ${by} px at ${width}`);
          if ((await desk.page.evaluate(OUT_OF_SIGHT)) !== 0) wider.push(`${path}: cells out of sight at ${width}`);
        }
        expect(wider).toEqual([]);
      } finally {
        await desk.close();
      }
    }
  }, 180_000);

  it('takes less than 60 KB with everything that it loads', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    try {
      const client = await desk.context.newCDPSession(desk.page);
      await client.send('Network.enable');
      await client.send('Network.setCacheDisabled', { cacheDisabled: true });
      let bytes = 0;
      client.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      const large: string[] = [];
      for (const path of paths) {
        bytes = 0;
        await open(desk, path);
        if (bytes > MOST_BYTES) large.push(`${path}: ${bytes} bytes`);
      }
      expect(large).toEqual([]);
    } finally {
      await desk.close();
    }
  }, 180_000);

  it('has links to pages that exist', async () => {
    const desk = await openDesk(browser, gateway.gateway.address, 'demo');
    try {
      await desk.open('/overview');
      const links = (await desk.page.evaluate(LINKS)) as string[];
      const visitor = await gateway.signIn();
      for (const link of new Set(links)) {
        const { status } = await visitor.get(link.replace('/console', '').replace(/#.*/, ''));
        expect(status, link).toBe(200);
      }
    } finally {
      await desk.close();
    }
  });
});
