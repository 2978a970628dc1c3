import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Asked, type ConsoleGateway, openConsoleGateway, seed } from '../console/gateway.ts';
import { SMALL, WHOLE, writeConsoleProject } from '../console/project.ts';
import { messageId } from '../console/seed.ts';
import { type Engine, onEach } from '../engines.ts';
import type { Figure, Target } from '../figure.ts';
import type { Bench, Row } from '../harness.ts';
import { median } from '../statistics.ts';

/** Milliseconds until a page is there, and until it is painted. */
const MOST = 100;
/** Milliseconds for which a page may keep the gateway from all else. */
const MOST_DELAY = 20;
/** Kilobytes of a page in gzip. */
const MOST_SIZE = 60;
/** Requests of each page after its first one. */
const REPEATED = 20;

const CHROMIUM = '/usr/bin/chromium';

/** Pages whose first paint is measured. */
const PAINTED = [
  // It has nothing to look for: what it takes is the browser's.
  '/sign-in?to=/',
  ...['/overview', '/registry', '/registry/operations/MANY_7_9_POST', '/try/MANY_7_9_POST', '/map', '/messages'],
  ...[
    '/messages?status=Error',
    '/processes',
    '/processes/load',
    '/queries',
    '/queues',
    '/nodes',
    '/users',
    '/users/log',
  ],
];

/** All that can be asked for. @param message the id of one that has failed */
const pagesWith = (message: string): readonly string[] => [
  ...['/overview', '/overview?period=hour', '/overview?period=week'],
  ...['/registry', '/registry?q=item', '/registry?kind=operation', '/find?q=many', '/find?q=reg'],
  ...['/registry/services/Many7.v1', '/registry/operations/MANY_7_9_POST', '/registry/operations/REMOTE_7_GET'],
  ...[
    '/registry/documents/ITEM',
    '/registry/queues/EVENTS_7',
    '/registry/subscriptions/TAKEN_7',
    '/registry/nodes/NODE_7',
  ],
  ...['/registry/permission-lists/TEAM_7', '/registry/roles/TEAM_7', '/registry/queries/ITEMS_7', '/registry/files'],
  ...['/try', '/try?q=many', '/try/MANY_7_9_POST', '/try/REMOTE_7_GET'],
  ...['/map', '/map?q=Many7', '/map?service=Many7.v1', '/map?node=NODE_7', '/map?like=Many7.v1', '/map?q=remote'],
  ...[
    '/messages',
    '/messages?status=Error',
    '/messages?status=Hold',
    '/messages?kind=call',
    '/messages?queue=EVENTS_7',
  ],
  ...[
    '/messages?node=NODE_7',
    '/messages?since=1+h',
    '/messages?user=user7',
    '/messages?queue=EVENTS_7&field.ITEM_ID=A17',
  ],
  ...['/messages?text=ECONNREFUSED', '/messages?text=MANY_7', '/messages?text=nowhere', '/messages?request=bench-7'],
  ...['/messages/held', `/messages/${message}`, `/messages/${message}/payload`, `/messages/${message}/edit`],
  ...['/messages/all/resubmit?status=Error', '/messages/all/cancel', '/messages/all/resubmit?text=ECONNREFUSED'],
  ...['/messages/all/resubmit?node=NODE_7', '/messages/all/hold?queue=EVENTS_7'],
  ...[
    '/processes',
    '/processes?status=Error',
    '/processes?user=user7',
    '/processes?name=PRCS_7',
    '/processes?hours=24',
  ],
  ...['/processes/load', '/processes/recurrences', '/processes/new', '/processes/7'],
  ...[
    '/queries',
    '/queries/ITEMS_0',
    '/queues',
    '/queues/TAKEN_7',
    '/queues/TAKEN_7?state=dead',
    '/nodes',
    '/nodes/NODE_7',
  ],
  ...['/users', '/users?q=user4', '/users?role=TEAM_7', '/users/id/user7', '/users/id/demo', '/users/me'],
  ...['/users/log', '/users/log?actor=user7', '/users/log?action=role', '/users/log?subject=user7'],
  ...['/users/who-can', '/users/who-can?thing=MANY_7_9_POST', '/users/can?user=user7', '/users/can?user=demo'],
];

