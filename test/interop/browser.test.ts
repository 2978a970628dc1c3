import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestProject, writeProject } from '../support/project.ts';
import type { SampleCopy } from '../support/sample.ts';
import { richSample } from './project.ts';
import { has, type Served, serve, shell } from './support.ts';

/** Nothing but the page: no first-run windows, no calls home. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// What runs in the page is text: the types of the DOM are not in scope here.

const WIDER_THAN_SCREEN = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => element.outerHTML.slice(0, 80))`;

const FOCUS = `(element) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return { isActive: document.activeElement === element, outline: outlineStyle + ' ' + outlineWidth };
}`;

/** Colour of an element's text, and of the nearest ground behind it that is not transparent. */
const COLOURS = `(selector) => {
  const element = document.querySelector(selector);
  let behind = element;
  while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
  return [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
}`;

describe.skipIf(!has('chromium'))('the page of services in Chromium (needs chromium)', () => {
  let gateway: Served;
  let project: SampleCopy;
  let browser: Browser;
  beforeAll(async () => {
    project = await richSample();
    gateway = await serve(project.root);
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    project?.remove();
  });

  /** Opens the page, does something with it, and closes it; what the browser complains of fails the test. */
  async function onPage(
    options: { width: number; colorScheme?: 'light' | 'dark' },
    work: (page: Page) => Promise<void>,
  ): Promise<void> {
    const { width, ...rest } = options;
    const context = await browser.newContext({ viewport: { width, height: 900 }, ...rest });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
      page.on('response', (reply) => {
        if (reply.status() >= 400) complaints.push(`${reply.url()}: ${reply.status()}`);
      });
      expect((await page.goto(gateway.address))?.status()).toBe(200);
      await work(page);
    } finally {
      await context.close();
    }
    expect(complaints).toEqual([]);
  }

  test('lists every service with its operations', () =>
    onPage({ width: 1280 }, async (page) => {
      expect(await page.title()).toBe('LOCAL - Signalbox');
      expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
        'Attachments v1',
        'Documents v1',
        'Imports v1',
        'Kinds v2',
        'LocationSetup v1',
        'Locations v1',
        'PROCESSREQUEST v1',
        'QAS_QRY_SERVICE v1',
      ]);
      const operations = await page.getByRole('heading', { level: 3 }).allInnerTexts();
      expect(operations).toEqual(
        expect.arrayContaining(['ATTACHMENT_PUT', 'KIND_POST', 'LOCATIONS_GET', 'EMPLOYEES_GET']),
      );
      const [wsdl] = await page.getByRole('link', { name: 'WSDL' }).all();
      expect(await wsdl?.getAttribute('href')).toMatch(/PeopleSoftServiceListeningConnector\/Attachments\.v1\.wsdl$/);
      // A consumer is called elsewhere: there is nothing to call here.
      expect(await page.getByText('N_BINARY').count()).toBe(0);
      expect(await page.getByText('The locations of a region; with a location,').isVisible()).toBe(true);
      await page.getByRole('link', { name: 'Locations.v1' }).click();
      expect(new URL(page.url()).hash).toBe('#Locations.v1');
    }));

  test('every link works, without credentials', () =>
    onPage({ width: 1280 }, async (page) => {
      const links = await page.evaluate<string[]>('[...document.links].map((link) => link.href)');
      const addresses = new Set(links.map((link) => link.replace(/#.*/, '')));
      for (const service of ['Locations.v1', 'QAS_QRY_SERVICE.v1', 'Kinds.v2'])
        for (const form of ['wadl', 'openapi.json', 'xsd'])
          expect(addresses).toContain(`${gateway.connector}/${service}.${form}`);
      for (const address of addresses) {
        const reply = await fetch(address);
        expect({ address, status: reply.status }).toEqual({ address, status: 200 });
        expect(await reply.text()).not.toBe('');
      }
      // An anchor leads to a heading that is there.
      for (const link of links.filter((each) => each.includes('#')))
        expect(await page.locator(`[id="${new URL(link).hash.slice(1)}"]`).count()).toBe(1);
    }));

  test('every example, pasted into a shell, succeeds', () =>
    onPage({ width: 1280 }, async (page) => {
      // Those that are folded away have no text to be seen.
      await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
      const examples = await page.locator('pre').allInnerTexts();
      const templates = await page.locator('.path').count();
      expect(examples.length).toBe(templates);
      expect(examples.length).toBeGreaterThanOrEqual(11);
      // What calls other systems can't succeed without them, and what is about a record, a request or a file not without that:
      // such calls follow on each other, as the README's do.
      const others =
        /\/(?:Documents|Imports|LocationSetup|ProcessRequest|QueryFile|QueryDelete)\.v1\/|\b(?:LOCATION_(?!S)|PRCS_|QAS_QUERY_DELETE)/;
      const alone = examples.filter((example) => !others.test(example));
      expect(alone.length).toBeGreaterThanOrEqual(15);
      for (const example of alone) {
        const { code, stdout, stderr } = await shell(`${example} --fail-with-body -sS -m 20 -w '\\n%{http_code}'`);
        expect({ example, code, stdout, stderr }).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/\n20[04]$/),
          stderr: '',
        });
      }
    }));

  test('a click selects a whole example, as it is to be pasted', () =>
    onPage({ width: 390 }, async (page) => {
      // A long one is folded away.
      await page.locator('summary').last().click();
      const example = page.locator('details[open] pre');
      await example.click();
      // Breaks are on the screen only.
      expect(await page.evaluate('String(getSelection())')).toBe((await example.textContent()) as string);
    }));

  test('an example that would fill a phone is folded away, and every other is there to be seen', () =>
    onPage({ width: 390 }, async (page) => {
      const [folded, open] = [page.locator('details pre'), page.locator('article > pre')];
      expect(await folded.count()).toBeGreaterThan(0);
      expect((await folded.allTextContents()).every((text) => text.length > 200)).toBe(true);
      for (const example of await open.all()) expect(await example.isVisible()).toBe(true);
      expect(await open.count()).toBeGreaterThan(15);
    }));

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
    [320, 'light'],
  ] as const)('at %i pixels, %s: nothing is wider than the screen, and text stands out', (width, colorScheme) =>
    onPage({ width, colorScheme }, async (page) => {
      const scroll = await page.evaluate('document.documentElement.scrollWidth');
      const wide = await page.evaluate(WIDER_THAN_SCREEN);
      expect({ scroll, wide }).toEqual({ scroll: width, wide: [] });
      for (const selector of ['h1', 'header p', 'h2', 'small', 'article p', 'pre', 'var', '.method', '.facts', 'a'])
        expect({ selector, ok: (await contrast(page, selector)) >= 4.5 }).toEqual({ selector, ok: true });
    }));
});

describe.skipIf(!has('chromium'))('the catalogue of many services in Chromium (needs chromium)', () => {
  let gateway: Served;
  let project: TestProject;
  let browser: Browser;
  beforeAll(async () => {
    const services = Array.from({ length: 70 }, (_, at) => {
      const name = `Many${String(at).padStart(2, '0')}`;
      const operation = `${name.toUpperCase()}_GET: { get: "kind/{REGION}", request: { fields: { REGION: string } }, response: text, handler: one }`;
      return `service: ${name}.v1\ndescription: Service ${at} of many.\npublic: true\noperations:\n  ${operation}\n`;
    });
    project = writeProject({
      'definitions/services.yaml': services.join('---\n'),
      'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
    });
    gateway = await serve(project.root);
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    project?.remove();
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1920, 'light'],
    [1920, 'dark'],
  ] as const)('at %i pixels, %s: a keyboard is enough to search, to open a service and to go through pages', async (width, colorScheme) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      const fits = async (): Promise<void> => {
        const scroll = await page.evaluate('document.documentElement.scrollWidth');
        expect({ scroll, wide: await page.evaluate(WIDER_THAN_SCREEN) }).toEqual({ scroll: width, wide: [] });
        for (const selector of ['h2', 'main a', 'main .facts', 'label', 'input', 'button'])
          expect({ selector, ok: (await contrast(page, selector)) >= 4.5 }).toEqual({ selector, ok: true });
      };
      await page.goto(gateway.address);
      await fits();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.getBoundingClientRect().left')).toBe(0);
      // The link to the console comes before the search.
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/console');
      await page.keyboard.press('Tab');
      expect(await page.getByRole('searchbox', { name: 'Search services' }).count()).toBe(1);
      expect(await page.evaluate(`(${FOCUS})(document.querySelector('input'))`)).toMatchObject({
        isActive: true,
        outline: 'solid 2px',
      });
      await page.keyboard.type('many4');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\?q=many4$/);
      await fits();
      expect(await page.getByRole('heading', { level: 3 }).count()).toBe(10);
      await page.getByRole('link', { name: 'Many42 v1', exact: true }).press('Enter');
      await page.waitForURL(/\?service=Many42\.v1$/);
      await fits();
      expect(await page.locator('pre').innerText()).toMatch(/^curl .*Many42/);
      await page.getByRole('link', { name: 'All services' }).press('Enter');
      await page.getByRole('link', { name: 'Next' }).press('Enter');
      await page.waitForURL(/\?page=2$/);
      expect(await page.getByRole('heading', { level: 2 }).innerText()).toBe('Services 51 to 70 of 70');
      expect(await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]').innerText()).toBe('2');
    } finally {
      await context.close();
    }
    expect(complaints).toEqual([]);
  });
});

/** Contrast of an element's text to what is behind it (WCAG 2.2, 1.4.3): from 1 to 21. */
async function contrast(page: Page, selector: string): Promise<number> {
  const colours = await page.evaluate<readonly [string, string]>(`(${COLOURS})(${JSON.stringify(selector)})`);
  const [text, ground] = colours.map(luminance) as [number, number];
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
}

/** Relative luminance of `rgb(28, 36, 48)` (WCAG 2.2). */
function luminance(colour: string): number {
  const [r, g, b] = (colour.match(/[\d.]+/g) as string[]).slice(0, 3).map((each) => {
    const part = Number(each) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