export const console: Row = {
  name: 'console',
  about:
    'every page of the console of a large gateway: its first request, the median of 20, its first paint; limit: 100 ms',
  async measure(bench) {
    const size = bench.smoke ? SMALL : WHOLE;
    const root = writeConsoleProject(bench.folder, size);
    return onEach(bench, async (engine) => {
      const now = Date.now();
      const url = await engine.fresh();
      bench.say(`console: filling ${engine.name}`);
      await seed(bench, root, url, size, now);
      const gateway = await openConsoleGateway(bench, root, url);
      // A message of each thousand has failed whose number ends with 203.
      const failed = messageId(size.messages - (size.messages % 1000) - 797, now, size);
      const figures = [
        ...(await askAll(bench, gateway, engine, pagesWith(failed))),
        ...(await paintAll(bench, gateway, engine)),
      ];
      await gateway.stop();
      return figures;
    });
  },
};

const figureOf = (
  { name }: Engine,
  job: string,
  ours: number,
  { most, unit }: { readonly most: number; readonly unit: string },
): Figure => ({
  job: `${job}, ${name}`,
  beside: `${most} ${unit}`,
  unit,
  limit: [most],
  ours: [ours],
  target: { kind: 'at-most', ratio: 1 } satisfies Target,
});

const TIME = { most: MOST, unit: 'ms' } as const;
const DELAY = { most: MOST_DELAY, unit: 'ms' } as const;
const SIZE = { most: MOST_SIZE, unit: 'KB' } as const;

async function askAll(
  bench: Bench,
  gateway: ConsoleGateway,
  engine: Engine,
  pages: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  let [largest, slowest] = [
    { path: '', is: 0 },
    { path: '', is: 0 },
  ];
  const ask = async (path: string): Promise<Asked & { readonly delay: number }> => {
    await gateway.delay();
    const asked = await gateway.ask(path);
    return { ...asked, delay: await gateway.delay() };
  };
  for (const path of pages) {
    bench.say(`console: ${path} on ${engine.name}`);
    const first = await ask(path);
    const later: (typeof first)[] = [];
    for (let turn = 0; turn < (bench.smoke ? 1 : REPEATED); turn += 1) later.push(await ask(path));
    figures.push(figureOf(engine, `${path}, first request`, first.ms, TIME));
    figures.push(figureOf(engine, `${path}, median`, median(later.map(({ ms }) => ms)), TIME));
    const delay = Math.max(first.delay, median(later.map((each) => each.delay)));
    if (delay > MOST_DELAY) figures.push(figureOf(engine, `${path}, event loop held up`, delay, DELAY));
    if (delay > slowest.is) slowest = { path, is: delay };
    if (first.bytes > largest.is) largest = { path, is: first.bytes };
  }
  if (slowest.is <= MOST_DELAY)
    figures.push(figureOf(engine, `event loop held up, at most by ${slowest.path}`, slowest.is, DELAY));
  return [...figures, figureOf(engine, `largest page in gzip, ${largest.path}`, largest.is / 1000, SIZE)];
}

/** The first contentful paint of the main pages, with what a page loads, as without a cache. */
async function paintAll(bench: Bench, gateway: ConsoleGateway, engine: Engine): Promise<Figure[]> {
  if (!existsSync(CHROMIUM)) {
    bench.leftOut.push({ job: 'first paint', beside: `${MOST} ms`, why: `${CHROMIUM} is not installed` });
    return [];
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await openWindow(browser, gateway);
    // The first page starts a process of the browser.
    await paint(page, `${gateway.address}/console/sign-in?to=/`);
    const figures: Figure[] = [];
    for (const path of PAINTED) {
      bench.say(`console: paint of ${path} on ${engine.name}`);
      const rounds: number[] = [];
      for (let round = 0; round < (bench.smoke ? 1 : 5); round += 1)
        rounds.push(await paint(page, `${gateway.address}/console${path}`));
      figures.push(figureOf(engine, `${path}, first paint`, median(rounds), TIME));
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** A window of someone who has signed in, which keeps nothing of what it has loaded. */
async function openWindow(browser: Browser, { cookie }: ConsoleGateway): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true }]);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  return page;
}

/** As text: types of Node have no paints. */
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
  }).observe({ type: 'paint', buffered: true }))`;

/** Milliseconds from the beginning of a navigation to its first contentful paint. */
async function paint(page: Page, address: string): Promise<number> {
  await page.goto(address);
  return page.evaluate<number>(FIRST_PAINT);
}
